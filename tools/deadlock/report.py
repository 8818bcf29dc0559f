"""Verdicts as lines, and as the table of docs/deadlocks.md."""

from __future__ import annotations

from collections.abc import Sequence

from tools.deadlock.verdict import Verdict
from tools.prove.report import TABLE_BEGINS


def line(verdict: Verdict, period: float | None = None) -> str:
    """One verdict as one line, with the circuit's period if it is not the one chosen [ns]."""
    words = {
        "proved": "proved",
        "bounded": f"holds for {verdict.depth} cycles only",
        "failed": f"FAILED in cycle {verdict.depth}",
    }
    reached = "" if period is None else f" at {period:g} ns, the shortest period it reaches"
    reasons = f": {'; '.join(verdict.reasons)}" if verdict.reasons else ""
    return (
        f"{words[verdict.outcome]:<7} {verdict.shape} ({verdict.policy}), {verdict.states} states "
        f"[{verdict.seconds:.1f} s]{reached}{reasons}"
    )


def total(verdicts: Sequence[Verdict]) -> str:
    """How many of all circuits are proved."""
    return f"{sum(verdict.proved for verdict in verdicts)} of {len(verdicts)} circuits proved"


def table(verdicts: Sequence[Verdict]) -> str:
    """A Markdown table with a row for each circuit; the same circuits give the same text."""
    lines = [
        f"**{total(verdicts)}.**",
        "",
        "| shape | policy | units | register bits | states | cycles to the last new state "
        "| channels without a token | result |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for found in verdicts:
        result = f"{found.depth} cycles" if found.outcome == "bounded" else found.outcome
        cells = (
            found.shape,
            found.policy,
            str(found.units),
            str(found.latches),
            str(found.states),
            str(found.depth),
            str(len(found.silent)) if found.silent else "-",
            "; ".join((result, *found.reasons)),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, verdicts: Sequence[Verdict]) -> str:
    """The page with the table of these verdicts behind its mark."""
    kept, mark, _ = page.partition(TABLE_BEGINS)
    assert mark, "the page has no place for the table"
    return f"{kept}{mark}\n\n{table(verdicts)}"
