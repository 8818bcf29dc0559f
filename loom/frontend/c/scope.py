"""The scope in which a C function is read: its symbols, its statements so far, refusals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from loom.errors import LoomError, Place
from loom.frontend.c.c_options import Console
from loom.frontend.c.functions import Targets, find_targets
from loom.frontend.c.globals import Globals
from loom.frontend.c.library import Cursor, locate
from loom.frontend.c.places import Element, Named, Pointer, Struct, make_arrays, select_only
from loom.frontend.c.pragmas.loop_pragmas import LoopPragmas
from loom.frontend.c.types import CType, find_fields, find_scalar, find_sizes
from loom.frontend.c.units import Units
from loom.frontend.imperative.body_writer import BodyWriter, VariableNumbers
from loom.frontend.imperative.reading_limits import InlinedCalls, Nesting
from loom.frontend.imperative.tree import Kind


@dataclass
class Program:
    """What all functions share that are inlined into one circuit."""

    units: Units
    globals: Globals
    pragmas: LoopPragmas
    console: Console = "drop"
    variables: VariableNumbers = field(default_factory=VariableNumbers)
    calls: InlinedCalls = field(default_factory=InlinedCalls)
    notes: dict[str, str] = field(default_factory=dict[str, str])
    """Notes on the program, by what they are about: one each."""


@dataclass
class Scope:
    """One call of a function that is being read; the objects that read its parts share it."""

    program: Program
    targets: Targets
    callers: tuple[Cursor, ...]
    """The functions whose calls led here, and the function itself."""
    nesting: Nesting
    body: BodyWriter
    symbols: dict[int, Named] = field(default_factory=dict)
    """What each declaration of the function stands for, by the declaration's hash."""

    @contextmanager
    def enter_level(self, cursor: Cursor) -> Iterator[None]:
        """One level deeper in the file; refused where it nests too deep (C_TOO_DEEP).

        Counted, as errors in what libclang calls back do not reach the caller.
        """
        with self.nesting.enter_level(lambda: self.refuse_depth(cursor)):
            yield

    def refuse(self, cursor: Cursor, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        raise LoomError(code, locate(cursor), what, accepted)

    def refuse_depth(self, cursor: Cursor) -> NoReturn:
        """The construct is nested too deep."""
        what = "statements, expressions or calls nested too deep"
        most = self.nesting.most
        accepted = f"nests of up to {most}, as deep as Python's recursion limit lets it"
        self.refuse(cursor, "C_TOO_DEEP", what, accepted)

    def define_symbol(self, declaration: Cursor, named: Named) -> None:
        """The declaration stands for this from here on."""
        self.symbols[declaration.hash] = named

    def find_symbol(self, declaration: Cursor) -> Named:
        """What the declaration stands for, here or as a global."""
        found = self.symbols.get(declaration.hash)
        return self.program.globals.find_global(declaration) if found is None else found

    def make_storage(self, name: str, type_: CType, place: Place) -> Named:
        """A new scalar, struct or array of this type, each scalar a variable."""
        fields = find_fields(type_, place)
        sizes, inner = find_sizes(type_, place)
        if sizes:
            return make_arrays(name, inner, sizes, place, Kind.LOCAL)
        if fields is None:
            return self.body.make_variable(name, find_scalar(type_, place))
        return Struct({each: self.make_storage(f"{name}_{each}", t, place) for each, t in fields})

    def make_declared(self, declaration: Cursor, place: Place) -> Named:
        """The storage of a scalar or struct: elements of memories where its address is taken."""
        name, type_ = declaration.spelling, declaration.type
        if declaration.hash in self.targets.addressed:
            return select_only(make_arrays(name, type_, (1,), place, Kind.LOCAL), place)
        return self.make_storage(name, type_, place)

    def hold_place(self, named: Named, place: Place) -> Named:
        """The place as it is now, whatever statements follow."""
        hold = self.body.hold_expression
        if isinstance(named, Element):
            return Element(named.memory, tuple(hold(index, place) for index in named.indices))
        if isinstance(named, Pointer):
            indices = tuple(hold(index, place) for index in named.indices)
            position = None if named.position is None else hold(named.position, place)
            return Pointer(named.memory, indices, position, named.rest)
        if isinstance(named, Struct):
            fields = {name: self.hold_place(each, place) for name, each in named.fields.items()}
            return Struct(fields, named.rank)
        return named


def open_scope(
    program: Program, definition: Cursor, callers: tuple[Cursor, ...] = (), levels: int = 0
) -> Scope:
    """A scope in which the function is read once, and no name is known yet."""
    body, nesting = BodyWriter(program.variables), Nesting(levels)
    return Scope(program, find_targets(definition), (*callers, definition), nesting, body)
