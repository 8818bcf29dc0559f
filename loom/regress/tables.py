"""The rows of a regression as text, as JSON and as JUnit's XML."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from loom.regress.baseline import Comparison
from loom.regress.row import DIFFERS, TIMEOUT, Row, to_json

HEAD = ("kernel", "cycles", "predicted", "bound", "LUT4", "FF", "period", "compile", "run",
        "status")  # fmt: skip
UNITS = "cycles of all activations; LUT4, FF and period [ns] are estimates; compile and run [s]"


def cells(row: Row) -> tuple[str, ...]:
    """The row as texts; what is not known is a dash."""
    numbers = (row.cycles, row.predicted, row.bound, row.luts, row.flip_flops)
    period = "-" if row.period is None else f"{row.period:.1f}"
    texts = ["-" if number is None else str(number) for number in numbers]
    seconds = (f"{row.compile_seconds:.1f}", f"{row.run_seconds:.1f}")
    return (row.kernel, *texts, period, *seconds, row.verdict)


def text_table(rows: Sequence[Row]) -> str:
    """A line for each row, and how many are as expected."""
    lines = [HEAD, *map(cells, rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(HEAD))]
    last = len(HEAD) - 1
    found = [
        "  ".join(
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    ]
    expected = sum(row.is_expected for row in rows)
    return "\n".join([*found, f"{expected} of {len(rows)} kernels as expected"])


def json_object(rows: Sequence[Row], comparison: Comparison | None) -> dict[str, Any]:
    """What ``loom regress --json`` prints."""
    return {
        "kernels": [to_json(row) for row in rows],
        "baseline": None if comparison is None else comparison.to_json(),
        "passed": is_passed(rows, comparison),
    }


def is_passed(rows: Sequence[Row], comparison: Comparison | None) -> bool:
    """True if every kernel is as expected, and nothing grew by more than it may."""
    kept = comparison is None or comparison.is_kept
    return kept and all(row.is_expected for row in rows)


def growth_of(row: Row, comparison: Comparison | None) -> list[str]:
    """What grew of the kernel."""
    grown = [] if comparison is None else comparison.grown
    return [str(change) for change in grown if change.kernel == row.kernel]


def junit(rows: Sequence[Row], comparison: Comparison | None) -> str:
    """The rows as a test suite in the XML that CI systems read, after JUnit."""
    suite = ElementTree.Element("testsuite", name="loom regress", tests=str(len(rows)))
    counts = {"failure": 0, "error": 0}
    for row in rows:
        case = ElementTree.SubElement(suite, "testcase", classname="loom", name=row.kernel,
                                      time=f"{row.seconds:.2f}")  # fmt: skip
        grown = growth_of(row, comparison)
        if row.is_expected and not grown:
            continue
        kind = "failure" if row.is_expected or row.status in (DIFFERS, TIMEOUT) else "error"
        counts[kind] += 1
        texts = [problem.at(row.file) for problem in row.problems] if not row.is_expected else []
        problem = ElementTree.SubElement(case, kind, message=(texts + grown + [row.verdict])[0])
        problem.text = "\n".join([row.verdict, *texts, *grown])
    for kernel in comparison.missing if comparison is not None else ():
        case = ElementTree.SubElement(suite, "testcase", classname="loom", name=kernel)
        ElementTree.SubElement(case, "failure", message="in the baseline, without numbers now")
        counts["failure"] += 1
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("time", f"{sum(row.seconds for row in rows):.2f}")
    ElementTree.indent(suite)
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return head + clean(ElementTree.tostring(suite, "unicode")) + "\n"


def clean(text: str) -> str:
    """The text without characters that XML has not."""
    return "".join(each for each in text if each >= " " or each in "\n\t")
