"""The initiation interval (II) of each loop of a circuit, and the resource or cycle that limits it.

An iteration waits for the one before along every cycle of units whose tokens are made in one and
used in the next: the latencies on the cycle, buffers included, bound the II from below
(recurrence). So do a unit with an II of its own, and a memory that serves several accesses of the
iteration through one port (resource). A branch counts as if its longest side were taken, accesses
under it as if none were.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.schedule.event_graph import Edge, EventGraph, Node
from loom.analysis.schedule.loop_members import iterations_ahead
from loom.analysis.schedule.loop_nest import (
    Repeater,
    loop_conditions,
    origin_of,
)
from loom.analysis.schedule.modulo_schedule import Arc, Cycle, critical_cycle
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import Cores
from loom.dialects.operators.lanes import ANY, Lane, Lanes
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.errors import Place

UNLIMITED = ""
"""The limit of a loop with II = 1."""


@dataclass(frozen=True)
class LoopII:
    """One loop: `ii` [cycles], what it is `limited_by`, and the condition of its next iteration.

    `innermost`: no loop is in it. For an outer loop the II excludes its inner loops, each counted
    with one iteration. `units` are the operations of the limit, a cycle in its order; `around` are
    the places of the loops around it, outermost first. `lanes` entries take turns.
    """

    place: Place
    depth: int
    innermost: bool
    ii: int
    limited_by: str
    condition: OpResult
    units: tuple[Operation, ...] = ()
    around: tuple[Place, ...] = ()
    lanes: int = 1

    @property
    def outer(self) -> Place | None:
        """The next loop around it that stands elsewhere: one parallel loop may be a nest."""
        return next((place for place in reversed(self.around) if place != self.place), None)

    def __str__(self) -> str:
        excluded = "" if self.innermost else " without its inner loops"
        entries = f", {self.lanes} entries interleaved" if self.lanes > 1 else ""
        limit = f": {self.limited_by}" if self.limited_by else ""
        return f"{self.place}: II = {self.ii}{excluded}{entries}{limit}"

    def to_json(self) -> dict[str, object]:
        """As ``loom compile --json`` prints it; `ii` [cycles], `limited_by` is empty if II = 1.

        With `lanes` only where entries take turns.
        """
        return {
            "line": self.place.line,
            "column": self.place.column,
            "depth": self.depth,
            "innermost": self.innermost,
            "ii": self.ii,
            "limited_by": self.limited_by,
            **({"lanes": self.lanes} if self.lanes > 1 else {}),
        }


def initiation_intervals(block: Block, index_width: int, cores: Cores) -> list[LoopII]:
    """The loops of a handshake function that LOOM made, in the order of its text.

    A near linear question: each edge is looked at once for every loop around it.
    """
    graph = EventGraph(block, index_width, cores)
    loops = graph.loops
    inside = graph.edges_by_loop
    shared = port_limits(graph)
    outer = {loop for around in loops.values() for loop in around[:-1]}
    heads = find_heads(block)
    found: list[LoopII] = []
    for loop, head in heads.items():
        edges = inside.get(loop, [])
        ii, limited_by, units = largest_limit(
            [*recurrence_limits(edges, loop), *shared.get(loop, ())]
        )
        nest = loops.get(loop, (loop,))
        around = tuple(place_of(heads[each]) for each in nest[:-1] if each in heads)
        assert isinstance(loop, OpResult), "a condition is made in the loop"
        innermost = loop not in outer
        place = place_of(head)
        lanes = head.lanes if isinstance(head, StreamOp) else 1
        found.append(
            LoopII(place, len(nest), innermost, ii, limited_by, loop, units, around, lanes)
        )
    return found


def find_heads(block: Block) -> Mapping[SSAValue, Operation]:
    """A unit for each loop that stands where the loop does in the source: by its condition."""
    conditions = loop_conditions(block)
    found: dict[SSAValue, Operation] = {}
    for operation in block.ops:
        if isinstance(operation, StreamOp):
            found[operation.cont] = operation
        elif isinstance(operation, Repeater) and origin_of(operation.d) in conditions:
            found.setdefault(origin_of(operation.d), operation)
    return found


NAMED = 12
"""Units of a cycle that are named."""
Limit = tuple[int, str, tuple[Operation, ...]]
"""A lower bound on the II [cycles], its reason in words, and its operations."""


def largest_limit(candidates: Sequence[Limit]) -> Limit:
    """The largest lower bound."""
    return max(candidates, key=lambda each: each[0], default=(1, UNLIMITED, ()))


def recurrence_limits(edges: Sequence[Edge], loop: SSAValue) -> Iterator[Limit]:
    """Lower bounds on the II from cycles of units, and from units with an II above 1."""
    arcs = [
        Arc(edge.source, edge.target, edge.latency, ahead)
        for edge in edges
        if (ahead := iterations_ahead(edge, loop, ())) is not None
    ]
    found = critical_cycle(arcs)
    if found is not None:
        cycle = tuple(node.operation for node in found.nodes if isinstance(node, Node))
        yield found.ii, f"recurrence through {format_cycle(found)}", cycle
    for node in {node: None for edge in edges for node in (edge.source, edge.target)}:
        if node.timing.interval > 1:
            text = f"{format_unit(node)}, which takes one operation at a time"
            yield node.timing.interval, text, (node.operation,)


def format_cycle(found: Cycle) -> str:
    """The units of a cycle that take time, the first `NAMED` by name."""
    nodes = [node for node in found.nodes if isinstance(node, Node) and node.timing.latency]
    named = [f"{format_unit(node)} ({node.timing.latency})" for node in nodes[:NAMED]]
    return ", ".join(named + [f"{len(nodes) - NAMED} more"] * (len(nodes) > NAMED))


def format_unit(node: Node) -> str:
    """A unit by its operator, a memory by its name."""
    if isinstance(node.operation, MemoryInterface):
        return node.operation.array_name
    return node.operation.name.partition(".")[2]


def port_limits(graph: EventGraph) -> Mapping[SSAValue, list[Limit]]:
    """Loads, and stores, of one memory in every iteration of a loop, where they share ports."""
    found: dict[SSAValue, list[Limit]] = {}
    for operation in graph.block.ops:
        if not isinstance(operation, MemoryInterface):
            continue
        stores = operation.store_count
        lanes = lanes_of_interface(operation, graph.index_width)
        for verb, values, listed, banks in (
            ("store", operation.channels[1 : 2 * stores : 2], lanes.stores, lanes.store_banks),
            ("load", operation.channels[2 * stores :], lanes.loads, lanes.load_banks),
        ):
            inside: dict[SSAValue, list[int]] = {}
            for number, value in enumerate(values):
                if (around := graph.loops.get(value)) and value not in graph.conditional:
                    inside.setdefault(around[-1], []).append(number)
            through = lanes_by_access(listed)
            for loop, accesses in inside.items():
                cycles, count, where = busiest_lane(accesses, listed, through, banks)
                text = f"{count} {verb}s of {operation.array_name}{where}"
                if cycles > 1:
                    found.setdefault(loop, []).append((cycles, text, (operation,)))
    return found


def lanes_of_interface(operation: MemoryInterface, index_width: int) -> Lanes:
    """The lanes of a memory, as its kind has them."""
    operator = CATALOGUE[operation.name]
    assert operator.hardware.memory_kind is not None
    return operator.hardware.memory_kind.lanes_of(shape_of(operation, operator, index_width))


def lanes_by_access(lanes: Sequence[Lane]) -> Mapping[int, list[int]]:
    """The lanes that may serve each access."""
    found: dict[int, list[int]] = {}
    for place, lane in enumerate(lanes):
        for number in lane.accesses:
            found.setdefault(number, []).append(place)
    return found


def busiest_lane(
    accesses: Sequence[int],
    lanes: Sequence[Lane],
    through: Mapping[int, Sequence[int]],
    banks: Sequence[int],
) -> tuple[int, int, str]:
    """The least cycles in which lanes serve the accesses; how many decide that, and where.

    Those whose bank is not known may all find the lane that has least to do.
    """
    used: dict[int, int] = {}
    for number in accesses:
        for place in through[number]:
            used[place] = used.get(place, 0) + (banks[number] != ANY)
    shared = -(-len(accesses) // len(used))
    most = max(used.values())
    if most <= shared:
        return shared, len(accesses), f" through {len(used)} ports" if len(used) > 1 else ""
    place = min(place for place, count in used.items() if count == most)
    return most, most, f", bank {lanes[place].bank}"
