"""A netlist as nodes and wires of the timed model, in the orders in which a cycle runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.model.bundles.activation import Words
from loom.model.timed import (
    forward_store,
    island,
    load_store_queue,
    loops,
    routing,
    sharing,
    storage,
)
from loom.model.timed.build_memory import build_memory
from loom.model.timed.routing import build_combinational
from loom.model.timed.storage import Buffer, Iterative, Pipeline
from loom.model.timed.wire import Build, Instance, Node, Wire
from loom.netlist.activations import one_at_a_time
from loom.netlist.netlist import OUTSIDE, Netlist

Report = Callable[[str], None]

NODES: Mapping[str, Build] = {
    **routing.NODES,
    **loops.NODES,
    **storage.NODES,
    **sharing.NODES,
    **island.NODES,
    **forward_store.NODES,
    **load_store_queue.NODES,
}
"""How a unit with a process behaves in time, by its template."""


class Entry(Node):
    """An input of the circuit: offers tokens one after the other."""

    tokens: Sequence[int] = ()
    sent = 0

    def offer(self) -> None:
        """The next token."""
        there = self.sent < len(self.tokens)
        self.outputs[0].offer(there, self.tokens[self.sent] if there else 0)

    def step(self) -> bool:
        """One further."""
        moves = self.outputs[0].moves
        self.sent += moves
        return moves


class Exit(Node):
    """An output of the circuit: takes up to `limit` tokens, None for all."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.taken: list[int] = []
        self.limit: int | None = None

    def accept(self) -> None:
        """While there is room."""
        self.inputs[0].answer(self.limit is None or len(self.taken) < self.limit)

    def step(self) -> bool:
        """One more is taken."""
        moves = self.inputs[0].moves
        if moves:
            self.taken.append(self.inputs[0].data)
        return moves


class Begin(Node):
    """Where start enters a circuit that runs one activation at a time: none while one runs."""

    def __init__(self, inputs: Sequence[Wire], outputs: Sequence[Wire]) -> None:
        super().__init__(inputs, outputs)
        self.started = self.ended = False

    def offer(self) -> None:
        """Start, unless the last activation's done was not taken."""
        self.outputs[0].offer(self.inputs[0].valid and not self.started)

    def accept(self) -> None:
        """When the circuit takes it."""
        self.inputs[0].answer(self.outputs[0].ready and not self.started)

    def step(self) -> bool:
        """A start was taken."""
        moves = self.outputs[0].moves
        self.started |= moves
        self.finish()
        return moves

    def end(self) -> None:
        """Done was taken, before its start or after it."""
        self.ended = True
        self.finish()

    def finish(self) -> None:
        """With start and done taken the next activation may begin."""
        if self.started and self.ended:
            self.started = self.ended = False
            self.stale = True


class Done(Exit):
    """The exit of done: `begin` hears of each token taken."""

    begin: Begin

    def step(self) -> bool:
        """One more activation has ended."""
        moves = super().step()
        if moves:
            self.begin.end()
        return moves


@dataclass(frozen=True)
class TimedCircuit:
    """Wires by channel, nodes in order of offers and of answers, and what the outside touches."""

    wires: Mapping[str, Wire]
    forwards: tuple[Node, ...]
    backwards: tuple[Node, ...]
    entries: Mapping[str, Entry]
    exits: Mapping[str, Exit]
    buffers: Mapping[str, Buffer]


def timed_circuit(netlist: Netlist, words: Mapping[str, Words], report: Report) -> TimedCircuit:
    """The circuit after reset; `words` are the contents of its memories, by name."""
    wires = {channel.name: Wire() for channel in netlist.channels}
    entries, exits, buffers = dict[str, Entry](), dict[str, Exit](), dict[str, Buffer]()
    for channel in netlist.channels:
        if channel.source.unit == OUTSIDE:
            entries[channel.source.port] = Entry((), (wires[channel.name],))
        if channel.target.unit == OUTSIDE:
            exits[channel.target.port] = Exit((wires[channel.name],), ())
    nodes: list[Node] = []
    alone = one_at_a_time(netlist)
    if alone is not None:
        start, done = wires[alone.start.name], wires[alone.done.name]
        outside = Wire()
        entries[alone.start.source.port] = Entry((), (outside,))
        exits[alone.done.target.port] = ended = Done((done,), ())
        ended.begin = Begin((outside,), (start,))
        nodes.append(ended.begin)
    for unit in netlist.units:
        instance = Instance(
            unit.operator,
            netlist.shape_by_unit[unit.name],
            tuple(wires[channel.name] for channel in netlist.inputs_of(unit)),
            tuple(wires[channel.name] for channel in netlist.outputs_of(unit)),
            report,
        )
        found = build_nodes(instance, words, unit.place or Place(unit.name))
        nodes += found
        if isinstance(found[0], Buffer):
            buffers[unit.name] = found[0]
    nodes = [*entries.values(), *nodes, *exits.values()]
    return TimedCircuit(
        wires,
        in_order(nodes, lambda n: [w.target for w in n.outputs if not w.target.holds]),
        in_order(nodes, lambda n: [w.source for w in n.inputs if not w.source.cuts_ready]),
        entries,
        exits,
        buffers,
    )


def build_nodes(unit: Instance, words: Mapping[str, Words], place: Place) -> Sequence[Node]:
    """The nodes of one unit at `place`.

    Refused (MODEL_NO_TIMED_NODE): a unit with a process for whose template there is no node.
    """
    operator, shape = unit.operator, unit.shape
    hardware, meaning = operator.hardware, operator.semantics.meaning
    latency = hardware.latency_of(shape)
    if hardware.memory_kind is not None:
        return build_memory(unit, words[shape.text("memory")])
    if meaning is not None:
        function = operator.semantics.function(shape)
        if latency == 0:
            return build_combinational(unit, function)
        kind = Pipeline if hardware.interval_of(shape) == 1 else Iterative
        return [kind(unit.inputs, unit.outputs, function, latency)]
    build = NODES.get(hardware.template)
    if build is None:
        raise LoomError(
            "MODEL_NO_TIMED_NODE",
            place,
            f"{operator.name}, whose cycles are not known",
            f"operators with a node for the template {hardware.template} in loom/model/timed",
        )
    return build(unit)


def in_order(
    nodes: Sequence[Node], following: Callable[[Node], Sequence[Node]]
) -> tuple[Node, ...]:
    """The nodes, each before those that follow it (Kahn)."""
    waits = dict.fromkeys(nodes, 0)
    for node in nodes:
        for each in following(node):
            waits[each] += 1
    order = [node for node, count in waits.items() if not count]
    for node in order:
        for each in following(node):
            waits[each] -= 1
            if not waits[each]:
                order.append(each)
    assert len(order) == len(nodes), "every cycle of the netlist has a register"
    return tuple(order)
