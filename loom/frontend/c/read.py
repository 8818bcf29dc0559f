"""A C file becomes a module of MLIR, every operation with its place in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError
from loom.frontend.c.array_pragmas import place_arrays
from loom.frontend.c.calls import parameters_of, targets_of, variables_of
from loom.frontend.c.globals import Globals, key_of
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.c.kernel import callees_of, definitions_of, kernel_of, shape_of_parameter
from loom.frontend.c.library import Cursor, children, parse, place_of, tokens_between, walk
from loom.frontend.c.loop_pragmas import LoopPragmas
from loom.frontend.c.order_pragma import order_accesses
from loom.frontend.c.places import (
    Element,
    Named,
    Pointer,
    PointerVariable,
    Struct,
    element_of,
    memories_of,
    value_at,
)
from loom.frontend.c.pragmas import pragmas_of
from loom.frontend.c.state import Program, memories
from loom.frontend.c.statements import Statements
from loom.frontend.c.types import is_pointer, kind_of, pointee_of, shape_of
from loom.frontend.imperative.module import module_of
from loom.frontend.imperative.tree import (
    Assign,
    Function,
    Kind,
    Memory,
    Number,
    Statement,
    Variable,
)
from loom.frontend.imperative.types import OFFSET


@dataclass(frozen=True)
class CProgram:
    """What a C file is: the module that compiles, and what C says of the kernel."""

    module: ModuleOp
    interface: Interface


def read_c(text: str, file: str, *, top: str | None = None) -> CProgram:
    """The kernel `top` of a C file; by default the only one that nothing but main calls.

    Raises `LoomError` or `LoomErrors` for what is not accepted, with its place in the file.
    """
    return read_unit(Unit(text, file, parse(text, file)), top)


@dataclass(frozen=True)
class Unit:
    """A C file that clang has read."""

    text: str
    file: str
    parsed: Any

    @cached_property
    def definitions(self) -> list[Cursor]:
        """The functions with a body, in the order of the file."""
        return definitions_of(self.parsed)

    @cached_property
    def globals_used(self) -> list[frozenset[str]]:
        """The globals that each function names."""
        return [
            frozenset(
                key_of(node.referenced)
                for node in walk(definition)
                if node.kind.name == "DECL_REF_EXPR"
                and node.referenced is not None
                and node.referenced.kind.name == "VAR_DECL"
            )
            for definition in self.definitions
        ]


def read_unit(unit: Unit, top: str | None = None) -> CProgram:
    """The kernel of the file, as `read_c`."""
    kernel = kernel_of(unit.parsed, unit.file, top)
    used = callees_of(kernel)
    elsewhere = frozenset[str]().union(
        *(
            found
            for definition, found in zip(unit.definitions, unit.globals_used, strict=True)
            if not any(definition == one for one in used)
        )
    )
    reader = _Kernel(unit.parsed, unit.text, unit.file, kernel, elsewhere)
    module = module_of(reader.function)
    place_arrays(module, unit.text, unit.file, unit.definitions, used)
    order_accesses(module, unit.text, unit.file, unit.definitions, used)
    return CProgram(module, reader.interface)


class _Kernel:
    """The reading of one kernel."""

    def __init__(
        self, unit: Any, text: str, file: str, kernel: Cursor, elsewhere: frozenset[str]
    ) -> None:
        self.place = place_of(kernel)
        self.kernel = kernel
        self.parameters: list[Variable | Memory] = []
        self.slots: list[Slot] = []
        self.extents: list[tuple[str, str]] = []
        changed, addressed = targets_of(kernel)
        program = Program(file, self.no_globals, LoopPragmas(text, file))
        self.reader = Statements(program, {}, changed, addressed, (kernel,))
        self.globals = Globals(elsewhere, self.reader)
        program.globals = self.globals
        sizes = pragmas_of(text, file)
        begins: list[Statement] = []
        for parameter in parameters_of(kernel):
            begins += self.reader.body(self.parameter, parameter, unit, sizes)
        body = self.reader.body_of(kernel)
        for cursor, named in self.globals.outside:
            self.outside(named, cursor)
        result = self.reader.result_of(kernel, kernel)
        types = tuple(variable.type for variable in result)
        names = tuple(slot.name for slot in self.slots)
        self.function = Function(
            kernel.spelling, self.place, tuple(self.parameters), names, types, (*begins, *body)
        )
        self.interface = self.interface_of(unit, result)

    def no_globals(self, cursor: Cursor) -> Named:
        """There are none before the kernel is read."""
        raise AssertionError(cursor.spelling)

    def parameter(self, parameter: Cursor, unit: Any, sizes: Sequence[Any]) -> None:
        """The parameter is an argument of the circuit, or several."""
        place, name = place_of(parameter), parameter.spelling
        if not name:
            what, accepted = "a parameter without a name", "parameters with names"
            raise LoomError("C_SYNTAX", place, what, accepted)
        named: Named
        if is_pointer(parameter.type):
            shape = shape_of_parameter(parameter, self.kernel, unit, sizes)
            _, inner = shape_of(pointee_of(parameter.type))
            named = memories(name, inner, shape, place, Kind.ARGUMENT)
            self.add(named, name)
            self.extents.append((name, f"sizeof({name}[0]) * {shape[0]}"))
            if parameter.hash in self.reader.changed:
                assert isinstance(named, Pointer | Struct)
                pointer = PointerVariable(name, self.reader.variable(name, OFFSET), named)
                self.reader.out.append(Assign(place, pointer.element, Number(OFFSET, place, 0)))
                named = pointer
        else:
            given = self.reader.new(name, parameter.type, place)
            if memories_of(given):
                what = f"the parameter {name}, a struct with an array in it"
                accepted = "the array as an argument of its own, or an array of such structs"
                raise LoomError("C_TYPE", place, what, accepted)
            self.add(given, name)
            named = given
            if parameter.hash in self.reader.addressed:
                room = memories(name, parameter.type, (1,), place, Kind.LOCAL)
                named = element_of(room, Number(OFFSET, place, 0), place)
                self.fill(named, given, parameter)
        self.reader.names[parameter.hash] = named

    def fill(self, named: Named, given: Named, cursor: Cursor) -> None:
        """The words have the values of the arguments."""
        if isinstance(named, Struct) and isinstance(given, Struct):
            for name, field in named.fields.items():
                self.fill(field, given.fields[name], cursor)
            return
        assert isinstance(given, Variable | Element)
        place = place_of(cursor)
        self.reader.assign(named, value_at(given, place), place, cursor)

    def outside(self, named: Named, cursor: Cursor) -> None:
        """The global is an argument, too."""
        name = cursor.spelling
        self.add(named, name, known=0 if shape_of(cursor.type)[0] else 1)
        self.extents.append((f"&{name}", f"sizeof {name}"))

    def add(self, named: Named, text: str, known: int = 0) -> None:
        """The scalars and memories are arguments; `text` is what C calls them.

        `known` dimensions of a memory are those of the arrays around it, which the text names.
        """
        if isinstance(named, Struct):
            text += indices(known, named.rank)
            for name, field in named.fields.items():
                self.add(field, f"{text}.{name}", max(known, named.rank))
        elif isinstance(named, Variable):
            self.parameters.append(named)
            self.slots.append(Slot(self.unused(named.name), named.type, (), text))
        else:
            assert isinstance(named, Pointer)
            memory = named.memory
            text += indices(known, len(memory.shape))
            self.parameters.append(memory)
            self.slots.append(Slot(self.unused(memory.name), memory.type, memory.shape, text))

    def unused(self, name: str) -> str:
        """The name, or one like it if an argument is called so already."""
        taken = {slot.name for slot in self.slots}
        while name in taken:
            name += "_"
        return name

    def interface_of(self, unit: Any, result: Sequence[Variable]) -> Interface:
        """What the recording of calls needs to know."""
        kernel, body = self.kernel, children(self.kernel)[-1]
        begin, end = kernel.extent.start.offset, body.extent.start.offset
        header = tuple(tokens_between(unit, kernel.extent.start, body.extent.start))
        names = [parameter.spelling for parameter in parameters_of(kernel)]
        is_struct = kind_of(kernel.result_type) == "RECORD"
        results: list[Slot] = []
        if is_struct:
            made = self.reader.new("", kernel.result_type, self.place)
            for variable, path in zip(variables_of(made), paths_of(made), strict=True):
                results.append(Slot(path, variable.type, (), f"loom_result{path}"))
        else:
            results = [Slot("", variable.type, (), "loom_result") for variable in result]
        has_main = any(each.spelling == "main" for each in definitions_of(unit))
        return Interface(
            self.place.file, self.place.line, kernel.spelling, header, begin, end,
            kernel.result_type.spelling,
            tuple(names), tuple(self.extents), tuple(self.slots), tuple(results), has_main,
        )  # fmt: skip


def indices(first: int, end: int) -> str:
    """Places for the indices of these dimensions in C."""
    return "".join(f"[{{{k}}}]" for k in range(first, end))


def paths_of(named: Named) -> list[str]:
    """How C names the scalars of a struct."""
    if not isinstance(named, Struct):
        return [""]
    return [f".{k}{path}" for k, field in named.fields.items() for path in paths_of(field)]
