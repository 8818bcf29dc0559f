"""Operators on values: NumPy's types and results, bit for bit, or a refusal."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from xdsl.dialects import arith

from loom.frontend.imperative.tree import Apply, Compare, Expression, Number, Relation
from loom.frontend.imperative.types import TRUTH, Float, Int
from loom.frontend.python.operators import (
    BINARY,
    BITWISE,
    COMPARISONS,
    SHIFTS,
    SIGNS,
    compute,
    is_small,
    operations_on,
)
from loom.frontend.python.state import State
from loom.frontend.python.types import (
    BOOL,
    FLOAT64,
    PY_BOOL,
    PY_FLOAT,
    PY_INT,
    Scalar,
    common,
    covering,
)
from loom.frontend.python.values import Value, adapt, constant, converted

MOST_POWER = 64
"""The largest exponent that becomes multiplications."""
INTEGERS = "integers; np.floor(x / y), or a cast such as np.int32(x)"


@dataclass
class Arithmetic(State):
    """Reads what operators do."""

    def binary(self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST) -> Value:
        """The value of an operator of two operands."""
        place = self.place(node)
        if left.known is not None and right.known is not None and kind in BINARY:
            return constant(compute(kind, left.known, right.known, place), place)
        if kind not in BINARY:
            self.refuse(node, "PY_EXPRESSION", "a product of matrices", "loops over the elements")
        if kind is ast.Div:
            return self.quotient(left, right, node)
        scalar = self.type_for(kind, left, right, node)
        if kind is ast.Pow:
            return self.power(left, right, node)
        first, second = adapt(left, scalar), adapt(right, scalar)
        if kind in SHIFTS:
            return Value(self.shift(kind, first, second, node), scalar)
        if kind in (ast.FloorDiv, ast.Mod):
            return Value(self.division(kind, first, second, node), scalar)
        operation = operations_on(scalar.type)[kind]
        sides = (first.expression, second.expression)
        return Value(Apply(scalar.type, place, operation, sides), scalar)

    def type_for(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Scalar:
        """The type that NumPy computes in; refused where it has no such operator."""
        scalar = common(left.scalar, right.scalar)
        both = f"{left.scalar.name} {SIGNS[kind]} {right.scalar.name}"
        if kind in BITWISE and left.scalar.rank == right.scalar.rank == 0:
            return PY_BOOL if left.scalar.is_weak and right.scalar.is_weak else BOOL
        if scalar.rank == 2 and kind not in (ast.Add, ast.Sub, ast.Mult):
            accepted = INTEGERS if kind in (ast.FloorDiv, ast.Mod) else "integers; x * x"
            if left.scalar.rank < 2 and right.scalar.rank < 2:
                accepted = "integers that a type of NumPy's has both of; a cast of one"
            self.refuse(node, "PY_TYPE", both, accepted)
        if scalar.rank == 0 and kind not in (ast.Add, ast.Mult):
            self.refuse(node, "PY_TYPE", both, "numbers; np.int32(flag)")
        return scalar

    def quotient(self, left: Value, right: Value, node: ast.AST) -> Value:
        """A true division, which gives a float."""
        scalar = common(left.scalar, right.scalar)
        if scalar.rank < 2:
            scalar = PY_FLOAT if scalar.is_weak else FLOAT64
        sides = (adapt(left, scalar).expression, adapt(right, scalar).expression)
        return Value(Apply(scalar.type, self.place(node), arith.DivfOp, sides), scalar)

    def shift(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """A shift; one by the width or more leaves no bit but those of the sign."""
        place, type_ = self.place(node), left.scalar.type
        assert isinstance(type_, Int)
        amount, last = right.expression, Number(type_, place, type_.width - 1)
        down = arith.ShRSIOp if type_.signed else arith.ShRUIOp
        operation = arith.ShLIOp if kind is ast.LShift else down
        stays = operation is arith.ShRSIOp
        if isinstance(amount, Number):
            if not is_small(type_.number(amount.pattern), type_):
                if not stays:
                    return Number(type_, place, 0)
                amount = last
            return Apply(type_, place, operation, (left.expression, amount))
        if is_masked(amount, type_):
            return Apply(type_, place, operation, (left.expression, amount))
        amount = self.kept_expression(amount)
        if stays:
            least = Apply(type_, place, arith.MinUIOp, (amount, last))
            return Apply(type_, place, operation, (left.expression, least))
        cut = Apply(type_, place, arith.AndIOp, (amount, last))
        moved = Apply(type_, place, operation, (left.expression, cut))
        unsigned = Int(type_.width, False)
        small = Compare(place, Relation.LE, converted(amount, unsigned), converted(last, unsigned))
        return Apply(type_, place, arith.SelectOp, (small, moved, Number(type_, place, 0)))

    def division(
        self, kind: type[ast.operator], left: Value, right: Value, node: ast.AST
    ) -> Expression:
        """A quotient rounded down, or what it leaves."""
        place, type_ = self.place(node), left.scalar.type
        assert isinstance(type_, Int)
        below = right.expression
        number = type_.number(below.pattern) if isinstance(below, Number) else None
        if number == 0:
            self.refuse(node, "PY_UNDEFINED", "a division by zero", "divisors that are not 0")
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
        return self.remainder(sides[0], sides[1], number, type_)

    def remainder(
        self, left: Expression, right: Expression, number: int | None, type_: Int
    ) -> Expression:
        """What a quotient rounded down leaves: it has the sign of the divisor."""
        place, zero = left.place, Number(type_, left.place, 0)
        right = self.kept_expression(right)
        rest = self.kept_expression(Apply(type_, place, arith.RemSIOp, (left, right)))
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

    def power(self, left: Value, right: Value, node: ast.AST) -> Value:
        """A power with a known exponent, as multiplications."""
        exponent, scalar = right.known, left.scalar
        what = f"{left.scalar.name} ** {right.scalar.name}"
        if (
            isinstance(exponent, bool) or not isinstance(exponent, int) or scalar.rank != 1
            or not 0 <= exponent <= MOST_POWER
        ):  # fmt: skip
            accepted = f"powers of integers by constants from 0 to {MOST_POWER}; a loop"
            self.refuse(node, "PY_TYPE", what, accepted)
        place, type_ = self.place(node), scalar.type
        base = self.kept(left).expression
        result: Expression = Number(type_, place, 1)
        for bit in bin(exponent)[2:] if exponent else "":
            if not isinstance(result, Number):
                result = self.kept_expression(result)
                result = Apply(type_, place, arith.MuliOp, (result, result))
            if bit == "1":
                is_one = isinstance(result, Number)
                result = base if is_one else Apply(type_, place, arith.MuliOp, (result, base))
        return Value(result, scalar)

    def unary(self, kind: type[ast.unaryop], value: Value, node: ast.AST) -> Value:
        """The value of -x, +x or ~x."""
        place, scalar = self.place(node), value.scalar
        type_ = scalar.type
        if scalar == PY_BOOL:
            return self.unary(kind, adapt(value, PY_INT), node)
        if kind is ast.Invert and scalar.rank < 2:
            ones = Number(type_, place, -1 if scalar.rank else 1)
            return Value(Apply(type_, place, arith.XOrIOp, (value.expression, ones)), scalar)
        if kind is ast.Invert or scalar.rank == 0:
            sign = {ast.Invert: "~", ast.USub: "-", ast.UAdd: "+"}[kind]
            accepted = "integers" if kind is ast.Invert else "numbers; np.int32(flag)"
            self.refuse(node, "PY_TYPE", f"{sign}{scalar.name}", accepted)
        if kind is ast.UAdd:
            return value
        if isinstance(type_, Float):
            return Value(Apply(type_, place, arith.NegfOp, (value.expression,)), scalar)
        zero = Number(type_, place, 0)
        return Value(Apply(type_, place, arith.SubiOp, (zero, value.expression)), scalar)

    def compare(self, kind: type[ast.cmpop], left: Value, right: Value, node: ast.AST) -> Value:
        """Whether the relation holds; integers compare as the numbers that they are."""
        place = self.place(node)
        if kind not in COMPARISONS:
            what = "is" if kind in (ast.Is, ast.IsNot) else "in"
            accepted = "==, !=, <, <=, > and >=; `in` with numbers in brackets"
            self.refuse(node, "PY_EXPRESSION", f"the comparison `{what}`", accepted)
        known, relation = COMPARISONS[kind]
        if left.known is not None and right.known is not None:
            return constant(known(left.known, right.known), place)
        scalar = PY_BOOL if left.scalar.is_weak and right.scalar.is_weak else BOOL
        made = self.relation(relation, left, right, node)
        return Value(made, scalar)

    def relation(self, relation: Relation, left: Value, right: Value, node: ast.AST) -> Expression:
        """Whether the relation holds between two values."""
        place = self.place(node)
        if left.scalar.rank == 2 or right.scalar.rank == 2:
            both = common(left.scalar, right.scalar)
            sides = adapt(left, both).expression, adapt(right, both).expression
            return Compare(place, relation, *sides)
        outside = out_of_range(left, right)
        if outside is not None:
            function = next(each for each, found in COMPARISONS.values() if found is relation)
            return Number(TRUTH, place, int(function(*outside)))
        first, second = in_one_width(left, right)
        assert isinstance(first.type, Int) and isinstance(second.type, Int)
        if first.type.is_truth and second.type.is_truth:
            return Compare(place, relation, first, second)
        type_ = covering(first.type, second.type)
        if type_ is not None:
            return Compare(place, relation, converted(first, type_), converted(second, type_))
        return self.mixed(relation, first, second)

    def mixed(self, relation: Relation, left: Expression, right: Expression) -> Expression:
        """Whether the relation holds between a signed number and one of np.uint64."""
        place = left.place
        left, right = self.kept_expression(left), self.kept_expression(right)
        assert isinstance(left.type, Int)
        signed = left if left.type.signed else right
        zero, wide = Number(signed.type, place, 0), Int(64, False)
        negative = Compare(place, Relation.LT, signed, zero)
        same = Compare(place, relation, converted(left, wide), converted(right, wide))
        is_below = relation in (Relation.LT, Relation.LE)
        is_above = relation in (Relation.GT, Relation.GE)
        answer = relation is Relation.NE or (is_below if signed is left else is_above)
        known = Number(TRUTH, place, int(answer))
        return Apply(TRUTH, place, arith.SelectOp, (negative, known, same))


def out_of_range(left: Value, right: Value) -> tuple[int, int] | None:
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


def in_one_width(left: Value, right: Value) -> tuple[Expression, Expression]:
    """The two sides; a number that is known in the type of the other."""
    if left.known is not None and right.scalar.rank == 1:
        return adapt(left, right.scalar).expression, right.expression
    if right.known is not None and left.scalar.rank == 1:
        return left.expression, adapt(right, left.scalar).expression
    return left.expression, right.expression


def is_masked(amount: Expression, type_: Int) -> bool:
    """True if the amount is certain to be below the width."""
    if not isinstance(amount, Apply) or amount.operation is not arith.AndIOp:
        return False
    return any(
        isinstance(each, Number) and is_small(type_.number(each.pattern), type_)
        for each in amount.operands
    )
