"""The measured costs as tables, one operator after the other, for docs/costs.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.analysis.timing.unit_costs import Entry, Table

CLASSES = ("data>data", "valid>valid", "valid>ready", "ready>ready")
"""The paths that have a column of their own."""


def anchor(operator: str) -> str:
    """What a link to the operator's heading ends in."""
    return operator.replace(".", "")


def cost_tables(found: Table) -> Iterator[str]:
    """Every measured unit, under a heading for each operator."""
    for name, entries in found.entries.items():
        yield from (f"### `{name}`", "", *cost_table(entries), "")


def cost_table(known: Sequence[Entry]) -> Iterator[str]:
    """The measured units of one operator, each a row, and what could not be measured."""
    yield "| unit | LUT4 | FF | MULT18 | DP16K | data | valid | v to r | ready | period |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    yield from map(row_of, known)
    for reason in dict.fromkeys(entry.failed for entry in known if entry.failed):
        yield ""
        yield f"Delays are missing: {reason}."


def row_of(entry: Entry) -> str:
    """One row of the table."""
    words = [f"{name} {value}" for name, value in (*entry.kind, *entry.axes)]
    area = entry.area
    cells = (area.luts, area.flip_flops, area.multipliers, area.block_rams) if area else ("?",) * 4
    delays = [entry.delays.get(name) for name in CLASSES]
    delays.append(max(entry.delays.values(), default=None))
    shown = [
        *(f"{cell:g}" if isinstance(cell, int | float) else cell for cell in cells),
        *("-" if delay is None else f"{delay:.2f}" for delay in delays),
    ]
    return f"| {', '.join(words)} | {' | '.join(shown)} |"
