"""Where the reading of a function stands: names in reach, and the statements so far."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NoReturn, ParamSpec

from loom.errors import LoomError, Place
from loom.frontend.c.library import Cursor, bits_of, constant_of, place_of
from loom.frontend.c.loop_pragmas import LoopPragmas
from loom.frontend.c.places import Element, Named, Pointer, Struct
from loom.frontend.c.types import CType, fields_of, known_sizes, scalar_type
from loom.frontend.imperative.tree import (
    Assign,
    Body,
    Convert,
    Expression,
    Kind,
    Memory,
    Number,
    Read,
    Statement,
    Store,
    Variable,
)
from loom.frontend.imperative.types import Float, Int, Type

Given = ParamSpec("Given")

FRAMES_A_LEVEL = 12
"""Python's frames for a statement or expression in another, with all that works on it later."""
MOST_LEVELS = 400
"""Statements and expressions in each other, however many frames Python has."""
MOST_CALLS = 2000
"""Calls that are put in place in one circuit [calls]."""


@dataclass
class Program:
    """What all functions of the file share.

    `globals` finds what a global's declaration stands for, once for each.
    """

    file: str
    globals: Callable[[Cursor], Named]
    pragmas: LoopPragmas
    variables: int = 0
    calls: int = 0


@dataclass
class State(ABC):
    """One call of a function that is being read."""

    program: Program
    names: dict[int, Named] = field(default_factory=dict)
    changed: frozenset[int] = frozenset()
    """Declarations of the function that statements assign, by hash."""
    addressed: frozenset[int] = frozenset()
    """Declarations of the function whose address is taken, by hash."""
    above: tuple[Any, ...] = ()
    """The functions whose calls led here."""
    out: list[Statement] = field(default_factory=list)

    levels: int = 0
    """How many statements and expressions are being read, one in the other."""

    # What one kind of node needs of another

    @abstractmethod
    def value(self, cursor: Cursor) -> Expression:
        """The value of a scalar expression; what it changes stands in the statements."""

    @abstractmethod
    def call(self, cursor: Cursor) -> tuple[Expression, ...]:
        """The values that a call gives."""

    @abstractmethod
    def effect(self, cursor: Cursor) -> None:
        """What an expression changes; its value is not needed."""

    @abstractmethod
    def begin(self, named: Named, initial: Cursor, cursor: Cursor) -> None:
        """The scalar, struct or array has the value."""

    # Pieces of all of them

    @contextmanager
    def level(self, cursor: Cursor) -> Iterator[None]:
        """One level deeper in the file; refused where it nests too deep (C_TOO_DEEP).

        Counted, as errors in what libclang calls back do not reach the caller.
        """
        most = min(MOST_LEVELS, sys.getrecursionlimit() // FRAMES_A_LEVEL)
        if self.levels >= most:
            what = "statements, expressions or calls nested too deep"
            accepted = f"nests of up to {most}, as deep as Python's recursion limit lets it"
            self.refuse(cursor, "C_TOO_DEEP", what, accepted)
        self.levels += 1
        yield
        self.levels -= 1

    def refuse(self, cursor: Cursor, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        raise LoomError(code, place_of(cursor), what, accepted)

    def variable(self, name: str, type_: Type) -> Variable:
        """A new variable."""
        self.program.variables += 1
        return Variable(name, type_, self.program.variables)

    def kept(self, value: Expression, place: Place) -> Expression:
        """The value as it is now, whatever statements follow."""
        if isinstance(value, Number):
            return value
        made = self.variable("t", value.type)
        self.out.append(Assign(place, made, value))
        return Read(value.type, place, made)

    def kept_indices(self, named: Named, place: Place) -> Named:
        """The place as it is now, whatever statements follow."""
        if isinstance(named, Element):
            return Element(named.memory, tuple(self.kept(i, place) for i in named.indices))
        if isinstance(named, Pointer):
            indices = tuple(self.kept(index, place) for index in named.indices)
            position = None if named.position is None else self.kept(named.position, place)
            return Pointer(named.memory, indices, position, named.rest)
        if isinstance(named, Struct):
            fields = {k: self.kept_indices(field, place) for k, field in named.fields.items()}
            return Struct(fields, named.rank)
        return named

    def in_order(self, *cursors: Cursor) -> list[Expression]:
        """The values of expressions that are evaluated one after the other."""
        found: list[Expression] = []
        for cursor in cursors:
            count = len(self.out)
            value = self.value(cursor)
            if len(self.out) > count:
                rest, self.out[count:] = self.out[count:], []
                found = [self.kept(earlier, earlier.place) for earlier in found]
                self.out += rest
            found.append(value)
        return found

    def body(self, write: Callable[Given, object], *given: Given.args, **named: Given.kwargs
             ) -> Body:  # fmt: skip
        """The statements that `write` writes, called with what is given."""
        outside, self.out = self.out, []
        try:
            write(*given, **named)
            return tuple(self.out)
        finally:
            self.out = outside

    def assign(self, named: Named, value: Expression, place: Place, cursor: Cursor) -> None:
        """The variable or word has the value."""
        if isinstance(named, Variable):
            self.out.append(Assign(place, named, value))
        elif isinstance(named, Element):
            if named.memory.kind is Kind.CONSTANT:
                what = f"an assignment to the constant {named.memory.name}"
                self.refuse(cursor, "C_CONSTANT", what, "assignments to what is not const")
            self.out.append(Store(place, named.memory, named.indices, value))
        else:
            raise AssertionError("clang lets no other place be assigned")

    def new(self, name: str, type_: Any, place: Place) -> Named:
        """A new scalar or struct of this type, each scalar a variable."""
        fields = fields_of(type_, place)
        sizes, inner = known_sizes(type_, place)
        if sizes:
            return memories(name, inner, sizes, place, Kind.LOCAL)
        if fields is None:
            return self.variable(name, scalar_type(type_, place))
        return Struct({each: self.new(f"{name}_{each}", t, place) for each, t in fields})

    def constant(self, cursor: Cursor, type_: Type) -> Number | None:
        """The constant that clang finds the expression to be, in this type."""
        found = constant_of(cursor)
        if found is None:
            return None
        place = place_of(cursor)
        if isinstance(type_, Float):
            with suppress(OverflowError):
                return Number(type_, place, bits_of(float(found), type_.width))
            return None
        if isinstance(found, float):
            return None
        return Number(type_, place, found & ((1 << type_.width) - 1))

    def convert(self, value: Expression, type_: Type, place: Place) -> Expression:
        """The value in another type."""
        if value.type == type_:
            return value
        if isinstance(value, Number) and isinstance(value.type, Int) and isinstance(type_, Int):
            number = value.type.number(value.pattern)
            pattern = int(number != 0) if type_.is_truth else number & ((1 << type_.width) - 1)
            return Number(type_, place, pattern)
        return Convert(type_, place, value)


def memories(name: str, type_: CType, shape: tuple[int, ...], place: Place, kind: Kind) -> Named:
    """An array of this shape, with a memory for each field if its elements are structs."""
    fields = fields_of(type_, place)
    if fields is None:
        memory = Memory(name, scalar_type(type_, place), shape, place, kind)
        return Pointer(memory, (), None, shape[1:])
    made: dict[str, Named] = {}
    for each, inner in fields:
        known, element_type = known_sizes(inner, place)
        inside = memories(f"{name}_{each}", element_type, (*shape, *known), place, kind)
        made[each] = inside
    return Struct(made, len(shape))
