"""A C file becomes a module of MLIR, every operation with its place in the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError
from loom.frontend.c.c_options import COptions
from loom.frontend.c.function_reader import FunctionReader
from loom.frontend.c.functions import find_parameter_shape, list_parameters
from loom.frontend.c.globals import Globals
from loom.frontend.c.interface import Interface, Slot
from loom.frontend.c.library import (
    DEFAULTS,
    Cursor,
    list_children,
    list_tokens,
    locate,
    parse_text,
)
from loom.frontend.c.places import (
    Named,
    Pointer,
    Struct,
    list_owners,
    list_variables,
)
from loom.frontend.c.pragmas.access_pragmas import apply_access_pragmas
from loom.frontend.c.pragmas.array_pragmas import apply_array_pragmas
from loom.frontend.c.pragmas.function_pragmas import (
    apply_function_pragmas,
    note_pragmas,
    read_size_pragmas,
)
from loom.frontend.c.pragmas.loop_pragmas import LoopPragmas
from loom.frontend.c.pragmas.pragma_lines import find_pragmas
from loom.frontend.c.scope import Kept, Program, open_scope
from loom.frontend.c.types import find_shape, get_kind, get_pointee_type, is_pointer
from loom.frontend.c.units import Unit, Units, find_inclusions, find_kernel
from loom.frontend.imperative.module import build_module
from loom.frontend.imperative.tree import (
    Function,
    Kind,
    Memory,
    Statement,
    Variable,
)
from loom.input_files import read_text


@dataclass(frozen=True)
class CProgram:
    """What a C file is: the module that compiles, and what C says of the kernel."""

    module: ModuleOp
    interface: Interface


def read_c(
    text: str, file: str, *, top: str | None = None, options: COptions = DEFAULTS
) -> CProgram:
    """The kernel `top` of a C file, or of a program of several, which the options name.

    By default it is the only function that nothing but main calls. Raises `LoomError` or
    `LoomErrors` for what is not accepted, with its place in the file.
    """
    found = [Unit(text, file, parse_text(text, file, options), options)]
    for each in options.files:
        other = read_text(each)
        found.append(Unit(other, each, parse_text(other, each, options), options))
    return read_units(Units(tuple(found)), top, options)


def read_unit(unit: Unit, top: str | None = None) -> CProgram:
    """The kernel of a program that is one file, as `read_c`."""
    return read_units(unit.alone, top)


def read_units(units: Units, top: str | None = None, options: COptions = DEFAULTS) -> CProgram:
    """The kernel of a program, as `read_c`."""
    kernel = find_kernel(units, top)
    used = units.find_callees(kernel)
    units.refuse_unsequenced(used)
    elsewhere = frozenset[str]().union(
        *(
            found
            for definition, found in zip(units.definitions, units.globals_used, strict=True)
            if not any(definition == one for one in used)
        )
    )
    globals_, kept = Globals(elsewhere, units), Kept()
    while True:
        reader, kept.is_grown = KernelReader(units, kernel, globals_, options, kept), False
        try:
            function, interface = reader.read_kernel()
        except LoomError:
            if not kept.is_grown:
                raise
        if not kept.is_grown:
            break
    module = build_module(function)
    texts = units.pragma_texts.items()
    pragmas = [each for name, text in texts for each in find_pragmas(text, name)]
    apply_array_pragmas(module, pragmas, units.definitions, used)
    apply_function_pragmas(module, pragmas, units.definitions, used)
    apply_access_pragmas(module, pragmas, units.definitions, used)
    note_pragmas(module, pragmas, reader.program.notes)
    return CProgram(module, interface)


class KernelReader:
    """Reads one kernel: its parameters, its body, and then the globals that it uses."""

    def __init__(
        self, units: Units, kernel: Cursor, globals_: Globals, options: COptions, kept: Kept
    ) -> None:
        self.units = units
        self.kernel = kernel
        self.place = locate(kernel)
        self.globals = globals_
        pragmas = LoopPragmas(units.pragma_texts)
        self.program = Program(units, globals_, pragmas, options.console, options.fill, kept)
        self.sizes = read_size_pragmas([p for found in pragmas.by_file.values() for p in found])
        self.scope = open_scope(self.program, kernel)
        self.reader = FunctionReader(self.scope)
        self.parameters: list[Variable | Memory] = []
        self.slots: list[Slot] = []
        self.extents: list[tuple[str, str]] = []

    def read_kernel(self) -> tuple[Function, Interface]:
        """The kernel as a program of statements, and what C says of it."""
        results = self.reader.calls.make_results(self.kernel, self.kernel)
        begins: list[Statement] = []
        for parameter in list_parameters(self.kernel):
            begins += self.scope.body.write_body(self.read_parameter, parameter)
        body = self.reader.read_body(self.kernel)
        for cursor, named in self.globals.arguments:
            self.add_global(named, cursor)
        types = tuple(variable.type for variable in results)
        names = tuple(slot.name for slot in self.slots)
        function = Function(
            self.kernel.spelling, self.place, tuple(self.parameters), names, types,
            (*begins, *body),
        )  # fmt: skip
        return function, replace(self.make_interface(results), function=function)

    def read_parameter(self, parameter: Cursor) -> None:
        """The parameter is an argument of the circuit, or several."""
        if not parameter.spelling:
            what, accepted = "a parameter without a name", "parameters with names"
            raise LoomError("C_SYNTAX", locate(parameter), what, accepted)
        read = self.read_array if is_pointer(parameter.type) else self.read_value
        self.scope.define_symbol(parameter, read(parameter))

    def read_array(self, parameter: Cursor) -> Named:
        """The memories of a parameter that is a pointer or an array."""
        place, name = locate(parameter), parameter.spelling
        shape = find_parameter_shape(parameter, self.kernel, self.units.definitions, self.sizes)
        _, inner = find_shape(get_pointee_type(parameter.type))
        arrays = self.scope.make_arrays(name, inner, shape, place, Kind.ARGUMENT)
        self.add_arguments(arrays, name)
        self.extents.append((name, f"sizeof({name}[0]) * {shape[0]}"))
        if parameter.hash not in self.scope.targets.assigned:
            return arrays
        pointer = self.scope.make_pointer(name, place)
        self.reader.assignments.set_pointer(pointer, arrays, parameter)
        return pointer

    def read_value(self, parameter: Cursor) -> Named:
        """The variables of a parameter that is a scalar or struct, or a copy with an address."""
        place, name = locate(parameter), parameter.spelling
        given = self.scope.make_storage(name, parameter.type, place)
        if list_owners(given):
            what = f"the parameter {name}, a struct with an array or a pointer in it"
            accepted = "the array as an argument of its own, or an array of structs with arrays"
            raise LoomError("C_TYPE", place, what, accepted)
        self.add_arguments(given, name)
        if parameter.hash not in self.scope.targets.addressed:
            return given
        copy = self.scope.make_declared(parameter, place)
        self.reader.assignments.copy_struct(copy, given, parameter.type, parameter)
        return copy

    def add_global(self, named: Named, cursor: Cursor) -> None:
        """The global is an argument, too."""
        name = cursor.spelling
        self.add_arguments(named, name, known=0 if find_shape(cursor.type)[0] else 1)
        self.extents.append((f"&{name}", f"sizeof {name}"))

    def add_arguments(self, named: Named, text: str, known: int = 0) -> None:
        """The scalars and memories are arguments; `text` is what C calls them.

        `known` dimensions of a memory are those of the arrays around it, which the text names.
        """
        if isinstance(named, Struct):
            text += format_indices(known, named.rank)
            for name, field in named.fields.items():
                self.add_arguments(field, f"{text}.{name}", max(known, named.rank))
        elif isinstance(named, Variable):
            self.parameters.append(named)
            self.slots.append(Slot(self.make_unique(named.name), named.type, (), text))
        else:
            assert isinstance(named, Pointer)
            memory = named.memory
            text += format_indices(known, len(memory.shape))
            self.parameters.append(memory)
            name = self.make_unique(memory.name)
            self.slots.append(Slot(name, memory.type, memory.shape, text))

    def make_unique(self, name: str) -> str:
        """The name, or one like it if an argument is called so already."""
        taken = {slot.name for slot in self.slots}
        while name in taken:
            name += "_"
        return name

    def make_interface(self, variables: Sequence[Variable]) -> Interface:
        """What the recording of calls needs to know."""
        kernel, body = self.kernel, list_children(self.kernel)[-1]
        begin, end = kernel.extent.start.offset, body.extent.start.offset
        header = list_tokens(kernel.translation_unit, kernel.extent.start, body.extent.start)
        names = [parameter.spelling for parameter in list_parameters(kernel)]
        results = [Slot("", variable.type, (), "loom_result") for variable in variables]
        if get_kind(kernel.result_type) == "RECORD":
            made = self.scope.make_storage("", kernel.result_type, self.place)
            results = [
                Slot(path, variable.type, (), f"loom_result{path}")
                for variable, path in zip(list_variables(made), list_paths(made), strict=True)
            ]
        has_main = any(each.spelling == "main" for each in self.units.definitions)
        return Interface(
            self.place.file, self.place.line, kernel.spelling, tuple(header), begin, end,
            kernel.result_type.spelling,
            tuple(names), tuple(self.extents), tuple(self.slots), tuple(results), has_main,
            find_inclusions(self.units.find_unit(kernel), self.place.file),
            tuple(self.units.texts),
        )  # fmt: skip


def format_indices(first: int, end: int) -> str:
    """Places for the indices of these dimensions in C."""
    return "".join(f"[{{{k}}}]" for k in range(first, end))


def list_paths(named: Named) -> list[str]:
    """How C names the scalars of a struct."""
    if not isinstance(named, Struct):
        return [""]
    return [f".{k}{path}" for k, field in named.fields.items() for path in list_paths(field)]
