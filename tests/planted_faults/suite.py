"""All faults, and what is reported with each; simulations are done once a process."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from tests.planted_faults.circuit_faults import CIRCUIT_FAULTS
from tests.planted_faults.evidence import WAYS, Evidence, Shot, judge, simulate
from tests.planted_faults.judge_faults import JUDGE_FAULTS
from tests.planted_faults.planting import plant_in_python, plant_in_simulator
from tests.planted_faults.table import Case, CircuitFault, JudgeFault

FAULTS = {fault.name: fault for fault in CIRCUIT_FAULTS}


@cache
def sound_cases() -> tuple[tuple[Case, str], ...]:
    """Each case with each way in which a fault shows in it."""
    return tuple(dict.fromkeys((fault.case, fault.way) for fault in CIRCUIT_FAULTS))


@cache
def shots() -> tuple[Shot, ...]:
    """All that one simulator holds."""
    found = [Shot(case) for case, _ in sound_cases()]
    found += [Shot(fault.case, fault.change) for fault in CIRCUIT_FAULTS]
    found += [shot_of(fault) for fault in JUDGE_FAULTS if fault.at == "harness"]
    return tuple(dict.fromkeys(found))


def shot_of(fault: JudgeFault) -> Shot:
    """The witness, in the harness with the fault if it is one of the harness."""
    witness = FAULTS[fault.witness]
    return Shot(witness.case, witness.change, fault.change if fault.at == "harness" else None)


@cache
def evidence(way: str) -> Mapping[Shot, Evidence]:
    """What the simulator says of all shots in this way."""
    assert way in WAYS
    return dict(zip(shots(), simulate(shots(), way), strict=True))


def reported_of_sound(case: Case, way: str) -> tuple[str, ...]:
    """What is reported of the case without a fault."""
    shot = Shot(case)
    return judge(shot, way, evidence(way)[shot])


def reported(fault: CircuitFault) -> tuple[str, ...]:
    """What is reported of the circuit with the fault."""
    shot = Shot(fault.case, fault.change)
    return judge(shot, fault.way, evidence(fault.way)[shot])


def reported_by(fault: JudgeFault) -> tuple[str, ...]:
    """What a judge with the fault reports of its witness."""
    shot, way = shot_of(fault), FAULTS[fault.witness].way
    if fault.at == "harness":
        return judge(shot, way, evidence(way)[shot])
    if fault.at == "compared":
        found = evidence(way)[shot]
        with plant_in_python(fault.change):
            return judge(shot, way, found)
    plant = {"run": plant_in_python, "simulator": plant_in_simulator}[fault.at]
    with plant(fault.change):
        again = dict(zip(shots(), simulate(shots(), way), strict=True))
    return judge(shot, way, again[shot])
