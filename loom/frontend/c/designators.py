"""Expressions that stand for a place: names, elements, fields, what pointers point to."""

from __future__ import annotations

from xdsl.dialects import arith

from loom.frontend.c.library import (
    Cursor,
    binary_kind,
    binding,
    children,
    inner_of,
    place_of,
    unary_kind,
)
from loom.frontend.c.operators import (
    ADD,
    ADDRESS,
    DEREFERENCE,
    POST_DECREMENT,
    POST_INCREMENT,
    PRE_DECREMENT,
    SUBTRACT,
)
from loom.frontend.c.places import (
    Element,
    Named,
    Pointed,
    Pointer,
    PointerVariable,
    Struct,
    element_of,
    linear,
    moved,
    offset,
)
from loom.frontend.c.state import State
from loom.frontend.c.types import is_pointer, kind_of
from loom.frontend.imperative.tree import Apply, Expression, Number, Read
from loom.frontend.imperative.types import OFFSET

POINTERS = "array parameters, arrays, and pointers into one array that is known when compiling"


class Designators(State):
    """Finds the places that expressions stand for."""

    def designated(self, cursor: Cursor) -> Named:
        """The place that the expression stands for."""
        kinds = binding().CursorKind
        kind, place = cursor.kind, place_of(cursor)
        inner = inner_of(cursor)
        if inner is not None:
            return self.designated(inner)
        if kind == kinds.DECL_REF_EXPR:
            return self.named(cursor)
        if kind == kinds.ARRAY_SUBSCRIPT_EXPR:
            base, index = children(cursor)
            if not is_pointer(base.type):
                base, index = index, base
            start = self.pointer(base)
            return element_of(start, self.value(index), place)
        if kind == kinds.MEMBER_REF_EXPR:
            return self.field(cursor)
        if kind == kinds.UNARY_OPERATOR and unary_kind(cursor) == DEREFERENCE:
            start = self.pointer(children(cursor)[0])
            return element_of(start, Number(OFFSET, place, 0), place)
        if kind == kinds.CALL_EXPR and kind_of(cursor.type) == "RECORD":
            return self.called_struct(cursor)
        if kind == kinds.COMPOUND_LITERAL_EXPR and kind_of(cursor.type) == "RECORD":
            made = self.new("literal", cursor.type, place)
            self.begin(made, children(cursor)[-1], cursor)
            return made
        if kind == kinds.CONDITIONAL_OPERATOR:
            what = f"a choice between two places of type {cursor.type.spelling}"
            self.refuse(cursor, "C_EXPRESSION", what, "an if with an assignment in each branch")
        what = f"an expression of kind {kind.name.lower()} as a place"
        return self.refuse(cursor, "C_EXPRESSION", what, "variables, elements and fields")

    def called_struct(self, cursor: Cursor) -> Named:
        """The struct that a call gives, in variables of its own."""
        place = place_of(cursor)
        made = self.new("result", cursor.type, place)
        values = list(self.call(cursor))

        def fill(named: Named) -> None:
            if isinstance(named, Struct):
                for field in named.fields.values():
                    fill(field)
            else:
                self.assign(named, values.pop(0), place, cursor)

        fill(made)
        return made

    def named(self, cursor: Cursor) -> Named:
        """What the name stands for."""
        declaration = cursor.referenced
        if declaration.kind == binding().CursorKind.FUNCTION_DECL:
            what = f"the function {cursor.spelling} as a value"
            self.refuse(cursor, "C_CALL", what, "calls of functions by their names")
        found = self.names.get(declaration.hash)
        if found is None:
            found = self.program.globals(declaration)
        return found

    def field(self, cursor: Cursor) -> Named:
        """The field of a struct."""
        inner = children(cursor)[0]
        if is_pointer(inner.type):
            start = self.pointer(inner)
            owner = element_of(start, Number(OFFSET, place_of(cursor), 0), place_of(cursor))
        else:
            owner = self.designated(inner)
        if not isinstance(owner, Struct):
            what = f"the field {cursor.spelling} of no struct"
            self.refuse(cursor, "C_EXPRESSION", what, "fields of structs")
        return owner.fields[cursor.spelling]

    def pointer(self, cursor: Cursor) -> Pointed:
        """The pointer that the expression is."""
        kinds = binding().CursorKind
        kind, place = cursor.kind, place_of(cursor)
        below, inner = children(cursor), inner_of(cursor)
        if inner is not None:
            return self.pointer(inner)
        if kind == kinds.CSTYLE_CAST_EXPR:
            return self.cast_pointer(cursor)
        if kind == kinds.UNARY_OPERATOR:
            operator = unary_kind(cursor)
            if operator == ADDRESS:
                return self.address(below[0], cursor)
            if operator != DEREFERENCE:
                return self.stepped(cursor)
        if kind == kinds.BINARY_OPERATOR and binary_kind(cursor) in (ADD, SUBTRACT):
            base, index = below
            if not is_pointer(base.type):
                base, index = index, base
            start, distance = self.pointer(base), self.value(index)
            if binary_kind(cursor) == SUBTRACT:
                distance = self.negated(self.convert(distance, OFFSET, place))
            return moved(start, distance, place)
        if kind == kinds.STRING_LITERAL:
            what, accepted = "a string as a value", "a string as the value of a char array"
            self.refuse(cursor, "C_POINTER", what, accepted)
        if kind not in (
            kinds.DECL_REF_EXPR, kinds.ARRAY_SUBSCRIPT_EXPR, kinds.MEMBER_REF_EXPR,
            kinds.UNARY_OPERATOR,
        ):  # fmt: skip
            what = f"a pointer that is an expression of kind {kind.name.lower()}"
            self.refuse(cursor, "C_POINTER", what, POINTERS)
        return self.pointed(self.designated(cursor), cursor)

    def negated(self, value: Expression) -> Expression:
        """The opposite number."""
        if isinstance(value, Number):
            return Number(value.type, value.place, -value.pattern)
        zero = Number(value.type, value.place, 0)
        return Apply(value.type, value.place, arith.SubiOp, (zero, value))

    def cast_pointer(self, cursor: Cursor) -> Pointed:
        """A cast that changes nothing but names and qualifiers."""
        inner = children(cursor)[-1]
        new, old = cursor.type.get_canonical().get_pointee(), inner.type.get_canonical()
        before = old.get_pointee() if old.kind.name == "POINTER" else old.element_type
        plain = [t.spelling.replace("const ", "").replace("volatile ", "") for t in (new, before)]
        if plain[0] != plain[1]:
            what = f"a cast of {inner.type.spelling} to {cursor.type.spelling}"
            self.refuse(cursor, "C_POINTER", what, "pointers of the type of the array's elements")
        return self.pointer(inner)

    def stepped(self, cursor: Cursor) -> Pointed:
        """The pointer before or after it goes on to a neighbour."""
        operator, place = unary_kind(cursor), place_of(cursor)
        named = self.pointer_variable(children(cursor)[0])
        step = -1 if operator in (PRE_DECREMENT, POST_DECREMENT) else 1
        before = self.kept(Read(OFFSET, place, named.element), place)
        self.advance(named, Number(OFFSET, place, step), cursor)
        after = Read(OFFSET, place, named.element)
        chosen = before if operator in (POST_DECREMENT, POST_INCREMENT) else after
        assert named.base is not None
        return moved(named.base, chosen, place)

    def pointer_variable(self, cursor: Cursor) -> PointerVariable:
        """The variable that the expression names."""
        named = self.designated(cursor)
        if not isinstance(named, PointerVariable):
            what = f"a change of the pointer {cursor.spelling or 'that is no variable'}"
            self.refuse(cursor, "C_POINTER", what, "pointer variables and parameters that change")
        return named

    def advance(self, named: PointerVariable, distance: Expression, cursor: Cursor) -> None:
        """The pointer variable goes on by so many elements."""
        place = place_of(cursor)
        if named.base is None:
            what = f"the pointer {named.name} before it points anywhere"
            self.refuse(cursor, "C_POINTER", what, "pointers that are assigned first")
        old = Read(OFFSET, place, named.element)
        value = Apply(OFFSET, place, arith.AddiOp, (old, self.convert(distance, OFFSET, place)))
        self.assign(named.element, value, place, cursor)

    def pointed(self, named: Named, cursor: Cursor) -> Pointed:
        """What the name stands for, as a pointer."""
        if isinstance(named, PointerVariable):
            if named.base is None:
                what = f"the pointer {named.name} before it points anywhere"
                self.refuse(cursor, "C_POINTER", what, "pointers that are assigned first")
            place = place_of(cursor)
            return moved(named.base, Read(OFFSET, place, named.element), place)
        if isinstance(named, Pointer | Struct):
            return named
        what = f"a pointer from {cursor.spelling or 'a value'}"
        return self.refuse(cursor, "C_POINTER", what, POINTERS)

    def address(self, cursor: Cursor, whole: Cursor) -> Pointed:
        """A pointer to what the expression stands for."""
        return self.pointer_to(self.designated(cursor), whole)

    def pointer_to(self, named: Named, cursor: Cursor) -> Pointed:
        """A pointer to this place."""
        at = place_of(cursor)
        if isinstance(named, Element):
            start = offset(named.indices[0], at)
            if len(named.indices) == len(named.memory.shape):
                start = linear(named.memory, named.indices, at)
            return Pointer(named.memory, (), start, ())
        if isinstance(named, Pointer):
            if not named.indices and named.position is None:
                what = "the address of an array"
                self.refuse(cursor, "C_POINTER", what, "the array, or the address of an element")
            size = named.memory.shape[len(named.memory.shape) - len(named.rest) - 1]
            position = named.position
            if position is None:
                position = linear(named.memory, named.indices, at)
            return Pointer(named.memory, (), position, (size, *named.rest))
        if isinstance(named, Struct):
            fields: dict[str, Named] = {}
            for name, each in named.fields.items():
                fields[name] = self.pointer_to(each, cursor)
            return Struct(fields, named.rank + 1)
        what = "the address of a value"
        return self.refuse(cursor, "C_POINTER", what, "addresses of variables and elements")
