"""Expressions that stand for a place: names, elements, fields, and what pointers point to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.library import (
    Cursor,
    find_wrapped,
    get_binary_operator,
    get_unary_operator,
    list_children,
    load_libclang,
    locate,
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
    convert_to_offset,
    linearize_indices,
    move_pointer,
    select_element,
)
from loom.frontend.c.scope import Scope
from loom.frontend.c.types import (
    CType,
    find_fields,
    find_optional_scalar,
    find_shape,
    get_kind,
    get_pointee_type,
    is_pointer,
)
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import Apply, Assign, Expression, Number, Read
from loom.frontend.imperative.types import OFFSET

ELEMENTS = "pointers of the type of the array's elements"
POINTERS = "array parameters, arrays, and pointers into one array that is known when compiling"
Evaluate = Callable[[Cursor], Expression]
"""Reads the value of a scalar expression."""
MakeStruct = Callable[[Cursor], Named]
"""Reads a call or a literal that gives a struct, into variables of its own."""


class Lvalues:
    """Finds the places that expressions stand for, and what pointers point to."""

    def __init__(self, scope: Scope, evaluate: Evaluate, make_struct: MakeStruct) -> None:
        self.scope = scope
        self.evaluate = evaluate
        self.make_struct = make_struct

    def find_place(self, cursor: Cursor) -> Named:
        """The place that the expression stands for."""
        kinds = load_libclang().CursorKind
        kind, place = cursor.kind, locate(cursor)
        inner = find_wrapped(cursor)
        if inner is not None:
            return self.find_place(inner)
        if kind == kinds.DECL_REF_EXPR:
            return self.find_named(cursor)
        if kind == kinds.ARRAY_SUBSCRIPT_EXPR:
            base, index = list_children(cursor)
            if not is_pointer(base.type):
                base, index = index, base
            start = self.find_pointer(base)
            return select_element(start, self.evaluate(index), place)
        if kind == kinds.MEMBER_REF_EXPR:
            return self.find_field(cursor)
        if kind == kinds.UNARY_OPERATOR and get_unary_operator(cursor) == DEREFERENCE:
            return self.dereference(list_children(cursor)[0], cursor)
        is_made = kind in (kinds.CALL_EXPR, kinds.COMPOUND_LITERAL_EXPR)
        if is_made and (kind != kinds.CALL_EXPR or get_kind(cursor.type) == "RECORD"):
            return self.make_struct(cursor)
        if kind == kinds.CONDITIONAL_OPERATOR:
            what = f"a choice between two places of type {cursor.type.spelling}"
            accepted = "an if with an assignment in each branch"
            self.scope.refuse(cursor, "C_EXPRESSION", what, accepted)
        what = f"an expression of kind {kind.name.lower()} as a place"
        return self.scope.refuse(cursor, "C_EXPRESSION", what, "variables, elements and fields")

    def find_named(self, cursor: Cursor) -> Named:
        """What the name stands for."""
        declaration = cursor.referenced
        if declaration.kind == load_libclang().CursorKind.FUNCTION_DECL:
            what = f"the function {cursor.spelling} as a value"
            self.scope.refuse(cursor, "C_CALL", what, "calls of functions by their names")
        return self.scope.find_symbol(declaration)

    def find_field(self, cursor: Cursor) -> Named:
        """The field of a struct."""
        inner = list_children(cursor)[0]
        is_arrow = is_pointer(inner.type)
        owner = self.dereference(inner, cursor) if is_arrow else self.find_place(inner)
        if not isinstance(owner, Struct):
            what = f"the field {cursor.spelling} of no struct"
            self.scope.refuse(cursor, "C_EXPRESSION", what, "fields of structs")
        return owner.fields[cursor.spelling]

    def dereference(self, pointer: Cursor, cursor: Cursor) -> Named:
        """What the pointer points to."""
        start, place = self.find_pointer(pointer), locate(cursor)
        return select_element(start, Number(OFFSET, place, 0), place)

    # Pointers

    def find_pointer(self, cursor: Cursor) -> Pointed:
        """The pointer that the expression is; its type is that of the array's elements."""
        found, pointee = self.read_pointer(cursor), get_pointee_type(cursor.type)
        if get_kind(pointee) != "VOID" and not is_view(found, *find_shape(pointee), locate(cursor)):
            what = f"a pointer of type {cursor.type.spelling} into an array of another type"
            self.scope.refuse(cursor, "C_POINTER", what, ELEMENTS)
        return found

    def read_pointer(self, cursor: Cursor) -> Pointed:
        """The pointer, whatever kind of expression it is."""
        kinds = load_libclang().CursorKind
        kind, place = cursor.kind, locate(cursor)
        below, inner = list_children(cursor), find_wrapped(cursor)
        if inner is not None:
            return self.find_pointer(inner)
        if kind == kinds.CSTYLE_CAST_EXPR:
            return self.cast_pointer(cursor)
        if kind == kinds.UNARY_OPERATOR:
            operator = get_unary_operator(cursor)
            if operator == ADDRESS:
                return self.take_address(self.find_place(below[0]), cursor)
            if operator != DEREFERENCE:
                return self.step_pointer(cursor)
        if kind == kinds.BINARY_OPERATOR and get_binary_operator(cursor) in (ADD, SUBTRACT):
            base, index = below
            if not is_pointer(base.type):
                base, index = index, base
            start, distance = self.find_pointer(base), self.evaluate(index)
            self.require_size(base)
            if get_binary_operator(cursor) == SUBTRACT:
                distance = negate(convert_expression(distance, OFFSET, place))
            return move_pointer(start, distance, place)
        if kind == kinds.STRING_LITERAL:
            what, accepted = "a string as a value", "a string as the value of a char array"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        if kind not in (
            kinds.DECL_REF_EXPR, kinds.ARRAY_SUBSCRIPT_EXPR, kinds.MEMBER_REF_EXPR,
            kinds.UNARY_OPERATOR, kinds.COMPOUND_LITERAL_EXPR,
        ):  # fmt: skip
            what = f"a pointer that is an expression of kind {kind.name.lower()}"
            self.scope.refuse(cursor, "C_POINTER", what, POINTERS)
        return self.use_as_pointer(self.find_place(cursor), cursor)

    def cast_pointer(self, cursor: Cursor) -> Pointed:
        """A cast that changes nothing but names and qualifiers."""
        inner = list_children(cursor)[-1]
        if not is_pointer(inner.type):
            what = f"a value of type {inner.type.spelling} as a pointer"
            self.scope.refuse(cursor, "C_POINTER", what, POINTERS)
        new, old = cursor.type.get_canonical().get_pointee(), inner.type.get_canonical()
        before = old.get_pointee() if old.kind.name == "POINTER" else old.element_type
        plain = [t.spelling.replace("const ", "").replace("volatile ", "") for t in (new, before)]
        if plain[0] != plain[1]:
            what = f"a cast of {inner.type.spelling} to {cursor.type.spelling}"
            self.scope.refuse(cursor, "C_POINTER", what, ELEMENTS)
        return self.find_pointer(inner)

    def step_pointer(self, cursor: Cursor) -> Pointed:
        """The pointer before or after a step to a neighbour."""
        operator, place = get_unary_operator(cursor), locate(cursor)
        named = self.find_pointer_variable(list_children(cursor)[0])
        step = -1 if operator in (PRE_DECREMENT, POST_DECREMENT) else 1
        before = self.scope.body.hold_expression(Read(OFFSET, place, named.element), place)
        self.advance_pointer(named, Number(OFFSET, place, step), cursor)
        after = Read(OFFSET, place, named.element)
        chosen = before if operator in (POST_DECREMENT, POST_INCREMENT) else after
        assert named.base is not None
        return move_pointer(named.base, chosen, place)

    def find_pointer_variable(self, cursor: Cursor) -> PointerVariable:
        """The pointer variable that the expression names."""
        named = self.find_place(cursor)
        if not isinstance(named, PointerVariable):
            what = f"a change of the pointer {cursor.spelling or 'that is no variable'}"
            accepted = "pointer variables and parameters that change"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        return named

    def advance_pointer(self, named: PointerVariable, distance: Expression, cursor: Cursor) -> None:
        """The pointer variable points so many elements further on from here on."""
        place = locate(cursor)
        self.require_base(named, cursor)
        self.require_size(cursor)
        old = Read(OFFSET, place, named.element)
        sides = (old, convert_expression(distance, OFFSET, place))
        value = Apply(OFFSET, place, arith.AddiOp, sides)
        self.scope.body.append(Assign(place, named.element, value))

    def require_base(self, named: PointerVariable, cursor: Cursor) -> Pointed:
        """What the pointer variable counts from; refused before its first assignment."""
        if named.base is None:
            what = f"the pointer {named.name} before it points anywhere"
            self.scope.refuse(cursor, "C_POINTER", what, "pointers that are assigned first")
        return named.base

    def require_size(self, cursor: Cursor) -> None:
        """Refuse to count the elements that a void pointer points to."""
        if get_kind(get_pointee_type(cursor.type)) == "VOID":
            self.scope.refuse(cursor, "C_POINTER", "arithmetic on a void pointer", ELEMENTS)

    def use_as_pointer(self, named: Named, cursor: Cursor) -> Pointed:
        """The place as a pointer: an array is one to its first element."""
        if isinstance(named, PointerVariable):
            base, place = self.require_base(named, cursor), locate(cursor)
            return move_pointer(base, Read(OFFSET, place, named.element), place)
        if isinstance(named, Pointer | Struct):
            return named
        what = f"a pointer from {cursor.spelling or 'a value'}"
        return self.scope.refuse(cursor, "C_POINTER", what, POINTERS)

    def take_address(self, named: Named, cursor: Cursor) -> Pointed:
        """A pointer to this place."""
        at = locate(cursor)
        if isinstance(named, Element):
            start = convert_to_offset(named.indices[0], at)
            if len(named.indices) == len(named.memory.shape):
                start = linearize_indices(named.memory, named.indices, at)
            return Pointer(named.memory, (), start, ())
        if isinstance(named, Pointer):
            if not named.indices and named.position is None:
                what = "the address of an array"
                accepted = "the array, or the address of an element"
                self.scope.refuse(cursor, "C_POINTER", what, accepted)
            size = named.memory.shape[len(named.memory.shape) - len(named.rest) - 1]
            position = named.position
            if position is None:
                position = linearize_indices(named.memory, named.indices, at)
            return Pointer(named.memory, (), position, (size, *named.rest))
        if isinstance(named, Struct):
            fields: dict[str, Named] = {}
            for name, each in named.fields.items():
                fields[name] = self.take_address(each, cursor)
            return Struct(fields, named.rank + 1)
        accepted = "addresses of variables and elements"
        return self.scope.refuse(cursor, "C_POINTER", "the address of a value", accepted)


def negate(value: Expression) -> Expression:
    """The opposite number."""
    if isinstance(value, Number):
        return Number(value.type, value.place, -value.pattern)
    zero = Number(value.type, value.place, 0)
    return Apply(value.type, value.place, arith.SubiOp, (zero, value))


def is_view(named: Named, sizes: Sequence[int | None], type_: CType, place: Place) -> bool:
    """True if the pointer points to arrays of these sizes and elements of this type."""
    if isinstance(named, Struct):
        fields = find_fields(type_, place) if get_kind(type_) == "RECORD" else None
        if fields is None or [name for name, _ in fields] != [*named.fields]:
            return False
        shapes = [find_shape(inner) for _, inner in fields]
        return all(
            is_view(field, (*sizes, *inner), element, place)
            for field, (inner, element) in zip(named.fields.values(), shapes, strict=True)
        )
    assert isinstance(named, Pointer)
    is_shape = len(sizes) == len(named.rest) and all(
        size is None or size == other for size, other in zip(sizes, named.rest, strict=True)
    )
    return is_shape and find_optional_scalar(type_) == named.memory.type
