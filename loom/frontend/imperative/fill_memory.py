"""Statements that give every element of an array a value."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith

from loom.elements import Fill, draw_elements
from loom.errors import Place
from loom.frontend.imperative.body_writer import BodyWriter
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Copy,
    Expression,
    Kind,
    Loop,
    Memory,
    Number,
    Read,
    Relation,
    Store,
    Variable,
)
from loom.frontend.imperative.types import OFFSET


def fill_memory(body: BodyWriter, memory: Memory, fill: Fill) -> None:
    """Every element of the new memory is what the user wants where nothing is written."""
    if fill == "0":
        repeat_pattern(body, memory, 0)
    elif fill == "random":
        place = memory.place
        given = draw_elements(f"{memory.name} {place}", memory.type.width, prod(memory.shape))
        constant = Memory(memory.name, memory.type, memory.shape, place, Kind.CONSTANT, given)
        body.append(Copy(place, constant, memory))


def repeat_pattern(body: BodyWriter, memory: Memory, pattern: int) -> None:
    """Every element of the memory has the bit pattern."""
    place = memory.place
    counter = body.make_variable("k", OFFSET)
    at = Read(OFFSET, place, counter)
    size, one = Number(OFFSET, place, prod(memory.shape)), Number(OFFSET, place, 1)
    body.append(Assign(place, counter, Number(OFFSET, place, 0)))
    store = Store(place, memory, (at,), Number(memory.type, place, pattern))
    test = Compare(place, Relation.LT, at, size)
    body.append(Loop(place, (), test, (store,), (advance_counter(counter, one, place),)))


def advance_counter(counter: Variable, step: Expression, place: Place) -> Assign:
    """The counter of a loop goes on by the step."""
    operands = Read(OFFSET, place, counter), step
    return Assign(place, counter, Apply(OFFSET, place, arith.AddiOp, operands))
