"""Affine loops, branches, accesses and maps become scf, memref and arith.

Source: MLIR's documentation of the affine dialect: floordiv rounds down, ceildiv up, mod is never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from loom.lower.arithmetic import Arithmetic, Number, replace
from loom.lower.options import Options

PREDICATES = {
    AffineConstraintKind.eq: "eq",
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
}


def lower_affine(module: ModuleOp, options: Options) -> None:
    """No operation of the affine dialect is left."""
    for op in list(module.walk()):
        if isinstance(op, affine.ForOp):
            lower_for(op)
        elif isinstance(op, affine.IfOp):
            lower_if(op)
        elif isinstance(op, affine.YieldOp):
            put(op, scf.YieldOp(*op.arguments))
        elif isinstance(op, affine.ApplyOp):
            arithmetic = Arithmetic(op)
            (number,) = results(arithmetic, op.map.data, op.mapOperands)
            replace(op, arithmetic.value(number))
        elif isinstance(op, affine.MinOp):
            arithmetic = Arithmetic(op)
            replace(op, arithmetic.value(least(arithmetic, op.map.data, op.arguments)))
        elif isinstance(op, affine.LoadOp):
            put(op, memref.LoadOp.get(op.memref, indices(op)))
        elif isinstance(op, affine.StoreOp):
            put(op, memref.StoreOp.get(op.value, op.memref, indices(op)))


def put(op: Operation, new: Operation) -> None:
    """`new` stands in place of `op`, with its plain attributes."""
    new.attributes.update(op.attributes)
    Arithmetic(op).put(new)
    replace(op, *new.results)


def indices(op: affine.LoadOp | affine.StoreOp) -> list[SSAValue]:
    """The indices of an access as values before it."""
    arithmetic = Arithmetic(op)
    return [arithmetic.value(n) for n in results(arithmetic, op.map.data, op.indices)]


def lower_for(op: affine.ForOp) -> None:
    """A loop from the greatest lower bound to the least upper bound."""
    arithmetic = Arithmetic(op)
    lower = results(arithmetic, op.lowerBoundMap.data, op.lowerBoundOperands)
    start = reduce(lambda a, b: arithmetic.binary(arith.MaxSIOp, a, b), lower)
    end = least(arithmetic, op.upperBoundMap.data, op.upperBoundOperands)
    step = int(op.step.value.data)
    bounds = [arithmetic.value(number) for number in (start, end, step)]
    put(op, scf.ForOp(bounds[0], bounds[1], bounds[2], op.inits, op.detach_region(op.body)))


def lower_if(op: affine.IfOp) -> None:
    """A branch that is taken where every constraint holds."""
    arithmetic = Arithmetic(op)
    set_ = op.condition.data
    tests: list[SSAValue] = []
    for constraint in set_.constraints:
        lhs, rhs = (
            evaluate(arithmetic, side, op.args[: set_.num_dims], op.args[set_.num_dims :])
            for side in (constraint.lhs, constraint.rhs)
        )
        tests.append(arithmetic.compare(PREDICATES[constraint.kind], lhs, rhs))
    condition = (
        reduce(lambda a, b: arithmetic.binary(arith.AndIOp, a, b), tests)
        if tests
        else arithmetic.constant(1, IntegerType(1))
    )
    then, otherwise = [op.detach_region(region) for region in list(op.regions)]
    put(op, scf.IfOp(condition, op.result_types, then, otherwise))


def least(arithmetic: Arithmetic, map_: AffineMap, operands: Sequence[SSAValue]) -> Number:
    """The least of the map's results."""
    numbers = results(arithmetic, map_, operands)
    return reduce(lambda a, b: arithmetic.binary(arith.MinSIOp, a, b), numbers)


def results(arithmetic: Arithmetic, map_: AffineMap, operands: Sequence[SSAValue]) -> list[Number]:
    """The map's results for these operands: dimensions first, then symbols."""
    dimensions, symbols = operands[: map_.num_dims], operands[map_.num_dims :]
    return [evaluate(arithmetic, result, dimensions, symbols) for result in map_.results]


def evaluate(
    arithmetic: Arithmetic,
    expression: AffineExpr,
    dimensions: Sequence[SSAValue],
    symbols: Sequence[SSAValue],
) -> Number:
    """The expression's value."""
    if isinstance(expression, AffineConstantExpr):
        return expression.value
    if isinstance(expression, AffineDimExpr):
        return arithmetic.number(dimensions[expression.position])
    if isinstance(expression, AffineSymExpr):
        return arithmetic.number(symbols[expression.position])
    assert isinstance(expression, AffineBinaryOpExpr)
    lhs = evaluate(arithmetic, expression.lhs, dimensions, symbols)
    negated = negated_of(expression.rhs)
    if expression.kind is AffineBinaryOpKind.Add and negated is not None:
        # What the text writes as a difference is a sum with a product by -1.
        return arithmetic.subtract(lhs, evaluate(arithmetic, negated, dimensions, symbols))
    rhs = evaluate(arithmetic, expression.rhs, dimensions, symbols)
    if expression.kind is AffineBinaryOpKind.Add:
        return arithmetic.add(lhs, rhs)
    if expression.kind is AffineBinaryOpKind.Mul:
        return arithmetic.multiply(lhs, rhs)
    if expression.kind is AffineBinaryOpKind.Mod:
        return arithmetic.modulo(lhs, rhs)
    if expression.kind is AffineBinaryOpKind.FloorDiv:
        return arithmetic.floor_divide(lhs, rhs)
    return arithmetic.ceil_divide(lhs, rhs)


def negated_of(expression: AffineExpr) -> AffineExpr | None:
    """x if the expression is ``x * -1``, else None."""
    if (
        isinstance(expression, AffineBinaryOpExpr)
        and expression.kind is AffineBinaryOpKind.Mul
        and isinstance(expression.rhs, AffineConstantExpr)
        and expression.rhs.value == -1
    ):
        return expression.lhs
    return None
