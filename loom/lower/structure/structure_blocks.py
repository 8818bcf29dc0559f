"""A graph of blocks becomes structured code: loops first, then branches.

Source: Bahmann, Reissmann, Jahre, Meyer, "Perfect Reconstructability of Control Flow from Demand
Dependence Graphs", ACM TACO 2015, section 4: every strongly connected component gets one entry,
one way back and one exit, where numbers select among several; then each branch holds what only
one of its ways leads to, and the ways meet behind it, again with a number where they meet at
several places.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Operation

from loom.graph_algorithms import strong_components
from loom.lower.structure.structured_code import (
    Again,
    Choice,
    Code,
    Copies,
    Repeat,
    Slot,
    Statement,
    Variable,
)


@dataclass(eq=False)
class Way:
    """One way out of a node: `case` of the node's condition takes it, None takes the rest.

    A way without target leaves the graph.
    """

    target: Node | None
    copies: list[Statement] = field(default_factory=list)
    case: int | None = None

    def end(self, pairs: Sequence[tuple[Variable, int]]) -> None:
        """The way assigns these numbers and leaves the graph."""
        self.copies = [*self.copies, Copies(tuple(pairs))]
        self.target = None


@dataclass(eq=False)
class Node:
    """Code, then one of several ways; the way without a case comes last."""

    code: list[Statement]
    condition: Variable | None
    ways: list[Way]
    origin: Operation

    def targets(self) -> list[Node]:
        """The nodes that may come next."""
        return [way.target for way in self.ways if way.target is not None]


def build_code(entry: Node) -> list[Statement]:
    """The code of the graph from `entry` on; every node of it can get to a way out."""
    return build_branches(collapse_loops(entry))


def selector(count: int) -> Slot:
    """A variable for the numbers below `count`."""
    return Slot(IntegerType(max(1, (count - 1).bit_length())))


def select_node(slot: Slot, targets: Sequence[Node | None], origin: Operation) -> Node:
    """A node that does nothing but go to the target whose number the slot holds."""
    cases = [Way(target, case=k) for k, target in enumerate(targets)]
    cases[0].case = None
    return Node([], slot, [*cases[1:], cases[0]], origin)


def collapse_loops(entry: Node) -> Node:
    """The start of a graph that does the same, in which every loop is one node."""
    start = Node([], None, [Way(entry)], entry.origin)
    found = strong_components([start], Node.targets)
    nodes = [node for component in found for node in component]
    for component in found:
        if len(component) > 1 or component[0] in component[0].targets():
            close_loop(component, nodes)
    return start


def close_loop(component: Sequence[Node], nodes: Sequence[Node]) -> None:
    """The component is one node; `nodes` are all of the graph, in no matter what order."""
    inside = set(component)
    outer = [way for node in nodes if node not in inside for way in node.ways]
    entries = distinct(way.target for way in outer if way.target in inside)
    ways = [way for node in component for way in node.ways]
    exits = distinct(way.target for way in ways if way.target not in inside)
    assert entries and exits, "the reader refuses loops that nothing leaves"
    again, entered, left = Again(), selector(len(entries)), selector(len(exits))
    origin = next(node for node in component if node in entries).origin
    header = entries[0] if len(entries) == 1 else select_node(entered, entries, origin)
    assert header is not None
    for way in ways:
        if way.target in inside and way.target not in entries:
            continue
        if way.target in inside:
            number = [(entered, entries.index(way.target))] if len(entries) > 1 else []
            way.end([(again, 1), *number])
        else:
            number = [(left, exits.index(way.target))] if len(exits) > 1 else []
            way.end([(again, 0), *number])
    loop = select_node(left, exits, origin) if len(exits) > 1 else Node([], None, [], origin)
    if len(exits) == 1:
        loop.ways = [Way(exits[0])]
    loop.code = [Repeat(build_code(header), again, origin)]
    for way in outer:
        if way.target in inside:
            if len(entries) > 1:
                pairs = ((entered, entries.index(way.target)),)
                way.copies = [*way.copies, Copies(pairs)]
            way.target = loop


def distinct(targets: Iterable[Node | None]) -> list[Node | None]:
    """Each target once, in the order given."""
    return list(dict.fromkeys(targets))


def build_branches(entry: Node) -> list[Statement]:
    """The code of a graph without loops."""
    code: list[Statement] = []
    node: Node | None = entry
    while node is not None:
        code += node.code
        if len(node.ways) == 1:
            code += node.ways[0].copies
            node = node.ways[0].target
        else:
            node = build_choice(node, code)
    return code


def build_choice(node: Node, code: list[Statement]) -> Node | None:
    """The node's choice stands at the end of `code`; where its ways meet, None for the end."""
    below, order = find_owners(node)
    points: list[Node | None] = [n for n in order if n not in below]
    leaving = [*node.ways, *(way for n in order if n in below for way in n.ways)]
    leaving = [way for way in leaving if way.target is None or way.target not in below]
    if any(way.target is None for way in leaving):
        points.append(None)
    points = [point for point in points if any(way.target is point for way in leaving)]
    meeting = selector(len(points))
    for way in leaving:
        way.end([(meeting, points.index(way.target))] if len(points) > 1 else [])
    arms = [
        [*way.copies, *(build_branches(way.target) if way.target is not None else ())]
        for way in node.ways
    ]
    assert node.condition is not None
    chosen: Code = arms[-1]
    for way, arm in zip(node.ways[-2::-1], arms[-2::-1], strict=True):
        assert way.case is not None
        chosen = [Choice(node.condition, way.case, arm, chosen, node.origin)]
    code += chosen
    return points[0] if len(points) == 1 else select_node(meeting, points, node.origin)


def find_owners(node: Node) -> tuple[set[Node], list[Node]]:
    """The nodes behind `node` that only one of its ways leads to, and all behind it in order."""
    order = [n for (n,) in strong_components([node], Node.targets)][::-1]
    number: dict[Node, int] = {}
    shared = len(node.ways)
    for k, way in enumerate(node.ways):
        if way.target is not None:
            number[way.target] = k if number.get(way.target, k) == k else shared
    for n in order[1:]:
        for target in n.targets():
            number[target] = number[n] if number.get(target, number[n]) == number[n] else shared
    return {n for n, k in number.items() if k != shared}, order[1:]
