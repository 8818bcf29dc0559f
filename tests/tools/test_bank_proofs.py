"""Memories in banks and their arbiter are proved; planted faults have counterexamples."""

from __future__ import annotations

import pytest

from tests.support.deep import UNIT_INPUTS, Deep
from tests.tools.test_proofs import Planted, unit
from tools.prove import prove_unit
from tools.prove.arbiter import arbiter_text, prove_arbiter

FAULTS = (
    # A load takes the word of another bank than the one it asked.
    Planted("loom_memory_2_stores_2_loads_banked_proof_m (6%2)",
            "ld_bank1_q <= ld_bank1", "ld_bank1_q <= ~ld_bank1", "ld_data1_word"),
    # Two ports of a table show the same address.
    Planted("loom_memory_0_stores_2_loads_unchecked_banked_proof_m (2 ports)",
            ".b_addr_i(bank0_copy1_rd_addr_o)", ".b_addr_i(bank0_rd_addr_o)", "ld_data1_word"),
    # A store goes to its place in another bank too.
    Planted("loom_extmemory_2_stores_2_loads_banked_proof_m (6%2)",
            "st_request[0] & (st_bank0 == 1'd1)", "st_request[0]", "m_1_wr_"),
)  # fmt: skip


@pytest.mark.sim
def test_a_memory_in_banks_is_proved(deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/prove", "tests/tools/test_proofs.py")
    verdict = prove_unit(unit("loom_memory_1_stores_2_loads_banked_proof_m (2x3%3, known banks)"))
    assert (verdict.outcome, verdict.reasons) == ("proved", ())


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.unit}: {fault.new}")
def test_a_planted_fault_has_a_counterexample(fault: Planted, deep: Deep) -> None:
    deep(*UNIT_INPUTS, "tools/prove", "tests/tools/test_proofs.py")
    verdict = prove_unit(fault.plant())
    assert verdict.outcome == "failed"
    assert any(fault.reason in reason for reason in verdict.reasons), verdict.reasons


@pytest.mark.sim
def test_no_access_waits_for_ever(deep: Deep) -> None:
    """The arbiter of several accesses; one that has a favourite is found out.

    `make prove` proves it for all numbers from two to eight.
    """
    deep(*UNIT_INPUTS, "tools/prove", "tests/tools/test_proofs.py")
    verdict = prove_arbiter("", (2, 5, 8))
    assert (verdict.outcome, verdict.reasons) == ("proved", ())
    text = arbiter_text()
    unfair = text.replace("some_wait = waiting != '0", "some_wait = 1'b0")
    assert unfair != text
    assert prove_arbiter(unfair, (2, 3)).outcome == "failed"
