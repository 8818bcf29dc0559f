"""The measured costs of one operator as a table of its page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.analysis.unit_costs import Entry

CLASSES = ("data>data", "valid>valid", "valid>ready", "ready>ready")
"""The paths that have a column of their own."""


def cost_table(known: Sequence[Entry]) -> Iterator[str]:
    """What was measured of this operator on an ECP5, each unit a row."""
    if not known:
        yield "Not measured."
        return
    yield "On a Lattice ECP5, [between registers](../costs.md) [ns]: the longest path from data to"
    yield "data, from valid to valid, valid to ready and ready to ready; and the longest of all,"
    yield "the period at which the unit can run alone."
    yield ""
    yield "| unit | LUT4 | FF | MULT18 | DP16K | data | valid | v to r | ready | period |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    yield from map(row_of, known)
    for reason in dict.fromkeys(entry.failed for entry in known if entry.failed):
        yield ""
        yield f"Delays are missing: {reason}."


def row_of(entry: Entry) -> str:
    """One row of the table."""
    words = [
        f"{name} {value}" for name, value in (*entry.kind, *entry.axes) if value not in ("()", "")
    ]
    area = entry.area
    cells = (area.luts, area.flip_flops, area.multipliers, area.block_rams) if area else ("?",) * 4
    delays = [entry.delays.get(name) for name in CLASSES]
    delays.append(max(entry.delays.values(), default=None))
    shown = [
        *(f"{cell:g}" if isinstance(cell, int | float) else cell for cell in cells),
        *("-" if delay is None else f"{delay:.2f}" for delay in delays),
    ]
    return f"| {', '.join(words)} | {' | '.join(shown)} |"
