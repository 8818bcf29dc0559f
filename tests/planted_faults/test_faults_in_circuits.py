"""Every fault planted in a circuit is reported, and exactly as it should be."""

from __future__ import annotations

import pytest

from tests.planted_faults.circuit_faults import CIRCUIT_FAULTS
from tests.planted_faults.suite import reported, reported_of_sound, sound_cases
from tests.planted_faults.table import Case, CircuitFault

pytestmark = pytest.mark.sim


@pytest.mark.parametrize("fault", CIRCUIT_FAULTS, ids=lambda fault: fault.name)
def test_a_fault_in_a_circuit_is_reported(fault: CircuitFault) -> None:
    assert fault.reported != fault.case.sound
    assert reported(fault) == fault.reported


@pytest.mark.parametrize(
    ("case", "way"), sound_cases(), ids=[f"{case.name}, {way}" for case, way in sound_cases()]
)
def test_nothing_is_reported_of_a_sound_circuit(case: Case, way: str) -> None:
    assert reported_of_sound(case, way) == case.sound
