"""A control token that orders nothing is not made: the access starts with its address.

An access takes a control token when it may start. Where that token is made of the start token
alone, of no done token, it orders the access behind no other one. It only keeps the access from
running before the activation starts, while the caller may still write the array. The address does
the same, or the datum of a store, if it cannot be there before the start token came. The rules
follow the tokens of an activation from `start` on:

- A unit that takes a token from every operand gives its own after each of them.
- A loop's carry or invariant begins with the value that enters the loop.
- A mux gives a token after the select that names it.
- A memory gives a datum after its address.

Address and control token come equally often, one for each access, so as many accesses are made,
with the same addresses and data. Without its control token a load or store is wires: the memory
itself waits for address and datum. What made the control token is then dead (`remove_dead_units`).

Source: docs/spec/memory-order.md, "Which accesses wait"; docs/channel-law.md.
"""

from __future__ import annotations

from collections.abc import Set

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.program_facts import ORDERED
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.handshake_routing import ShareOp, SourceOp
from loom.lower.options import Options


def drop_idle_control(module: ModuleOp, options: Options) -> None:
    """Every access whose control token orders nothing starts with its address or its datum."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            started = values_after_start(block)
            for access in list(block.ops):
                if isinstance(access, LoadOp | StoreOp) and is_idle(access, started):
                    connect_directly(access)


def is_idle(access: LoadOp | StoreOp, started: Set[SSAValue]) -> bool:
    """True if the control token waits for no access, and another operand for the start.

    Or if another operand orders the access, as `drop_implied_order` has found.
    """
    if ORDERED.is_on(access):
        return True
    given = [access.address] if isinstance(access, LoadOp) else [access.address, access.data]
    return any(value in started for value in given) and not waits_for_access(access.ctrl)


def connect_directly(access: LoadOp | StoreOp) -> None:
    """The memory takes the address, and gives or takes the datum, without the access's unit."""
    datum = access.data_in if isinstance(access, LoadOp) else access.data
    first, address = access.results
    datum.name_hint = datum.name_hint or first.name_hint
    first.replace_all_uses_with(datum)
    address.replace_all_uses_with(access.address)
    unit: Operation = access
    unit.detach()
    unit.erase()


def waits_for_access(token: SSAValue) -> bool:
    """True if a done token leads to this token, or what is not control."""
    work, seen = [token], set[SSAValue]()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        match value.owner:
            case Block():
                pass
            case CondBranchOp() as unit:
                work.append(unit.data)
            case MuxOp() as unit:
                work += unit.data
            case CarryOp() as unit:
                work += [unit.a, unit.b]
            case InvariantOp() | ReplicateOp() as unit:
                work.append(unit.a)
            case JoinOp() | SourceOp() as unit:
                work += unit.operands
            case _:
                return True
    return False


def values_after_start(block: Block) -> set[SSAValue]:
    """The values none of whose tokens is there before the start token of its activation."""
    started: set[SSAValue] = {block.args[-1]}
    work: list[SSAValue] = list(started)
    while work:
        value = work.pop()
        for use in value.uses:
            for result in results_after(use.operation, use.index):
                if result not in started:
                    started.add(result)
                    work.append(result)
    return started


def results_after(unit: Operation, index: int) -> tuple[SSAValue, ...]:
    """The results that the unit gives only after it took the token of operand `index`."""
    if isinstance(unit, MemoryInterface):
        access = unit.access_of_operand(index)
        return tuple(r for r in unit.results if unit.access_of_result(r.index) == access)
    if isinstance(unit, ShareOp):
        return unit.results_after(index)
    operator = find(unit.name)
    if operator is None:
        return ()
    if isinstance(unit, LoadOp):
        return (unit.data,) if index == 1 else (unit.address_out,)
    if isinstance(unit, MuxOp):
        return tuple(unit.results) if index == 0 else ()
    if operator.semantics.leads:
        rest = [port.name for port in operator.signature.inputs].index(operator.semantics.rest)
        return tuple(unit.results) if index == rest else ()
    return tuple(unit.results)
