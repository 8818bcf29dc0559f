"""Expressions that stand for a place: names, elements, fields, and what pointers point to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith

from loom.errors import Place
from loom.frontend.c.library import (
    Cursor,
    evaluate_node,
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
    Either,
    Element,
    Named,
    Null,
    Pointed,
    Pointer,
    PointerVariable,
    Reference,
    Struct,
    convert_to_offset,
    drop_null,
    linearize_indices,
    list_fields,
    map_arms,
    move_pointer,
    select_element,
)
from loom.frontend.c.pointers import as_pointed, is_null, make_either, read_pointer_variable
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
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Convert,
    Expression,
    If,
    Number,
    Read,
    Relation,
)
from loom.frontend.imperative.types import OFFSET, TRUTH

ELEMENTS = "pointers of the type of the array's elements"
POINTERS = "array parameters, arrays, and pointers into one array that is known when compiling"
Evaluate = Callable[[Cursor], Expression]
"""Reads the value of a scalar expression."""
MakeStruct = Callable[[Cursor], Named]
"""Reads a call or a literal that gives a struct or a pointer, into variables of its own."""


class Lvalues:
    """Finds the places that expressions stand for, and what pointers point to."""

    def __init__(self, scope: Scope, evaluate: Evaluate, make_struct: MakeStruct) -> None:
        self.scope = scope
        self.evaluate = evaluate
        self.make_struct = make_struct

    def find_place(self, cursor: Cursor) -> Named:
        """The place that the expression stands for."""
        kinds = load_libclang().CursorKind
        kind = cursor.kind
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
            return self.select(start, self.evaluate(index), cursor)
        if kind == kinds.MEMBER_REF_EXPR:
            return self.find_field(cursor)
        if kind == kinds.UNARY_OPERATOR and get_unary_operator(cursor) == DEREFERENCE:
            return self.dereference(list_children(cursor)[0], cursor)
        is_whole = is_pointer(cursor.type) or get_kind(cursor.type) == "RECORD"
        if kind == kinds.COMPOUND_LITERAL_EXPR or (kind == kinds.CALL_EXPR and is_whole):
            return self.make_struct(cursor)
        if kind == kinds.CONDITIONAL_OPERATOR and is_whole:
            return self.choose_place(cursor, self.find_place)
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
        if not isinstance(owner, Struct | Either):
            what = f"the field {cursor.spelling} of no struct"
            self.scope.refuse(cursor, "C_EXPRESSION", what, "fields of structs")
        return list_fields(owner)[cursor.spelling]

    def choose_place(self, cursor: Cursor, find: Callable[[Cursor], Named]) -> Named:
        """The place or pointer that a condition chooses; only what the chosen one needs runs."""
        place, body = locate(cursor), self.scope.body
        test, *arms = list_children(cursor)
        condition = self.read_condition(test)
        (first, needed), (second, needed_too) = (body.capture_body(find, arm) for arm in arms)
        if needed or needed_too:
            condition = body.hold_expression(condition, place)
            first, held = body.capture_body(self.scope.hold_place, first, place)
            second, held_too = body.capture_body(self.scope.hold_place, second, place)
            body.append(If(place, condition, (*needed, *held), (*needed_too, *held_too)))
        return make_either(condition, first, second, place)

    def read_condition(self, cursor: Cursor) -> Expression:
        """Whether the value of the expression is not zero; of a pointer, whether it is not null."""
        if not is_pointer(cursor.type):
            return test_nonzero(self.evaluate(cursor))
        place = locate(cursor)
        return invert_condition(is_null(self.find_pointer(cursor), place))

    def dereference(self, pointer: Cursor, cursor: Cursor) -> Named:
        """What the pointer points to."""
        start, place = self.find_pointer(pointer), locate(cursor)
        return self.select(start, Number(OFFSET, place, 0), cursor)

    def select(self, start: Pointed, index: Expression, cursor: Cursor) -> Named:
        """The element at the index of what a pointer points to."""
        if isinstance(drop_null(start), Null):
            accepted = "pointers that point to something"
            self.scope.refuse(cursor, "C_POINTER", "what a null pointer points to", accepted)
        return select_element(start, index, locate(cursor))

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
        if not is_pointer(cursor.type) and evaluate_node(cursor) == 0:
            return Null()
        if inner is not None:
            return self.find_pointer(inner)
        if kind == kinds.CONDITIONAL_OPERATOR:
            return as_pointed(self.choose_place(cursor, self.find_pointer))
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
            return as_pointed(move_pointer(start, distance, place))
        if kind == kinds.STRING_LITERAL:
            what, accepted = "a string as a value", "a string as the value of a char array"
            self.scope.refuse(cursor, "C_POINTER", what, accepted)
        if kind not in (
            kinds.DECL_REF_EXPR, kinds.ARRAY_SUBSCRIPT_EXPR, kinds.MEMBER_REF_EXPR,
            kinds.UNARY_OPERATOR, kinds.COMPOUND_LITERAL_EXPR, kinds.CALL_EXPR,
        ):  # fmt: skip
            what = f"a pointer that is an expression of kind {kind.name.lower()}"
            self.scope.refuse(cursor, "C_POINTER", what, POINTERS)
        return self.use_as_pointer(self.find_place(cursor), cursor)

    def cast_pointer(self, cursor: Cursor) -> Pointed:
        """A cast that changes nothing but names and qualifiers."""
        inner = list_children(cursor)[-1]
        if not is_pointer(inner.type):
            if evaluate_node(inner) == 0:
                return Null()
            what = f"a value of type {inner.type.spelling} as a pointer"
            self.scope.refuse(cursor, "C_POINTER", what, POINTERS)
        new, old = cursor.type.get_canonical().get_pointee(), inner.type.get_canonical()
        before = old.get_pointee() if old.kind.name == "POINTER" else old.element_type
        plain = [t.spelling.replace("const ", "").replace("volatile ", "") for t in (new, before)]
        found = self.find_pointer(inner)
        if plain[0] != plain[1] and "VOID" not in (get_kind(new), get_kind(before)):
            what = f"a cast of {inner.type.spelling} to {cursor.type.spelling}"
            self.scope.refuse(cursor, "C_POINTER", what, ELEMENTS)
        return found

    def step_pointer(self, cursor: Cursor) -> Pointed:
        """The pointer before or after a step to a neighbour."""
        operator, place = get_unary_operator(cursor), locate(cursor)
        named = self.find_pointer_variable(list_children(cursor)[0])
        step = -1 if operator in (PRE_DECREMENT, POST_DECREMENT) else 1
        before = self.scope.body.hold_expression(Read(OFFSET, place, named.element), place)
        self.advance_pointer(named, Number(OFFSET, place, step), cursor)
        is_after = operator not in (POST_DECREMENT, POST_INCREMENT)
        return read_pointer_variable(named, place, None if is_after else before)

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

    def require_base(self, named: PointerVariable, cursor: Cursor) -> None:
        """Refuse a pointer variable before its first assignment."""
        if not named.bases:
            what = f"the pointer {named.name} before it points anywhere"
            self.scope.refuse(cursor, "C_POINTER", what, "pointers that are assigned first")

    def require_size(self, cursor: Cursor) -> None:
        """Refuse to count the elements that a void pointer points to."""
        if get_kind(get_pointee_type(cursor.type)) == "VOID":
            self.scope.refuse(cursor, "C_POINTER", "arithmetic on a void pointer", ELEMENTS)

    def use_as_pointer(self, named: Named, cursor: Cursor) -> Pointed:
        """The place as a pointer: an array is one to its first element."""
        if isinstance(named, PointerVariable):
            self.require_base(named, cursor)
            return read_pointer_variable(named, locate(cursor))
        if isinstance(named, Either):
            return as_pointed(map_arms(named, lambda each: self.use_as_pointer(each, cursor)))
        if isinstance(named, Pointer | Struct | Null | Reference):
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
                is_pointer_field = isinstance(each, PointerVariable)
                fields[name] = each if is_pointer_field else self.take_address(each, cursor)
            return Struct(fields, named.rank + 1)
        if isinstance(named, PointerVariable):
            return Reference(named)
        if isinstance(named, Either):
            return as_pointed(map_arms(named, lambda each: self.take_address(each, cursor)))
        accepted = "addresses of variables and elements"
        return self.scope.refuse(cursor, "C_POINTER", "the address of a value", accepted)


def test_nonzero(value: Expression) -> Expression:
    """Whether the value is not zero; a converted truth is that truth."""
    if isinstance(value, Convert) and value.value.type == TRUTH:
        return value.value
    return convert_expression(value, TRUTH)


def invert_condition(condition: Expression) -> Expression:
    """Whether the condition does not hold."""
    false = Number(TRUTH, condition.place, 0)
    if isinstance(condition, Number):
        return Number(TRUTH, condition.place, 1 - condition.pattern)
    return Compare(condition.place, Relation.EQ, condition, false)


def negate(value: Expression) -> Expression:
    """The opposite number."""
    if isinstance(value, Number):
        return Number(value.type, value.place, -value.pattern)
    zero = Number(value.type, value.place, 0)
    return Apply(value.type, value.place, arith.SubiOp, (zero, value))


def is_view(named: Named, sizes: Sequence[int | None], type_: CType, place: Place) -> bool:
    """True if the pointer points to arrays of these sizes and elements of this type."""
    if isinstance(named, Either):
        return all(is_view(each, sizes, type_, place) for each in (named.first, named.second))
    if isinstance(named, Null):
        return True
    if isinstance(named, Reference | PointerVariable):
        return is_pointer(type_)
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
