"""What a regression says of one kernel: a row of facts, without places in the file system or dates.

Rows are kept and shared, so they hold no folder: `file` is relative to the folders that were given.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import PurePath
from typing import Any

from loom.errors import LoomError, Place, shown

MATCH, DIFFERS, REFUSED, TIMEOUT, CRASHED = "match", "differs", "refused", "timeout", "crashed"
LOST = "lost"
"""Of a kernel whose job of a cluster has ended without its row."""
EXPECTED = (MATCH, DIFFERS, REFUSED, "refused:CODE", TIMEOUT)
"""What may be expected of a kernel."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a kernel; `line` and `column` count from 1, 0 means unknown.

    `place` is the name of another file or option that is wrong; empty for the kernel's own file.
    """

    text: str
    code: str = ""
    line: int = 0
    column: int = 0
    place: str = ""

    def at(self, file: str) -> str:
        """The problem behind its place, as every refusal of LOOM reads."""
        if not self.code:
            return self.text
        place = Place(self.place or file, self.line, self.column)
        return f"{place}: error[{self.code}]: {self.text}"


def problem_of(error: LoomError, file: str) -> Problem:
    """The refusal of a kernel in the file, without folders."""
    text, where = f"found {error.what}; LOOM accepts {error.accepted}", error.where
    place = "" if where.file == file else PurePath(where.file).name
    return Problem(text, error.code, where.line, where.column, place)


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel: what its circuit is and did, or why there is none; None is not known.

    `cycles` are measured in RTL, `predicted` by the model, `bound` is the lower bound, of all
    activations together [cycles]; `luts` and `flip_flops` are estimates [cells], `period` too [ns].
    """

    kernel: str
    file: str
    status: str
    expect: str = MATCH
    units: int | None = None
    runs: int = 0
    cycles: int | None = None
    predicted: int | None = None
    bound: int | None = None
    tokens: int | None = None
    luts: int | None = None
    flip_flops: int | None = None
    period: float | None = None
    compile_seconds: float = 0.0
    """From the text to the circuit, with both styles where one is chosen [s]."""
    run_seconds: float = 0.0
    """Of the models and the simulation, with its build [s]."""
    problems: tuple[Problem, ...] = ()

    @property
    def is_expected(self) -> bool:
        """True if the kernel ended as it is expected to."""
        status, _, code = self.expect.partition(":")
        if status != self.status:
            return False
        return not code or code in {problem.code for problem in self.problems}

    @property
    def verdict(self) -> str:
        """The status, and what else was expected."""
        codes = ":" + self.problems[0].code if self.status == REFUSED and self.problems else ""
        if self.is_expected:
            return f"{self.status}{codes}" + ("" if self.status == MATCH else ", as expected")
        wanted = "" if self.expect == MATCH else f", {self.expect} expected"
        return f"{self.status}{codes}{wanted}"

    @property
    def seconds(self) -> float:
        """All that the kernel took [s]."""
        return round(self.compile_seconds + self.run_seconds, 2)

    def named(self, kernel: str, file: str, expect: str) -> Row:
        """The row, as of another kernel of the same text and options."""
        return replace(self, kernel=kernel, file=file, expect=expect)


def failed_row(kernel: str, file: str, status: str, expect: str, problems: Sequence[Problem]
               ) -> Row:  # fmt: skip
    """The row of a kernel without a circuit."""
    short = tuple(replace(problem, text=shown(problem.text)) for problem in problems)
    return Row(kernel, file, status, expect, problems=short)


def to_json(row: Row) -> dict[str, Any]:
    """The row as a JSON object."""
    return {**asdict(row), "expected": row.is_expected}


def from_text(text: str) -> Row:
    """The row that was written; KeyError, TypeError or ValueError for other texts."""
    found: dict[str, Any] = json.loads(text)
    del found["expected"]
    problems = tuple(Problem(**problem) for problem in found.pop("problems"))
    return Row(**found, problems=problems)
