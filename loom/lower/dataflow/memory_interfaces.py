"""The memory interface of each array of a function: of an argument outside, of any other inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

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
from loom.dialects.ops.staticlogic.island import StaticLoopOp


def count_accesses(
    functions: Iterable[Operation], arrays: Mapping[SSAValue, SSAValue]
) -> dict[Root, tuple[SSAValue, int, int]]:
    """Every memory with one of its memrefs, its number of loads and of stores.

    `arrays` are those that arguments of called functions stand for.
    """
    counts: dict[Root, tuple[SSAValue, int, int]] = {}
    for operation in (op for function in functions for op in function.walk()):
        for array, is_load in accesses_of(operation):
            array = arrays.get(array, array)
            root = root_of(array)
            memory, loads, stores = counts.get(root, (array, 0, 0))
            counts[root] = (memory, loads + is_load, stores + (not is_load))
    return counts


def name_in_graph(number: int, memory: SSAValue) -> str:
    """What the graph calls a memory, the `number`-th of those of `count_accesses`."""
    root = root_of(memory)
    return memory.name_hint or (root if isinstance(root, str) else f"local{number}")


def address_types(
    functions: Iterable[Operation], arrays: Mapping[SSAValue, SSAValue]
) -> dict[Root, Attribute]:
    """The type of the addresses of every memory that a load or store accesses: it has one."""
    return {
        root_of(arrays.get(op.memory, op.memory)): op.index.type
        for function in functions
        for op in function.walk()
        if isinstance(op, order.LoadOp | order.StoreOp)
    }


def arrays_that_accept(
    functions: Iterable[Operation], arrays: Mapping[SSAValue, SSAValue]
) -> frozenset[Root]:
    """The memories of which something waits until a store is accepted."""
    return frozenset(
        root_of(arrays.get(op.memory, op.memory))
        for function in functions
        for op in function.walk()
        if isinstance(op, order.StoreOp) and op.accepted is not None and op.accepted.uses
    )


def type_of_address(memory: SSAValue) -> IntegerType:
    """The type with the bits that an address of the array needs."""
    assert isinstance(memory.type, MemRefType)
    return IntegerType(max(1, (memory.type.get_shape()[0] - 1).bit_length()))


def accesses_of(operation: Operation) -> Iterator[tuple[SSAValue, bool]]:
    """The array of each access that an operation is or has a port for, and whether it loads."""
    match operation:
        case order.LoadOp():
            yield operation.memory, True
        case order.StoreOp():
            yield operation.memory, False
        case StaticLoopOp():
            yield from ((array, True) for array in operation.loaded)
            yield from ((array, False) for array in operation.stored)


def interface_of_array(
    memory: SSAValue,
    argument: SSAValue | None,
    name: str,
    ports: tuple[int, int],
    start: SSAValue,
    function: FuncOp,
    module: Operation,
    accepts: bool,
) -> MemoryInterface:
    """The interface of an array, which the handshake function has as `argument`, or else inside.

    `name` is that of an array inside; `ports` are its loads and stores, each driven by `start` at
    first. `accepts`: it says of each store that it is accepted.
    """
    loads, stores = ports
    driven = [start] * (2 * stores + loads)
    made: MemoryInterface
    if argument is not None:
        choice = memory_behind(memory, function)
        outside = ChannelMemoryOp if choice.kind.answers else ExternalMemoryOp
        made = outside(argument, loads, driven, accepts=accepts)
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
