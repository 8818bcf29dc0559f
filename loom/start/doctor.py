"""``loom doctor``: what is installed, in which version, and what each extra gives."""

from __future__ import annotations

import argparse
import json
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version

from loom.entry_points import GROUPS, Addition, list_additions
from loom.errors import LoomError
from loom.front.standard_streams import GREEN, RED, YELLOW, paint_status
from loom.front.verbs import MATCH, MISMATCH

DISTRIBUTION = "loom-hls"
GIVES = {
    "": "compile, lower, emit, wrap, check, and model of programs in MLIR",
    "sim": "sim, regress, and report: circuits in Verilator",
    "c": "kernels in C",
    "python": "kernels in Python",
    "report": "report --html and graph --format svg",
    "optimal": "--buffers optimal and --schedule exact",
    "cluster": "regress --executor: jobs of Slurm",
    "explore": "explore of more than 200 points",
    "synth": "report --place and explore --place, on an ECP5",
    "bus": "simulation of circuits behind a bus with cocotb",
    "registers": "package ipxact with a register map",
    "package": "FuseSoC and Edalize for the packages of loom package",
}
"""What users get of the base, and of each extra."""
PROGRAMS = {
    "C++ compiler": (("g++", "c++", "clang++"), "sim, regress, and report"),
    "C compiler": (("cc", "gcc", "clang"), "the headers of C kernels, and runs of their main()"),
    "make": (("make",), "packages for FuseSoC and Edalize"),
}
"""Programs that no package brings: their names, and what they are for."""
REQUIREMENT = re.compile(r"\s*([\w.-]+)\s*([^;]*)(?:;.*extra\s*==\s*['\"]([\w-]+)['\"])?")


@dataclass(frozen=True)
class Package:
    """A package that LOOM uses; `installed` is its version, None where it is not there."""

    extra: str
    name: str
    accepted: str
    installed: str | None


@dataclass(frozen=True)
class Program:
    """A program that LOOM starts; `found` is its name on PATH, None where there is none."""

    kind: str
    gives: str
    found: str | None


def doctor(options: argparse.Namespace) -> int:
    """``loom doctor``: exit status 1 if the base is not whole."""
    packages = sorted(packages_of(requires(DISTRIBUTION) or []), key=lambda each: each.name)
    programs = [
        Program(kind, gives, next(filter(shutil.which, names), None))
        for kind, (names, gives) in PROGRAMS.items()
    ]
    added = [*find_additions()]
    if options.json:
        print(json.dumps(to_json(packages, programs, added)))
    else:
        text = "\n".join(lines(packages, programs, added))
        print(paint_status(text, {"ok": GREEN, "missing": YELLOW, "broken": RED}, sys.stdout))
    return MISMATCH if missing_of(packages, "") else MATCH


def find_additions() -> Iterator[tuple[Addition, str | None]]:
    """What installed packages add to LOOM, each with what is wrong with it, or None."""
    for group in GROUPS:
        for addition in list_additions(group).values():
            try:
                addition.load()
            except LoomError as error:
                yield addition, error.what
            else:
                yield addition, None


def packages_of(requirements: Sequence[str]) -> Iterator[Package]:
    """The packages of the base and of the extras for users, with what is installed."""
    for text in requirements:
        found = REQUIREMENT.match(text)
        if found and (found[3] or "") in GIVES:
            yield Package(found[3] or "", found[1], found[2].strip(), installed(found[1]))


def installed(name: str) -> str | None:
    """The version of a package, None where it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def missing_of(packages: Sequence[Package], extra: str) -> list[str]:
    """The packages of an extra that are not installed."""
    return [each.name for each in packages if each.extra == extra and each.installed is None]


def to_json(
    packages: Sequence[Package],
    programs: Sequence[Program],
    added: Sequence[tuple[Addition, str | None]] = (),
) -> dict[str, object]:
    """What ``loom doctor --json`` prints."""
    extras = [
        {"extra": extra, "gives": gives, "whole": not missing_of(packages, extra)}
        for extra, gives in GIVES.items()
    ]
    return {
        "loom": version(DISTRIBUTION), "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}", "extras": extras,
        "packages": [*map(asdict, packages)], "programs": [*map(asdict, programs)],
        "additions": [{**asdict(each), "problem": problem} for each, problem in added],
    }  # fmt: skip


def lines(
    packages: Sequence[Package],
    programs: Sequence[Program],
    added: Sequence[tuple[Addition, str | None]] = (),
) -> Iterator[str]:
    """A paragraph for each extra, programs, what packages add, then the cure for the missing."""
    yield (
        f"loom {version(DISTRIBUTION)}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}"
    )
    lacking: list[str] = []
    for extra, gives in GIVES.items():
        missing = missing_of(packages, extra)
        lacking += [extra] if missing else []
        yield f"{'missing' if missing else 'ok':8}{extra or 'base':10} {gives}"
        for each in packages:
            if each.extra == extra:
                found = each.installed or f"not installed, {each.accepted} wanted"
                yield f"{'':19}{each.name} {found}"
    for program in programs:
        state = "missing" if program.found is None else "ok"
        yield f"{state:8}{program.kind}: {program.found or 'not on PATH'}, for {program.gives}"
    for addition, problem in added:
        yield f"ok      {addition}" if problem is None else f"broken  {problem}"
    extras = ",".join(extra for extra in lacking if extra)
    if "" in lacking:
        yield f"cure: {sys.executable} -m pip install --force-reinstall {DISTRIBUTION}"
    elif extras:
        yield f"all of it: pip install '{DISTRIBUTION}[{extras}]'"
