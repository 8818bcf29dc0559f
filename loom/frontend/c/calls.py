"""Calls: the called function's statements stand in place of the call."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

from loom.frontend.c.assignments import start_of
from loom.frontend.c.expressions import Expressions
from loom.frontend.c.library import (
    Cursor,
    binary_kind,
    binding,
    children,
    inner_of,
    place_of,
    unary_kind,
    walk,
)
from loom.frontend.c.mathematics import EXPECTATIONS, FUNCTIONS, operation_of_function
from loom.frontend.c.operators import ADDRESS, ASSIGN, COMPOUND, STEPS
from loom.frontend.c.places import Named, Pointed, PointerVariable, Struct, element_of
from loom.frontend.c.state import MOST_CALLS, memories
from loom.frontend.c.types import is_pointer, kind_of
from loom.frontend.imperative.tree import Body, Expression, Kind, Number, Read, Scope, Variable
from loom.frontend.imperative.types import OFFSET


@dataclass
class Calls(Expressions):
    """Reads calls."""

    @abstractmethod
    def statement(self, cursor: Cursor) -> None:
        """The statement stands among the statements so far."""

    def call(self, cursor: Cursor) -> tuple[Expression, ...]:
        """The values that a call gives."""
        callee = cursor.referenced
        if callee is None or callee.kind != binding().CursorKind.FUNCTION_DECL:
            what = "a call through a pointer"
            self.refuse(cursor, "C_CALL", what, "calls of functions by their names")
        definition = callee.get_definition()
        if definition is None:
            return (self.of_library(cursor, callee.spelling),)
        if any(definition == one for one in self.above):
            what = f"a call of {callee.spelling} from within {callee.spelling}"
            self.refuse(cursor, "C_RECURSION", what, "loops, with an array as the stack if needed")
        self.program.calls += 1
        if self.program.calls > MOST_CALLS:
            what = f"more than {MOST_CALLS} calls once each has its own circuit"
            self.refuse(cursor, "C_CALL", what, "a loop around one call")
        return self.put_in_place(cursor, definition)

    def put_in_place(self, cursor: Cursor, definition: Cursor) -> tuple[Expression, ...]:
        """The called function's statements are part of the statements so far."""
        place = place_of(cursor)
        inner = self.reader_of(definition)
        for parameter, given in zip(
            parameters_of(definition), cursor.get_arguments(), strict=False
        ):
            self.hand_over(inner, parameter, given)
        results = self.result_of(cursor, definition)
        body = inner.body_of(definition)
        self.out.append(Scope(place, body, results))
        return tuple(Read(result.type, place, result) for result in results)

    def reader_of(self, definition: Cursor) -> Calls:
        """A reader of the function, to which nothing is known yet."""
        changed, addressed = targets_of(definition)
        above = (*self.above, definition)
        inner = type(self)(self.program, {}, changed, addressed, above)
        inner.levels = self.levels + 1
        return inner

    def body_of(self, definition: Cursor) -> Body:
        """The statements of the function's body."""
        return self.body(lambda: self.statement(children(definition)[-1]))

    def result_of(self, cursor: Cursor, definition: Cursor) -> tuple[Variable, ...]:
        """Variables for what the function returns."""
        if kind_of(definition.result_type) == "VOID":
            return ()
        if is_pointer(definition.result_type):
            what = f"{definition.spelling}, which returns a pointer"
            self.refuse(cursor, "C_POINTER", what, "functions that return an index")
        made = self.new(f"{definition.spelling}_result", definition.result_type, place_of(cursor))
        return tuple(variables_of(made))

    def hand_over(self, inner: Calls, parameter: Cursor, given: Cursor) -> None:
        """The called function's parameter stands for the argument."""
        place, name = place_of(given), parameter.spelling
        if is_pointer(parameter.type):
            inner.names[parameter.hash] = self.pass_pointer(inner, parameter, given)
            return
        if parameter.hash in inner.addressed:
            memory = memories(name, parameter.type, (1,), place, Kind.LOCAL)
            named = element_of(memory, Number(OFFSET, place, 0), place)
        else:
            named = self.new(name, parameter.type, place)
        if isinstance(named, Struct):
            self.copy_struct(named, self.designated(given), given)
        else:
            self.assign(named, self.value(given), place, given)
        inner.names[parameter.hash] = named

    def pass_pointer(self, inner: Calls, parameter: Cursor, given: Cursor) -> Named:
        """What the parameter stands for: the array, or a variable that begins there."""
        place = place_of(given)
        pointer = self.kept_indices(self.pointer(given), place)
        assert not isinstance(pointer, Number | Variable | PointerVariable)
        if parameter.hash not in inner.changed:
            return pointer
        return self.movable(parameter, pointer, given)

    def movable(self, parameter: Cursor, pointer: Any, cursor: Cursor) -> PointerVariable:
        """A pointer variable that begins at the pointer."""
        named = PointerVariable(parameter.spelling, self.variable(parameter.spelling, OFFSET))
        to: Pointed = pointer
        named.base = start_of(to)
        self.point(named, to, cursor)
        return named

    def of_library(self, cursor: Cursor, name: str) -> Expression:
        """The value of a function of math.h or stdlib.h."""
        if name in EXPECTATIONS:
            return self.value(next(iter(cursor.get_arguments())))
        if name not in FUNCTIONS:
            what = f"a call of {name}, whose body is not in the file"
            accepted = f"functions with a body here, and {', '.join(sorted(FUNCTIONS))}"
            self.refuse(cursor, "C_CALL", what, accepted)
        values = self.in_order(*cursor.get_arguments())
        place = place_of(cursor)
        values = [
            value if isinstance(value, Number) else self.kept(value, place) for value in values
        ]
        return operation_of_function(name, values, place)


def parameters_of(definition: Cursor) -> list[Cursor]:
    """The function's parameters."""
    kinds = binding().CursorKind
    return [each for each in children(definition) if each.kind == kinds.PARM_DECL]


def variables_of(named: Named) -> list[Variable]:
    """The variables of a scalar or struct."""
    if isinstance(named, Struct):
        return [variable for field in named.fields.values() for variable in variables_of(field)]
    return [named] if isinstance(named, Variable) else []


def targets_of(definition: Cursor) -> tuple[frozenset[int], frozenset[int]]:
    """Declarations that the function assigns, and those whose address it takes."""
    kinds = binding().CursorKind
    changed: set[int] = set()
    addressed: set[int] = set()
    for node in walk(definition):
        below = children(node)
        if node.kind == kinds.UNARY_OPERATOR and unary_kind(node) in STEPS:
            changed |= owner_of(below[0], fields=False)
        elif node.kind == kinds.UNARY_OPERATOR and unary_kind(node) == ADDRESS:
            addressed |= owner_of(below[0], fields=True)
        elif node.kind in (kinds.BINARY_OPERATOR, kinds.COMPOUND_ASSIGNMENT_OPERATOR) and (
            binary_kind(node) == ASSIGN or binary_kind(node) in COMPOUND
        ):
            changed |= owner_of(below[0], fields=False)
    return frozenset(changed), frozenset(addressed)


def owner_of(cursor: Cursor, fields: bool) -> set[int]:
    """The declaration of the variable that the expression names, or whose field it is."""
    kinds = binding().CursorKind
    while inner_of(cursor) is not None or (
        fields and cursor.kind == kinds.MEMBER_REF_EXPR and not is_pointer(children(cursor)[0].type)
    ):
        cursor = children(cursor)[0]
    if cursor.kind == kinds.DECL_REF_EXPR and cursor.referenced is not None:
        return {cursor.referenced.hash}
    return set()
