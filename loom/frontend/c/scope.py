"""The scope in which a C function is read: its symbols, its statements so far, refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NoReturn

from loom.elements import Elements, Fill
from loom.errors import LoomError, Place
from loom.frontend.c.c_options import Console
from loom.frontend.c.functions import Targets, find_targets
from loom.frontend.c.globals import Globals
from loom.frontend.c.library import Cursor, locate
from loom.frontend.c.places import (
    Either,
    Element,
    Named,
    Pointer,
    PointerVariable,
    Struct,
    make_arrays,
    select_only,
)
from loom.frontend.c.pointers import WHICH
from loom.frontend.c.pragmas.loop_pragmas import LoopPragmas
from loom.frontend.c.types import CType, find_fields, find_scalar, find_sizes, is_pointer
from loom.frontend.c.units import Units
from loom.frontend.imperative.body_writer import BodyWriter, VariableNumbers
from loom.frontend.imperative.reading_limits import InlinedCalls, Nesting
from loom.frontend.imperative.tree import Kind
from loom.frontend.imperative.types import OFFSET

Key = tuple[tuple[int, ...], Place, str, int]
"""A declaration: the calls that lead to it, its place and name, how many of these came before."""


@dataclass
class Kept:
    """What stays when a kernel is read again, as a pointer was found to point elsewhere too.

    Where a variable points is known when all assignments are read, and wanted where it is used.
    """

    variables: VariableNumbers = field(default_factory=VariableNumbers)
    arrays: dict[Key, Pointer | Struct] = field(default_factory=dict[Key, Pointer | Struct])
    pointers: dict[Key, PointerVariable] = field(default_factory=dict[Key, PointerVariable])
    is_grown: bool = False
    """Whether this reading has found one more place that a pointer points into."""


@dataclass
class Program:
    """What all functions share that are inlined into one circuit."""

    units: Units
    globals: Globals
    pragmas: LoopPragmas
    console: Console = "drop"
    fill: Fill = "refuse"
    kept: Kept = field(default_factory=Kept)
    declared: Counter[Key] = field(default_factory=Counter[Key])
    """How often this reading has come to a declaration."""
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
    path: tuple[int, ...] = ()
    """The calls that led here."""
    result: PointerVariable | None = None
    """The pointer that the function returns."""
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
            return self.make_arrays(name, inner, sizes, place, Kind.LOCAL)
        if is_pointer(type_):
            return self.make_pointer(name, place)
        if fields is None:
            return self.body.make_variable(name, find_scalar(type_, place))
        return Struct({each: self.make_storage(f"{name}_{each}", t, place) for each, t in fields})

    def make_declared(self, declaration: Cursor, place: Place) -> Named:
        """The storage of a scalar or struct: elements of memories where its address is taken."""
        name, type_ = declaration.spelling, declaration.type
        if declaration.hash in self.targets.addressed:
            return select_only(self.make_arrays(name, type_, (1,), place, Kind.LOCAL), place)
        return self.make_storage(name, type_, place)

    def make_key(self, name: str, place: Place) -> Key:
        """What tells a declaration from all others, whenever it is read."""
        key = (self.path, place, name, 0)
        self.program.declared[key] += 1
        return (*key[:3], self.program.declared[key])

    def make_arrays(
        self, name: str, type_: CType, shape: tuple[int, ...], place: Place, kind: Kind,
        initial: Elements | None = None,
    ) -> Pointer | Struct:  # fmt: skip
        """The memories of a declaration, those of the reading before if there was one."""
        key, kept = self.make_key(name, place), self.program.kept

        def make_pointer(part: str) -> PointerVariable:
            return self.make_pointer(part, place)

        if key not in kept.arrays:
            made = make_arrays(name, type_, shape, place, kind, make_pointer, initial)
            kept.arrays[key] = made
        return kept.arrays[key]

    def make_pointer(self, name: str, place: Place) -> PointerVariable:
        """A pointer variable, with all places that former readings found it to point into."""
        key, kept = self.make_key(name, place), self.program.kept
        if key not in kept.pointers:
            element = self.body.make_variable(name, OFFSET)
            number = self.body.make_variable(f"{name}_in", WHICH)
            kept.pointers[key] = PointerVariable(name, element, number)
        return kept.pointers[key]

    def hold_place(self, named: Named, place: Place) -> Named:
        """The place as it is now, whatever statements follow."""
        hold = self.body.hold_expression
        match named:
            case Element():
                return Element(named.memory, tuple(hold(index, place) for index in named.indices))
            case Pointer():
                indices = tuple(hold(index, place) for index in named.indices)
                position = None if named.position is None else hold(named.position, place)
                return Pointer(named.memory, indices, position, named.rest)
            case Struct():
                fields = {name: self.hold_place(each, place) for name, each in named.fields.items()}
                return Struct(fields, named.rank)
            case Either():
                condition = hold(named.condition, place)
                first, second = (self.hold_place(e, place) for e in (named.first, named.second))
                return Either(condition, first, second)
            case _:
                return named


def open_scope(
    program: Program,
    definition: Cursor,
    callers: tuple[Cursor, ...] = (),
    levels: int = 0,
    path: tuple[int, ...] = (),
) -> Scope:
    """A scope in which the function is read once, and no name is known yet."""
    body, nesting = BodyWriter(program.kept.variables), Nesting(levels)
    targets = find_targets(definition)
    return Scope(program, targets, (*callers, definition), nesting, body, path)
