"""A performance as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from loom.netlist.netlist import Channel
from loom_sim.performance.performance import ChannelUse, LoopUse, Performance

CHAIN, WAITS = 5, 5
"""How many steps of the longest chain, and how many channels, the text shows."""


def lines(found: Performance) -> Iterator[str]:
    """The report for a terminal."""
    name, runs = found.netlist.name, len(found.run.rtl.runs)
    verdict = "the runs agree" if found.run.match else "THE RUNS DIFFER: see `loom sim`"
    yield f"{name}: {found.cycles} cycles in {runs} activations; {verdict}"
    yield from bound_lines(found)
    yield str(found.cost)
    if found.placed is not None:
        yield found.placed.line(found.cycles)
    if found.loops:
        yield ""
        yield from align_columns([loop_head(), *(loop_row(loop) for loop in found.loops)])
    if found.critical:
        yield f"II of the longest loop limited by {', '.join(found.critical)}"
    if found.chain:
        yield ""
        yield "longest dependence chain:"
        for place, operation, cycles in found.chain[:CHAIN]:
            yield f"  {cycles} cycles in {operation} at line {place.line}"
        if len(found.chain) > CHAIN:
            rest = sum(cycles for _, _, cycles in found.chain[CHAIN:])
            yield f"  {rest} cycles in {len(found.chain) - CHAIN} others"
    waiting = longest_waits(found)
    if waiting:
        yield ""
        yield "channels with the longest stalls:"
        for channel, use in waiting:
            share = f"{use.waits} cycles for {use.tokens} tokens"
            yield f"  {channel.name}: {channel.source} to {channel.target}, {share}"


def longest_waits(found: Performance) -> list[tuple[Channel, ChannelUse]]:
    """The busy channels on which tokens wait longest: what comes seldom always waits."""
    most = max((use.tokens for use in found.channels.values()), default=0)
    pairs = [(channel, found.channels[channel.name]) for channel in found.netlist.channels]
    busy = [pair for pair in pairs if pair[1].waits and 2 * pair[1].tokens >= most]
    return sorted(busy, key=lambda pair: -pair[1].waits)[:WAITS]


def bound_lines(found: Performance) -> Iterator[str]:
    """The lower bounds."""
    bounds = found.bounds
    if bounds is None:
        yield "no program behind the circuit: no bounds"
        return
    ratio = f"measured: {found.cycles / bounds.cycles:.2f} x"
    yield f"lower bound: {bounds.cycles} cycles ({ratio}), limited by {bounds.limited_by}"
    long = "not followed, the run is too long"
    loops = long if bounds.loop_cycles is None else f"{bounds.loop_cycles} ({bounds.loop})"
    yield f"  memory ports and II >= 1: {bounds.ports} ({bounds.port})"
    yield f"  critical loop: {loops if bounds.loop or bounds.loop_cycles is None else 'no loop'}"
    yield f"  dependence chain: {long if bounds.dependences is None else bounds.dependences}"


def loop_head() -> tuple[str, ...]:
    """The columns of the loops."""
    return ("loop", "entries", "iterations", "II", "min II", "lost cycles", "limited by")


def loop_row(loop: LoopUse) -> tuple[str, ...]:
    """One loop; what is not known is a dash."""

    def format_number(number: float | None, digits: int = 2) -> str:
        return "-" if number is None else f"{number:.{digits}f}"

    where = f"line {loop.place.line}" if loop.place.line else loop.place.file
    return (
        f"{'  ' * loop.depth}{where}", format_number(loop.entries, 0),
        format_number(loop.iterations, 0), format_number(loop.ii), format_number(loop.min_ii),
        format_number(loop.lost_cycles, 0), loop.remark,
    )  # fmt: skip


def align_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows as columns: the first and the last to the left, numbers to the right."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    last = len(widths) - 1
    for row in rows:
        cells = [
            cell.ljust(width) if k in (0, last) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def to_json(found: Performance) -> dict[str, Any]:
    """The object that ``loom report --json`` prints."""
    return {
        "kernel": found.netlist.name,
        "file": found.file,
        "match": found.run.match,
        "cycles": found.cycles,
        "runs": [run.cycles for run in found.run.rtl.runs],
        "bounds": None if found.bounds is None else bounds_json(found),
        "loops": [loop_json(loop) for loop in found.loops],
        "chain": [
            {"line": place.line, "column": place.column, "operation": name, "cycles": cycles}
            for place, name, cycles in found.chain
        ],
        "critical": list(found.critical),
        "channels": {name: asdict(use) for name, use in found.channels.items()},
        "cost": found.cost.to_json(),
        "placed": None if found.placed is None else asdict(found.placed),
    }


def bounds_json(found: Performance) -> dict[str, Any]:
    """The bounds with what sets the largest."""
    assert found.bounds is not None
    bounds = found.bounds
    ratio = round(found.cycles / bounds.cycles, 4)
    return {
        **asdict(bounds),
        "cycles": bounds.cycles,
        "limited_by": bounds.limited_by,
        "ratio": ratio,
    }


def loop_json(loop: LoopUse) -> dict[str, Any]:
    """One loop; its place is a line and a column."""
    row = asdict(loop)
    del row["place"]
    around = loop.around
    return {
        "file": loop.place.file,
        "line": loop.place.line,
        "column": loop.place.column,
        **row,
        "around": None if around is None else {"line": around.line, "column": around.column},
        "lost_cycles": loop.lost_cycles,
    }
