"""One simulator for all circuits with faults, what it said in each way, and judgements of that.

A run's evidence is what the simulator printed and answered. The same evidence is judged as often as
needed: by the judge as it is, and by a judge with a fault.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

from loom_sim import Job, SimOptions
from loom_sim.build import Builder
from loom_sim.design import Design, circuits_of
from loom_sim.harness import FIXED, TOP, harness_job, render_harness

from tests.planted_faults.change import EMITTED, TEMPLATES, Change
from tests.planted_faults.planting import plant_in_harness, plant_in_template
from tests.planted_faults.subjects import Subject
from tests.planted_faults.table import Case

simulation: Any = importlib.import_module("loom_sim.cosimulate")
"""The module; the package has the function of that name."""
CYCLES = 2000
"""Of one activation at most [cycles]."""
WAYS: Mapping[str, SimOptions] = {
    "free": SimOptions(),
    "shy": SimOptions(shy=True, seed=7),
    "stalled": SimOptions(stalls=0.4, shy=False, seed=1),
    "stalled and shy": SimOptions(stalls=0.4, shy=True, seed=5),
}
"""How circuits are simulated, by name."""


@dataclass(frozen=True)
class Shot:
    """A case with a change of its circuit, of its harness, or with neither."""

    case: Case
    circuit: Change | None = None
    harness: Change | None = None

    def subject(self) -> Subject:
        """The case's circuit, with the change in its files."""
        change = self.circuit
        with ExitStack() as planted:
            if change is not None and change.file.startswith(TEMPLATES):
                planted.enter_context(plant_in_template(change))
            found = self.case.make()
        if change is not None and change.file.startswith(EMITTED):
            files = {**found.files, change.file: change.apply(found.files[change.file])}
            found = found.with_files(files)
        return found


@dataclass(frozen=True)
class Evidence:
    """What the simulator printed about one job, and its answer."""

    output: str
    answer: list[dict[str, Any]]


def options_of(way: str) -> SimOptions:
    """The way's options, with all that is counted."""
    return replace(WAYS[way], max_cycles=CYCLES, profile=True)


def simulate(shots: Sequence[Shot], way: str, cache: Path | None = None) -> list[Evidence]:
    """The evidence of every shot; all share one simulator, which may be in a `cache` of its own."""
    jobs = [shot.subject().job() for shot in shots]
    seen: list[tuple[str, list[list[dict[str, Any]]]]] = []
    run = simulation._run

    def run_and_keep(*given: Any) -> Any:
        seen.append(run(*given))
        return seen[-1]

    def design(jobs: Sequence[Job], profile: bool) -> Design:
        return design_of_shots(shots, jobs, profile)

    with (
        mock.patch.object(simulation, "design_of", design),
        mock.patch.object(simulation, "_run", run_and_keep),
    ):
        simulation.cosimulate(jobs, replace(options_of(way), cache=cache))
    output, answers = seen[0]
    return [Evidence(lines_of(output, k), answer) for k, answer in enumerate(answers)]


def lines_of(output: str, number: int) -> str:
    """What was printed about one job, as if it were alone."""
    own = re.compile(rf"\bjob_{number}\b")
    return "\n".join(own.sub("job_0", line) for line in output.splitlines() if own.search(line))


def design_of_shots(shots: Sequence[Shot], jobs: Sequence[Job], profile: bool) -> Design:
    """One design in which each shot has the harness that it asks for.

    Verilator does not lint what is in a design's harness, so the circuits are there too: a fault
    may leave a net unused.
    """
    circuits, tops = circuits_of(jobs)
    parts = [
        harness_job(k, top, job, profile)
        for k, (job, top) in enumerate(zip(jobs, tops, strict=True))
    ]
    files = dict(render_harness(parts))
    changes = list(dict.fromkeys(shot.harness for shot in shots if shot.harness is not None))
    for number, change in enumerate(changes):
        own = [k for k, shot in enumerate(shots) if shot.harness == change]
        with plant_in_harness(change):
            changed = render_harness([parts[k] for k in own])
        names = re.compile(r"\b(" + "|".join(FIXED) + r")\b")
        for name, text in changed.items():
            if name == TOP:
                continue
            new = f"{name}__fault{number}" if name in FIXED else name
            files[new] = names.sub(rf"\1__fault{number}", text)
    return Design(tuple(parts), {}, {**circuits, **files}, sum(len(j.netlist.units) for j in jobs))


@contextmanager
def given(evidence: Evidence) -> Iterator[None]:
    """A simulation of one job gives this evidence, without a simulator."""

    def run(*_: Any) -> tuple[str, list[list[dict[str, Any]]]]:
        # The judge may keep what it gets: it gets a copy.
        return evidence.output, [json.loads(json.dumps(evidence.answer))]

    with (
        mock.patch.object(simulation, "_run", run),
        mock.patch.object(Builder, "simulator", lambda *_: Path()),
    ):
        yield


def judge(shot: Shot, way: str, evidence: Evidence) -> tuple[str, ...]:
    """What is reported of the evidence."""
    subject = shot.subject()
    with given(evidence):
        return subject.judge(options_of(way))
