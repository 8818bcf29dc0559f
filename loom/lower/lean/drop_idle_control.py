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
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.program_facts import ORDERED
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, StoreOp
from loom.lower.dataflow.control_tokens import values_after_start, waits_for_access
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
