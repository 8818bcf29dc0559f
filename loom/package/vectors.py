"""What a testbench replays: tokens, words of memories, and what must come out, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loom.netlist.banks import banks_outside, words_of_bank
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist

Values = Mapping[str, int | list[int]]
"""By the name of an argument a bit pattern, or the elements of an array."""


@dataclass(frozen=True)
class Replayed:
    """One activation: what goes in, the results in order, and the arrays afterwards."""

    inputs: Values
    results: Sequence[int]
    memories: Mapping[str, Sequence[int]]


def vectors_text(netlist: Netlist, activations: Sequence[Replayed], max_cycles: int) -> str:
    """The activations by names of channels and memories; each may last `max_cycles` [cycles]."""
    rows = [activation_row(netlist, each) for each in activations]
    lines = ",\n".join(json.dumps(row) for row in rows)
    return f'{{"max_cycles": {max_cycles}, "activations": [\n{lines}\n]}}\n'


def activation_row(netlist: Netlist, activation: Replayed) -> dict[str, dict[str, object]]:
    """The tokens, the words of each memory before and after, and the results."""
    names = port_names(activation.inputs)
    given = {names[name]: value for name, value in activation.inputs.items()}
    after = {names[name]: value for name, value in activation.memories.items()}
    inputs: dict[str, object] = {}
    outputs: dict[str, object] = {}
    results = iter(activation.results)
    for port in netlist.ports:
        if port.direction == "input":
            inputs[port.name] = given[port.name] if port.width else None
        else:
            outputs[port.name] = next(results) if port.width else None
    before: dict[str, object] = {}
    wanted: dict[str, object] = {}
    for bank in banks_outside(netlist):
        words = given[bank.array.name]
        assert isinstance(words, list)
        before[bank.name] = words_of_bank(bank, words)
        wanted[bank.name] = words_of_bank(bank, after[bank.array.name])
    return {"inputs": inputs, "memories": before, "outputs": outputs, "memories_after": wanted}
