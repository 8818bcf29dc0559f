"""The SystemVerilog of one build: the files of several circuits, no module twice."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom_sim.harness import HarnessJob, harness_job, render_harness
from loom_sim.jobs import Job

MODULE = re.compile(r"^\s*module\s+([A-Za-z_]\w*)", re.MULTILINE)
RESERVED = re.compile(r"loom_harness|harness_\w+")
"""Names of the harness's own modules."""


@dataclass(frozen=True)
class Design:
    """What a simulator is built from."""

    jobs: tuple[HarnessJob, ...]
    circuits: Mapping[str, str]
    """Module name to text, of the circuits."""
    harness: Mapping[str, str]
    """Module name to text, of the harness."""
    units: int
    """Units of all circuits together."""


def design_of(jobs: Sequence[Job], profile: bool = False) -> Design:
    """One design that holds all jobs; modules of the same name and text are there once.

    Where two jobs mean different texts by one name, the later one's gets a new name. With `profile`
    waits and intervals of every channel are counted.
    Refused: SIM_FILES if a job's files are not those of one circuit.
    """
    circuits, tops = circuits_of(jobs)
    harness_jobs = [
        harness_job(number, top, job, profile)
        for number, (job, top) in enumerate(zip(jobs, tops, strict=True))
    ]
    units = sum(len(job.netlist.units) for job in jobs)
    return Design(tuple(harness_jobs), circuits, render_harness(harness_jobs), units)


def circuits_of(jobs: Sequence[Job]) -> tuple[dict[str, str], list[str]]:
    """Module name to text of all jobs, and the name that each job's top has there."""
    circuits: dict[str, str] = {}
    tops: list[str] = []
    for number, job in enumerate(jobs):
        modules = _modules_of(job)
        renamed = _clashes(modules, circuits, number)
        circuits.update(_rename(modules, renamed))
        tops.append(renamed.get(job.netlist.name, job.netlist.name))
    return circuits, tops


def _rename(modules: Mapping[str, str], renamed: Mapping[str, str]) -> Mapping[str, str]:
    """The modules under new names, in their texts too."""
    if not renamed:
        return modules
    words = re.compile(r"\b(" + "|".join(renamed) + r")\b")
    return {
        renamed.get(name, name): words.sub(lambda match: renamed[match[1]], text)
        for name, text in modules.items()
    }


def _modules_of(job: Job) -> dict[str, str]:
    """Module name to text, of the files that hold SystemVerilog."""
    found: dict[str, str] = {}
    for path, text in job.files.items():
        if not path.endswith((".sv", ".v")):
            continue
        names = MODULE.findall(text)
        if len(names) != 1:
            raise _refuse(path, f"{len(names)} modules", "files with one module each")
        if names[0] in found:
            raise _refuse(path, f"the module {names[0]} a second time", "each module once")
        found[names[0]] = text
    top = job.netlist.name
    if top not in found:
        raise _refuse(top, f"no module {top} in the files", "the files that `emit` gives")
    return found


def _clashes(
    modules: Mapping[str, str], circuits: Mapping[str, str], number: int
) -> dict[str, str]:
    """New names for modules whose name is taken by another text, or that use such a module."""
    renamed: dict[str, str] = {}
    changed = {
        name
        for name, text in modules.items()
        if circuits.get(name, text) != text or RESERVED.fullmatch(name)
    }
    while changed:
        renamed |= {name: f"{name}__job{number}" for name in changed}
        words = re.compile(r"\b(" + "|".join(changed) + r")\b")
        changed = {
            name
            for name, text in modules.items()
            if name not in renamed and name in circuits and words.search(text)
        }
    return renamed


def _refuse(where: str, what: str, accepted: str) -> LoomError:
    return LoomError("SIM_FILES", Place(where), what, accepted)
