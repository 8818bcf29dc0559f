"""Consecutive iterations of a loop: copies of its body."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from xdsl.dialects import arith, scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.loop_attributes import UNROLLED, is_unsigned
from loom.lower.scalar.arith_builder import Arithmetic, exponent_of, integer_type, replace


def copy_iteration(
    anchor: Operation, loop: scf.ForOp, index: SSAValue, carried: Sequence[SSAValue]
) -> list[SSAValue]:
    """The values that an iteration with this index yields; its copy stands before the anchor."""
    body, place = loop.body.block, anchor.parent
    assert place is not None
    known: dict[SSAValue, SSAValue] = dict(zip(body.args, chain([index], carried), strict=True))
    for op in body.ops:
        if isinstance(op, scf.YieldOp):
            return [known.get(value, value) for value in op.operands]
        place.insert_op_before(op.clone(known), anchor)
    raise AssertionError("a body ends in a yield")


def copy_iterations(
    loop: scf.ForOp, indices: Sequence[int], carried: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """The values that the last of these iterations yields; their copies stand before the loop."""
    arithmetic, type_ = Arithmetic(loop), integer_type(loop.lb.type)
    for index in indices:
        carried = copy_iteration(loop, loop, arithmetic.constant(index, type_), carried)
    mark_unrolled(loop)
    return carried


def mark_unrolled(op: Operation) -> None:
    """The loop or function closest around the operation is known to hold copies."""
    holder = op.parent_op()
    while not isinstance(holder, scf.ForOp | scf.WhileOp | FuncOp):
        assert holder is not None
        holder = holder.parent_op()
    UNROLLED.put(holder, True)


def unroll_fully(loop: scf.ForOp, indices: range) -> None:
    """The loop is fully unrolled."""
    replace(loop, *copy_iterations(loop, indices, loop.iter_args))


def unroll_known_trip_count(loop: scf.ForOp, indices: range, factor: int) -> None:
    """The loop is unrolled by `factor`; an epilogue runs the iterations that are left.

    There are more than `factor` iterations; its product with the step fits in a signed number of
    the index's type.
    """
    whole = len(indices) // factor * factor
    arithmetic, type_ = Arithmetic(loop), integer_type(loop.lb.type)
    first, rest = indices[:whole], indices[whole:]
    results: Sequence[SSAValue] = loop.iter_args
    if whole == factor:
        results = copy_iterations(loop, first, results)
    else:
        # With nothing left, the index after the last may be none of its type: the bound is.
        high = arithmetic.constant(rest.start, type_) if rest else loop.ub
        results = UnrolledLoop(loop, factor, indices.step).put(loop.lb, high, results)
    if len(rest) == 1:
        results = copy_iterations(loop, rest, results)
    elif rest:
        results = copy_loop(loop, arithmetic.constant(rest.start, type_), results)
    replace(loop, *results)


def unroll_unknown_trip_count(loop: scf.ForOp, step: int, factor: int) -> None:
    """As `unroll_known_trip_count`, where the bounds of the loop are known when it runs."""
    arithmetic, type_ = Arithmetic(loop), integer_type(loop.lb.type)
    unrolled = UnrolledLoop(loop, factor, step)
    low, high = loop.lb, loop.ub
    runs = arithmetic.compare("ult" if is_unsigned(loop) else "slt", low, high)
    distance = arithmetic.binary(arith.SubiOp, high, low)  # exact as an unsigned number
    if step == 1 and exponent_of(factor) is not None:
        mask = arithmetic.constant(-factor, type_)
        whole = arithmetic.binary(arith.AndIOp, distance, mask)
        end = arithmetic.select(runs, arithmetic.binary(arith.AddiOp, low, whole), low)
        results = unrolled.put(low, end, loop.iter_args)
        replace(loop, *copy_loop(loop, end, results))
        return
    span = arithmetic.constant((factor - 1) * step, type_)
    room = arithmetic.compare("ugt", distance, span)
    both = arithmetic.binary(arith.AndIOp, runs, room)
    end = arithmetic.select(both, arithmetic.binary(arith.SubiOp, high, span), low)
    *results, reached = unrolled.put(low, end, [*loop.iter_args, low], carries_index=True)
    replace(loop, *copy_loop(loop, reached, results))


class UnrolledLoop:
    """A loop unrolled by `factor`, with `step` between two iterations."""

    def __init__(self, loop: scf.ForOp, factor: int, step: int) -> None:
        self.loop, self.factor, self.step = loop, factor, step
        self.type = integer_type(loop.lb.type)

    def put(
        self,
        low: SSAValue,
        high: SSAValue,
        starts: Sequence[SSAValue],
        *,
        carries_index: bool = False,
    ) -> Sequence[SSAValue]:
        """The loop stands before the other one; its results.

        If it `carries_index`, the last carried value is the index of the next iteration, the bound
        of the other loop if there is none.
        """
        end = scf.YieldOp()
        body = Block([end], arg_types=[self.loop.lb.type, *(value.type for value in starts)])
        for old, new in zip(self.loop.body.block.args, body.args, strict=False):
            new.name_hint, new.location = old.name_hint, old.location
        before, inside = Arithmetic(self.loop), Arithmetic(end)
        end.location = self.loop.location
        index = body.args[0]
        carried: Sequence[SSAValue] = body.args[1 : 1 + len(self.loop.iter_args)]
        for iteration in range(self.factor):
            offset = inside.constant(iteration * self.step, self.type) if iteration else None
            here = index if offset is None else inside.binary(arith.AddiOp, index, offset)
            carried = copy_iteration(end, self.loop, here, carried)
        following = [self.next_index(inside, index)] if carries_index else []
        end.operands = [*carried, *following]
        step = before.constant(self.factor * self.step, self.type)
        made = scf.ForOp(low, high, step, starts, body)
        made.attributes.update(self.loop.attributes)
        made.properties.update(self.loop.properties)
        UNROLLED.put(made, True)
        before.put(made)
        return made.results

    def next_index(self, inside: Arithmetic, index: SSAValue) -> SSAValue:
        """The index after these iterations, or the bound where that comes first."""
        stride = inside.constant(self.factor * self.step, self.type)
        following = inside.binary(arith.AddiOp, index, stride)
        if self.step == 1:
            return following
        left = inside.binary(arith.SubiOp, self.loop.ub, index)  # exact as an unsigned number
        is_last = inside.compare("ule", left, stride)
        return inside.select(is_last, self.loop.ub, following)


def copy_loop(loop: scf.ForOp, low: SSAValue, starts: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """The results of the loop from another index on, which stands before it."""
    made = loop.clone()
    made.operands = [low, loop.ub, loop.step, *starts]
    Arithmetic(loop).put(made)
    return made.results
