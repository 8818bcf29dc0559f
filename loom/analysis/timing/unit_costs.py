"""Area and delay of units: the one source of both, measured on a Lattice ECP5.

`unit_costs.json` is written by ``make costs`` (`tools.library`). An instance that was not
measured lies between measured ones: along each axis (width of the data, number of ports, slots,
depth of the memory) on straight lines through them, beyond the last on the nearest line. Delays
grow with the logarithm of the number of ports: gates of many inputs are trees.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from loom.dialects.operators.handshake_operators import is_deep_buffer
from loom.dialects.operators.lanes import requesters_of
from loom.dialects.operators.memories import (
    SMALL_DEPTH,
    MemoryKind,
    compares_addresses,
    said_number,
)
from loom.dialects.operators.operator import AttributeValue, Operator, Port, Shape

FILE = "unit_costs.json"
UNSEEN = ("memory", "value", "in_range", "distance", "groups")
"""Attributes that change a unit's name or contents, not its cost.

Memories are measured with depths that are powers of two, so without compares of addresses, which
`with_compares` adds.
"""
LATENCY = "latency"
"""An attribute whose values lie on no common line: registers stand elsewhere for each."""
WIRE = "arith.bitcast"
"""A unit that is wires: its delay is that of two registers and a wire."""

ACROSS = tuple(f"{a}>{b}" for a in ("data", "choice", "valid") for b in ("data", "valid"))
"""The paths of tokens through a unit that takes no cycle."""

CHOICE = "choice"
"""The class of data that say where a token goes, and are not the token's own."""
ADDRESS = "address"
"""The class of addresses that a memory compares with its depth."""
COMPARE: tuple[str, Kind] = ("arith.cmpi", (("predicate", "ult"), ("constants", "1")))
"""What such a compare costs: the operator, and its kind."""

Axes = tuple[tuple[str, int], ...]
"""Where an instance lies: numbers by name, always in the same order."""
Kind = tuple[tuple[str, str], ...]
"""What tells instances of one operator apart that lie on no common line."""
Delays = Mapping[str, float]
"""The longest path of each class [ns], by ``from>to``: see `loom.analysis.timing.static_timing`."""
Array = tuple[int, int]
"""Depth [elements] and width [bits] of the memory that a unit serves."""


@dataclass(frozen=True, slots=True)
class Area:
    """Cells of an ECP5: LUT4s, flip-flops, 18-bit multipliers, block RAMs of 18 kbit."""

    luts: float
    flip_flops: float
    multipliers: float
    block_rams: float

    def __add__(self, other: Area) -> Area:
        """The area of both."""
        return Area(
            self.luts + other.luts,
            self.flip_flops + other.flip_flops,
            self.multipliers + other.multipliers,
            self.block_rams + other.block_rams,
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """Area of an instance, and its delays [ns]; without delays where none were measured."""

    area: Area
    delays: Delays


@dataclass(frozen=True, slots=True)
class Entry:
    """One measured unit; `failed` says why a part of the measurement is missing."""

    kind: Kind
    axes: Axes
    digest: str
    area: Area | None
    delays: Delays = field(default_factory=dict)
    failed: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """All entries by operator, and what the numbers mean."""

    measured: str
    entries: Mapping[str, Sequence[Entry]]


@cache
def table() -> Table:
    """What was measured."""
    return table_of(files("loom.analysis.timing").joinpath(FILE).read_text(encoding="utf-8"))


def table_of(text: str) -> Table:
    """The table that a file of costs holds."""
    found = json.loads(text)
    rows = found["units"].items()
    return Table(found["measured"], {name: tuple(map(entry_of, each)) for name, each in rows})


def entry_of(row: Mapping[str, Any]) -> Entry:
    """One row of the file."""
    return Entry(
        tuple(row["kind"].items()),
        tuple(row["at"].items()),
        row["digest"],
        Area(*row["area"]) if row["area"] else None,
        row.get("delays", {}),
        row.get("failed", ""),
    )


def chooses(operator: Operator, port: Port) -> bool:
    """Whether the input's data steer tokens of other ports: a condition, a select, an address that
    is compared and goes no further."""
    stays = operator.hardware.memory_kind is None and port.type not in {
        each.type for each in operator.signature.outputs
    }
    steers = port.type in ("i1", "S") or (port.type == "A" and stays)
    return operator.semantics.process is not None and steers


def class_of(operator: Operator, shape: Shape, port: Port, width: int, array: Array | None) -> str:
    """The class of an input's data of `width` [bits]: "data", or those that steer or address."""
    if chooses(operator, port):
        return CHOICE
    if array is not None and port.type == "A" and compares_addresses(shape, width, array[0]):
        return ADDRESS
    return "data"


REQUESTERS = "requesters"
"""The axis that memories have alone: those of the stores and of the loads together."""
TREES = ("ports", REQUESTERS)
"""Axes over whose logarithm delays grow."""


def kind_of_array(sides: Sequence[str], depth: int, *, packed: bool = False) -> Kind:
    """What tells the costs of memories apart: `sides` of "stores" and "loads", and forms."""
    forms = {"packed": packed, "small": depth <= SMALL_DEPTH}
    found = [(name, "True") for name, holds in forms.items() if holds]
    return (("sides", " ".join(sides)), *found)


def kind_of(shape: Shape, array: Array | None) -> Kind:
    """The text and boolean attributes, the latency; of a memory its sides: loads, stores.

    And whether its elements are packed into wider words, or so few that LUTs hold them; of a buffer
    whether it is deep.
    """
    if array is not None:
        sides = [side for side in ("stores", "loads") if shape.integer(side)]
        return kind_of_array(sides, array[0], packed=said_number(shape, "pack") > 0)
    constants = " ".join(map(str, sorted(shape.constants)))
    return (
        *(
            (name, str(value))
            for name, value in shape.attributes.items()
            if name not in UNSEEN and (isinstance(value, str | bool) or name == LATENCY)
        ),
        *([("constants", constants)] if constants else []),
        *([("deep", "True")] if is_deep_buffer(shape) else []),
    )


def axes_of(shape: Shape, array: Array | None, kind: MemoryKind | None = None) -> Axes:
    """Width of the data [bits], number of ports, and the attributes that count something.

    Of a memory of a `kind` behind channels also how many requests are outstanding, and how many
    elements a packed word has.
    """
    widths = (*shape.inputs, *shape.outputs)
    ports = ("ports", len(widths))
    if array is not None:
        requesters = sum(len(set(requesters_of(shape, side))) for side in ("store", "load"))
        found = ("depth", array[0]), ("width", array[1]), ports, (REQUESTERS, requesters)
        if kind is not None and kind.answers:
            elements = kind.elements_a_word(shape)
            packed = [("elements", elements)] if elements > 1 else []
            return (*found, ("outstanding", kind.outstanding_of(shape)), *packed)
        return found
    counts = tuple(
        (name, value)
        for name, value in shape.attributes.items()
        if name not in (*UNSEEN, LATENCY) and isinstance(value, int) and not isinstance(value, bool)
    )
    return (("width", max(widths, default=0)), ports, *counts)


def unit_cost(operator: Operator, shape: Shape, array: Array | None = None) -> Cost | None:
    """The cost of an instance, or None for an operator that was not measured.

    One without inputs is wires of constants: it takes nothing, and no path lies on it. A core of
    the user's has none. Paths that the operator's row rules out have no delay: they are those of
    other units of the kind.
    """
    if not operator.signature.inputs:
        return Cost(Area(0, 0, 0, 0), {})
    cost = cost_at(
        operator.name, kind_of(shape, array), axes_of(shape, array, operator.hardware.memory_kind)
    )
    if cost is None or operator.hardware.core:
        return None
    held = operator.hardware.latency_of(shape) > 0
    cut = operator.hardware.cuts_ready_of(shape)

    def possible(name: str) -> bool:
        if name == "ready>ready":
            return not cut
        return not held or name not in ACROSS

    delays = {name: delay for name, delay in cost.delays.items() if possible(name)}
    return with_compares(Cost(cost.area, delays), operator, shape, array)


def with_compares(cost: Cost, operator: Operator, shape: Shape, array: Array | None) -> Cost:
    """The cost of a memory with its compares of addresses: it is measured without them."""
    inputs, _ = operator.signature.ports_of(shape)
    classes = [
        (class_of(operator, shape, port, width, array), width)
        for port, width in zip(inputs, shape.inputs, strict=True)
    ]
    widths = [width for name, width in classes if name == ADDRESS]
    compare = cost_at(*COMPARE, (("width", max(widths)), ("ports", 3))) if widths else None
    if compare is None:
        return cost
    area = replace(cost.area, luts=cost.area.luts + len(widths) * compare.area.luts)
    ends = {
        name.partition(">")[2]: d for name, d in cost.delays.items() if name.startswith("data>")
    }
    ends.setdefault("register", overhead())
    later = compare.delays["data>data"] - overhead()
    found = {f"{ADDRESS}>{end}": delay + later for end, delay in ends.items()}
    return Cost(area, {**cost.delays, **found})


@lru_cache(maxsize=4096)
def cost_at(name: str, kind: Kind, axes: Axes) -> Cost | None:
    """The cost in the table of LOOM."""
    return cost_among(table().entries.get(name, ()), kind, axes)


def cost_among(entries: Sequence[Entry], kind: Kind, axes: Axes) -> Cost | None:
    """The cost at `axes` from the entries of the kind that is most like `kind`, then nearest."""
    known = [entry for entry in entries if entry.area is not None]
    if not known:
        return None
    wanted = dict(kind)

    where = dict(axes)

    def likeness(entry: Entry) -> tuple[int, int, int]:
        shared = sum(wanted.get(name) == value for name, value in entry.kind)
        return shared, -len(entry.kind), -abs(dict(entry.axes)["width"] - where["width"])

    nearest = max(known, key=likeness).kind
    near = [entry for entry in known if entry.kind == nearest]

    def along(points: Sequence[tuple[Axes, float]], trees: bool = False) -> float:
        return max(0.0, interpolate(points, where, TREES if trees else ()))

    areas = [(entry.axes, entry.area) for entry in near if entry.area is not None]
    area = Area(
        along([(place, each.luts) for place, each in areas]),
        along([(place, each.flip_flops) for place, each in areas]),
        whole(along(multipliers_like(known, nearest))),
        whole(along([(place, each.block_rams) for place, each in areas])),
    )
    points: dict[str, list[tuple[Axes, float]]] = {}
    for entry in near:
        for name, delay in entry.delays.items():
            points.setdefault(name, []).append((entry.axes, delay))
    return Cost(area, {name: along(each, trees=True) for name, each in points.items()})


def multipliers_like(entries: Iterable[Entry], kind: Kind) -> list[tuple[Axes, float]]:
    """The multipliers of the entries of a kind, of any latency: registers change no number of them.

    Fewer widths are measured with each latency than with all.
    """
    wanted = without_latency(kind)
    return [
        (entry.axes, entry.area.multipliers)
        for entry in entries
        if entry.area is not None and without_latency(entry.kind) == wanted
    ]


def without_latency(kind: Kind) -> Kind:
    """The kind but for the latency."""
    return tuple(fact for fact in kind if fact[0] != LATENCY)


@cache
def overhead() -> float:
    """What each delay holds besides the unit [ns]: registers and a wire, as a unit of wires has."""
    rows = table().entries.get(WIRE, ())
    return min((row.delays[name] for row in rows for name in row.delays), default=0.0)


RAM, RAM_OUTSIDE = "handshake.memory", "handshake.extmemory"
"""Memories around the same RAM, in the circuit and beside it."""
RAM_DEPTH = 1024
"""Deep enough for a block RAM, which is then slower than what controls it [elements]."""


def controller_cost(
    row: Operator, attributes: Mapping[str, AttributeValue], array: Array
) -> Cost | None:
    """The cost of a memory that no graph holds: of one load at most, and one store.

    `array` is its depth [elements] and the width of an element [bits].
    """
    depth, width = array
    sizes = {"T": width, "A": max(1, (depth - 1).bit_length()), "none": 0}
    ports = row.signature.ports_of(Shape((), (), attributes))
    inputs, outputs = (tuple(sizes[port.type] for port in each) for each in ports)
    return unit_cost(row, Shape(inputs, outputs, attributes), array)


@cache
def ram_delay() -> float:
    """How much later than that of a register the word of a block RAM comes [ns].

    It is what an array inside the circuit has more on the way than one outside, whose words are
    measured as registers'. The RAM has no register behind its words.
    """
    axes = (("depth", RAM_DEPTH), ("width", 32), ("ports", 3), (REQUESTERS, 1))
    kind = kind_of_array(["loads"], RAM_DEPTH)
    inside, outside = (cost_at(name, kind, axes) for name in (RAM, RAM_OUTSIDE))
    assert inside is not None and outside is not None, "both are measured"
    return inside.delays["register>data"] - outside.delays["register>data"]


def whole(cells: float) -> int:
    """Cells that come in one piece."""
    return math.ceil(cells - 1e-6)


def interpolate(
    points: Sequence[tuple[Axes, float]], where: Mapping[str, int], trees: Sequence[str] = ()
) -> float:
    """The value at `where`, axis by axis, on straight lines; at least one point.

    Of the axes in `trees` over their logarithm beyond the last point, and of memories everywhere,
    whose points lie far apart.
    """
    (axes, value) = points[0]
    if not axes or len(points) == 1:
        return value
    name = axes[0][0]
    wanted = where.get(name, axes[0][1])
    groups: dict[int, list[tuple[Axes, float]]] = {}
    for axes, value in points:
        groups.setdefault(axes[0][1], []).append((axes[1:], value))
    places = sorted(groups)
    right = next((k for k, x in enumerate(places) if k and x >= wanted), len(places) - 1)
    high = interpolate(groups[places[right]], where, trees)
    if right == 0 or places[right] == wanted:
        return high
    low = interpolate(groups[places[right - 1]], where, trees)
    first, last, at = float(places[right - 1]), float(places[right]), float(wanted)
    if name in trees and (wanted > last or REQUESTERS in where):
        first, last, at = math.log2(first), math.log2(last), math.log2(wanted)
    share = (at - first) / (last - first)
    return low + (high - low) * share
