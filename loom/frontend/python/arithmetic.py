"""Operators on values: NumPy's types and results, bit for bit, or a refusal."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loom.dialects.ops.float_ops import RemFOp
from loom.errors import Place
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import Apply, Compare, Expression, Number, Relation
from loom.frontend.imperative.types import TRUTH, Float, Int, Type
from loom.frontend.python.operators import (
    BINARY,
    BITWISE,
    COMPARISONS,
    SHIFTS,
    SIGNS,
    UNARY,
    compute_constant,
    find_operations,
    is_within_width,
)
from loom.frontend.python.scope import Scope
from loom.frontend.python.types import (
    BOOL,
    FLOAT64,
    PY_BOOL,
    PY_FLOAT,
    PY_INT,
    Scalar,
    find_covering_type,
    promote_types,
)
from loom.frontend.python.values import Value, adapt_value, encode_float, make_constant

OF_FLOATS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)
"""Operators, besides the true division, that floats have."""
MOST_POWER = 64
"""The largest exponent that becomes multiplications."""


@dataclass
class Arithmetic:
    """Applies operators to values; temporaries are written into the scope."""

    scope: Scope

    def apply_binary(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Value:
        """The value of an operator of two operands."""
        place = self.scope.locate(node)
        if left.known is not None and right.known is not None and kind in BINARY:
            known = compute_constant(kind, left.known, right.known, place)
            return make_constant(known, place)
        if kind not in BINARY:
            what, accepted = "a product of matrices", "loops over the elements"
            self.scope.refuse(node, "PY_EXPRESSION", what, accepted)
        if kind is ast.Div:
            return self.divide_floats(left, right, node)
        scalar = self.find_operand_type(kind, left, right, node)
        if kind is ast.Pow:
            return self.expand_power(left, right, node)
        first, second = adapt_value(left, scalar), adapt_value(right, scalar)
        if kind in SHIFTS:
            return Value(self.build_shift(kind, first, second, node), scalar)
        if kind in (ast.FloorDiv, ast.Mod):
            divide = self.divide_floored if scalar.rank == 2 else self.divide_integers
            return Value(divide(kind, first, second, node), scalar)
        operation = find_operations(scalar.type)[kind]
        sides = (first.expression, second.expression)
        return Value(Apply(scalar.type, place, operation, sides), scalar)

    def find_operand_type(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Scalar:
        """The type that NumPy computes in; refused where it has no such operator."""
        scalar = promote_types(left.scalar, right.scalar)
        both = f"{left.scalar.name} {SIGNS[kind]} {right.scalar.name}"
        if kind in BITWISE and left.scalar.rank == right.scalar.rank == 0:
            return PY_BOOL if left.scalar.is_weak and right.scalar.is_weak else BOOL
        if scalar.rank == 2 and kind not in OF_FLOATS:
            accepted = "integers; x * x"
            if left.scalar.rank < 2 and right.scalar.rank < 2:
                accepted = "integers with a common type in NumPy; a cast of one of them"
            self.scope.refuse(node, "PY_TYPE", both, accepted)
        if scalar.rank == 0 and kind not in (ast.Add, ast.Mult):
            self.scope.refuse(node, "PY_TYPE", both, "numbers; np.int32(flag)")
        return scalar

    def divide_floats(self, left: Value, right: Value, node: ast.AST) -> Value:
        """A true division, which gives a float."""
        scalar = promote_types(left.scalar, right.scalar)
        if scalar.rank < 2:
            scalar = PY_FLOAT if scalar.is_weak else FLOAT64
        sides = (adapt_value(left, scalar).expression, adapt_value(right, scalar).expression)
        return Value(Apply(scalar.type, self.scope.locate(node), arith.DivfOp, sides), scalar)

    def divide_floored(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """A quotient of floats rounded down, or its remainder, step by step as NumPy has them.

        The remainder has the sign of the divisor. The quotient is that of what the remainder leaves
        of the dividend, which is nearly whole. By 0 it is the quotient itself, as of a division.
        """
        place, type_, hold = (
            self.scope.locate(node),
            left.scalar.type,
            self.scope.body.hold_expression,
        )
        zero, one = make_float(0.0, type_, place), make_float(1.0, type_, place)

        def apply(operation: type[Operation], *operands: Expression) -> Expression:
            return hold(Apply(type_, place, operation, operands))

        def choose(condition: Expression, first: Expression, second: Expression) -> Expression:
            return apply(arith.SelectOp, condition, first, second)

        def compare(relation: Relation, first: Expression, second: Expression) -> Expression:
            return hold(Compare(place, relation, first, second))

        dividend, divisor = hold(left.expression), hold(right.expression)
        rest = apply(RemFOp, dividend, divisor)
        signs = (compare(Relation.LT, each, zero) for each in (divisor, rest))
        differ = hold(Apply(TRUTH, place, arith.XOrIOp, tuple(signs)))
        is_some = compare(Relation.NE, rest, zero)
        is_moved = hold(Apply(TRUTH, place, arith.AndIOp, (differ, is_some)))
        if kind is ast.Mod:
            moved = choose(is_moved, apply(arith.AddfOp, rest, divisor), rest)
            return choose(is_some, moved, apply(math.CopySignOp, zero, divisor))
        quotient = apply(arith.DivfOp, apply(arith.SubfOp, dividend, rest), divisor)
        quotient = choose(is_moved, apply(arith.SubfOp, quotient, one), quotient)
        below = apply(math.FloorOp, quotient)
        far = compare(
            Relation.GT, apply(arith.SubfOp, quotient, below), make_float(0.5, type_, place)
        )
        nearest = choose(far, apply(arith.AddfOp, below, one), below)
        exact = apply(arith.DivfOp, dividend, divisor)
        no_quotient = compare(Relation.EQ, quotient, zero)
        found = choose(no_quotient, apply(math.CopySignOp, zero, exact), nearest)
        return choose(compare(Relation.EQ, divisor, zero), exact, found)

    def build_shift(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """A shift; one by the width or more leaves no bit but those of the sign."""
        place, type_ = self.scope.locate(node), left.scalar.type
        assert isinstance(type_, Int)
        amount, last = right.expression, Number(type_, place, type_.width - 1)
        down = arith.ShRSIOp if type_.signed else arith.ShRUIOp
        operation = arith.ShLIOp if kind is ast.LShift else down
        fills_sign = operation is arith.ShRSIOp
        if isinstance(amount, Number):
            if not is_within_width(type_.decode(amount.pattern), type_):
                if not fills_sign:
                    return Number(type_, place, 0)
                amount = last
            return Apply(type_, place, operation, (left.expression, amount))
        if is_masked(amount, type_):
            return Apply(type_, place, operation, (left.expression, amount))
        amount = self.scope.body.hold_expression(amount)
        if fills_sign:
            least = Apply(type_, place, arith.MinUIOp, (amount, last))
            return Apply(type_, place, operation, (left.expression, least))
        masked = Apply(type_, place, arith.AndIOp, (amount, last))
        shifted = Apply(type_, place, operation, (left.expression, masked))
        sides = [convert_expression(each, Int(type_.width, False)) for each in (amount, last)]
        is_small = Compare(place, Relation.LE, sides[0], sides[1])
        return Apply(type_, place, arith.SelectOp, (is_small, shifted, Number(type_, place, 0)))

    def divide_integers(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """A quotient rounded down, or its remainder."""
        place, type_ = self.scope.locate(node), left.scalar.type
        assert isinstance(type_, Int)
        below = right.expression
        number = type_.decode(below.pattern) if isinstance(below, Number) else None
        if number == 0:
            self.scope.refuse(node, "PY_UNDEFINED", "a division by zero", "divisors that are not 0")
        if number and number > 0 and not number & (number - 1):
            if kind is ast.Mod:
                mask = Number(type_, place, number - 1)
                return Apply(type_, place, arith.AndIOp, (left.expression, mask))
            amount = Number(type_, place, number.bit_length() - 1)
            down = arith.ShRSIOp if type_.signed else arith.ShRUIOp
            return Apply(type_, place, down, (left.expression, amount))
        sides = (left.expression, below)
        if not type_.signed:
            operation = arith.RemUIOp if kind is ast.Mod else arith.DivUIOp
            return Apply(type_, place, operation, sides)
        if kind is ast.FloorDiv:
            return Apply(type_, place, arith.FloorDivSIOp, sides)
        return self.build_remainder(sides[0], sides[1], number, type_)

    def build_remainder(
        self, left: Expression, right: Expression, number: int | None, type_: Int
    ) -> Expression:
        """The remainder of a quotient rounded down: it has the sign of the divisor."""
        place, zero = left.place, Number(type_, left.place, 0)
        right = self.scope.body.hold_expression(right)
        rest = self.scope.body.hold_expression(Apply(type_, place, arith.RemSIOp, (left, right)))
        more = Apply(type_, place, arith.AddiOp, (rest, right))
        wrong: Expression
        if number is not None:
            relation = Relation.LT if number > 0 else Relation.GT
            wrong = Compare(place, relation, rest, zero)
        else:
            signs = Apply(type_, place, arith.XOrIOp, (rest, right))
            differ = Compare(place, Relation.LT, signs, zero)
            some = Compare(place, Relation.NE, rest, zero)
            wrong = Apply(TRUTH, place, arith.AndIOp, (differ, some))
        return Apply(type_, place, arith.SelectOp, (wrong, more, rest))

    def expand_power(self, left: Value, right: Value, node: ast.AST) -> Value:
        """A power with a known exponent, as multiplications."""
        exponent, scalar = right.known, left.scalar
        what = f"{left.scalar.name} ** {right.scalar.name}"
        if (
            isinstance(exponent, bool) or not isinstance(exponent, int) or scalar.rank != 1
            or not 0 <= exponent <= MOST_POWER
        ):  # fmt: skip
            accepted = f"powers of integers by constants from 0 to {MOST_POWER}; a loop"
            self.scope.refuse(node, "PY_TYPE", what, accepted)
        place, type_ = self.scope.locate(node), scalar.type
        base = self.scope.hold_value(left).expression
        result: Expression = Number(type_, place, 1)
        for bit in bin(exponent)[2:] if exponent else "":
            if not isinstance(result, Number):
                result = self.scope.body.hold_expression(result)
                result = Apply(type_, place, arith.MuliOp, (result, result))
            if bit == "1":
                is_one = isinstance(result, Number)
                result = base if is_one else Apply(type_, place, arith.MuliOp, (result, base))
        return Value(result, scalar)

    def apply_unary(self, kind: type[ast.unaryop], value: Value, node: ast.AST) -> Value:
        """The value of -x, +x or ~x."""
        place, scalar = self.scope.locate(node), value.scalar
        type_ = scalar.type
        if value.known is not None and not (kind is ast.Invert and isinstance(value.known, float)):
            return make_constant(UNARY[kind](value.known), place)
        if scalar == PY_BOOL:
            return self.apply_unary(kind, adapt_value(value, PY_INT), node)
        if kind is ast.Invert and scalar.rank < 2:
            ones = Number(type_, place, -1 if scalar.rank else 1)
            return Value(Apply(type_, place, arith.XOrIOp, (value.expression, ones)), scalar)
        if kind is ast.Invert or scalar.rank == 0:
            sign = {ast.Invert: "~", ast.USub: "-", ast.UAdd: "+"}[kind]
            accepted = "integers" if kind is ast.Invert else "numbers; np.int32(flag)"
            self.scope.refuse(node, "PY_TYPE", f"{sign}{scalar.name}", accepted)
        if kind is ast.UAdd:
            return value
        if isinstance(type_, Float):
            return Value(Apply(type_, place, arith.NegfOp, (value.expression,)), scalar)
        zero = Number(type_, place, 0)
        return Value(Apply(type_, place, arith.SubiOp, (zero, value.expression)), scalar)

    def compare_values(
        self, kind: type[ast.cmpop], left: Value, right: Value, node: ast.AST
    ) -> Value:
        """Whether the relation holds; integers compare as the numbers that they are."""
        place = self.scope.locate(node)
        if kind not in COMPARISONS:
            what = "is" if kind in (ast.Is, ast.IsNot) else "in"
            accepted = "==, !=, <, <=, > and >=; `in` with numbers in brackets"
            self.scope.refuse(node, "PY_EXPRESSION", f"the comparison `{what}`", accepted)
        known, relation = COMPARISONS[kind]
        if left.known is not None and right.known is not None:
            return make_constant(known(left.known, right.known), place)
        scalar = PY_BOOL if left.scalar.is_weak and right.scalar.is_weak else BOOL
        made = self.build_comparison(relation, left, right, node)
        return Value(made, scalar)

    def build_comparison(
        self, relation: Relation, left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """Whether the relation holds between two values."""
        place = self.scope.locate(node)
        if left.scalar.rank == 2 or right.scalar.rank == 2:
            both = promote_types(left.scalar, right.scalar)
            sides = adapt_value(left, both).expression, adapt_value(right, both).expression
            return Compare(place, relation, *sides)
        outside = find_out_of_range(left, right)
        if outside is not None:
            function = next(each for each, found in COMPARISONS.values() if found is relation)
            return Number(TRUTH, place, int(function(*outside)))
        first, second = convert_constants(left, right)
        assert isinstance(first.type, Int) and isinstance(second.type, Int)
        if first.type.is_truth and second.type.is_truth:
            return Compare(place, relation, first, second)
        type_ = find_covering_type(first.type, second.type)
        if type_ is not None:
            sides = convert_expression(first, type_), convert_expression(second, type_)
            return Compare(place, relation, *sides)
        return self.compare_mixed_signs(relation, first, second)

    def compare_mixed_signs(
        self, relation: Relation, left: Expression, right: Expression
    ) -> Expression:
        """Whether the relation holds between a signed number and one of np.uint64."""
        place = left.place
        left, right = self.scope.body.hold_expression(left), self.scope.body.hold_expression(right)
        assert isinstance(left.type, Int)
        signed = left if left.type.signed else right
        zero, wide = Number(signed.type, place, 0), Int(64, False)
        negative = Compare(place, Relation.LT, signed, zero)
        sides = convert_expression(left, wide), convert_expression(right, wide)
        compared = Compare(place, relation, *sides)
        is_below = relation in (Relation.LT, Relation.LE)
        is_above = relation in (Relation.GT, Relation.GE)
        answer = relation is Relation.NE or (is_below if signed is left else is_above)
        known = Number(TRUTH, place, int(answer))
        return Apply(TRUTH, place, arith.SelectOp, (negative, known, compared))


def make_float(number: float, type_: Type, place: Place) -> Number:
    """A constant of the type."""
    assert isinstance(type_, Float)
    return Number(type_, place, encode_float(number, type_))


def find_out_of_range(left: Value, right: Value) -> tuple[int, int] | None:
    """Numbers that compare like a known one and any of the other side's type; None if some do not.

    That is so where the known number is no number of the type.
    """
    for one, other, first in ((left, right, True), (right, left, False)):
        known, type_ = one.known, other.scalar.type
        if known is None or not isinstance(type_, Int):
            continue
        assert isinstance(known, int)
        most = 1 if type_.is_truth else type_.most
        least = 0 if type_.is_truth else type_.least
        if not least <= known <= most:
            return (known, least) if first else (least, known)
    return None


def convert_constants(left: Value, right: Value) -> tuple[Expression, Expression]:
    """The two sides; a number that is known in the type of the other."""
    if left.known is not None and right.scalar.rank == 1:
        return adapt_value(left, right.scalar).expression, right.expression
    if right.known is not None and left.scalar.rank == 1:
        return left.expression, adapt_value(right, left.scalar).expression
    return left.expression, right.expression


def is_masked(amount: Expression, type_: Int) -> bool:
    """True if the amount is certain to be below the width."""
    if not isinstance(amount, Apply) or amount.operation is not arith.AndIOp:
        return False
    return any(
        isinstance(each, Number) and is_within_width(type_.decode(each.pattern), type_)
        for each in amount.operands
    )
