"""The arrays of a program, by name, and what is said about their hardware.

Arrays are arguments that are memrefs, allocations and globals. An operation says it in attributes;
of an argument the function does, in its argument attributes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.instances import PREFIX
from loom.dialects.facts.memory_choices import MemoryChoice, parse_memory
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import BANK
from loom.dialects.operators.partitions import Partition
from loom.dialects.ops.partition_attribute import PARTITION, PartitionAttr
from loom.errors import Place

ARRAY_NAME = "array_name"
"""Of an allocation or a global: what the program calls the array, where that is not its name."""
PORTS = f"{PREFIX}ports"
"""Of an array inside, in the schedule of a static loop of an argument too: how many elements of a
bank are read in a cycle."""

MEMORY = f"{PREFIX}memory"
"""Of an argument: which kind of memory the array outside is, and its latency."""
ORDER = f"{PREFIX}memory_order"
"""Of any array: what orders those of its accesses that may alias, one of `ORDERS`."""
ORDERS = ("tokens", "comparators", "queue")
"""What may be said of one array."""


@dataclass(frozen=True, eq=False)
class Array:
    """An array: what makes it, and the number of the argument that it is, if it is one."""

    name: str
    type: MemRefType
    maker: Operation
    argument: int | None = None

    @property
    def place(self) -> Place:
        """Where the array is made."""
        return place_of(self.maker)

    def said(self, name: str) -> Attribute | None:
        """What the program says about the array by this attribute."""
        if self.argument is None:
            return self.maker.attributes.get(name)
        return self._said_of_argument().get(name)

    def say(self, name: str, value: Attribute | None) -> None:
        """The program says this, or nothing, by this attribute."""
        given = self.maker.attributes if self.argument is None else self._said_of_argument()
        given.pop(name, None)
        if value is not None:
            given[name] = value
        if isinstance(self.maker, FuncOp) and self.argument is not None:
            listed = [dict(each.data) for each in arguments_said(self.maker)]
            listed[self.argument] = given
            if any(listed):
                self.maker.properties["arg_attrs"] = ArrayAttr(map(DictionaryAttr, listed))
            else:
                self.maker.properties.pop("arg_attrs", None)

    def _said_of_argument(self) -> dict[str, Attribute]:
        assert isinstance(self.maker, FuncOp) and self.argument is not None
        return dict(arguments_said(self.maker)[self.argument].data)


def arguments_said(function: FuncOp) -> list[DictionaryAttr]:
    """The attributes of each argument."""
    given = function.arg_attrs
    return list(given) if given is not None else [DictionaryAttr({})] * len(function.args)


def arrays_of(module: ModuleOp) -> Iterator[Array]:
    """The arrays of a program, in the order of the text."""
    for operation in module.walk():
        if isinstance(operation, FuncOp):
            names = argument_names(operation)
            for argument in operation.args:
                if isinstance(argument.type, MemRefType):
                    number = argument.index
                    yield Array(names[number], argument.type, operation, number)
        elif isinstance(operation, memref.AllocOp | memref.AllocaOp):
            name = said_name(operation) or operation.memref.name_hint or ""
            assert isinstance(operation.memref.type, MemRefType)
            yield Array(name, operation.memref.type, operation)
        elif isinstance(operation, memref.GlobalOp):
            assert isinstance(operation.type, MemRefType)
            name = said_name(operation) or operation.sym_name.data
            yield Array(name, operation.type, operation)


def said_name(operation: Operation) -> str:
    """What the program calls the array, if that is said."""
    name = operation.attributes.get(ARRAY_NAME)
    return name.data if isinstance(name, StringAttr) else ""


def partition_attribute(
    memory: SSAValue, function: Operation, module: Operation
) -> PartitionAttr | None:
    """What the array behind a memref says of its partition, once `partition_arrays` has passed."""
    if isinstance(memory, BlockArgument):
        assert isinstance(function, FuncOp)
        found = arguments_said(function)[memory.index].data.get(PARTITION)
    else:
        found = maker_of(memory, module).attributes.get(PARTITION)
    return found if isinstance(found, PartitionAttr) else None


def memory_behind(memory: SSAValue, function: Operation) -> MemoryChoice:
    """What an argument says of its memory, once `choose_memories` has passed; else a RAM."""
    assert isinstance(memory, BlockArgument) and isinstance(function, FuncOp)
    said = arguments_said(function)[memory.index].data.get(MEMORY)
    found = parse_memory(said.data) if isinstance(said, StringAttr) else None
    return found if isinstance(found, MemoryChoice) else MemoryChoice()


def arrays_behind_channels(function: Operation) -> frozenset[SSAValue]:
    """The arguments that lie behind channels, once `choose_memories` has passed."""
    assert isinstance(function, FuncOp)
    arrays = (each for each in function.args if isinstance(each.type, MemRefType))
    return frozenset(each for each in arrays if memory_behind(each, function).kind.answers)


def is_behind_channel(memory: SSAValue) -> bool:
    """Whether a memref is an argument behind channels, once `choose_memories` has passed."""
    if not isinstance(memory, BlockArgument):
        return False
    function = memory.block.parent_op()
    return isinstance(function, FuncOp) and memory_behind(memory, function).kind.answers


def partition_behind(memory: SSAValue, function: Operation, module: Operation) -> Partition | None:
    """The partition of the array behind a memref, once `partition_arrays` has passed."""
    found = partition_attribute(memory, function, module)
    return None if found is None else found.data


def partition_of_access(access: memref.LoadOp | memref.StoreOp) -> Partition | None:
    """The partition of the array of an access in a module, once `partition_arrays` has passed."""
    return partition_behind(access.memref, *holders_of(access.memref))


def holders_of(memory: SSAValue) -> tuple[Operation, Operation]:
    """The operation that makes a memref, or the function whose argument it is; and the module."""
    owner = memory.owner if isinstance(memory.owner, Operation) else memory.owner.parent_op()
    assert owner is not None
    module = owner
    while (holder := module.parent_op()) is not None:
        module = holder
    return owner, module


def identity_of(memory: SSAValue) -> object:
    """What all memrefs of one array have in common: of a global its name."""
    owner = memory.owner
    return owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else memory


def banks_of_access(access: memref.LoadOp | memref.StoreOp) -> tuple[int, ...]:
    """The banks that an access may go to, all where its own is not known; of a whole array 0."""
    partition, known = partition_of_access(access), BANK.of(access)
    if partition is None:
        return (0,)
    return tuple(range(partition.banks)) if known is None else (known,)


def ports_behind(memory: SSAValue, function: Operation, module: Operation) -> int:
    """How many elements of the array behind a memref are read in a cycle and bank."""
    if isinstance(memory, BlockArgument):
        assert isinstance(function, FuncOp)
        said = arguments_said(function)[memory.index].data.get(PORTS)
    else:
        said = maker_of(memory, module).attributes.get(PORTS)
    return int(said.value.data) if isinstance(said, IntegerAttr) else 1


def ports_of_access(access: memref.LoadOp | memref.StoreOp) -> int:
    """How many accesses of its kind a bank of its array serves in a cycle: one that stores."""
    if isinstance(access, memref.StoreOp):
        return 1
    return ports_behind(access.memref, *holders_of(access.memref))


def order_behind(memory: SSAValue, function: Operation, module: Operation) -> str | None:
    """What the array behind a memref says of the order of its accesses, one of `ORDERS`."""
    if isinstance(memory, BlockArgument):
        assert isinstance(function, FuncOp)
        said = arguments_said(function)[memory.index].data.get(ORDER)
    else:
        said = maker_of(memory, module).attributes.get(ORDER)
    return said.data if isinstance(said, StringAttr) else None


def maker_of(memory: SSAValue, module: Operation) -> Operation:
    """The allocation or the global behind a memref that is no argument."""
    assert isinstance(memory.owner, Operation)
    return global_of(memory, module) or memory.owner


def global_of(memory: SSAValue, module: Operation) -> memref.GlobalOp | None:
    """The global behind a memref, or None."""
    if not isinstance(memory.owner, memref.GetGlobalOp):
        return None
    name = memory.owner.name_.string_value()
    for operation in module.regions[0].block.ops:
        if isinstance(operation, memref.GlobalOp) and operation.sym_name.data == name:
            return operation
    return None
