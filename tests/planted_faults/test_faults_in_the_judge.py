"""A fault planted in the judge makes a test fail: its witness is not reported as it should be.

The test that fails is `test_a_fault_in_a_circuit_is_reported[WITNESS]`.
"""

from __future__ import annotations

import pytest

from tests.planted_faults.judge_faults import JUDGE_FAULTS
from tests.planted_faults.suite import FAULTS, reported_by
from tests.planted_faults.table import JudgeFault

pytestmark = pytest.mark.sim


@pytest.mark.parametrize("fault", JUDGE_FAULTS, ids=lambda fault: fault.name)
def test_a_judge_with_a_fault_fails_its_witness(fault: JudgeFault) -> None:
    expected = FAULTS[fault.witness].reported
    assert fault.left != expected
    assert reported_by(fault) == fault.left


def test_names_are_of_one_fault() -> None:
    assert len(FAULTS) == len({fault.name for fault in FAULTS.values()})
    names = [fault.name for fault in JUDGE_FAULTS]
    assert len(names) == len(set(names))
