"""A netlist as nodes and wires of the timed model, in the orders in which a cycle runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loom.dialects.operators.operator import Operator, Shape
from loom.model.bundles.activation import Words
from loom.model.timed.loops import Carry, Gate, Invariant, Replicate, Stream
from loom.model.timed.memory import Memory
from loom.model.timed.routing import (
    Branch,
    Merge,
    Mux,
    Never,
    Pure,
    Sink,
    computed,
    fork,
    store,
)
from loom.model.timed.storage import Buffer, Iterative, Pipeline
from loom.model.timed.wire import Node, Wire
from loom.netlist.netlist import OUTSIDE, Netlist

Report = Callable[[str], None]
Maker = Callable[[Shape, Sequence[Wire], Sequence[Wire]], Node]

PROCESSES: Mapping[str, Maker] = {
    "primitives/fork": fork,
    "primitives/sink": lambda shape, inputs, outputs: Sink(inputs, outputs),
    "primitives/never": lambda shape, inputs, outputs: Never(inputs, outputs),
    "primitives/cond_br": lambda shape, inputs, outputs: Branch(inputs, outputs),
    "primitives/mux": lambda shape, inputs, outputs: Mux(inputs, outputs),
    "primitives/merge": lambda shape, inputs, outputs: Merge(inputs, outputs),
    "primitives/control_merge": lambda shape, inputs, outputs: Merge(inputs, outputs),
    "primitives/carry": lambda shape, inputs, outputs: Carry(inputs, outputs),
    "primitives/invariant": lambda shape, inputs, outputs: Invariant(inputs, outputs),
    "primitives/replicate": lambda shape, inputs, outputs: Replicate(inputs, outputs, shape),
    "primitives/gate": lambda shape, inputs, outputs: Gate(inputs, outputs),
    "primitives/buffer": lambda shape, inputs, outputs: Buffer(inputs, outputs, shape),
    "memory/store": store,
}
"""By template, how a unit with a process behaves in time; the rest is below."""


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
    for unit in netlist.units:
        inputs = [wires[channel.name] for channel in netlist.inputs_of(unit)]
        outputs = [wires[channel.name] for channel in netlist.outputs_of(unit)]
        shape = netlist.shape_by_unit[unit.name]
        found = nodes_of(unit.operator, shape, inputs, outputs, words, report)
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


def nodes_of(
    operator: Operator,
    shape: Shape,
    inputs: Sequence[Wire],
    outputs: Sequence[Wire],
    words: Mapping[str, Words],
    report: Report,
) -> list[Node]:
    """The ways through a unit."""
    latency = operator.hardware.latency_of(shape)
    if operator.hardware.memory_kind:
        contents = words[shape.text("memory")]
        lanes = operator.hardware.memory_kind.lanes_of(shape)
        return [Memory(inputs, outputs, shape, contents, latency, lanes, report)]
    if operator.semantics.meaning is not None:
        function = operator.semantics.meaning(shape)
        if latency == 0:
            return [computed(inputs, outputs, function)]
        kind = Pipeline if operator.hardware.interval_of(shape) == 1 else Iterative
        return [kind(inputs, outputs, function, latency)]
    if operator.semantics.ways:
        address, data_in, ctrl = inputs
        data, address_out = outputs
        return [
            Pure((address, ctrl), (address_out,), lambda where, _: where),
            Pure((data_in,), (data,), lambda word: word),
        ]
    if operator.semantics.error:
        return [Stream(inputs, outputs, shape, report)]
    return [PROCESSES[operator.hardware.template](shape, inputs, outputs)]


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
    assert len(order) == len(nodes), "every cycle of the netlist is cut"
    return tuple(order)
