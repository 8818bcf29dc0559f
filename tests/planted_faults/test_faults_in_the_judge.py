"""A fault planted in the judge makes a test fail: its witness is not reported as it should be.

The test that fails is ``test_a_fault_is_reported[WITNESS]``.
"""

from __future__ import annotations

import pytest

from tests.planted_faults.circuit_faults import CIRCUIT_FAULTS
from tests.planted_faults.judge_faults import JUDGE_FAULTS
from tests.planted_faults.model_faults import MODEL_FAULTS
from tests.planted_faults.suite import FAULTS, INPUTS, reported_by, texts
from tests.planted_faults.table import JudgeFault
from tests.support.deep import Deep


@pytest.mark.sim
@pytest.mark.parametrize("fault", JUDGE_FAULTS, ids=lambda fault: fault.name)
def test_a_judge_with_a_fault_fails_its_witness(fault: JudgeFault, deep: Deep) -> None:
    deep(*INPUTS, texts=texts())
    witness = FAULTS[fault.witness]
    assert fault.left != witness.reported
    assert reported_by(fault, witness) == fault.left


def test_a_name_is_of_one_fault() -> None:
    assert len(FAULTS) == len(CIRCUIT_FAULTS) + len(MODEL_FAULTS)
    assert len({fault.name for fault in JUDGE_FAULTS}) == len(JUDGE_FAULTS)
