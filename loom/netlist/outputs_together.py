"""Outputs of logic without registers that are made of tokens of the very same inputs.

Between registers tokens are forked, joined and computed with. A fork keeps a register for each copy
that may be taken by itself. Outputs that are made of the same inputs are there at the same time. A
`handshake.sync` in front of their readers joins nothing that was not joined before, and its
registers, one an output, say what those of the forks said: whether that output has been taken while
another one has not. The forks' copies all go to one unit then and need no registers
(`loom.netlist.taken_together`). Each token is offered and taken in the same cycles as before: an
input's token leaves once every output that it is part of has been taken.

Source: the join followed by an eager fork of Cortadella, Kishinevsky and Grundmann, Synthesis of
synchronous elastic architectures, DAC 2006.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.handshake import ForkOp
from loom.netlist.netlist import OUTSIDE, Channel, Netlist
from loom.netlist.taken_together import NOWHERE, find_readers, joins_at_once

COPIES = (ForkOp.name, BroadcastOp.name)
MOST = 4
"""Outputs of a row: whether all have been taken is one LUT4; more lengthen paths of ready."""


class Row(NamedTuple):
    """The number of a row of outputs that are made of the same inputs."""

    number: int


def find_outputs_together(netlist: Netlist) -> Sequence[Sequence[Channel]]:
    """Channels that a `handshake.sync` for each row of them saves registers of."""
    rows = list(outputs_by_inputs(netlist))
    ends = {channel.name: Row(number) for number, row in enumerate(rows) for channel in row}
    saved = [-len(row) for row in rows]
    before, after = (find_readers(netlist, each) for each in (NOWHERE, ends))
    for fork, readers in after.items():
        for end in set(readers):
            if isinstance(end, Row):
                own = {old for old, new in zip(before[fork], readers, strict=True) if new == end}
                none_left = len(set(before[fork])) > 1 == len(set(readers))
                saved[end.number] += len(own) - 1 + none_left
    return [row for row, registers in zip(rows, saved, strict=True) if registers > 0]


def outputs_by_inputs(netlist: Netlist) -> Iterator[Sequence[Channel]]:
    """The outputs that are made of the same inputs, two to `MOST` of two and more."""
    made_of = inputs_by_channel(netlist)
    found: dict[int, list[Channel]] = {}
    for channel in netlist.channels:
        inputs = made_of.get(channel.name, 0)
        if inputs.bit_count() > 1 and not is_logic(channel.target.unit, netlist):
            found.setdefault(inputs, []).append(channel)
    return (row for row in found.values() if 1 < len(row) <= MOST)


def inputs_by_channel(netlist: Netlist) -> Mapping[str, int]:
    """The inputs of the logic without registers that the tokens of a channel are made of.

    A bit for each input. Constants are none. A channel on a cycle without registers is not told.
    """
    logic = {unit.name for unit in netlist.units if is_logic(unit.name, netlist)}
    found: dict[str, int] = {}
    waiting = dict.fromkeys(logic, 0)
    for number, channel in enumerate(netlist.channels):
        if channel.source.unit not in logic:
            found[channel.name] = 1 << number
        elif channel.target.unit in logic:
            waiting[channel.target.unit] += 1
    work = [unit for unit in netlist.units if waiting.get(unit.name) == 0]
    while work:
        unit = work.pop()
        inputs = 0
        for channel in netlist.inputs_of(unit):
            inputs |= found[channel.name]
        for channel in netlist.outputs_of(unit):
            found[channel.name] = inputs
            if channel.target.unit in logic:
                waiting[channel.target.unit] -= 1
                if not waiting[channel.target.unit]:
                    work.append(netlist.unit_by_name[channel.target.unit])
    return found


def is_logic(name: str, netlist: Netlist) -> bool:
    """True of a unit without registers but those of a fork, whose output is made of all inputs."""
    if name == OUTSIDE:
        return False
    unit = netlist.unit_by_name[name]
    return unit.operator.name in COPIES or joins_at_once(unit, netlist)
