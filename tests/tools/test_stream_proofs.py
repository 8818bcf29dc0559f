"""The adapters of streams are proved, and the proofs report faults."""

from __future__ import annotations

import pytest

from loom.bus.streams import ADAPTERS, adapter_text
from tools.prove.axis_adapters import prove_adapter

pytestmark = pytest.mark.sim
FAULTS = (
    ("loom_axis_read", "r_valid_o = axis_tvalid_i & owes", "r_valid_o = axis_tvalid_i",
     "response_is_owed"),
    ("loom_axis_read", "axis_tready_o = r_ready_i & owes", "axis_tready_o = owes", "a_beat_each"),
    ("loom_axis_read", "axis_tlast_i != (index_q == LAST)", "axis_tlast_i & (index_q != LAST)",
     "tlast"),
    ("loom_axis_read", "ar_ready_o = owed_q != 2'd3", "ar_ready_o = 1'b1", "takes"),
    ("loom_axis_read", "(index_q == LAST) ? '0 : index_q", "index_q", "index"),
    ("loom_axis_write", "axis_tvalid_o = aw_valid_i & room", "axis_tvalid_o = aw_valid_i",
     "a_beat_each"),
    ("loom_axis_write", "axis_tvalid_o = aw_valid_i & room",
     "axis_tvalid_o = aw_valid_i & room & axis_tready_i", "offers"),
    ("loom_axis_write", "axis_tlast_o = index_q == LAST", "axis_tlast_o = &index_q",
     "tlast_is_last"),
    ("loom_axis_write", "b_valid_o = owed_q != 2'd0", "b_valid_o = owed_q[0]", "response"),
)  # fmt: skip


@pytest.mark.parametrize("module", ADAPTERS)
def test_the_adapter_of_a_stream_is_proved(module: str) -> None:
    verdict = prove_adapter(module)
    assert verdict.proved, verdict.reasons


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(("module", "old", "new", "assertion"), FAULTS)
def test_a_planted_fault_of_an_adapter_is_reported(
    module: str, old: str, new: str, assertion: str
) -> None:
    text = adapter_text(module)
    assert old in text
    verdict = prove_adapter(module, text.replace(old, new))
    assert verdict.outcome == "failed" and verdict.reasons
    assert assertion in verdict.reasons, verdict.reasons
