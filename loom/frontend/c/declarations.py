"""Declarations in functions of C: variables, arrays and structs, and their first values."""

from __future__ import annotations

from collections import deque

from loom.elements import draw_elements
from loom.errors import Place
from loom.frontend.c.assignments import Assignments
from loom.frontend.c.initializers import (
    find_array_shape,
    find_constant,
    find_initializer,
    find_patterns,
    flatten_initializer,
    pair_initializers,
)
from loom.frontend.c.library import Cursor, list_children, load_libclang, locate
from loom.frontend.c.lvalues import Evaluate, Lvalues
from loom.frontend.c.places import (
    Element,
    Named,
    Null,
    Pointer,
    PointerVariable,
    Struct,
    list_owners,
    list_variables,
)
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import find_array, find_fields, find_scalar, is_const, is_pointer
from loom.frontend.imperative.fill_memory import fill_memory
from loom.frontend.imperative.tree import Assign, Copy, Kind, Memory, Number, Variable

MOST_ASSIGNED = 1 << 14
"""Values of one variable that are assigned one by one [statements]."""


class Declarations:
    """Reads declarations in functions."""

    def __init__(
        self, scope: Scope, lvalues: Lvalues, assignments: Assignments, evaluate: Evaluate
    ) -> None:
        self.scope = scope
        self.lvalues = lvalues
        self.assignments = assignments
        self.evaluate = evaluate

    def read_declaration(self, cursor: Cursor) -> None:
        """The variables of a declaration are known, and have their first values."""
        kinds = load_libclang().CursorKind
        for each in list_children(cursor):
            if each.kind == kinds.VAR_DECL:
                self.declare_variable(each)

    def declare_variable(self, cursor: Cursor) -> None:
        """The variable is known, and has its first value."""
        place, type_ = locate(cursor), cursor.type
        if cursor.storage_class.name in ("STATIC", "EXTERN"):
            named = self.scope.program.globals.find_global(cursor)
            self.scope.define_symbol(cursor, named)
            return
        initial = find_initializer(cursor)
        if is_pointer(type_) and find_array(type_) is None:
            self.declare_pointer(cursor, initial)
            return
        if find_array(type_) is not None:
            self.declare_array(cursor, initial)
            return
        made = self.scope.make_declared(cursor, place)
        if initial is not None:
            self.initialize(made, initial, cursor)
        else:
            self.fill_storage(made, place)
        if isinstance(made, Variable) and type_.is_const_qualified() and initial is not None:
            known = find_constant(initial, made.type)
            made = known if known is not None else made
        self.scope.define_symbol(cursor, made)

    def declare_pointer(self, cursor: Cursor, initial: Cursor | None) -> None:
        """The pointer variable is known, and points to its first place."""
        name = cursor.spelling
        named = self.scope.make_pointer(name, locate(cursor))
        self.scope.define_symbol(cursor, named)
        if initial is not None:
            self.assignments.set_pointer(named, self.lvalues.find_pointer(initial), cursor)

    def declare_array(self, cursor: Cursor, initial: Cursor | None) -> None:
        """The array is known, and has its first values; a const one may be a constant memory."""
        place, name = locate(cursor), cursor.spelling
        sizes, inner = find_array_shape(cursor)
        if initial is None or find_fields(inner, place) is not None:
            arrays = self.scope.make_arrays(name, inner, sizes, place, Kind.LOCAL)
            self.scope.define_symbol(cursor, arrays)
            if initial is not None:
                self.initialize(arrays, initial, cursor)
            else:
                self.fill_storage(arrays, place)
            return
        type_ = find_scalar(inner, place)
        patterns = find_patterns(flatten_initializer(initial, cursor.type), type_)
        if patterns is not None and is_const(cursor.type):
            array = self.scope.make_arrays(name, inner, sizes, place, Kind.CONSTANT, patterns)
            self.scope.define_symbol(cursor, array)
            return
        array = self.scope.make_arrays(name, inner, sizes, place, Kind.LOCAL)
        self.scope.define_symbol(cursor, array)
        if patterns is not None:
            assert isinstance(array, Pointer)
            constant = Memory(name, type_, sizes, place, Kind.CONSTANT, patterns)
            self.scope.body.append(Copy(place, constant, array.memory))
            return
        self.initialize(array, initial, cursor)

    def fill_storage(self, named: Named, place: Place) -> None:
        """The variables and arrays hold what the user wants them to, who has no value for them."""
        fill, body = self.scope.program.fill, self.scope.body
        if fill == "refuse":
            return
        for variable in list_variables(named):
            type_, pattern = variable.type, 0
            if fill == "random":
                pattern = draw_elements(f"{variable.name} {place}", type_.width, 1)[0]
            body.append(Assign(place, variable, Number(type_, place, pattern)))
        for memory in list_owners(named):
            if isinstance(memory, Memory):
                fill_memory(body, memory, fill)

    def initialize(self, named: Named, initial: Cursor, cursor: Cursor) -> None:
        """The scalar, struct or array has the value."""
        place = locate(cursor)
        values = pair_initializers(named, deque([initial]), place)
        for number, (target, given) in enumerate(values):
            if number == MOST_ASSIGNED:
                what = f"more than {MOST_ASSIGNED} values, each of which is a statement"
                accepted = "constants as the values of a large array, or a loop"
                self.scope.refuse(cursor, "C_INITIAL", what, accepted)
            if isinstance(target, Struct):
                assert given is not None and not isinstance(given, int)
                source = self.lvalues.find_place(given)
                self.assignments.copy_struct(target, source, given.type, cursor)
                continue
            if isinstance(target, PointerVariable):
                to = Null() if given is None else self.lvalues.find_pointer(given)
                self.assignments.set_pointer(target, to, cursor)
                continue
            assert isinstance(target, Variable | Element)
            type_ = target.type if isinstance(target, Variable) else target.memory.type
            if given is None or isinstance(given, int):
                value = Number(type_, place, given or 0)
                self.assignments.assign_place(target, value, place, cursor)
            else:
                self.assignments.assign_place(target, self.evaluate(given), place, cursor)

    def make_literal(self, cursor: Cursor) -> Named:
        """The value of a compound literal, in variables and arrays of its own."""
        made = self.scope.make_storage("literal", cursor.type, locate(cursor))
        self.initialize(made, list_children(cursor)[-1], cursor)
        return made
