"""The handshake operations of memory: load, store, and the two interface operations.

Source: CIRCT's handshake dialect documentation; docs/spec/memory-order.md, "Memories".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Self

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneType,
    StringAttr,
    UnitAttr,
    i32,
)
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    attr_def,
    irdl_op_definition,
    operand_def,
    opt_attr_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from loom.dialects.floats.attributes import form_of
from loom.dialects.operators.partitions import TEXTS
from loom.dialects.ops.exact_printing import print_attributes
from loom.dialects.ops.graph_operation import parse_values, print_values
from loom.dialects.ops.partition_attribute import PARTITION, PartitionAttr, typed_partition
from loom.dialects.ops.problem import require
from loom.dialects.ops.types import is_token_type

NONE = NoneType()
INDEX = IndexType()
ACCEPTS = "loom.accepts"
"""Of a memory behind channels: it gives a token for each store that it accepts."""


class AccessOp(IRDLOperation):
    """``[%address] %data, %ctrl : index, T``, the syntax of load and store."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``[%address] %data, %ctrl attr-dict : index, T``."""
        with parser.in_square_brackets():
            address = parser.parse_unresolved_operand()
            if parser.parse_optional_punctuation(","):
                parser.raise_error("an access with several addresses; flatten the memory first")
        data = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        ctrl = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        address_type = parser.parse_type()
        parser.parse_punctuation(",")
        type_ = parser.parse_type()
        return cls.create(
            operands=[
                parser.resolve_operand(address, address_type),
                parser.resolve_operand(data, type_),
                parser.resolve_operand(ctrl, NONE),
            ],
            result_types=[type_, address_type],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print ``[%address] %data, %ctrl attr-dict : index, T``."""
        address, data, ctrl = self.operands
        printer.print_string(" [")
        printer.print_ssa_value(address)
        printer.print_string("] ")
        print_values(printer, (data, ctrl))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(address.type)
        printer.print_string(", ")
        printer.print_attribute(data.type)

    def verify_(self) -> None:
        """Check that the address is a number, and that data and addresses keep their types."""
        address = self.operands[0].type
        require(
            isinstance(address, IntegerType | IndexType),
            "COMP_HANDSHAKE_TYPE",
            f"an address of type {address}",
            "an integer type or index",
        )
        require(
            self.results[0].type == self.operands[1].type
            and self.results[1].type == self.operands[0].type,
            "COMP_HANDSHAKE_TYPE",
            "an access whose results differ in type from its operands",
            "the types of datum and address",
        )


@irdl_op_definition
class LoadOp(AccessOp):
    """``%data, %addr = handshake.load [%address] %data_in, %ctrl : index, T``."""

    name = "handshake.load"
    address = operand_def()
    data_in = operand_def()
    ctrl = operand_def(NONE)
    data = result_def()
    address_out = result_def()

    def __init__(self, address: SSAValue, data_in: SSAValue, ctrl: SSAValue) -> None:
        super().__init__(
            operands=[address, data_in, ctrl], result_types=[data_in.type, address.type]
        )


@irdl_op_definition
class StoreOp(AccessOp):
    """``%data_out, %addr = handshake.store [%address] %data, %ctrl : index, T``."""

    name = "handshake.store"
    address = operand_def()
    data = operand_def()
    ctrl = operand_def(NONE)
    data_out = result_def()
    address_out = result_def()

    def __init__(self, address: SSAValue, data: SSAValue, ctrl: SSAValue) -> None:
        super().__init__(operands=[address, data, ctrl], result_types=[data.type, address.type])


def interface_types(
    element: Attribute, loads: int, stores: int, address: Attribute = INDEX, *, accepts: bool
) -> tuple[list[Attribute], list[Attribute]]:
    """Operand and result types of an interface with these numbers of accesses.

    `accepts`: it says of each store that it is accepted.
    """
    operands: list[Attribute] = [*[element, address] * stores, *[address] * loads]
    tokens = stores + loads + stores * accepts
    return operands, [*[element] * loads, *[NONE] * tokens]


def parse_counts(parser: Parser) -> tuple[int, int]:
    """``[ld = n, st = m]``."""
    with parser.in_square_brackets():
        parser.parse_keyword("ld")
        parser.parse_punctuation("=")
        loads = parser.parse_integer(allow_negative=False)
        parser.parse_punctuation(",")
        parser.parse_keyword("st")
        parser.parse_punctuation("=")
        stores = parser.parse_integer(allow_negative=False)
    return loads, stores


def name_of(attributes: Mapping[str, Attribute]) -> dict[str, Attribute]:
    """The attribute that names a memory: as it says, else by its number `id`."""
    number = attributes.get("id")
    text = f"memory{number.value.data}" if isinstance(number, IntegerAttr) else "memory"
    return {"memory": attributes.get("memory", StringAttr(text))}


def count_attributes(loads: int, stores: int) -> dict[str, Attribute]:
    """The attributes that hold the numbers of accesses."""
    return {"ldCount": IntegerAttr(loads, i32), "stCount": IntegerAttr(stores, i32)}


class MemoryInterface(IRDLOperation):
    """The operation that serves the accesses to one array: what the rest of LOOM asks of it.

    Ports are numbered by access, stores first: datum and address of each store, the address of each
    load; then each load's datum, the done tokens of stores and of loads, and, where the interface
    `accepts`, for each store a token that it is accepted.
    """

    @property
    def array_name(self) -> str:
        """The name of the array."""
        raise NotImplementedError

    @property
    def array_type(self) -> Attribute:
        """The type of the array: a memref, once the operation is verified."""
        raise NotImplementedError

    @property
    def first_port(self) -> int:
        """The number of the operand that is the first port: behind the array, if that is one."""
        return 0

    @property
    def contents(self) -> DenseIntOrFPElementsAttr | None:
        """The initial elements; None if they are undefined."""
        return None

    @property
    def load_count(self) -> int:
        """Loads that have a port."""
        return self._count("ldCount")

    @property
    def store_count(self) -> int:
        """Stores that have a port."""
        return self._count("stCount")

    def _count(self, name: str) -> int:
        count = self.attributes[name]
        assert isinstance(count, IntegerAttr)
        return int(count.value.data)

    @property
    def accepts(self) -> bool:
        """Whether it says of each store that it is accepted, before it is done."""
        return ACCEPTS in self.attributes

    @property
    def channels(self) -> tuple[SSAValue, ...]:
        """The operands that are ports: all but an array."""
        return tuple(self.operands[self.first_port :])

    def access_of_operand(self, index: int) -> int:
        """The number of the access, stores first, to which operand `index` belongs."""
        index -= self.first_port
        stores = self.store_count
        return index // 2 if index < 2 * stores else index - stores

    def access_of_result(self, index: int) -> int:
        """The number of the access, stores first, to which result `index` belongs."""
        loads = self.load_count
        if index < loads:
            return self.store_count + index
        token = index - loads
        return token if token < self.store_count + loads else token - self.store_count - loads

    def is_done(self, index: int) -> bool:
        """True of a result that is a done token: the access has been served."""
        return index >= self.load_count and not self.is_accepted(index)

    def is_accepted(self, index: int) -> bool:
        """True of a result that says that a store is accepted."""
        return index >= 2 * self.load_count + self.store_count

    def complete(self) -> None:
        """Say in LOOM's own form what the text said in another: the partition is typed."""
        said = self.attributes.get(PARTITION)
        if said is not None:
            self.attributes[PARTITION] = typed_partition(said)


def verify_interface(op: MemoryInterface, type_: Attribute, ports: Sequence[SSAValue]) -> None:
    """Check the number and the types of an interface's ports."""
    require(
        isinstance(type_, MemRefType)
        and len(type_.shape) == 1
        and type_.get_shape()[0] != DYNAMIC_INDEX
        and is_token_type(type_.element_type)
        and not isinstance(type_.element_type, NoneType),
        "COMP_HANDSHAKE_MEMORY",
        f"a memory of type {type_}",
        "a memref of rank 1 and static shape, of elements that a channel carries",
    )
    partition = op.attributes.get(PARTITION)
    require(
        partition is None or isinstance(partition, PartitionAttr),
        "COMP_HANDSHAKE_MEMORY",
        f"{PARTITION} = {partition}",
        TEXTS,
    )
    said = op.attributes.get(ACCEPTS, UnitAttr())
    require(isinstance(said, UnitAttr), "COMP_HANDSHAKE_MEMORY", f"{ACCEPTS} = {said}", ACCEPTS)
    assert isinstance(type_, MemRefType)
    loads, stores = op.load_count, op.store_count
    fitting = min(loads, stores) >= 0 and len(ports) == 2 * stores + loads
    # Only numbers that fit are written out: others may be larger than the computer.
    # All addresses have the last port's type: that of an address, whatever the accesses are.
    address = ports[-1].type if ports else INDEX
    operands, results = interface_types(
        type_.element_type, *(loads, stores) if fitting else (0, 0), address, accepts=op.accepts
    )
    require(
        fitting
        and isinstance(address, IntegerType | IndexType)
        and [value.type for value in ports] == operands
        and [value.type for value in op.results] == results,
        "COMP_HANDSHAKE_MEMORY",
        "ports that do not fit the memory's accesses",
        f"data and address of {stores} stores, address of {loads} loads; "
        "load data, store done and load done tokens" + ", store accepted tokens" * op.accepts,
    )


class InsideMemory(MemoryInterface):
    """A memory inside the circuit, which the operation itself names and holds."""

    ports = var_operand_def()
    outputs = var_result_def()
    loads = attr_def(IntegerAttr, attr_name="ldCount")
    stores = attr_def(IntegerAttr, attr_name="stCount")
    memory_type = attr_def(MemRefType, attr_name="memRefType")
    memory = attr_def(StringAttr)
    contents = opt_attr_def(DenseIntOrFPElementsAttr)

    def __init__(
        self,
        memory: str,
        type_: MemRefType[Attribute],
        loads: int,
        ports: Sequence[SSAValue],
        contents: DenseIntOrFPElementsAttr | None,
    ) -> None:
        stores = (len(ports) - loads) // 2
        _, results = interface_types(type_.element_type, loads, stores, accepts=False)
        attributes: dict[str, Attribute | None] = {
            **count_attributes(loads, stores),
            "memRefType": type_,
            "memory": StringAttr(memory),
            "contents": contents,
        }
        super().__init__(operands=[list(ports)], result_types=[results], attributes=attributes)

    @property
    def array_name(self) -> str:
        """The name of the array."""
        return self.memory.data

    @property
    def array_type(self) -> Attribute:
        """The type of the array."""
        return self.memory_type

    def complete(self) -> None:
        """The partition is typed, and the array has a name."""
        super().complete()
        self.attributes |= name_of(self.attributes)

    def verify_(self) -> None:
        """Check the ports against the memory's type."""
        lsq = self.attributes.get("lsq")
        require(
            not isinstance(lsq, IntegerAttr) or not lsq.value.data,
            "COMP_HANDSHAKE_MEMORY",
            "a memory that asks for a load-store queue (lsq = true)",
            "memories whose accesses control tokens order, with lsq = false",
        )
        verify_interface(self, self.memory_type, self.ports)
        if self.contents is not None:
            element, depth = self.memory_type.element_type, self.memory_type.get_shape()[0]
            require(
                (isinstance(element, IntegerType | IndexType) or form_of(element) is not None)
                and self.contents.get_element_type() == element
                and prod(self.contents.get_shape()) == depth,
                "COMP_HANDSHAKE_MEMORY",
                f"a {self.memory_type} with contents of type {self.contents.get_type()}",
                "one number of the memory's type for each element",
            )

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``[ld = n, st = m] (ports) attr-dict : memref, (types) -> (types)``."""
        loads, stores = parse_counts(parser)
        names = parse_values(parser, parser.Delimiter.PAREN)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        parser.parse_punctuation(",")
        signature = parser.parse_function_type()
        made = cls.create(
            operands=parser.resolve_operands(names, list(signature.inputs), parser.pos),
            result_types=list(signature.outputs),
            attributes={
                **attributes,
                **count_attributes(loads, stores),
                "memRefType": type_,
            },
        )
        made.complete()
        return made

    def print(self, printer: Printer) -> None:
        """Print counts, ports, attributes and types."""
        printer.print_string(f" [ld = {self.loads.value.data}, st = {self.stores.value.data}] (")
        print_values(printer, self.ports)
        printer.print_string(")")
        print_attributes(printer, self.attributes, {"ldCount", "stCount", "memRefType"})
        printer.print_string(" : ")
        printer.print_attribute(self.memory_type)
        printer.print_string(", ")
        printer.print_operation_type(self)


@irdl_op_definition
class MemoryOp(InsideMemory):
    """``%0:3 = handshake.memory [ld = 1, st = 1] (%d, %a, %b) {..} : memref<..>, (..) -> (..)``."""

    name = "handshake.memory"


@irdl_op_definition
class RomOp(InsideMemory):
    """``%0:2 = handshake.rom [ld = 1, st = 0] (%a) {contents = ..} : memref<..>, (..) -> (..)``.

    LOOM's own: CIRCT's dialect has no memory that is only read.
    """

    name = "handshake.rom"

    def verify_(self) -> None:
        """Check that there is a table, and no store to it."""
        require(
            self.store_count == 0 and self.contents is not None,
            "COMP_HANDSHAKE_MEMORY",
            f"a ROM with {self.store_count} stores"
            if self.store_count
            else "a ROM without contents",
            "contents, and loads alone",
        )
        super().verify_()


class OutsideMemory(MemoryInterface):
    """A memory beside the circuit: an argument of the function."""

    memory = operand_def(MemRefType)
    ports = var_operand_def()
    outputs = var_result_def()
    loads = attr_def(IntegerAttr, attr_name="ldCount")
    stores = attr_def(IntegerAttr, attr_name="stCount")

    def __init__(
        self, memory: SSAValue, loads: int, ports: Sequence[SSAValue], *, accepts: bool = False
    ) -> None:
        type_ = memory.type
        assert isinstance(type_, MemRefType)
        stores = (len(ports) - loads) // 2
        _, results = interface_types(type_.element_type, loads, stores, accepts=accepts)
        said: dict[str, Attribute] = {ACCEPTS: UnitAttr()} if accepts else {}
        super().__init__(
            operands=[memory, list(ports)],
            result_types=[results],
            attributes=count_attributes(loads, stores) | said,
        )

    @property
    def array_name(self) -> str:
        """The name of the array: that of the function's argument."""
        function = self.parent_op()
        assert function is not None and isinstance(self.memory, BlockArgument)
        names = function.attributes["argNames"]
        assert isinstance(names, ArrayAttr)
        name = names.data[self.memory.index]
        assert isinstance(name, StringAttr)
        return name.data

    @property
    def array_type(self) -> Attribute:
        """The type of the array."""
        return self.memory.type

    @property
    def first_port(self) -> int:
        """Behind the array."""
        return 1

    def verify_(self) -> None:
        """Check the ports against the memory's type."""
        verify_interface(self, self.memory.type, self.ports)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Parse ``[ld = n, st = m] (%m : memref) (ports) attr-dict : (types) -> (types)``."""
        loads, stores = parse_counts(parser)
        with parser.in_parens():
            memory = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            type_ = parser.parse_type()
        names = parse_values(parser, parser.Delimiter.PAREN)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        ports = parser.resolve_operands(names, list(signature.inputs), parser.pos)
        made = cls.create(
            operands=[parser.resolve_operand(memory, type_), *ports],
            result_types=list(signature.outputs),
            attributes={**attributes, **count_attributes(loads, stores)},
        )
        made.complete()
        return made

    def print(self, printer: Printer) -> None:
        """Print counts, the memory, ports, attributes and types."""
        printer.print_string(f" [ld = {self.loads.value.data}, st = {self.stores.value.data}] (")
        printer.print_ssa_value(self.memory)
        printer.print_string(" : ")
        printer.print_attribute(self.memory.type)
        printer.print_string(") (")
        print_values(printer, self.ports)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes, reserved_attr_names={"ldCount", "stCount"})
        printer.print_string(" : ")
        types = FunctionType.from_lists(
            [value.type for value in self.ports], [value.type for value in self.results]
        )
        printer.print_attribute(types)


@irdl_op_definition
class ExternalMemoryOp(OutsideMemory):
    """``%0:3 = handshake.extmemory [ld = 1, st = 1] (%m : T) (%d, %a, %b) : (..) -> (..)``."""

    name = "handshake.extmemory"


@irdl_op_definition
class ChannelMemoryOp(OutsideMemory):
    """``%0:3 = handshake.chanmemory [ld = 1, st = 1] (%m : T) (%d, %a, %b) : (..) -> (..)``.

    LOOM's own: its ports outside are channels of requests and of responses.
    """

    name = "handshake.chanmemory"


ARRAY_INSIDE = MemoryOp.name
"""The operation whose row says what an allocation or a global may say of its hardware."""
OPERATIONS: list[type[Operation]] = [
    LoadOp,
    StoreOp,
    MemoryOp,
    RomOp,
    ExternalMemoryOp,
    ChannelMemoryOp,
]
