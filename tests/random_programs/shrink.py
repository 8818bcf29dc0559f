"""A smaller program with the same finding: greedy, cut by cut, until none helps or time is over."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass

from tests.random_programs.cuts import cuts
from tests.random_programs.print_program import text_of
from tests.random_programs.tree import Program

Size = tuple[int, int]


def size_of(node: object) -> Size:
    """Nodes, then numbers: what a cut must make smaller, so that shrinking ends."""
    if isinstance(node, bool) or node is None:
        return int(bool(node)), 0
    if isinstance(node, int):
        return 0, min(abs(node), 1 << 20).bit_length() + (node < 0)
    if isinstance(node, str):
        return 0, type_size(node)
    parts: Iterator[object] = iter(node) if isinstance(node, tuple) else iter(())
    own = 0
    if is_dataclass(node):
        parts = (getattr(node, field.name) for field in fields(node))
        # A name costs more than a constant, so that names go where they do not matter.
        own = {"Const": 1, "Ref": 2}.get(type(node).__name__, 3)
    nodes, numbers = own, 0
    for part in parts:
        more, larger = size_of(part)
        nodes, numbers = nodes + more, numbers + larger
    return nodes, numbers


def type_size(word: str) -> int:
    """The width that a type says; other words cost nothing, index more than any integer."""
    if word == "index":
        return 70
    return int(word[1:]) if word[:1] == "i" and word[1:].isdigit() else 0


def shrink(program: Program, fails: Callable[[str], bool], seconds: float) -> tuple[Program, int]:
    """The program after every cut with which `fails` still holds of its text, and the tries."""
    end = time.monotonic() + seconds
    known, size = {text_of(program): True}, size_of(program)
    shrinking = True
    while shrinking:
        shrinking = False
        for smaller in cuts(program):
            if time.monotonic() > end:
                break
            now = size_of(smaller)
            if now >= size:
                continue
            text = text_of(smaller)
            if text not in known:
                known[text] = fails(text)
            if known[text]:
                program, size, shrinking = smaller, now, True
                break
    return program, len(known)
