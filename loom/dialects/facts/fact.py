"""A fact about an operation: an attribute with a name, a type, and one owner.

The owner is the module of this folder that defines the fact. Readers leave directives of the user
as facts, passes leave facts for later passes; both go through `of`, `put` and `drop`, so that no
attribute is looked up by its string.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute, Operation

Value = TypeVar("Value")


@dataclass(frozen=True)
class Fact(Generic[Value]):
    """One kind of fact; `values` are the accepted values in words."""

    name: str
    values: str
    encode: Callable[[Value], Attribute]
    decode: Callable[[Attribute], Value | None]
    """The value of an attribute, None if it is none of this kind."""

    def __str__(self) -> str:
        return self.name

    def is_on(self, operation: Operation) -> bool:
        """True if the operation has the attribute, whatever its value."""
        return self.name in operation.attributes

    def of(self, operation: Operation) -> Value | None:
        """The value on the operation; None without the attribute, or if it is of another kind."""
        attribute = operation.attributes.get(self.name)
        return None if attribute is None else self.decode(attribute)

    def put(self, operation: Operation, value: Value) -> None:
        """The operation has the fact with this value."""
        operation.attributes[self.name] = self.encode(value)

    def drop(self, operation: Operation) -> bool:
        """The operation has the fact no more; True if it had it."""
        return operation.attributes.pop(self.name, None) is not None

    def take(self, operation: Operation) -> Value | None:
        """The value on the operation, which then has the fact no more."""
        value = self.of(operation)
        self.drop(operation)
        return value

    def copy(self, source: Operation, target: Operation) -> None:
        """The target has the fact if the source has it, with the same value."""
        if self.name in source.attributes:
            target.attributes[self.name] = source.attributes[self.name]

    def accepts(self, attribute: Attribute) -> bool:
        """True if the attribute is a value of this kind."""
        return self.decode(attribute) is not None

    def attribute(self, value: Value) -> tuple[str, Attribute]:
        """Name and attribute, for an operation that is not built yet."""
        return self.name, self.encode(value)


def mark(name: str) -> Fact[bool]:
    """A fact without a value: it is there, or not."""
    return Fact(name, "no value", lambda _: UnitAttr(), decode_mark)


def number(name: str, least: int, values: str) -> Fact[int]:
    """A fact whose value is a number, `least` or more."""

    def decode(attribute: Attribute) -> int | None:
        found = decode_number(attribute)
        return found if found is not None and found >= least else None

    return Fact(name, values, lambda value: IntegerAttr(value, 64), decode)


def number_or_word(name: str, least: int, word: str, values: str) -> Fact[int | str]:
    """A fact whose value is a number, `least` or more, or one word."""

    def encode(value: int | str) -> Attribute:
        return StringAttr(value) if isinstance(value, str) else IntegerAttr(value, 64)

    def decode(attribute: Attribute) -> int | str | None:
        if isinstance(attribute, StringAttr):
            return word if attribute.data == word else None
        found = decode_number(attribute)
        return found if found is not None and found >= least else None

    return Fact(name, values, encode, decode)


def word(name: str, *words: str) -> Fact[str]:
    """A fact whose value is one of some words."""

    def decode(attribute: Attribute) -> str | None:
        known = isinstance(attribute, StringAttr) and attribute.data in words
        return attribute.data if known and isinstance(attribute, StringAttr) else None

    values = " or ".join(f'"{each}"' for each in words)
    return Fact(name, values, StringAttr, decode)


def text(name: str) -> Fact[str]:
    """A fact whose value is any text."""

    def decode(attribute: Attribute) -> str | None:
        return attribute.data if isinstance(attribute, StringAttr) else None

    return Fact(name, "a text", StringAttr, decode)


def decode_mark(attribute: Attribute) -> bool | None:
    """True for an attribute without a value, else None."""
    return True if isinstance(attribute, UnitAttr) else None


def decode_number(attribute: Attribute) -> int | None:
    """The number that the attribute is, or None if it is none."""
    return int(attribute.value.data) if isinstance(attribute, IntegerAttr) else None
