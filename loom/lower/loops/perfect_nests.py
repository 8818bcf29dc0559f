"""Perfect loop nests: a loop whose body is another loop and pure operations before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.errors import LoomError
from loom.lower.scalar.arith_builder import Arithmetic


@dataclass(frozen=True)
class Nest:
    """`inner` stands in `outer`, with nothing but pure operations before it."""

    outer: scf.ForOp
    pure: tuple[Operation, ...]
    inner: scf.ForOp


def match_perfect_nest(loop: Operation, request: str) -> Nest:
    """The nest that begins with the loop; refused is a loop that holds something else (LOWER_LOOP).

    `request` names the transformation: "flattened", "interchanged".
    """
    what = f"a loop to be {request} that does not count"
    if not isinstance(loop, scf.ForOp):
        raise LoomError("LOWER_LOOP", place_of(loop), what, "counted loops in each other")
    loops = [op for op in loop.body.block.ops if isinstance(op, scf.ForOp)]
    others = [op for op in loop.body.block.ops if not is_pure(op)]
    accepted = "a loop with one counted loop in it and nothing else that accesses or decides"
    if len(loops) != 1 or others != [loops[0], loop.body.block.last_op]:
        wrong = next((op for op in others if op not in loops[:1]), loop)
        what = f"a loop to be {request} with more in it than a loop"
        if not loops:
            what = f"a loop to be {request} without a loop in it"
        raise LoomError("LOWER_LOOP", place_of(wrong if loops else loop), what, accepted)
    pure = tuple(op for op in loop.body.block.ops if op not in others)
    return Nest(loop, pure, loops[0])


def is_pure(op: Operation) -> bool:
    """True if the operation may as well stand in the inner loop."""
    row = find(op.name)
    held = isinstance(op, arith.ConstantOp | memref.GetGlobalOp)
    return held or (row is not None and row.semantics.meaning is not None)


def hoist_values(nest: Nest, values: Sequence[SSAValue], request: str) -> list[SSAValue]:
    """The values as they are before the nest; refused if they change with the outer loop."""
    made: dict[SSAValue, SSAValue] = {}
    before = Arithmetic(nest.outer)

    def outside(value: SSAValue) -> SSAValue:
        owner = value.owner
        if value in made or not nest.outer.is_ancestor(owner_of(value)):
            return made.get(value, value)
        if not isinstance(owner, Operation):
            what = f"a loop to be {request} whose inner loop's bounds change with it"
            accepted = "bounds that are the same in all iterations of the outer loop"
            raise LoomError("LOWER_LOOP", place_of(nest.inner), what, accepted)
        copy = owner.clone({operand: outside(operand) for operand in owner.operands})
        before.put(copy)
        for old, new in zip(owner.results, copy.results, strict=True):
            made[old] = new
        return made[value]

    return [outside(value) for value in values]


def owner_of(value: SSAValue) -> Operation:
    """The operation that makes the value, or the one whose block's argument it is."""
    if isinstance(value.owner, Operation):
        return value.owner
    holder = value.owner.parent_op()
    assert holder is not None
    return holder
