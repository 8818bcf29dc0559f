"""Copies of a token that are taken in the same cycle need one register, or none.

A fork keeps a register for each of its copies: whether it has been taken while others still wait.
Copies that are always taken together (`loom.netlist.taken_together`) have equal registers, so one
is enough: the fork gives one copy to a `dataflow.broadcast`, which is wires. Where all copies of a
fork are taken together, none of them waits for another, and the broadcast stands in its place.
Outputs that are made of the same inputs have the registers themselves where that takes fewer
(`loom.netlist.outputs_together`). Every token is offered and taken in the same cycles as before.

Source: merging of equivalent registers, van Eijk, Sequential equivalence checking based on
structural similarities, IEEE TCAD 19, 2000.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.handshake import ForkOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_routing import SyncOp
from loom.lower.options import Options
from loom.netlist.from_dfg import netlist_of, units_of
from loom.netlist.outputs_together import find_outputs_together
from loom.netlist.taken_together import find_groups
from loom.netlist.with_cores import with_cores


def share_fork_registers(module: ModuleOp, options: Options) -> None:
    """No two registers of a fork are always equal."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            join_outputs(function, options)
            forks = {op for op in function.body.block.ops if isinstance(op, ForkOp)}
            share_registers(function, options, forks)


def join_outputs(function: FuncOp, options: Options) -> None:
    """Outputs of the same inputs have the registers, where their forks would have more of them."""
    netlist = with_cores(netlist_of(function, options.index_width), options.cores)
    names = (unit.name for unit in netlist.units)
    operations = dict(zip(names, units_of(function), strict=True))
    for row in find_outputs_together(netlist):
        values: list[SSAValue] = []
        for channel in row:
            unit = netlist.unit_by_name[channel.source.unit]
            place = netlist.outputs_of(unit).index(channel)
            values.append(operations[unit.name].results[place])
        readers = [use for value in values for use in value.uses]
        sync = SyncOp(values)
        last = operations[row[-1].source.unit]
        sync.location = last.location
        function.body.block.insert_op_after(sync, last)
        for value, reader, out in zip(values, readers, sync.outs, strict=True):
            out.name_hint = value.name_hint
            reader.operation.operands[reader.index] = out


def share_registers(function: FuncOp, options: Options, forks: AbstractSet[Operation]) -> None:
    """No two registers of one of these forks of a function are always equal."""
    netlist = with_cores(netlist_of(function, options.index_width), options.cores)
    groups = find_groups(netlist)
    for operation, unit in zip(units_of(function), netlist.units, strict=True):
        if isinstance(operation, ForkOp) and operation in forks and unit.name in groups:
            split_fork(operation, groups[unit.name])


def restore_forks(function: FuncOp) -> set[Operation]:
    """Forks stand in place of the function's broadcasts, so that its copies may part; the forks."""
    forks: set[Operation] = set()
    for operation in list(function.body.block.ops):
        if isinstance(operation, BroadcastOp):
            fork = ForkOp(operation.source, len(operation.copies))
            place(fork, operation)
            for copy, successor in zip(operation.copies, fork.copies, strict=True):
                successor.name_hint = copy.name_hint
                copy.replace_all_uses_with(successor)
            remove(operation)
            forks.add(fork)
    return forks


def split_fork(fork: ForkOp, groups: tuple[int, ...]) -> None:
    """The fork gives a copy to each of its groups, where a broadcast makes the others of it."""
    count = max(groups) + 1
    copies: list[SSAValue] = [fork.source]
    if count > 1:
        narrow = ForkOp(fork.source, count)
        place(narrow, fork)
        copies = list(narrow.copies)
    for group, copy in enumerate(copies):
        members = [leg for leg, own in zip(fork.copies, groups, strict=True) if own == group]
        made = [copy]
        copy.name_hint = members[0].name_hint if count > 1 else copy.name_hint
        if len(members) > 1:
            broadcast = BroadcastOp(copy, len(members))
            place(broadcast, fork)
            made = list(broadcast.copies)
        for leg, value in zip(members, made, strict=True):
            value.name_hint = leg.name_hint
            leg.replace_all_uses_with(value)
    remove(fork)


def place(operation: Operation, fork: Operation) -> None:
    """The operation stands before a fork, and comes from the same place of the program."""
    block = fork.parent
    assert block is not None
    operation.location = fork.location
    block.insert_op_before(operation, fork)


def remove(operation: Operation) -> None:
    """The operation is gone."""
    operation.detach()
    operation.erase()
