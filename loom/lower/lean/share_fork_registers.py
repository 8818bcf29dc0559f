"""Copies of a token that are taken in the same cycle need one register, or none.

A fork keeps a register for each of its copies: whether it has been taken while others still wait.
Copies that are always taken together (`loom.netlist.taken_together`) have equal registers, so one
is enough: the fork gives one copy to a `dataflow.broadcast`, which is wires. Where all copies of a
fork are taken together, none of them waits for another, and the broadcast stands in its place.
Every token is offered and taken in the same cycles as before.

Source: merging of equivalent registers, van Eijk, Sequential equivalence checking based on
structural similarities, IEEE TCAD 19, 2000.
"""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.dataflow import BroadcastOp
from loom.dialects.ops.handshake import ForkOp
from loom.dialects.ops.handshake_function import FuncOp, ReturnOp
from loom.lower.options import Options
from loom.netlist.from_dfg import netlist_of
from loom.netlist.taken_together import find_groups
from loom.netlist.with_cores import with_cores


def share_fork_registers(module: ModuleOp, options: Options) -> None:
    """No two registers of a fork are always equal."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            netlist = with_cores(netlist_of(function, options.index_width), options.cores)
            groups = find_groups(netlist)
            units = [
                operation
                for operation in function.body.block.ops
                if not isinstance(operation, ReturnOp | ConstantOp)
            ]
            for operation, unit in zip(units, netlist.units, strict=True):
                if isinstance(operation, ForkOp) and unit.name in groups:
                    split_fork(operation, groups[unit.name])


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
    gone: Operation = fork
    gone.detach()
    gone.erase()


def place(operation: Operation, fork: ForkOp) -> None:
    """The operation stands before the fork, and comes from the same place of the program."""
    block = fork.parent
    assert block is not None
    operation.location = fork.location
    block.insert_op_before(operation, fork)
