"""No circuit of the lowering stops: found in the timed model, which has the buffers of the RTL."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from tests.model.test_program_meets_model import ZeroTrip
from tests.random_programs import random_program
from tests.random_programs.in_rtl import kernel_of, rtl_setting
from tests.support.folders import ROWS

FIRST, PROGRAMS = 40_000, 120
WAITS = ROWS / "waits_for_the_next_test.mlir"
"""A turn's order token is ready before the test of the next turn is known, and the fork of this
turn's test waits until that token has gone on."""


@pytest.mark.parametrize("policy", ["raw", "guard"])
def test_a_turn_does_not_wait_for_the_test_of_the_next(policy: ZeroTrip) -> None:
    options = Options(zero_trip=policy)
    netlist = compile_text(WAITS.read_text(), "k.mlir", options=options).netlist
    words = {"m0": [1, 0, 1, 0, 0, 1, 0, 1], "m1": [0, 1] * 8}
    given = [Activation({"a0": a0, **words}) for a0 in (3706586328, 6814668017, 0, 5, 7)]
    assert [run.missing for run in run_timed(netlist, given)] == [()] * 5


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, 20))
def test_random_programs_come_to_their_end(first: int) -> None:
    """Each at a clock period of its own."""
    for seed in range(first, first + 20):
        kernel, given = kernel_of(random_program(seed), rtl_setting(seed))
        try:
            runs = run_timed(kernel.netlist, given, most=100_000)
        except LoomError as error:
            assert error.code == "MODEL_LIMIT", "only a program that does not end may not end"
            continue
        assert all(run.missing == () for run in runs), f"seed {seed} stops"
