"""``python -m tools.styles.intervals``: II of every pipelined loop, by both schedulers."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.analysis.modulo.bounds import minimum_ii
from loom.analysis.modulo.check_schedule import broken_constraints
from loom.analysis.modulo.exact import has_no_schedule, schedule_exactly
from loom.analysis.modulo.iterative import schedule_iteratively
from loom.analysis.modulo.problem import ModuloSchedule, Problem
from loom.errors import LoomError, LoomErrors
from loom.front.api import read_program
from loom.front.request import Request
from loom.input_files import read_text
from loom.lower.options import Options
from loom.lower.pipeline import schedule_statically

KINDS = ("*.mlir", "c/*.c", "python/*.py")
"""The programs of the folder of examples."""


@dataclass(frozen=True)
class Loop:
    """One pipelined loop: its MII, and II and length by each scheduler [cycles].

    `is_least`: no schedule of a lesser II than the exact one exists, by proof.
    """

    program: str
    operations: int
    mii: int
    iterative: tuple[int, int]
    exact: tuple[int, int]
    is_least: bool


def loops_of(file: Path, options: Options) -> Iterator[Loop]:
    """The loops of a program in the order in which they are scheduled; none if it is refused."""
    problems: list[Problem] = []

    def record(problem: Problem) -> ModuloSchedule:
        problems.append(problem)
        return schedule_iteratively(problem)

    try:
        module = read_program(Request(read_text(str(file)), file.name)).clone()
        schedule_statically(module, options, record)
    except (LoomError, LoomErrors) as error:
        print(f"{file.name}: {str(error).splitlines()[0]}", file=sys.stderr)
        return
    for problem in problems:
        found = schedule_iteratively(problem), schedule_exactly(problem)
        broken = [words for each in found for words in broken_constraints(problem, each)]
        assert not broken, broken
        first, second = ((each.ii, each.length(problem)) for each in found)
        mii = minimum_ii(problem)
        least = all(has_no_schedule(problem, ii) for ii in range(mii, second[0]))
        yield Loop(file.name, len(problem.operations) - 1, mii, first, second, least)


def summary(loops: Sequence[Loop]) -> str:
    """How many loops have the least II and length that are known."""
    count = len(loops)
    least = sum(loop.iterative[0] == loop.mii for loop in loops)
    exact = sum(loop.exact[0] == loop.mii for loop in loops)
    shorter = sum(loop.exact < loop.iterative for loop in loops)
    proved = sum(loop.is_least for loop in loops)
    return (
        f"{count} loops: II = MII of {least} without a solver ({least / count:.1%}) and of {exact} "
        f"with it ({exact / count:.1%}); its II is proved least of {proved}; its schedule is "
        f"shorter of {shorter}"
    )


def main(folder: Path = Path("examples")) -> int:
    """The loops whose II or length differ are printed, and how many there are."""
    found: list[Loop] = []
    for kind in KINDS:
        for file in sorted(folder.glob(kind)):
            found += loops_of(file, Options(share="off"))  # each loop is scheduled once
    print("| program | operations | MII | II, length | exact II, length |\n|---|---|---|---|---|")
    for loop in found:
        if loop.exact != loop.iterative or loop.exact[0] != loop.mii:
            first, second = ("{}, {}".format(*each) for each in (loop.iterative, loop.exact))
            print(f"| {loop.program} | {loop.operations} | {loop.mii} | {first} | {second} |")
    print(summary(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
