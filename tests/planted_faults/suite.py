"""All faults, and what is reported with each; a simulation is done once a process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path

from loom_sim.cache import cache_root

from tests.planted_faults.change import HARNESS, Change
from tests.planted_faults.circuit_faults import CIRCUIT_FAULTS
from tests.planted_faults.evidence import WAYS, Evidence, Shot, judge, simulate
from tests.planted_faults.judge_faults import JUDGE_FAULTS
from tests.planted_faults.model_faults import MODEL_FAULTS
from tests.planted_faults.planting import plant_in_python, plant_in_simulator
from tests.planted_faults.table import Case, Fault, JudgeFault
from tests.support.kernels_in_rtl import RTL_INPUTS

FAULTS = {fault.name: fault for fault in (*CIRCUIT_FAULTS, *MODEL_FAULTS)}
"""The faults that must be reported, by name."""
INPUTS = (
    *RTL_INPUTS, "loom/dialects/operators", "sim/loom_sim/cache.py", "tests/planted_faults/*.py",
    "tests/support/netlists.py", "tests/support/streams_in_rtl.py",
    "tests/support/timed_streams.py",
)  # fmt: skip
"""What the reports depend on beside the circuits."""
SHARED = ("runtime-*", "header-*")
"""What a cache of its own takes from the usual one, so that not all is built anew."""


@cache
def sound_cases() -> tuple[tuple[Case, str], ...]:
    """Each case with each way in which a fault shows in it."""
    return tuple(dict.fromkeys((fault.case, fault.way) for fault in FAULTS.values()))


@cache
def texts() -> tuple[str, ...]:
    """The files of all circuits without a fault."""
    files = [dict(case.make().files) for case in dict.fromkeys(case for case, _ in sound_cases())]
    return tuple(text for each in files for name in sorted(each) for text in (name, each[name]))


@cache
def shots() -> tuple[Shot, ...]:
    """All that one simulator holds."""
    found = [Shot(case) for case, _ in sound_cases()]
    found += [shot_of(fault) for fault in CIRCUIT_FAULTS]
    found += [shot_of(FAULTS[f.witness], f.change) for f in JUDGE_FAULTS if f.at == "harness"]
    return tuple(dict.fromkeys(found))


def shot_of(fault: Fault, harness: Change | None = None) -> Shot:
    """The fault's case, with the fault if it is one of the circuit or of what is around it."""
    if fault.change.file.startswith(HARNESS):
        assert harness is None
        return Shot(fault.case, None, fault.change)
    return Shot(fault.case, fault.change if fault.at == "circuit" else None, harness)


@cache
def evidence(
    way: str, run: Change | None = None, simulator: Change | None = None
) -> Mapping[Shot, Evidence]:
    """What the simulator says of all shots in this way, with changes in its Python or ours."""
    assert way in WAYS
    with ExitStack() as planted:
        if run is not None:
            planted.enter_context(plant_in_python(run))
        if simulator is not None:
            planted.enter_context(plant_in_simulator(simulator))
        return dict(zip(shots(), simulate(shots(), way), strict=True))


def reported_of_sound(case: Case, way: str) -> tuple[str, ...]:
    """What is reported of the case without a fault."""
    return judge(Shot(case), way, evidence(way)[Shot(case)])


def reported(fault: Fault) -> tuple[str, ...]:
    """What is reported where there is the fault."""
    return reported_by(None, fault)


def reported_by(judge_fault: JudgeFault | None, fault: Fault) -> tuple[str, ...]:
    """What a judge with a fault reports where there is the other one."""
    at = "" if judge_fault is None else judge_fault.at
    change = None if judge_fault is None else judge_fault.change
    shot = shot_of(fault, change if at == "harness" else None)
    if at in ("builds", "cache"):
        assert change is not None
        found = evidence_built_anew(shot, fault.way, change, sound_first=at == "cache")
    else:
        simulator = [fault.change] if fault.at == "simulator" else []
        simulator += [change] if change is not None and at == "simulator" else []
        assert len(simulator) < 2, "two changes of the simulator's Python"
        found = evidence(fault.way, change if at == "run" else None, *simulator)[shot]
    with ExitStack() as planted:
        if fault.at == "model":
            planted.enter_context(plant_in_python(fault.change))
        if change is not None and at == "compares":
            planted.enter_context(plant_in_python(change))
        return judge(shot, fault.way, found)


def evidence_built_anew(shot: Shot, way: str, change: Change, sound_first: bool) -> Evidence:
    """The evidence of a shot whose simulator is built with `change` in what builds it.

    The cache is empty before, or has the sound circuit's simulator.
    """
    with empty_cache() as folder, plant_in_python(change):
        if sound_first:
            simulate([Shot(shot.case)], way, folder)
        (found,) = simulate([shot], way, folder)
    return found


@contextmanager
def empty_cache() -> Iterator[Path]:
    """A cache without a design."""
    with tempfile.TemporaryDirectory(prefix="loom-planted-cache-") as name:
        for pattern in SHARED:
            for folder in cache_root(None).glob(pattern):
                shutil.copytree(folder, Path(name) / folder.name)
        yield Path(name)
