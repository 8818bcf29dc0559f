"""Parallel loops become nests of sequential loops, the last dimension innermost."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue

from loom.dialects.ops.affine_more import ParallelOp
from loom.dialects.ops.atomic_kinds import KINDS
from loom.dialects.ops.scf_more import ForallOp
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, integer_type, replace
from loom.lower.structure.move_blocks import move_before

INDEX = IndexType()
Make = Callable[[Sequence[SSAValue], Block], Operation]
"""From the values that a loop starts with and its body to the loop."""


def serialize_parallel(module: ModuleOp, options: Options) -> None:
    """No scf.parallel, scf.forall or affine.parallel is left."""
    for op in list(module.walk()):
        if isinstance(op, scf.ParallelOp):
            serialize_scf_parallel(op)
        elif isinstance(op, ForallOp):
            serialize_forall(op)
        elif isinstance(op, ParallelOp):
            serialize_affine_parallel(op, options.index_width)


def serialize_scf_parallel(op: scf.ParallelOp) -> None:
    """A nest of scf.for that carries the results."""

    def dimension(low: SSAValue, high: SSAValue, step: SSAValue) -> Make:
        return lambda initial, body: scf.ForOp(low, high, step, initial, body)

    dimensions = list(map(dimension, op.lowerBound, op.upperBound, op.step))
    end = op.body.block.last_op
    assert isinstance(end, scf.ReduceOp)
    innermost, carried = build_nest(op, dimensions, list(op.initVals), op.body.block, scf.YieldOp)
    values: list[SSAValue] = []
    for region, old, new in zip(end.reductions, carried, list(end.args), strict=True):
        values += move_before(region.block, end, [old, new])
    replace_terminator(innermost, end, scf.YieldOp(*values))


def serialize_forall(op: ForallOp) -> None:
    """A nest of scf.for."""
    arithmetic = Arithmetic(op)

    def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[SSAValue]:
        operands = iter(dynamic)
        return [
            next(operands) if number == DYNAMIC_INDEX else arithmetic.constant(number)
            for number in static
        ]

    lower = mixed(op.static_lower.get_values(), op.lower)
    upper = mixed(op.static_upper.get_values(), op.upper)
    step = mixed(op.static_step.get_values(), op.step)

    def dimension(low: SSAValue, high: SSAValue, step: SSAValue) -> Make:
        return lambda initial, body: scf.ForOp(low, high, step, initial, body)

    end = op.body.block.last_op
    assert end is not None
    dimensions = list(map(dimension, lower, upper, step))
    innermost, _ = build_nest(op, dimensions, [], op.body.block, scf.YieldOp)
    replace_terminator(innermost, end, scf.YieldOp())


def serialize_affine_parallel(op: ParallelOp, index_width: int) -> None:
    """A nest of affine.for that carries the results from the reductions' neutral values on."""
    lower, lower_operands, upper, upper_operands = op.bounds()
    kinds = [KINDS[kind.value.data] for kind in op.reductions]
    initial: list[SSAValue] = []
    for kind, result in zip(kinds, op.res, strict=True):
        assert kind.identity is not None
        type_ = integer_type(result.type)
        neutral = kind.identity(width_of(type_, index_width))
        initial.append(Arithmetic(op).constant(neutral, type_))

    def dimension(k: int) -> Make:
        def make(values: Sequence[SSAValue], body: Block) -> Operation:
            return affine.ForOp.from_region(
                lower_operands,
                upper_operands,
                list(values),
                [value.type for value in values],
                AffineMapAttr(lower[k]),
                AffineMapAttr(upper[k]),
                Region(body),
                IntegerAttr(op.steps.data[k].value.data, INDEX),
            )

        return make

    end = op.body.block.last_op
    assert end is not None
    dimensions = [dimension(k) for k in range(len(lower))]
    innermost, carried = build_nest(op, dimensions, initial, op.body.block, affine.YieldOp.get)
    before = Arithmetic(end)
    values: list[SSAValue] = []
    for kind, old, new in zip(kinds, carried, list(end.operands), strict=True):
        assert kind.operation is not None
        values.append(before.binary(kind.operation, old, new))
    replace_terminator(innermost, end, affine.YieldOp.get(*values))


def build_nest(
    op: Operation,
    dimensions: Sequence[Make],
    initial: list[SSAValue],
    body: Block,
    yielding: Callable[..., Operation],
) -> tuple[Block, list[SSAValue]]:
    """The loops stand in place of `op`, the body's operations in the innermost one.

    Returned are the innermost block, whose terminator is still the body's, and the values that
    its iteration starts from. Without dimensions the body runs once.
    """
    types = [value.type for value in initial]
    outer: Block | None = None
    carried, results = initial, initial
    if not dimensions:
        dimensions = [single_iteration(op)]
        body.insert_arg(INDEX, 0)
    for make, index in zip(dimensions, list(body.args), strict=True):
        inner = Block(arg_types=[INDEX, *types])
        inner.args[0].name_hint = index.name_hint
        inner.args[0].location = index.location
        index.replace_all_uses_with(inner.args[0])
        loop = make(carried, inner)
        loop.location = op.location
        if outer is None:
            Arithmetic(op).put(loop)
            results = list(loop.results)
        else:
            end = yielding(*loop.results)
            end.location = op.location
            outer.add_ops([loop, end])
        outer, carried = inner, list(inner.args[1:])
    assert outer is not None
    for inner_op in list(body.ops):
        inner_op.detach()
        outer.add_op(inner_op)
    replace(op, *results)
    return outer, carried


def single_iteration(op: Operation) -> Make:
    """A loop that runs one time."""
    low, high = Arithmetic(op).constant(0), Arithmetic(op).constant(1)
    return lambda initial, body: scf.ForOp(low, high, high, initial, body)


def replace_terminator(block: Block, end: Operation, new: Operation) -> None:
    """The block ends in `new`, not in `end`."""
    new.location = end.location
    block.insert_op_before(new, end)
    end.detach()
    end.erase()
