"""AXI4 masters are proved, and the proofs report faults."""

from __future__ import annotations

import pytest

from tests.support.deep import Deep
from tools.prove.axi4_masters import PROOFS, MasterProof, master_texts, prove_master

pytestmark = pytest.mark.sim
INPUTS = ("tools/prove", "loom/processes")
READ, WRITE, FEW_PLACES, PACKED = PROOFS[1], PROOFS[5], PROOFS[8], PROOFS[10]
FAULTS = (
    (READ, "axi4_burst", "(place != 12'd0)", "(place != 12'd8)", "open_within"),
    (READ, "axi4_burst", "if (free) begin : next_burst", "begin : next_burst", "ax_stays"),
    (READ, "axi4_burst", "open_q ? length_q : 8'd0", "length_q", "asked_for"),
    (READ, "axi4_burst", "axvalid_q <= ~free | open_q | valid_i",
     "axvalid_q <= ~free | valid_i", "offered_while_owed"),
    (READ, "axi4_burst", "base_i + offset", "base_i + own_offset", "in_its_place"),
    (READ, "axi4_read", "= 2'b01", "= 2'b00", "shape"),
    (READ, "axi4_read", "r_valid_o = m_axi_rvalid", "r_valid_o = m_axi_rvalid & r_ready_i",
     "comes_at_once"),
    (READ, "axi4_read", "m_axi_rready = r_ready_i", "m_axi_rready = 1'b1", "a_beat_each"),
    (READ, "axi4_read", "= m_axi_rresp[1]", "= &m_axi_rresp", "error_is_told"),
    (READ, "axi4_read", "if (m_axi_rvalid & r_ready_i) head_q", "if (m_axi_rvalid) head_q",
     "places"),
    (READ, "axi4_read", "first_q[tail_q] <= lane", "first_q[head_q] <= lane", "lane_kept"),
    (READ, "axi4_read", "[{first, 3'd0}+:ELEMENT_WIDTH]", "[ELEMENT_WIDTH-1:0]",
     "element_of_the_beat"),
    (WRITE, "axi4_write", "m_axi_wlast = ends_q[sent_q", "m_axi_wlast = ends_q[answered_q",
     "wlast_is_last"),
    (WRITE, "axi4_write", "m_axi_wvalid = sent_q != closed_q", "m_axi_wvalid = sent_q != pushed_q",
     "w_for_each_beat"),
    (WRITE, "axi4_write", "= sent_q != closed_q", "= (sent_q != closed_q) & m_axi_wready",
     "w_for_each_beat"),
    (WRITE, "axi4_write", "LaneStrobe << first", "(LaneStrobe << first) | '1", "in_its_bytes"),
    (WRITE, "axi4_write", "if (pop) sent_q", "if (m_axi_wvalid) sent_q", "w_stays"),
    (WRITE, "axi4_write", "elements_q[pushed_q[", "elements_q[sent_q[", "w_stays"),
    (WRITE, "axi4_write", "m_axi_bready = b_ready_i & ends", "m_axi_bready = b_ready_i",
     "one_a_burst"),
    (WRITE, "axi4_write", "b_valid_o = m_axi_bvalid", "b_valid_o = m_axi_bvalid & ends",
     "comes_at_once"),
    (WRITE, "axi4_write", "= m_axi_bresp[1]", "= &m_axi_bresp", "error_is_told"),
    (FEW_PLACES, "axi4_write", "[WAIT_WIDTH] == sent_q[WAIT_WIDTH]", "[0] == sent_q[0]",
     "takes_with_room"),
    (FEW_PLACES, "axi4_write", "aw_ready_o = ready & room", "aw_ready_o = ready", "counts"),
    (PACKED, "axi4_write", "strobes_q[sent_q", "strobes_q[answered_q", "in_its_bytes"),
)  # fmt: skip


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: proof.name)
def test_the_master_is_proved(proof: MasterProof, deep: Deep) -> None:
    deep(*INPUTS, texts=master_texts(proof.verb).values())
    verdict = prove_master(proof)
    assert verdict.proved, verdict.reasons


@pytest.mark.parametrize(("proof", "module", "old", "new", "assertion"), FAULTS)
def test_a_planted_fault_of_a_master_is_reported(
    proof: MasterProof, module: str, old: str, new: str, assertion: str, deep: Deep
) -> None:
    texts = master_texts(proof.verb)
    deep(*INPUTS, texts=texts.values())
    assert texts[module].count(old) == 1
    verdict = prove_master(proof, {**texts, module: texts[module].replace(old, new)})
    assert verdict.outcome == "failed" and assertion in verdict.reasons, verdict.reasons
