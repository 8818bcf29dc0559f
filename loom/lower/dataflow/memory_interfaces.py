"""The memory interface of each array of a function: of an argument outside, of any other inside."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from loom.analysis.program.memory_accesses import Root, root_of
from loom.dialects.facts.arrays import global_of, memory_behind, partition_attribute
from loom.dialects.facts.instances import PREFIX, hardware_of
from loom.dialects.ops import order
from loom.dialects.ops.handshake_memory import (
    ChannelMemoryOp,
    ExternalMemoryOp,
    MemoryInterface,
    MemoryOp,
    RomOp,
)
from loom.dialects.ops.partition_attribute import PARTITION


def count_accesses(
    functions: Iterable[Operation], arrays: Mapping[SSAValue, SSAValue]
) -> dict[Root, tuple[SSAValue, int, int]]:
    """Every memory with one of its memrefs, its number of loads and of stores.

    `arrays` are those that arguments of called functions stand for.
    """
    counts: dict[Root, tuple[SSAValue, int, int]] = {}
    for operation in (op for function in functions for op in function.walk()):
        if isinstance(operation, order.LoadOp | order.StoreOp):
            array = arrays.get(operation.memory, operation.memory)
            root = root_of(array)
            memory, loads, stores = counts.get(root, (array, 0, 0))
            is_load = isinstance(operation, order.LoadOp)
            counts[root] = (memory, loads + is_load, stores + (not is_load))
    return counts


def interface_of_array(
    memory: SSAValue,
    argument: SSAValue | None,
    name: str,
    ports: tuple[int, int],
    start: SSAValue,
    function: FuncOp,
    module: Operation,
) -> MemoryInterface:
    """The interface of an array, which the handshake function has as `argument`, or else inside.

    `name` is that of an array inside; `ports` are its loads and stores, each driven by `start` at
    first.
    """
    loads, stores = ports
    driven = [start] * (2 * stores + loads)
    made: MemoryInterface
    if argument is not None:
        choice = memory_behind(memory, function)
        outside = ChannelMemoryOp if choice.kind.answers else ExternalMemoryOp
        made = outside(argument, loads, driven)
        made.location = function.location
        said = {f"{PREFIX}{each}": IntegerAttr(n, 64) for each, n in choice.said.items()}
        made.attributes |= said
        partition = partition_attribute(memory, function, module)
        if partition is not None:
            made.attributes[PARTITION] = partition
        return made
    assert isinstance(memory.type, MemRefType) and isinstance(memory.owner, Operation)
    maker = global_of(memory, module)
    initial = maker.initial_value if maker else None
    contents = initial if isinstance(initial, DenseIntOrFPElementsAttr) else None
    is_table = maker is not None and maker.constant is not None and contents is not None
    kind = RomOp if is_table and not stores else MemoryOp
    made = kind(name, memory.type, loads, driven, contents)
    made.location = memory.owner.location
    made.attributes |= hardware_of(maker or memory.owner)
    return made
