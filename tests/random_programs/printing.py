"""From a tree to MLIR text: always well typed, in range, and with an end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.random_programs.tree import Function, Memory, Type


@dataclass(frozen=True)
class Value:
    """A value in the text; where `below` is known it is less, and not negative."""

    text: str
    type: Type
    below: int | None = None


@dataclass(frozen=True)
class Place:
    """A memory in the text: what loads and stores call it and its type."""

    text: str
    memory: Memory
    layout: str = ""
    constant: bool = False

    @property
    def type(self) -> str:
        """The memref type."""
        dims = "".join(f"{size}x" for size in self.memory.shape)
        return f"memref<{dims}{self.memory.type}{self.layout}>"


class Text:
    """A function's text in the making: lines, the names in scope, the next temporary."""

    def __init__(self, functions: Sequence[Function]) -> None:
        self.functions = {function.name: function for function in functions}
        self.lines: list[str] = []
        self.values: dict[str, Value] = {}
        self.places: dict[str, Place] = {}
        self.depth = 1
        self.temporaries = 0

    def line(self, text: str) -> None:
        """One more line."""
        self.lines.append("  " * self.depth + text)

    def fresh(self) -> str:
        """A name that nothing else has."""
        self.temporaries += 1
        return f"%{self.temporaries}"

    def let(self, text: str, type_: Type, below: int | None = None) -> Value:
        """The operation's one result."""
        name = self.fresh()
        self.line(f"{name} = {text}")
        return Value(name, type_, below)

    def head(self, count: int) -> tuple[str, list[str]]:
        """The left side of an operation with so many results, and what they are called."""
        if not count:
            return "", []
        name = self.fresh()
        if count == 1:
            return f"{name} = ", [name]
        return f"{name}:{count} = ", [f"{name}#{k}" for k in range(count)]

    @contextmanager
    def region(self) -> Iterator[None]:
        """What is named inside is not known after it; the lines are one step further in."""
        values, places = dict(self.values), dict(self.places)
        self.depth += 1
        yield
        self.depth -= 1
        self.values, self.places = values, places


def constant(text: Text, type_: Type, value: int) -> Value:
    """The value, modulo the type's range, as an operation."""
    if type_ == "i1":
        return text.let(f"arith.constant {'true' if value & 1 else 'false'}", type_)
    if type_ != "index":
        width = int(type_[1:])
        value &= (1 << width) - 1
        value -= (value >> (width - 1)) << width
    return text.let(f"arith.constant {value} : {type_}", type_)


def together(names: Sequence[str], types: Sequence[str]) -> str:
    """Operands with their types, or nothing."""
    return f" {', '.join(names)} : {', '.join(types)}" if names else ""
