"""Variables outside of functions, and those inside that keep their values."""

from __future__ import annotations

from loom.errors import LoomError, Place
from loom.frontend.c.declarations import initial_of, known_words, list_of, spread
from loom.frontend.c.library import Cursor, binding, children, place_of
from loom.frontend.c.places import Element, Named, Pointer, Struct, element_of
from loom.frontend.c.state import State, memories
from loom.frontend.c.types import (
    array_of,
    fields_of,
    is_const,
    is_pointer,
    known_sizes,
    scalar_type,
    shape_of,
)
from loom.frontend.imperative.tree import Kind, Memory, Number
from loom.frontend.imperative.types import OFFSET, Type


class Globals:
    """Finds what the declarations of globals stand for.

    A global that nothing but the kernel uses keeps its words in the circuit; one that other
    functions use too is an argument of it.
    """

    def __init__(self, used_elsewhere: frozenset[str], constants: State) -> None:
        self.used_elsewhere = used_elsewhere
        self.constants = constants
        self.known: dict[str, Named] = {}
        self.outside: list[tuple[Cursor, Named]] = []

    def __call__(self, cursor: Cursor) -> Named:
        """What the declaration stands for."""
        key = key_of(cursor)
        if key not in self.known:
            self.known[key] = self.find(cursor, key)
        return self.known[key]

    def find(self, cursor: Cursor, key: str) -> Named:
        """What the declaration stands for, for the first time."""
        place, kinds = place_of(cursor), binding().CursorKind
        if cursor.kind != kinds.VAR_DECL:
            what = f"{cursor.spelling or 'a name'} as a value"
            raise LoomError("C_EXPRESSION", place, what, "variables, constants and arrays")
        definition = cursor.get_definition() or cursor
        initial = initial_of(definition)
        shape, inner = known_sizes(definition.type, place)
        if is_pointer(inner):
            what = f"the global pointer {cursor.spelling}"
            raise LoomError("C_POINTER", place, what, "arrays, and pointers inside of functions")
        is_constant = is_const(definition.type)
        is_scalar = array_of(definition.type) is None
        if is_constant and is_scalar and fields_of(inner, place) is None and initial is not None:
            number = self.constants.constant(initial, scalar_type(inner, place))
            if number is not None:
                return number
        kind = Kind.CONSTANT if is_constant else Kind.STATE
        is_elsewhere = definition.storage_class.name == "EXTERN" and initial is None
        if is_elsewhere or (not is_constant and key in self.used_elsewhere):
            kind = Kind.ARGUMENT
        made = self.memory(definition, shape or (1,), kind, place)
        if kind is Kind.ARGUMENT:
            self.outside.append((definition, made))
        return element_of(made, Number(OFFSET, place, 0), place) if is_scalar else made

    def memory(self, cursor: Cursor, shape: tuple[int, ...], kind: Kind, place: Place) -> Named:
        """The memory of the global, or one for each field of its structs, with its words."""
        _, inner = shape_of(cursor.type)
        initial = initial_of(cursor)
        if fields_of(inner, place) is not None:
            made = memories(cursor.spelling, inner, shape, place, kind)
            return self.with_words(made, self.words_of_structs(cursor, made, initial))
        type_ = scalar_type(inner, place)
        words = self.words(cursor, initial, type_, shape)
        return Pointer(Memory(cursor.spelling, type_, shape, place, kind, words), (), None,
                       shape[1:])  # fmt: skip

    def words(
        self, cursor: Cursor, initial: Cursor | None, type_: Type, shape: tuple[int, ...]
    ) -> tuple[int, ...]:
        """The words that the global begins with."""
        if initial is None:
            size = 1
            for each in shape:
                size *= each
            return (0,) * size
        if array_of(cursor.type) is None:
            below = children(initial)
            is_list = initial.kind == binding().CursorKind.INIT_LIST_EXPR
            given = [below[0] if is_list else initial]
        else:
            given = list_of(initial, cursor.type, place_of(cursor))
        found = known_words(given, type_, self.constants.constant)
        if found is None:
            what = f"values of the global {cursor.spelling} that are no constants"
            raise LoomError("C_INITIAL", place_of(cursor), what, "constants")
        return found

    def words_of_structs(
        self, cursor: Cursor, named: Named, initial: Cursor | None
    ) -> dict[Memory, list[int]]:
        """The words that the memories of structs begin with."""
        place = place_of(cursor)
        found: dict[Memory, list[int]] = {}
        if array_of(cursor.type) is None:
            named = element_of(named, Number(OFFSET, place, 0), place)
        for target, given in spread(named, [] if initial is None else [initial], place):
            if not isinstance(target, Element):
                what = f"values of the global {cursor.spelling} that are no constants"
                raise LoomError("C_INITIAL", place, what, "constants")
            words = known_words([given], target.memory.type, self.constants.constant)
            if words is None:
                what = f"values of the global {cursor.spelling} that are no constants"
                raise LoomError("C_INITIAL", place, what, "constants")
            found.setdefault(target.memory, []).append(words[0])
        return found

    def with_words(self, named: Named, words: dict[Memory, list[int]]) -> Named:
        """The memories with the words that they begin with."""
        if isinstance(named, Struct):
            fields = {name: self.with_words(f, words) for name, f in named.fields.items()}
            return Struct(fields, named.rank)
        assert isinstance(named, Pointer)
        old = named.memory
        made = Memory(old.name, old.type, old.shape, old.place, old.kind, tuple(words[old]))
        return Pointer(made, (), None, named.rest)


def key_of(cursor: Cursor) -> str:
    """A name that all declarations of one variable share, and no other variable has."""
    return f"{cursor.get_usr()} {cursor.canonical.hash}"
