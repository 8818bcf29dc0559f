"""A module at any stage as a picture: a box for each operation, a line for each use of a value."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, NoneType, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import CATALOGUE
from loom.draw.picture import Box, Frame, Kind, Line, Picture

STATES = ("value", "sym_name", "predicate", "kind", "slots", "II", "start")
"""Attributes that a box shows."""


def picture_of_module(module: ModuleOp, title: str) -> Picture:
    """The picture; an operation with regions is a frame around what is in them, and a box."""
    names = {op: f"op{number}" for number, op in enumerate(module.walk()) if op is not module}
    boxes: list[Box] = []
    lines: list[Line] = []
    frames: list[Frame] = []
    for op, name in names.items():
        frame = names.get(op.parent_op() or module, "")
        text = (op.name, *details_of(op))
        boxes.append(Box(name, text, kind_of(op), frame, place_of(op).line))
        if op.regions:
            frames.append(Frame(name, " ".join(text), frame))
        lines += [line_of(value, names[owner], name)
                  for value in op.operands if (owner := owner_of(value)) in names]  # fmt: skip
        lines += [line_of(value, name, names[user]) for value, user in argument_uses(op)]
    return Picture(title, tuple(frames), tuple(boxes), tuple(lines))


def owner_of(value: SSAValue) -> Operation | None:
    """The operation that makes a value; None of an argument of a block."""
    return value.owner if isinstance(value.owner, Operation) else None


def argument_uses(op: Operation) -> Iterator[tuple[SSAValue, Operation]]:
    """The arguments of the operation's own blocks, each with every operation that reads it."""
    blocks: list[Block] = [block for region in op.regions for block in blocks_of(region)]
    for block in blocks:
        for argument in block.args:
            yield from ((argument, use.operation) for use in argument.uses)


def blocks_of(region: Region) -> list[Block]:
    """The blocks of a region."""
    return list(region.blocks)


def line_of(value: SSAValue, source: str, target: str) -> Line:
    """One use of a value."""
    is_control = isinstance(value.type, NoneType)
    return Line(source, target, value.name_hint or "", str(value.type), is_control)


def details_of(op: Operation) -> Iterator[str]:
    """What a box says besides the name of the operation."""
    for name in STATES:
        found = op.properties.get(name, op.attributes.get(name))
        if isinstance(found, IntegerAttr):
            yield f"{name} = {found.value.data}"
        elif isinstance(found, StringAttr):
            yield found.data
        elif found is not None:
            yield f"{name} = {found}"


def kind_of(op: Operation) -> Kind:
    """What an operation does."""
    dialect, _, word = op.name.partition(".")
    if dialect == "memref" or word in ("memory", "extmemory", "chanmemory", "load", "store"):
        return "memory"
    if op.name == "handshake.buffer":
        return "buffer"
    row = CATALOGUE.get(op.name)
    is_computed = row is not None and row.semantics.meaning is not None
    return "compute" if is_computed or op.name == "arith.constant" else "steer"
