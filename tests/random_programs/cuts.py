"""Every way to make a tree a little smaller, the large cuts first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tests.random_programs.operators import TYPES, width_of
from tests.random_programs.tree import (
    Call,
    Cast,
    Const,
    For,
    If,
    Let,
    Load,
    Memory,
    Op,
    Ref,
    Statement,
    While,
)

STATEMENTS = Let | If | For | While | Call
EXPRESSIONS = Const | Ref | Op | Cast | Load
ORDINARY = ("i8", "i32")
"""Types that are easier to read than others of about their width."""


def cuts(node: Any) -> Iterator[Any]:
    """Nodes to put in place of this one; whatever they are, the printer takes them."""
    if isinstance(node, tuple):
        yield from tuple_cuts(node)
        return
    if not is_dataclass(node):
        return
    yield from own_cuts(node)
    for field in fields(node):
        for smaller in cuts(getattr(node, field.name)):
            yield replace(node, **{field.name: smaller})  # type: ignore[type-var]


def tuple_cuts(nodes: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Fewer nodes, statements opened, and each node made smaller."""
    # Operands and addresses have their number from elsewhere.
    length = 0 if nodes and isinstance(nodes[0], EXPRESSIONS | int | str) else len(nodes)
    while length:
        for start in range(0, len(nodes), length):
            yield nodes[:start] + nodes[start + length :]
        length //= 2
    for position, node in enumerate(nodes):
        before, after = nodes[:position], nodes[position + 1 :]
        if isinstance(node, STATEMENTS):
            for opened in openings(node):
                yield (*before, *opened, *after)
        for smaller in cuts(node):
            yield (*before, smaller, *after)


def openings(statement: STATEMENTS) -> Iterator[tuple[Statement, ...]]:
    """The insides of a statement with a region, in its place."""
    match statement:
        case If(_, then, otherwise, choices):
            yield (*then, *(Let(choice.name, choice.then) for choice in choices))
            yield (*(otherwise or ()), *(Let(choice.name, choice.otherwise) for choice in choices))
        case For(variable, type_, _, _, _, lower, _, _, carried, body):
            starts = (Let(one.inner, one.start) for one in carried)
            ends = (Let(one.outer, one.next) for one in carried)
            yield (Let(variable, Const(type_, 0)), *starts, *body, *ends)
            yield (Let(variable, lower), *starts, *body)
        case While(_, _, _, _, _, carried, passed, before, after):
            starts = (Let(one.inner, one.start) for one in carried)
            inner = (Let(one.inner, one.value) for one in passed)
            outer = (Let(one.outer, one.value) for one in passed)
            yield (*starts, *before, *outer)
            yield (*starts, *before, *inner, *after)


def own_cuts(node: Any) -> Iterator[Any]:
    """Replacements of the node itself."""
    if isinstance(node, Op | Cast | Load | Ref):
        yield from expression_cuts(node)
    elif isinstance(node, Const):
        for value in {0, 1, abs(node.value) // 2} - {node.value}:
            yield replace(node, value=value)
    elif isinstance(node, Memory):
        for position, size in enumerate(node.shape):
            rest = node.shape[:position], node.shape[position + 1 :]
            yield replace(node, shape=rest[0] + rest[1])
            if size > 1:
                yield replace(node, shape=(*rest[0], size // 2, *rest[1]))
    elif isinstance(node, If) and not node.choices and node.otherwise is not None:
        yield replace(node, otherwise=None)
    elif isinstance(node, For | While):
        if node.most > 1:
            yield replace(node, most=node.most // 2)
        yield from loop_cuts(node)
    if isinstance(getattr(node, "type", None), str):
        for type_ in narrower(node.type):
            yield replace(node, type=type_)


def loop_cuts(node: For | While) -> Iterator[For | While]:
    """A loop with fewer peculiarities."""
    if isinstance(node, For):
        if node.base:
            yield replace(node, base=0)
        if node.unsigned:
            yield replace(node, unsigned=False)
    else:
        if node.test is not None:
            yield replace(node, test=None)
        if node.counts_first:
            yield replace(node, counts_first=False)


def expression_cuts(node: Op | Cast | Load | Ref) -> Iterator[Any]:
    """A constant, or a part of the expression."""
    yield Const("i8", 0)
    yield Const("i8", 1)
    if isinstance(node, Op):
        yield from node.operands
        if node.operator != "arith.addi" and len(node.operands) == 2:
            yield Op("arith.addi", node.type, node.operands)
    elif isinstance(node, Cast):
        yield node.operand


def narrower(type_: str) -> Iterator[str]:
    """Types that take fewer bits, ordinary ones first."""
    if type_ not in TYPES:
        return
    for other in (*ORDINARY, "i1"):
        if type_ != other and (type_ == "index" or width_of(other) < width_of(type_)):
            yield other
