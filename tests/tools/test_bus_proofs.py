"""The ports of buses are proved, and the proofs report faults."""

from __future__ import annotations

import pytest

from loom.bus.buses import PORTS
from tests.support.deep import Deep
from tools.prove.bus_ports import BURST, port_text, prove_port

pytestmark = pytest.mark.sim
INPUTS = ("tools/prove", "loom/processes")
FAULTS = (
    ("axi4lite", "(write_q ? s_axi_bready : s_axi_rready)", "s_axi_bready", "r_stays"),
    ("axi4lite", "~access_q & ~take_q & ~answer_q", "~access_q & ~take_q", "one"),
    ("axi4lite", "& ~(s_axi_arvalid & write_q)", "", "in_turn"),
    ("axi4lite", "write_asks = s_axi_awvalid & s_axi_wvalid", "write_asks = s_axi_awvalid",
     "of_a_write"),
    ("axi4lite", "error_q <= access_error_i;", "error_q <= 1'b0;", "kept"),
    ("wishbone", "ends & wanted_q & asks & access_error_i", "ends & access_error_i", "err_is_due"),
    ("wishbone", "if (begins) begin : cycle", "if (asks) begin : cycle", "stays"),
    ("avalon", "~access_q & ~take_q", "~access_q", "shows"),
    ("avalon", "take_q <= ends", "take_q <= access_q", "command_is_taken"),
    ("avalon", "if (take_q) answer_write_q <= write_q", "answer_write_q <= write_q & ~take_q",
     "write_response"),
    ("avalon", "access_write_o = write_q", "access_write_o = avs_read", "shows"),
)  # fmt: skip
BURST_FAULTS = (
    ("(place != 12'd0)", "(place != 12'd8)", "open_within"),
    ("axlen_q <= open_q ? length_q : 8'd0", "axlen_q <= length_q", "asked_for"),
    ("if (free) begin : next_burst", "begin : next_burst", "ax_stays"),
    ("next_q <= {1'b0, index_i} + 1'b1", "next_q <= {1'b0, index_i} + 2'd2", "open"),
    ("last_o = free", "last_o = ~open_q", "in_the_offered"),
)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("bus", PORTS)
def test_the_port_is_proved(bus: str) -> None:
    verdict = prove_port(bus)
    assert verdict.proved, verdict.reasons


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(("bus", "old", "new", "assertion"), FAULTS)
def test_a_planted_fault_is_reported(bus: str, old: str, new: str, assertion: str) -> None:
    text = port_text(bus)
    assert old in text
    verdict = prove_port(bus, text.replace(old, new))
    assert verdict.outcome == "failed" and verdict.reasons
    assert assertion in " ".join(verdict.reasons), verdict.reasons


def test_bursts_are_proved(deep: Deep) -> None:
    deep(*INPUTS, texts=[port_text(BURST)])
    verdict = prove_port(BURST)
    assert verdict.proved, verdict.reasons


@pytest.mark.parametrize(("old", "new", "assertion"), BURST_FAULTS)
def test_a_planted_fault_of_bursts_is_reported(
    old: str, new: str, assertion: str, deep: Deep
) -> None:
    text = port_text(BURST)
    deep(*INPUTS, texts=[text])
    assert old in text
    verdict = prove_port(BURST, text.replace(old, new))
    assert verdict.outcome == "failed" and assertion in verdict.reasons, verdict.reasons
