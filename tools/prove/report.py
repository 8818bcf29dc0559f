"""Verdicts as lines, and as the table of docs/proofs.md."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loom.dialects.operators.catalogue import CATALOGUE
from tools.prove.verdict import Verdict

TABLE_BEGINS = "<!-- Below this line `make prove` writes; do not edit. -->"


def line(verdict: Verdict) -> str:
    """One verdict as one line, with what went wrong."""
    words = {
        "proved": "proved",
        "bounded": f"holds for {verdict.depth} cycles only",
        "failed": "FAILED",
    }
    reasons = f": {', '.join(verdict.reasons)}" if verdict.reasons else ""
    return f"{words[verdict.outcome]:<7} {verdict.unit} [{verdict.seconds:.1f} s]{reasons}"


def total(verdicts: Sequence[Verdict]) -> str:
    """How many of all units are proved."""
    proved = sum(verdict.proved for verdict in verdicts)
    return f"{proved} of {len(verdicts)} units proved"


COLUMNS = (
    "| operator | units | proved | bounded only | failed | assertions | covers reached |",
    "|---|---|---|---|---|---|---|",
)
ROW = re.compile(r"^\| `([\w.]+)` \| \d+ \| (\d+)/(\d+) \|.*$", re.MULTILINE)


def rows(verdicts: Sequence[Verdict]) -> dict[str, str]:
    """A row of the table for each operator; the same verdicts give the same text."""
    found: dict[str, str] = {}
    for operator in dict.fromkeys(verdict.operator for verdict in verdicts):
        own = [verdict for verdict in verdicts if verdict.operator == operator]
        bounded = [f"{v.unit}: {v.depth} cycles" for v in own if v.outcome == "bounded"]
        failed = [v.unit for v in own if v.outcome == "failed"]
        cells = (
            f"`{operator}`",
            str(len(own)),
            f"{sum(verdict.proved for verdict in own)}/{len(own)}",
            ", ".join(bounded) or "-",
            ", ".join(failed) or "-",
            str(sum(verdict.assertions for verdict in own)),
            str(sum(verdict.covers for verdict in own if verdict.outcome != "failed")),
        )
        found[operator] = f"| {' | '.join(cells)} |"
    return found


def with_table(page: str, verdicts: Sequence[Verdict]) -> str:
    """The page with the rows of these verdicts behind its mark.

    Other rows stay as they were proved before, except of operators that are no more.
    """
    kept, mark, table = page.partition(TABLE_BEGINS)
    assert mark, "the page has no place for the table"
    known = {found[1]: found[0] for found in ROW.finditer(table)} | rows(verdicts)
    lines = [known[name] for name in CATALOGUE if name in known]
    counts = [ROW.match(line) for line in lines]
    proved = sum(int(found[2]) for found in counts if found)
    units = sum(int(found[3]) for found in counts if found)
    head = "\n".join((f"**{proved} of {units} units proved.**", "", *COLUMNS))
    return f"{kept}{mark}\n\n{head}\n" + "\n".join(lines) + "\n"
