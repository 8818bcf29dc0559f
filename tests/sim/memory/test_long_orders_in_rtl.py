"""Loops whose accesses collide, before a RAM and under stalls, for each unit that orders them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.grow import long_orders
from tests.support.planted_faults import Fault

pytestmark = [pytest.mark.sim, pytest.mark.usefixtures("deep_on_sources")]

COUNT = 200
"""Iterations of each loop."""


@pytest.mark.parametrize("name", long_orders.SUBJECTS)
def test_accesses_give_what_the_program_gives(name: str) -> None:
    kernel = long_orders.kernel_of(name, "ram,latency=3", COUNT)
    assert long_orders.differences(kernel, 1, COUNT) == []


def test_a_planted_fault_is_found() -> None:
    kernel = long_orders.kernel_of("dataflow.forward_store", "ram,latency=3", COUNT)
    fault = Fault("rtl/loom_forward_store.sv", {"forwards ? word_q[": "1'b0 ? word_q["})
    faulty = replace(kernel, files=fault.plant(dict(kernel.files)))
    assert long_orders.differences(faulty, 1, COUNT) != []
