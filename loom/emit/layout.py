"""How long expressions are laid out: on one line where they fit, as verible-verilog-format does."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol


class Port(Protocol):
    """What has a name."""

    @property
    def name(self) -> str:
        """Its name in the module's text."""


COLUMNS = 100
"""No line of SystemVerilog is longer."""


def nets(ports: Iterable[Port], suffix: str) -> list[str]:
    """The names of the ports, each with the suffix."""
    return [f"{port.name}{suffix}" for port in ports]


def chain(terms: Iterable[str], head: str, operator: str) -> str:
    """`head` and the terms with the operator between; one term a line where that is too long."""
    listed = list(terms)
    flat = f"{head}{f' {operator} '.join(listed)};"
    if len(flat) <= COLUMNS:
        return flat
    return head + f"\n      {operator} ".join(listed) + ";"


def concatenation(terms: Iterable[str], head: str) -> str:
    """`head` and the terms in braces: on one line, on a line of their own, or one term a line."""
    listed = list(terms)
    flat = ", ".join(listed)
    if len(head) + len(flat) + len("{};") <= COLUMNS:
        return f"{head}{{{flat}}};"
    between = ", " if len(flat) + len("    ") <= COLUMNS else ",\n    "
    return f"{head}{{\n    {between.join(listed)}\n  }};"


def declaration(names: Iterable[str]) -> str:
    """Nets of one bit: on one line, or one a line where that is too long."""
    listed = list(names)
    flat = f"  logic {', '.join(listed)};"
    return flat if len(flat) <= COLUMNS else "  logic\n      " + ",\n      ".join(listed) + ";"


def assignment(text: str) -> str:
    """`text` as an assign; a concatenation on one side of it may take several lines."""
    left, _, right = text.removesuffix(";").partition(" = ")
    if right.startswith("{") and right.endswith("}") and "{" not in right[1:]:
        return concatenation(right[1:-1].split(", "), f"  assign {left} = ")
    if left.startswith("{") and left.endswith("}"):
        opened = concatenation(left[1:-1].split(", "), "  assign ").removesuffix(";")
        return f"{opened} = {right};"
    return f"  assign {text}"
