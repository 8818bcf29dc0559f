"""Whether iterations of an outer loop may take turns in the loop in it.

Entries of the inner loop are then interleaved: the first iteration of several entries, then the
second of each, and so on; what is before and after the inner loop stays in order. That changes
nothing if no entry waits for what an earlier one gives: by a value that the outer loop carries, or
by memory. The order of accesses that are both before the inner loop, or both behind it, is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses
from loom.analysis.program.memory_dependence import Dependences

BEFORE, INSIDE, BEHIND = 0, 1, 2
"""Where an operation of the outer loop's body stands, seen from the inner loop."""


def find_dependence(
    outer: scf.ForOp, inner: scf.ForOp, accesses: Accesses, known: Dependences
) -> tuple[Operation, Operation] | None:
    """Two accesses, one of an iteration of `outer` and one of a later one, that keep `inner` in
    order; None if there are none."""
    found = list(accesses_in(outer, inner, accesses))
    same = len(found[0][1].loops) - depth_below(found[0][2], outer) if found else 0
    for place, first, operation in found:
        for other_place, second, other in found:
            in_order = place == other_place != INSIDE or (place, other_place) == (BEFORE, BEHIND)
            if in_order or first.root != second.root:
                continue
            if known.distance(first, second, same) is not None:
                return operation, other
    return None


def accesses_in(
    outer: scf.ForOp, inner: scf.ForOp, accesses: Accesses
) -> Iterator[tuple[int, Access, Operation]]:
    """The accesses of the outer loop, and where each stands."""
    place = BEFORE
    for operation in outer.body.block.ops:
        if operation is inner:
            place = BEHIND
        for op in operation.walk():
            if isinstance(op, memref.LoadOp | memref.StoreOp):
                access = accesses.access_of(op)
                assert access is not None
                yield INSIDE if operation is inner else place, access, op


def depth_below(operation: Operation, outer: scf.ForOp) -> int:
    """How many loops are around the operation, down from `outer`."""
    depth, holder = 0, operation.parent_op()
    while holder is not None and holder is not outer:
        depth += isinstance(holder, scf.ForOp | scf.WhileOp)
        holder = holder.parent_op()
    return depth + 1


def find_carried_value(outer: scf.ForOp, inner: scf.ForOp) -> SSAValue | None:
    """A value that `outer` carries from the inner loop's results to what the inner loop takes."""
    body, end = outer.body.block, outer.body.block.last_op
    assert end is not None
    made: set[SSAValue] = set(inner.results)
    carried: list[SSAValue] = []
    changed = True
    while changed:
        changed = False
        for operation in body.ops:
            if operation is inner or operation is end:
                continue
            if not made.issuperset(operation.results) and reads(operation, made):
                made.update(operation.results)
                changed = True
        for argument, back in zip(body.args[1:], end.operands, strict=True):
            if back in made and argument not in made:
                made.add(argument)
                carried.append(argument)
                changed = True
    return next((each for each in carried if reads(inner, depends_on(each, body, inner))), None)


def depends_on(value: SSAValue, body: Block, inner: Operation) -> set[SSAValue]:
    """The value, and what the operations before `inner` make of it."""
    made = {value}
    for operation in body.ops:
        if operation is inner:
            break
        if reads(operation, made):
            made.update(operation.results)
    return made


def reads(operation: Operation, values: set[SSAValue]) -> bool:
    """True if the operation, or one in it, reads one of the values."""
    return any(operand in values for op in operation.walk() for operand in op.operands)
