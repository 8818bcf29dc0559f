"""The problems of a regression as SARIF 2.1.0, which code hosts show beside changed lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from loom.regress.baseline import Comparison
from loom.regress.row import Problem, Row
from loom.regress.tables import growth_of

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(rows: Sequence[Row], comparison: Comparison | None) -> str:
    """A result for each problem of a kernel that is not as expected, and for each growth.

    A rule is a code of a refusal, or the status of the row. Files have the names of their rows:
    run in the root of a repository, these are what code hosts know.
    """
    results = [result for row in rows for result in results_of(row, comparison)]
    rules = sorted({str(result["ruleId"]) for result in results})
    driver = {"name": "LOOM", "rules": [{"id": rule} for rule in rules]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def results_of(row: Row, comparison: Comparison | None) -> Iterator[dict[str, Any]]:
    """The results of one kernel."""
    if not row.is_expected:
        for problem in row.problems or (Problem(row.verdict),):
            yield result(row, problem, problem.code or row.status)
    for text in growth_of(row, comparison):
        yield result(row, Problem(text.removeprefix(f"{row.kernel}: ")), "grew")


def result(row: Row, problem: Problem, rule: str) -> dict[str, Any]:
    """One problem at its place."""
    place: dict[str, Any] = {"artifactLocation": {"uri": quote(row.file)}}
    if problem.line and not problem.place:
        place["region"] = {"startLine": problem.line, "startColumn": max(1, problem.column)}
    text = f"{problem.place}: {problem.text}" if problem.place else problem.text
    return {
        "ruleId": rule,
        "level": "error",
        "message": {"text": f"{row.kernel}: {text}"},
        "locations": [{"physicalLocation": place}],
    }
