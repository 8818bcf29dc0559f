"""Variables outside of functions, and those inside that keep their values."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from math import prod

from loom.elements import Elements, Run, expand_runs, repeat_element
from loom.errors import LoomError, Place
from loom.frontend.c.initializers import (
    Given,
    find_constant,
    find_initializer,
    find_patterns,
    flatten_initializer,
    pair_initializers,
)
from loom.frontend.c.library import (
    Cursor,
    find_wrapped,
    get_binary_operator,
    get_unary_operator,
    list_children,
    load_libclang,
    locate,
)
from loom.frontend.c.operators import ADD, ADDRESS
from loom.frontend.c.places import (
    Element,
    Named,
    Pointer,
    Struct,
    make_arrays,
    move_pointer,
    select_element,
    select_only,
)
from loom.frontend.c.types import (
    find_array,
    find_fields,
    find_scalar,
    find_shape,
    find_sizes,
    is_const,
    is_pointer,
)
from loom.frontend.c.units import Units
from loom.frontend.imperative.tree import Kind, Memory, Number
from loom.frontend.imperative.types import OFFSET, Type


class Globals:
    """Finds what the declarations of globals stand for.

    A global that nothing but the kernel uses keeps its elements in the circuit; one that other
    functions use too (`used_elsewhere`, see `Units.make_key`) is an argument of it.
    """

    def __init__(self, used_elsewhere: frozenset[str], units: Units) -> None:
        self.used_elsewhere = used_elsewhere
        self.units = units
        self.known: dict[str, Named] = {}
        self.arguments: list[tuple[Cursor, Named]] = []
        """The globals that are arguments, in the order in which they are found."""

    def find_global(self, cursor: Cursor) -> Named:
        """What the declaration stands for."""
        key = self.units.make_key(cursor)
        if key not in self.known:
            self.known[key] = self.read_global(cursor, key)
        return self.known[key]

    def read_global(self, cursor: Cursor, key: str) -> Named:
        """What the declaration stands for, for the first time."""
        place, kinds = locate(cursor), load_libclang().CursorKind
        if cursor.kind != kinds.VAR_DECL:
            what = f"{cursor.spelling or 'a name'} as a value"
            raise LoomError("C_EXPRESSION", place, what, "variables, constants and arrays")
        definition = self.units.find_definition(cursor) or cursor
        initial = find_initializer(definition)
        shape, inner = find_sizes(definition.type, place)
        if is_pointer(inner):
            return self.find_target(definition, None if shape else initial, place)
        is_constant = is_const(definition.type)
        is_scalar = find_array(definition.type) is None
        if is_constant and is_scalar and find_fields(inner, place) is None and initial is not None:
            number = find_constant(initial, find_scalar(inner, place))
            if number is not None:
                return number
        kind = Kind.CONSTANT if is_constant else Kind.STATE
        is_elsewhere = definition.storage_class.name == "EXTERN" and initial is None
        if is_elsewhere or (not is_constant and key in self.used_elsewhere):
            kind = Kind.ARGUMENT
        made = self.make_memory(definition, shape or (1,), kind, place)
        if kind is Kind.ARGUMENT:
            self.arguments.append((definition, made))
        return select_only(made, place) if is_scalar else made

    def find_target(self, cursor: Cursor, initial: Cursor | None, place: Place) -> Named:
        """The global array that a global pointer points into, which nothing changes."""
        found = None if initial is None else self.find_constant_pointer(initial, place)
        if found is None or cursor.hash in self.units.assigned_names:
            what = f"the global pointer {cursor.spelling}, whose array is not known"
            accepted = "global pointers that begin with a global array, and that nothing assigns"
            raise LoomError("C_POINTER", place, what, accepted)
        return found

    def find_constant_pointer(self, cursor: Cursor, place: Place) -> Named | None:
        """What the address is that a global pointer begins with; None for what is none."""
        kinds = load_libclang().CursorKind
        below, inner = list_children(cursor), find_wrapped(cursor)
        if inner is not None:
            return self.find_constant_pointer(inner, place)
        if cursor.kind == kinds.DECL_REF_EXPR and is_pointer(cursor.type):
            found = self.find_global(cursor.referenced)
            return found if isinstance(found, Pointer | Struct) else None
        if cursor.kind == kinds.ARRAY_SUBSCRIPT_EXPR and is_pointer(cursor.type):
            start, row = (
                self.find_constant_pointer(below[0], place),
                find_constant(below[1], OFFSET),
            )
            return None if start is None or row is None else select_element(start, row, place)
        if cursor.kind == kinds.BINARY_OPERATOR and get_binary_operator(cursor) == ADD:
            base, index = below if is_pointer(below[0].type) else reversed(below)
            return self.move_constant(base, index, place)
        is_address = cursor.kind == kinds.UNARY_OPERATOR and get_unary_operator(cursor) == ADDRESS
        if is_address and below[0].kind == kinds.ARRAY_SUBSCRIPT_EXPR:
            base, index = list_children(below[0])
            return self.move_constant(base, index, place)
        return None

    def move_constant(self, base: Cursor, index: Cursor, place: Place) -> Named | None:
        """The address so many elements behind another one."""
        start, distance = self.find_constant_pointer(base, place), find_constant(index, OFFSET)
        if start is None or distance is None:
            return None
        return move_pointer(start, distance, place)

    def make_memory(
        self, cursor: Cursor, shape: tuple[int, ...], kind: Kind, place: Place
    ) -> Named:
        """The memory of the global, or one a field of its structs, with its initial elements."""
        _, inner = find_shape(cursor.type)
        initial = find_initializer(cursor)
        if find_fields(inner, place) is not None:
            made = make_arrays(cursor.spelling, inner, shape, place, kind)
            if initial is None:
                return self.set_patterns(made, {})
            return self.set_patterns(made, self.find_struct_patterns(cursor, made, initial))
        type_ = find_scalar(inner, place)
        patterns = self.find_array_patterns(cursor, initial, type_, shape)
        return Pointer(Memory(cursor.spelling, type_, shape, place, kind, patterns), (), None,
                       shape[1:])  # fmt: skip

    def find_array_patterns(
        self, cursor: Cursor, initial: Cursor | None, type_: Type, shape: tuple[int, ...]
    ) -> Elements:
        """The bit patterns of the elements that the global begins with."""
        if initial is None:
            return repeat_element(0, prod(shape))
        if find_array(cursor.type) is None:
            below = list_children(initial)
            is_list = initial.kind == load_libclang().CursorKind.INIT_LIST_EXPR
            given: list[Given] = [below[0] if is_list else initial]
        else:
            given = flatten_initializer(initial, cursor.type)
        found = find_patterns(given, type_)
        if found is None:
            what = f"values of the global {cursor.spelling} that are no constants"
            raise LoomError("C_INITIAL", locate(cursor), what, "constants")
        return found

    def find_struct_patterns(
        self, cursor: Cursor, named: Named, initial: Cursor
    ) -> dict[Memory, dict[int, int]]:
        """The bit patterns of elements that memories of structs begin with, by their position."""
        place = locate(cursor)
        found: dict[Memory, dict[int, int]] = {}
        if find_array(cursor.type) is None:
            named = select_only(named, place)
        for target, given in pair_initializers(named, deque([initial]), place, zeros=False):
            if not isinstance(target, Element):
                what = f"values of the global {cursor.spelling} that are no constants"
                raise LoomError("C_INITIAL", place, what, "constants")
            patterns = find_patterns([given], target.memory.type)
            if patterns is None:
                what = f"values of the global {cursor.spelling} that are no constants"
                raise LoomError("C_INITIAL", place, what, "constants")
            found.setdefault(target.memory, {})[find_known_position(target)] = patterns[0]
        return found

    def set_patterns(self, named: Named, patterns: dict[Memory, dict[int, int]]) -> Named:
        """The memories with the elements that they begin with: zeros where none are given."""
        if isinstance(named, Struct):
            fields = {name: self.set_patterns(f, patterns) for name, f in named.fields.items()}
            return Struct(fields, named.rank)
        assert isinstance(named, Pointer)
        old = named.memory
        given = place_elements(patterns.get(old, {}), prod(old.shape))
        made = Memory(old.name, old.type, old.shape, old.place, old.kind, given)
        return Pointer(made, (), None, named.rest)


def find_known_position(element: Element) -> int:
    """The position in row-major order of an element whose indices are numbers."""
    position = 0
    for index, size in zip(element.indices, element.memory.shape, strict=True):
        assert isinstance(index, Number)
        position = position * size + index.pattern
    return position


def place_elements(given: Mapping[int, int], count: int) -> Elements:
    """So many elements: those that are given by their positions, and zeros."""
    runs: list[Run] = []
    end = 0
    for position in sorted(given):
        runs += [(position - end, 0), (1, given[position])]
        end = position + 1
    return expand_runs([run for run in (*runs, (count - end, 0)) if run[0]])
