"""Calls: the called function's statements stand in place of the call."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from loom.frontend.c.assignments import Assignments
from loom.frontend.c.functions import list_parameters
from loom.frontend.c.initializers import is_string
from loom.frontend.c.library import Cursor, load_libclang, locate
from loom.frontend.c.lvalues import Evaluate, Lvalues
from loom.frontend.c.memory_functions import MEMORY, MemoryFunctions
from loom.frontend.c.operators import CONSOLE, EXPECTATIONS, FUNCTIONS, apply_function
from loom.frontend.c.places import (
    Named,
    PointerVariable,
    Struct,
    list_owners,
    list_variables,
)
from loom.frontend.c.pointers import as_pointed
from loom.frontend.c.scope import Scope, open_scope
from loom.frontend.c.types import get_kind, is_pointer
from loom.frontend.imperative.tree import Body, Expression, Failure, Read, Variable
from loom.frontend.imperative.tree import Scope as InlinedBody

ReadFunction = Callable[[Scope, Cursor], Body]
"""Reads the body of a function in a scope of its own."""


class Calls:
    """Inlines calls."""

    def __init__(
        self,
        scope: Scope,
        lvalues: Lvalues,
        assignments: Assignments,
        evaluate: Evaluate,
        read_function: ReadFunction,
    ) -> None:
        self.scope = scope
        self.lvalues = lvalues
        self.assignments = assignments
        self.evaluate = evaluate
        self.read_function = read_function
        self.memory = MemoryFunctions(scope, lvalues, assignments, evaluate)

    def inline_call(self, cursor: Cursor) -> tuple[Expression, ...]:
        """The values that a call gives; its statements are part of the statements so far."""
        definition = self.find_function(cursor)
        if definition is None:
            return (self.apply_library_function(cursor, cursor.referenced.spelling),)
        _, results = self.inline_function(cursor, definition)
        return tuple(Read(result.type, locate(cursor), result) for result in results)

    def find_function(self, cursor: Cursor) -> Cursor | None:
        """The function that is called, None for one whose body is not in the files."""
        callee = cursor.referenced
        if callee is None or callee.kind != load_libclang().CursorKind.FUNCTION_DECL:
            accepted = "calls of functions by their names"
            self.scope.refuse(cursor, "C_CALL", "a call through a pointer", accepted)
        definition = self.scope.program.units.find_definition(callee)
        if definition is not None:
            self.scope.program.calls.add_call(
                callee.spelling, definition, self.scope.callers,
                partial(self.scope.refuse, cursor, "C_RECURSION"),
                partial(self.scope.refuse, cursor, "C_CALL"),
            )  # fmt: skip
        return definition

    def inline_function(
        self, cursor: Cursor, definition: Cursor
    ) -> tuple[Scope, tuple[Variable, ...]]:
        """The function's statements are part of the statements so far; its scope and results."""
        place, scope = locate(cursor), self.scope
        levels, path = scope.nesting.levels + 1, (*scope.path, cursor.hash)
        callee = open_scope(scope.program, definition, scope.callers, levels, path)
        parameters = list_parameters(definition)
        for parameter, argument in zip(parameters, cursor.get_arguments(), strict=False):
            self.pass_argument(callee, parameter, argument)
        results = self.make_results(cursor, definition, callee)
        body = self.read_function(callee, definition)
        scope.body.append(InlinedBody(place, body, results))
        return callee, results

    def make_results(
        self, cursor: Cursor, definition: Cursor, callee: Scope | None = None
    ) -> tuple[Variable, ...]:
        """Variables for what the function returns to the callee's caller, or the kernel's."""
        type_ = definition.result_type
        if get_kind(type_) == "VOID":
            return ()
        name, place = f"{definition.spelling}_result", locate(cursor)
        if is_pointer(type_) and callee is not None:
            callee.result = pointer = callee.make_pointer(name, place)
            is_one = len(pointer.bases) < 2
            return (pointer.element,) if is_one else (pointer.element, pointer.number)
        made = None if is_pointer(type_) else self.scope.make_storage(name, type_, place)
        if made is None or any(isinstance(e, PointerVariable) for e in list_owners(made)):
            what = f"{definition.spelling}, which returns a pointer"
            self.scope.refuse(cursor, "C_POINTER", what, "functions that return an index")
        return tuple(list_variables(made))

    def pass_argument(self, callee: Scope, parameter: Cursor, argument: Cursor) -> None:
        """The called function's parameter stands for the argument, or for a copy of its value."""
        place = locate(argument)
        if is_pointer(parameter.type):
            named = self.pass_pointer(callee, parameter, argument)
            callee.define_symbol(parameter, named)
            return
        copy = callee.make_declared(parameter, place)
        if isinstance(copy, Struct):
            source = self.lvalues.find_place(argument)
            self.assignments.copy_struct(copy, source, parameter.type, argument)
        else:
            self.assignments.assign_place(copy, self.evaluate(argument), place, argument)
        callee.define_symbol(parameter, copy)

    def pass_pointer(self, callee: Scope, parameter: Cursor, argument: Cursor) -> Named:
        """What the parameter stands for: the array, or a variable that begins there."""
        pointer = self.scope.hold_place(self.lvalues.find_pointer(argument), locate(argument))
        if parameter.hash not in callee.targets.assigned:
            return pointer
        named = callee.make_pointer(parameter.spelling, locate(parameter))
        self.assignments.set_pointer(named, as_pointed(pointer), argument)
        return named

    def make_pointer_result(self, cursor: Cursor) -> Named:
        """The pointer that a call gives."""
        definition = self.find_function(cursor)
        if definition is None:
            self.apply_library_function(cursor, cursor.referenced.spelling)
            what, accepted = f"the pointer that {cursor.spelling} gives", "an array or a pointer"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        callee, _ = self.inline_function(cursor, definition)
        assert callee.result is not None
        pointer = self.lvalues.use_as_pointer(callee.result, cursor)
        return self.scope.hold_place(pointer, locate(cursor))

    def make_struct_result(self, cursor: Cursor) -> Named:
        """The struct that a call gives, in variables of its own."""
        place = locate(cursor)
        made = self.scope.make_storage("result", cursor.type, place)
        values = list(self.inline_call(cursor))

        def fill(named: Named) -> None:
            if isinstance(named, Struct):
                for field in named.fields.values():
                    fill(field)
            else:
                self.assignments.assign_place(named, values.pop(0), place, cursor)

        fill(made)
        return made

    def call_for_effect(self, cursor: Cursor) -> None:
        """What the call changes stands in the statements; its value is not needed."""
        callee = cursor.referenced
        name = "" if callee is None else str(callee.spelling)
        if callee is not None and self.scope.program.units.find_definition(callee) is None:
            if name in CONSOLE:
                self.drop_call(cursor, name)
                return
            if name in MEMORY:
                self.memory.call(name, cursor)
                return
        self.inline_call(cursor)

    def drop_call(self, cursor: Cursor, name: str) -> None:
        """The call is left out, with a note; what its arguments change stands in the statements.

        Of an assertion that fails the reference of the program is told.
        """
        shown, program = CONSOLE[name], self.scope.program
        if program.console == "refuse":
            what = f"a call of {shown}"
            self.scope.refuse(cursor, "C_CALL", what, "none in the kernel, or --console drop")
        note = f"{locate(cursor)}: {shown} has no circuit and is left out"
        program.notes.setdefault(shown, note)
        if shown == "assert":
            self.scope.body.append(Failure(locate(cursor), find_assertion(cursor, name)))
            return
        for argument in cursor.get_arguments():
            if not is_pointer(argument.type):
                self.evaluate(argument)

    def apply_library_function(self, cursor: Cursor, name: str) -> Expression:
        """The value of a function of math.h or stdlib.h."""
        if name in EXPECTATIONS:
            return self.evaluate(next(iter(cursor.get_arguments())))
        if name in CONSOLE or name in MEMORY:
            what = f"the value of a call of {CONSOLE.get(name, name)}"
            self.scope.refuse(cursor, "C_CALL", what, "the call as a statement of its own")
        if name not in FUNCTIONS:
            what = f"a call of {name}, whose body is not in the files"
            accepted = f"the C file with {name} besides this one, or a function of docs/c.md"
            self.scope.refuse(cursor, "C_CALL", what, accepted)
        body, place = self.scope.body, locate(cursor)
        arguments = body.read_in_order(cursor.get_arguments(), self.evaluate, body.hold_expression)
        values = [body.hold_expression(value, place) for value in arguments]
        return apply_function(name, values, place)


def find_assertion(cursor: Cursor, name: str) -> str:
    """The text of the assertion that the call says does not hold."""
    arguments = list(cursor.get_arguments())
    text = arguments[-1 if name == "__assert_rtn" else 0]
    found = (str(each.spelling) for each in text.walk_preorder() if is_string(each))
    return next(found, "").strip('"')
