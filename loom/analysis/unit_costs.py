"""Area and delay of units: the one source of it, measured on a Lattice ECP5.

`unit_costs.json` is written by ``make costs`` (`loom_sim.library`). Between the widths that were
measured, area and delay are interpolated; beyond them the nearest slope goes on.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from loom.dialects.operator import AttributeValue, Operator, Shape
from loom.netlist.netlist import Netlist

FILE = "unit_costs.json"
REGISTER_PAIR = "arith.bitcast"
"""A unit that is wires: its delay is that of two registers and a wire."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Area [cells]: LUT4s, flip-flops, 18-bit multipliers, block RAMs; `delay` is the clock period
    that the unit reaches between registers [ns]."""

    luts: float
    flip_flops: float
    multipliers: float
    block_rams: float
    delay: float

    def __add__(self, other: Cost) -> Cost:
        """The area of both and the longer delay."""
        return Cost(
            self.luts + other.luts,
            self.flip_flops + other.flip_flops,
            self.multipliers + other.multipliers,
            self.block_rams + other.block_rams,
            max(self.delay, other.delay),
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """One measured unit: its attributes, width of its data [bits], number of ports, cost."""

    attributes: Mapping[str, AttributeValue]
    width: int
    ports: int
    cost: Cost
    digest: str


@cache
def entries() -> Mapping[str, Sequence[Entry]]:
    """What was measured, by operator."""
    text = files("loom.analysis").joinpath(FILE).read_text(encoding="utf-8")
    return {name: tuple(map(entry_of, rows)) for name, rows in json.loads(text)["units"].items()}


def entry_of(row: Mapping[str, Any]) -> Entry:
    """One row of the file."""
    return Entry(row["attributes"], row["width"], row["ports"], Cost(**row["cost"]), row["digest"])


def unit_cost(operator: Operator, shape: Shape) -> Cost | None:
    """The cost of an instance, or None for an operator that was not measured."""
    known = entries().get(operator.name)
    if not known:
        return None
    likeness = {id(entry): alike(entry, shape) for entry in known}
    best = max(likeness.values())
    near = [entry for entry in known if likeness[id(entry)] == best]
    ports = len(shape.inputs) + len(shape.outputs)
    width = max((*shape.inputs, *shape.outputs), default=0)
    by_width: dict[int, list[Entry]] = {}
    for entry in near:
        by_width.setdefault(entry.width, []).append(entry)
    points = [
        (float(bits), at([(float(e.ports), e.cost) for e in found], ports))
        for bits, found in sorted(by_width.items())
    ]
    return at(points, width)


def alike(entry: Entry, shape: Shape) -> int:
    """How many attributes the entry and the instance share."""
    return sum(shape.attributes.get(name) == value for name, value in entry.attributes.items())


def at(points: Sequence[tuple[float, Cost]], where: float) -> Cost:
    """The cost at `where`, on straight lines through the points; never below zero."""
    points = sorted(points, key=lambda point: point[0])
    if len(points) == 1:
        return points[0][1]
    right = next((k for k, (x, _) in enumerate(points) if k and x >= where), len(points) - 1)
    (x0, low), (x1, high) = points[right - 1], points[right]
    share = (where - x0) / (x1 - x0)

    def between(a: float, b: float) -> float:
        return max(0.0, a + (b - a) * share)

    return Cost(
        between(low.luts, high.luts),
        between(low.flip_flops, high.flip_flops),
        between(low.multipliers, high.multipliers),
        between(low.block_rams, high.block_rams),
        between(low.delay, high.delay),
    )


def netlist_cost(netlist: Netlist) -> Cost:
    """The sum of the areas of all units and the delay of the slowest one."""
    total = Cost(0, 0, 0, 0, 0)
    for unit in netlist.units:
        cost = unit_cost(unit.operator, netlist.shape_by_unit[unit.name])
        total = total if cost is None else total + cost
    return total
