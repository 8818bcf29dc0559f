"""The nodes of a memory in the timed model, by its kind."""

from __future__ import annotations

from collections.abc import Sequence

from loom.model.timed.channel_memory import ChannelMemory
from loom.model.timed.memory import Array, LoadAlone, Memory
from loom.model.timed.wire import Instance, Node


def build_memory(unit: Instance, words: list[int]) -> Sequence[Node]:
    """The nodes of a memory: those of loads alone at their ports, and one of all the others."""
    kind, shape = unit.operator.hardware.memory_kind, unit.shape
    assert kind is not None
    array = Array(words, kind.lanes_of(shape), unit.report)
    if kind.answers:
        latency, outstanding = kind.stated_latency(shape), kind.outstanding_of(shape)
        pack = kind.elements_a_word(shape)
        return [ChannelMemory(unit.inputs, unit.outputs, shape, array, latency, outstanding, pack)]
    alone = kind.loads_alone(shape)
    stores, loads = shape.integer("stores"), shape.integer("loads")
    nodes: list[Node] = [
        LoadAlone(
            unit.inputs[2 * stores + k],
            unit.outputs[k],
            unit.outputs[loads + stores + k],
            array,
            array.lanes.load_banks[k],
        )
        for k in sorted(alone)
    ]
    if stores or loads > len(alone):
        latency = kind.latency_of(shape)
        nodes.append(Memory(unit.inputs, unit.outputs, shape, array, latency, alone))
    return nodes
