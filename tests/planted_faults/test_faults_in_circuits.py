"""Every fault planted in a circuit or a model is reported, and exactly as it should be."""

from __future__ import annotations

import pytest

from tests.planted_faults.suite import (
    FAULTS,
    INPUTS,
    reported,
    reported_of_sound,
    sound_cases,
    texts,
)
from tests.planted_faults.table import Case, Fault
from tests.support.deep import Deep

pytestmark = pytest.mark.sim


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_fault_is_reported(fault: Fault, deep: Deep) -> None:
    deep(*INPUTS, texts=texts())
    assert fault.reported != fault.case.sound
    assert reported(fault) == fault.reported


@pytest.mark.parametrize(
    ("case", "way"), sound_cases(), ids=[f"{case.name}, {way}" for case, way in sound_cases()]
)
def test_nothing_is_reported_of_a_sound_circuit(case: Case, way: str, deep: Deep) -> None:
    deep(*INPUTS, texts=texts())
    assert reported_of_sound(case, way) == case.sound
