"""What a suite says of each kernel: a row, and tables of rows as text, JSON and JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from xml.etree import ElementTree

from loom_sim.kernel import KernelReport

MATCH, DIFFERS, REFUSED = "match", "differs", "refused"
HEAD = ("kernel", "units", "runs", "cycles", "bound", "ratio", "tokens", "status")


@dataclass(frozen=True, slots=True)
class Row:
    """One kernel: what its circuit is and did, or why there is none.

    `key` is that of the texts and options it depends on, `seconds` the run time [s].
    """

    kernel: str
    key: str
    status: str
    units: int = 0
    runs: int = 0
    cycles: int = 0
    bound: int = 0
    tokens: int = 0
    seconds: float = 0.0
    problems: tuple[str, ...] = ()

    @property
    def ratio(self) -> float | None:
        """Cycles for each one that no circuit beats."""
        return self.cycles / self.bound if self.bound else None

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        ratio = "-" if self.ratio is None else f"{self.ratio:.2f}"
        numbers = (self.units, self.runs, self.cycles, self.bound)
        status = self.status if not self.problems else f"{self.status}: {self.problems[0]}"
        return (self.kernel, *map(str, numbers), ratio, str(self.tokens), status)


def row_of(report: KernelReport, name: str, key: str, seconds: float) -> Row:
    """The row of a kernel that was simulated."""
    return Row(
        name, key, MATCH if report.match else DIFFERS, len(report.kernel.netlist.units),
        len(report.rtl.runs), report.cycles, sum(each.bound for each in report.model.outcomes),
        report.tokens, round(seconds, 2), report.differences,
    )  # fmt: skip


def from_json(text: str) -> Row:
    """The row that `to_json` wrote; KeyError, TypeError or ValueError for other texts."""
    found: dict[str, Any] = json.loads(text)
    return Row(**{**found, "problems": tuple(found["problems"])})


def to_json(row: Row) -> str:
    """The row as a JSON object."""
    return json.dumps(asdict(row))


def text_table(rows: Sequence[Row]) -> str:
    """A line for each row."""
    cells = [HEAD, *(row.cells for row in rows)]
    widths = [max(len(line[k]) for line in cells) for k in range(len(HEAD))]
    last = len(HEAD) - 1
    lines = [
        "  ".join(
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in cells
    ]
    matching = sum(row.status == MATCH for row in rows)
    return "\n".join([*lines, f"{matching} of {len(rows)} kernels match"]) + "\n"


def json_table(rows: Sequence[Row]) -> str:
    """A JSON list of the rows, with their ratios."""
    return json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], indent=1) + "\n"


def junit(rows: Sequence[Row], name: str) -> str:
    """The rows as a test suite in the XML that CI systems read, after JUnit."""
    failures = sum(row.status == DIFFERS for row in rows)
    errors = sum(row.status == REFUSED for row in rows)
    total = f"{sum(row.seconds for row in rows):.2f}"
    suite = ElementTree.Element("testsuite", name=name, tests=str(len(rows)), time=total,
                                failures=str(failures), errors=str(errors))  # fmt: skip
    for row in rows:
        case = ElementTree.SubElement(suite, "testcase", classname=name, name=row.kernel,
                                      time=f"{row.seconds:.2f}")  # fmt: skip
        if row.status != MATCH:
            kind = "failure" if row.status == DIFFERS else "error"
            first = row.problems[0] if row.problems else row.status
            problem = ElementTree.SubElement(case, kind, message=first)
            problem.text = "\n".join(row.problems)
    ElementTree.indent(suite)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, "unicode") + "\n"
    )
