"""The netlist of a handshake function whose values all have exactly one reader."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from types import MappingProxyType

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, MemRefType, StringAttr
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from loom.dialects.facts.instances import attributes_of, constants_of, shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import words_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.memories import MemoryKind
from loom.dialects.operators.operator import Operator, Port
from loom.dialects.ops.handshake_function import FuncOp, ReturnOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.types import width_of
from loom.elements import Elements, repeat_element
from loom.errors import LoomError, Place
from loom.netlist.names import Names, module_name
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Memory, Netlist, OutsidePort, Unit
from loom.netlist.token_types import MAX_WIDTH, width_of_text

TOKEN_TYPES = f"i1 to i{MAX_WIDTH}, index, none, a float, a tagged type or a tuple of such"


NO_LOOPS: Mapping[Operation, Place] = MappingProxyType({})


def netlist_of(
    function: FuncOp, index_width: int, loops: Mapping[Operation, Place] = NO_LOOPS
) -> Netlist:
    """One unit an operation, one channel a value, in the order of the function's text.

    `loops` are the places of the innermost loops around operations.
    """
    return _Builder(function, index_width, loops).build()


def units_of(function: FuncOp) -> list[Operation]:
    """The operations that are units, in the order of the netlist."""
    operations = function.body.block.ops
    return [op for op in operations if not isinstance(op, ReturnOp | ConstantOp)]


class _Builder:
    """The names and endpoints of one function."""

    def __init__(
        self, function: FuncOp, index_width: int, loops: Mapping[Operation, Place]
    ) -> None:
        self.function = function
        self.loops = loops
        self.index_width = index_width
        self.unit_names = Names()
        self.names: dict[Operation, str] = {}
        self.outside_names = Names()
        self.results: list[str] = []
        self.ports: dict[Operation, tuple[tuple[Port, ...], tuple[Port, ...]]] = {}
        self.units: list[Unit] = []
        self.memories: list[Memory] = []
        # Text and width of the types seen so far: to print a type costs more than to find it.
        self.types: dict[Attribute, tuple[str, int]] = {}

    def build(self) -> Netlist:
        block = self.function.body.block
        self.refuse_types()
        taken = {
            argument: self.outside_names.new(name.data)
            for argument, name in zip(block.args, self.function.arg_names, strict=True)
            if isinstance(name, StringAttr)
        }
        arguments = [
            (argument, name)
            for argument, name in taken.items()
            if not isinstance(argument.type, MemRefType)
        ]
        self.results = [
            self.outside_names.new(name.data)
            for name in self.function.res_names
            if isinstance(name, StringAttr)
        ]
        for operation in units_of(self.function):
            self.add_unit(operation, taken)
        inputs = [self.outside(name, "input", value.type) for value, name in arguments]
        end = block.last_op
        assert isinstance(end, ReturnOp)
        outputs = [
            self.outside(name, "output", value.type)
            for value, name in zip(end.values, self.results, strict=True)
        ]
        channel_names = Names()
        channels = [
            self.channel(argument, Endpoint(OUTSIDE, name), channel_names.new(name))
            for argument, name in arguments
        ]
        for operation, name in self.names.items():
            _, ports = self.ports[operation]
            for result, port in zip(operation.results, ports, strict=True):
                wanted = name if len(ports) == 1 else f"{name}_{port.name}"
                source = Endpoint(name, port.name)
                channels.append(self.channel(result, source, channel_names.new(wanted)))
        return Netlist(
            module_name(self.function.sym_name.data),
            self.index_width,
            (*inputs, *outputs),
            tuple(self.memories),
            tuple(self.units),
            tuple(channels),
        )

    def refuse_types(self) -> None:
        """Every value has a type that a channel carries; memories go to interfaces only."""
        for argument in self.function.body.block.args:
            if not isinstance(argument.type, MemRefType):
                self.require_width(argument.type, place_of(self.function))
        for operation in self.function.body.block.ops:
            first = operation.first_port if isinstance(operation, MemoryInterface) else 0
            for value in (*operation.operands[first:], *operation.results):
                self.require_width(value.type, place_of(operation))

    def require_width(self, type_: Attribute, place: Place) -> None:
        """Return if the netlist can say this type."""
        if type_ in self.types:
            return
        text = str(type_)
        if width_of_text(text, self.index_width) is None:
            raise LoomError("DFG_TYPE", place, f"a value of type {type_}", TOKEN_TYPES)
        self.types[type_] = text, width_of(type_, self.index_width)

    def add_unit(self, operation: Operation, arguments: Mapping[BlockArgument, str]) -> None:
        """Name the unit of one operation and note its ports."""
        operator = find(operation.name)
        if operator is None:
            raise LoomError(
                "DFG_UNKNOWN_OP",
                place_of(operation),
                f"{operation.name} in a handshake function",
                "the operators that `loom ops` lists",
            )
        short = operation.name.partition(".")[2]
        hint = next((r.name_hint for r in operation.results if r.name_hint), None)
        if isinstance(operation, MemoryInterface):
            hint = operation.array_name
        name = self.unit_names.new(f"{short}_{hint}" if hint else f"{short}_0")
        self.names[operation] = name
        self.ports[operation] = operator.signature.ports_of(
            shape_of(operation, operator, self.index_width)
        )
        attributes = attributes_of(operation, operator, self.index_width)
        if isinstance(operation, MemoryInterface):
            attributes["memory"] = self.add_memory(
                operation, operator.hardware.memory_kind, arguments
            )
        loop = self.loops.get(operation)
        place = known_place(place_of(operation))
        constants = self.add_constants(operation, operator)
        self.units.append(
            Unit(name, operator, attributes, place, loop and known_place(loop), constants)
        )

    def add_constants(self, operation: Operation, operator: Operator) -> dict[str, int]:
        """The operands that are parameters, by port.

        Refused (DFG_CONSTANT): where the operator takes a token, or all operands are constants.
        """
        inputs, _ = self.ports[operation]
        found: dict[str, int] = {}
        for index, value in constants_of(operation, self.index_width).items():
            name = inputs[index].name if index < len(inputs) else ""
            if name not in operator.signature.constants:
                what = f"an arith.constant at operand {index} of {operation.name}"
                listed = " and ".join(operator.signature.constants)
                accepted = f"it at {listed} there" if listed else "a token there"
                raise LoomError("DFG_CONSTANT", place_of(operation), what, accepted)
            found[name] = value
        if found and len(found) == len(operation.operands):
            what = f"{operation.name} of constants alone"
            raise LoomError("DFG_CONSTANT", place_of(operation), what, "a token at one operand")
        return found

    def add_memory(
        self,
        operation: MemoryInterface,
        kind: MemoryKind | None,
        arguments: Mapping[BlockArgument, str],
    ) -> str:
        """Declare the memory behind an interface; its name in the netlist."""
        type_ = operation.array_type
        assert kind is not None and isinstance(type_, MemRefType)
        element: Attribute = type_.element_type
        self.require_width(element, place_of(operation))
        if operation.first_port:
            argument = operation.operands[0]
            assert isinstance(argument, BlockArgument)
            name = arguments[argument]
            if any(memory.name == name for memory in self.memories):
                what = f"a second {operation.name} of memory {name!r}"
                accepted = "one for each memory, with the ports of all its accesses"
                raise LoomError("COMP_HANDSHAKE_MEMORY", place_of(operation), what, accepted)
        else:
            name = self.outside_names.new(operation.array_name)
        depth, width = type_.get_shape()[0], width_of(element, self.index_width)
        contents = initial_words(operation.contents, depth, width)
        self.memories.append(Memory(name, str(element), width, depth, kind, contents))
        return name

    def outside(self, name: str, direction: str, type_: Attribute) -> OutsidePort:
        """A port of the circuit."""
        width = width_of(type_, self.index_width)
        if direction == "input":
            return OutsidePort(name, "input", str(type_), width)
        return OutsidePort(name, "output", str(type_), width)

    def channel(self, value: SSAValue, source: Endpoint, name: str) -> Channel:
        """The channel of one value to its one reader."""
        uses = list(value.uses)
        assert len(uses) == 1, "forks and sinks give every value one reader"
        reader, index = uses[0].operation, uses[0].index
        if isinstance(reader, ReturnOp):
            target = Endpoint(OUTSIDE, self.results[index])
        else:
            if isinstance(reader, MemoryInterface):
                index -= reader.first_port
            target = Endpoint(self.names[reader], self.ports[reader][0][index].name)
        text, width = self.types[value.type]
        return Channel(name, text, width, source, target)


def known_place(place: Place) -> Place | None:
    """The place without the file's folder: files do not tell where they were made."""
    if not place.line:
        return None
    return Place(PurePath(place.file).name, place.line, place.column)


def initial_words(contents: Attribute | None, depth: int, width: int) -> Elements | None:
    """The initial elements as unsigned bit patterns; a single one fills the memory."""
    if not isinstance(contents, DenseIntOrFPElementsAttr):
        return None
    words = words_of(contents, width)
    return repeat_element(words[0], depth) if len(words) == 1 else words
