"""Affine loops, branches, accesses and maps become scf, memref and arith.

Source: MLIR's documentation of the affine dialect: floordiv rounds down, ceildiv up, mod is never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerType, ModuleOp
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

from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.ops.affine_more import DelinearizeIndexOp, ExtremeOp, LinearizeIndexOp, MaxOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, Number, replace

PREDICATES = {
    AffineConstraintKind.eq: "eq",
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
}


def lower_affine(module: ModuleOp, options: Options) -> None:
    """No operation of the affine dialect is left."""
    for op in list(module.walk()):
        if isinstance(op, affine.ForOp):
            lower_for(op, options.index_width)
        elif isinstance(op, affine.IfOp):
            lower_if(op, options.index_width)
        elif isinstance(op, affine.YieldOp):
            put(op, scf.YieldOp(*op.arguments))
        elif isinstance(op, affine.ApplyOp):
            maps = Maps(op, options.index_width)
            (number,) = maps.results(op.map.data, op.mapOperands)
            replace(op, maps.value(number))
        elif isinstance(op, ExtremeOp):
            maps = Maps(op, options.index_width)
            class_ = arith.MaxSIOp if isinstance(op, MaxOp) else arith.MinSIOp
            replace(op, maps.value(maps.extreme(class_, op.map.data, op.arguments)))
        elif isinstance(op, affine.LoadOp):
            maps = Maps(op, options.index_width)
            load = memref.LoadOp.get(op.memref, maps.values(op.map.data, op.indices))
            MEMORY_ORDER.copy(op, load)
            put(op, load)
        elif isinstance(op, affine.StoreOp):
            maps = Maps(op, options.index_width)
            places = maps.values(op.map.data, op.indices)
            store = memref.StoreOp.get(op.value, op.memref, places)
            MEMORY_ORDER.copy(op, store)
            put(op, store)
        elif isinstance(op, DelinearizeIndexOp):
            delinearize(op)
        elif isinstance(op, LinearizeIndexOp):
            linearize(op)


def put(op: Operation, new: Operation) -> None:
    """`new` stands in place of `op`, with its plain attributes."""
    new.attributes.update(op.attributes)
    Arithmetic(op).put(new)
    replace(op, *new.results)


def lower_for(op: affine.ForOp, index_width: int) -> None:
    """A loop from the greatest lower bound to the least upper bound."""
    maps = Maps(op, index_width)
    start = maps.extreme(arith.MaxSIOp, op.lowerBoundMap.data, op.lowerBoundOperands)
    end = maps.extreme(arith.MinSIOp, op.upperBoundMap.data, op.upperBoundOperands)
    step = int(op.step.value.data)
    bounds = [maps.value(number) for number in (start, end, step)]
    put(op, scf.ForOp(bounds[0], bounds[1], bounds[2], op.inits, op.detach_region(op.body)))


def lower_if(op: affine.IfOp, index_width: int) -> None:
    """A branch that is taken where every constraint holds."""
    maps = Maps(op, index_width)
    set_ = op.condition.data
    tests: list[SSAValue] = []
    for constraint in set_.constraints:
        lhs, rhs = (
            maps.evaluate(side, op.args[: set_.num_dims], op.args[set_.num_dims :])
            for side in (constraint.lhs, constraint.rhs)
        )
        tests.append(maps.compare(PREDICATES[constraint.kind], lhs, rhs))
    condition = (
        reduce(lambda a, b: maps.binary(arith.AndIOp, a, b), tests)
        if tests
        else maps.constant(1, IntegerType(1))
    )
    then, otherwise = [op.detach_region(region) for region in list(op.regions)]
    put(op, scf.IfOp(condition, op.result_types, then, otherwise))


def delinearize(op: DelinearizeIndexOp) -> None:
    """Remainders from the last on; the first result is what is left."""
    arithmetic = Arithmetic(op)
    rest = arithmetic.number(op.linear_index)
    found: list[Number] = []
    inner = len(op.multi_index) - 1
    for number in reversed(basis_of(arithmetic, op, inner)):
        found.append(arithmetic.modulo(rest, number))
        rest = arithmetic.floor_divide(rest, number)
    replace(op, *(arithmetic.value(number) for number in (rest, *reversed(found))))


def linearize(op: LinearizeIndexOp) -> None:
    """Each sum so far times the next number of the basis, plus the next index."""
    arithmetic = Arithmetic(op)
    total: Number = 0
    numbers = [1, *basis_of(arithmetic, op, max(len(op.multi_index) - 1, 0))]
    for index, number in zip(op.multi_index, numbers, strict=False):
        total = arithmetic.add(arithmetic.multiply(total, number), arithmetic.number(index))
    replace(op, arithmetic.value(total))


def basis_of(
    arithmetic: Arithmetic, op: DelinearizeIndexOp | LinearizeIndexOp, count: int
) -> list[Number]:
    """The last `count` numbers of the basis: one before that bounds an index, no more."""
    dynamic = iter(op.dynamic_basis)
    numbers = [
        arithmetic.number(next(dynamic)) if number == DYNAMIC_INDEX else number
        for number in op.static_basis.get_values()
    ]
    return numbers[len(numbers) - count :]


class Maps(Arithmetic):
    """Values of affine maps before an operation; constants wrap around as the circuit's indices."""

    def __init__(self, anchor: Operation, index_width: int) -> None:
        super().__init__(anchor)
        self.half = 1 << (index_width - 1)

    def extreme(
        self,
        class_: type[arith.SignlessIntegerBinaryOperation],
        map_: AffineMap,
        operands: Sequence[SSAValue],
    ) -> Number:
        """The least or the largest of the map's results."""
        return reduce(lambda a, b: self.binary(class_, a, b), self.results(map_, operands))

    def values(self, map_: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """The map's results as values."""
        return [self.value(number) for number in self.results(map_, operands)]

    def results(self, map_: AffineMap, operands: Sequence[SSAValue]) -> list[Number]:
        """The map's results for these operands: dimensions first, then symbols."""
        dimensions, symbols = operands[: map_.num_dims], operands[map_.num_dims :]
        return [self.evaluate(result, dimensions, symbols) for result in map_.results]

    def evaluate(
        self, expression: AffineExpr, dimensions: Sequence[SSAValue], symbols: Sequence[SSAValue]
    ) -> Number:
        """The expression's value; a constant is a signed index."""
        number = self._evaluate(expression, dimensions, symbols)
        if isinstance(number, int):
            return (number + self.half) % (2 * self.half) - self.half
        return number

    def _evaluate(
        self, expression: AffineExpr, dimensions: Sequence[SSAValue], symbols: Sequence[SSAValue]
    ) -> Number:
        if isinstance(expression, AffineConstantExpr):
            return expression.value
        if isinstance(expression, AffineDimExpr):
            return self.number(dimensions[expression.position])
        if isinstance(expression, AffineSymExpr):
            return self.number(symbols[expression.position])
        assert isinstance(expression, AffineBinaryOpExpr)
        lhs = self.evaluate(expression.lhs, dimensions, symbols)
        negated = negated_of(expression.rhs)
        if expression.kind is AffineBinaryOpKind.Add and negated is not None:
            # What the text writes as a difference is a sum with a product by -1.
            return self.subtract(lhs, self.evaluate(negated, dimensions, symbols))
        rhs = self.evaluate(expression.rhs, dimensions, symbols)
        if expression.kind is AffineBinaryOpKind.Add:
            return self.add(lhs, rhs)
        if expression.kind is AffineBinaryOpKind.Mul:
            return self.multiply(lhs, rhs)
        if expression.kind is AffineBinaryOpKind.Mod:
            return self.modulo(lhs, rhs)
        if expression.kind is AffineBinaryOpKind.FloorDiv:
            return self.floor_divide(lhs, rhs)
        return self.ceil_divide(lhs, rhs)


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
