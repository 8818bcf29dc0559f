"""Verdicts as lines, and as the table of docs/proofs.md."""

from __future__ import annotations

from collections.abc import Sequence

from loom_sim.prove.verdict import Verdict

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


def table(verdicts: Sequence[Verdict]) -> str:
    """A Markdown table with a row for each operator; the same verdicts give the same text."""
    lines = [
        f"**{total(verdicts)}.**",
        "",
        "| operator | units | proved | bounded only | failed | assertions | covers reached |",
        "|---|---|---|---|---|---|---|",
    ]
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
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def with_table(page: str, verdicts: Sequence[Verdict]) -> str:
    """The page with the table of these verdicts behind its mark."""
    kept, mark, _ = page.partition(TABLE_BEGINS)
    assert mark, "the page has no place for the table"
    return f"{kept}{mark}\n\n{table(verdicts)}"
