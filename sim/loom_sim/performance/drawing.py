"""A netlist as a drawing: a place for every unit, a way for every channel.

The order within a layer comes from igraph's layered layout, after Sugiyama, Tagawa and Toda (1981).
The layers are the longest paths of channels from the inputs, those left out that lead back; in its
layer each box then stands as near below and above its neighbours as the order allows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from statistics import fmean as mean
from typing import Any

from loom.errors import LoomError, Place
from loom.netlist.netlist import Channel, Endpoint, Netlist

ROW, COLUMN = 90.0, 30.0
"""Between layers, and between units of a layer."""
SWEEPS = 12
"""Of boxes towards their neighbours."""
HEIGHT, LETTER, MARGIN = 34.0, 7.2, 16.0
"""Of a unit's box, of a letter, and beside the text."""


@dataclass(frozen=True)
class Box:
    """A unit or a port of the circuit: the middle of its box and how wide that is."""

    x: float
    y: float
    width: float


@dataclass(frozen=True)
class Drawing:
    """Boxes by unit or port (``%name``), and a path of SVG for every channel."""

    boxes: Mapping[str, Box]
    paths: Mapping[str, str]


def node_of(end: Endpoint) -> str:
    """The box that the end of a channel belongs to."""
    return end.unit or f"%{end.port}"


def require_layout() -> Any:
    """The module igraph. Refused: REPORT_NO_LAYOUT where it is not installed."""
    try:
        import igraph
    except ModuleNotFoundError:
        raise LoomError(
            "REPORT_NO_LAYOUT", Place("loom"), "no module igraph",
            "an installation with the extra `report`: pip install 'loom-hls[report]'",
        ) from None  # fmt: skip
    return igraph


def draw(netlist: Netlist) -> Drawing:
    """The drawing of a netlist. Refused: REPORT_NO_LAYOUT where igraph is not installed."""
    igraph = require_layout()
    names = [f"%{port.name}" for port in netlist.ports if port.direction == "input"]
    names += [unit.name for unit in netlist.units]
    names += [f"%{port.name}" for port in netlist.ports if port.direction == "output"]
    numbers = {name: number for number, name in enumerate(names)}
    ends = [(numbers[node_of(c.source)], numbers[node_of(c.target)]) for c in netlist.channels]
    graph = igraph.Graph(n=len(names), edges=ends, directed=True)
    widths = [MARGIN + LETTER * len(name) for name in names]
    rows = layers(len(names), ends)
    layout = graph.layout_sugiyama(layers=rows)
    order = [x for x, _ in layout.coords[: len(names)]]
    across = columns(rows, order, widths, ends)
    boxes = {
        name: Box(round(x, 1), row * ROW, round(width, 1))
        for name, x, row, width in zip(names, across, rows, widths, strict=True)
    }
    return Drawing(boxes, {channel.name: path(channel, boxes) for channel in netlist.channels})


def layers(count: int, ends: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of every node: below all that leads to it and stands before it in the netlist."""
    found = [0] * count
    before: dict[int, list[int]] = {}
    for source, target in ends:
        if source < target:
            before.setdefault(target, []).append(source)
    for node in range(count):
        found[node] = max((found[source] + 1 for source in before.get(node, ())), default=0)
    return found


def columns(
    rows: Sequence[int],
    order: Sequence[float],
    widths: Sequence[float],
    ends: Sequence[tuple[int, int]],
) -> list[float]:
    """The middle of every box: in `order` in its row, without overlap, near its neighbours."""
    members: dict[int, list[int]] = {}
    for node in sorted(range(len(rows)), key=lambda node: order[node]):
        members.setdefault(rows[node], []).append(node)
    neighbours: list[list[int]] = [[] for _ in rows]
    for source, target in ends:
        neighbours[source].append(target)
        neighbours[target].append(source)
    found = [0.0] * len(rows)
    for row in members.values():
        spread(row, [0.0] * len(row), widths, found)
    for _ in range(SWEEPS):
        for row in members.values():
            wished = [mean([found[n] for n in neighbours[node]] or [found[node]]) for node in row]
            spread(row, wished, widths, found)
    return found


def spread(
    row: Sequence[int], wished: Sequence[float], widths: Sequence[float], found: list[float]
) -> None:
    """The boxes of a row stand in their order, as a whole as near as possible to their wishes."""
    edge = -inf
    for node, wish in zip(row, wished, strict=True):
        found[node] = max(wish, edge + widths[node] / 2)
        edge = found[node] + widths[node] / 2 + COLUMN
    shift = mean([wish - found[node] for node, wish in zip(row, wished, strict=True)])
    for node in row:
        found[node] += shift


def path(channel: Channel, boxes: Mapping[str, Box]) -> str:
    """From the bottom of one box to the top of the other; what leads up swings out to the right."""
    source, target = boxes[node_of(channel.source)], boxes[node_of(channel.target)]
    x0, y0 = source.x, source.y + HEIGHT / 2
    x1, y1 = target.x, target.y - HEIGHT / 2
    if y1 > y0:
        middle = (y0 + y1) / 2
        return f"M{x0:g} {y0:g}C{x0:g} {middle:g} {x1:g} {middle:g} {x1:g} {y1:g}"
    out = max(x0, x1) + max(source.width, target.width) / 2 + ROW
    return f"M{x0:g} {y0:g}C{out:g} {y0 + ROW:g} {out:g} {y1 - ROW:g} {x1:g} {y1:g}"
