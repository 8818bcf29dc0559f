"""What orders the accesses of each array that says it, and which arrays have a load-store queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import SSAValue

from loom.analysis.program.memory_accesses import (
    Accesses,
    Root,
    memories_of,
    name_of,
    root_of,
)
from loom.analysis.program.memory_dependence import Dependences
from loom.dialects.facts.arrays import order_behind
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic.island import StaticLoopOp

WAYS = {"queue": "load-store queue", "comparators": "comparators"}
"""What orders accesses that say so, but for tokens."""
OF_STATIC = "and its schedule orders them; choose the style dynamic here"


def orders_of_arrays(module: ModuleOp, function: FuncOp) -> Mapping[Root, str]:
    """What orders the accesses of each array that says it, or whose option does.

    It is a queue if one of its accesses says so.
    """
    found = {
        root_of(memory): said
        for op in function.walk()
        for memory in memories_of(op)
        if (said := order_behind(memory, function, module)) is not None
    }
    queued = [op for op in accesses_with_order(function) if MEMORY_ORDER.of(op) == "queue"]
    return found | {root_of(op.memref): "queue" for op in queued}


def accesses_with_order(function: FuncOp) -> Sequence[memref.LoadOp | memref.StoreOp]:
    """The loads and stores that say what orders them, but for `auto`."""
    accesses = (op for op in function.walk() if isinstance(op, memref.LoadOp | memref.StoreOp))
    return [access for access in accesses if MEMORY_ORDER.of(access) not in (None, "auto")]


def memories_to_queue(
    function: FuncOp, accesses: Accesses, known: Dependences
) -> Mapping[Root, SSAValue]:
    """The memories with a load and a store that may conflict, each with one of its arrays.

    Not those that a static loop accesses, whose order is its schedule.
    """
    static = static_loops(function)
    arrays = {root_of(each): each for op in function.walk() for each in memories_of(op)}
    return {
        root: arrays[root]
        for root, found in accesses.inside(function).items()
        if root not in static
        if any(not access.stores for access in found)
        if any(
            known.may_conflict(one, other, 0)
            for one in found
            for other in found
            if one.stores and not other.stores
        )
    }


def static_loops(function: FuncOp) -> Mapping[Root, StaticLoopOp]:
    """The arrays that static loops access, each with the last of these loops."""
    loops = [op for op in function.walk() if isinstance(op, StaticLoopOp)]
    return {root_of(memory): op for op in loops for memory in op.memories}


def orders_without_effect(
    function: FuncOp, orders: Mapping[Root, str], queued: Mapping[Root, SSAValue]
) -> Iterator[str]:
    """Of each array or access that says an order in vain: where, why, and what to choose."""
    static = static_loops(function)
    stores = [op for op in function.walk() if isinstance(op, memref.StoreOp)]
    first = {root_of(op.memref): op for op in reversed(stores)}
    for root, said in orders.items():
        in_vain = root not in queued if said == "queue" else root not in first
        if root in static and said != "tokens" and in_vain:
            loop = static[root]
            memory = next(each for each in loop.memories if root_of(each) == root)
            what = f"no {WAYS[said]} for accesses of {name_of(memory)}"
            yield f"{place_of(loop)}: {what}: this loop is static, {OF_STATIC}"
        elif root in first and said == "queue" and in_vain:
            name, why = (
                name_of(first[root].memref),
                "no load may alias a store, so none has to wait",
            )
            yield f"{place_of(first[root])}: no {WAYS[said]} for accesses of {name}: {why}"
    for op in function.walk():
        if isinstance(op, StaticLoopOp) and (own := MEMORY_ORDER.take(op)):
            what = f"no {WAYS[own]} for accesses of this loop"
            yield f"{place_of(op)}: {what}: it is static, {OF_STATIC}"
    for op in accesses_with_order(function):
        own, name = MEMORY_ORDER.of(op), name_of(op.memref)
        if root_of(op.memref) in queued and own != "queue":
            kind = "load" if isinstance(op, memref.LoadOp) else "store"
            why = f"a load-store queue orders all accesses of {name}"
            yield f"{place_of(op)}: this {kind} of {name} is not ordered by {own}: {why}"
        elif own == "queue" and root_of(op.memref) not in first:
            why = "nothing is stored to it"
            yield f"{place_of(op)}: no {WAYS[own]} for accesses of {name}: {why}"
