"""The smallest and the largest number that each integer of a structured program can be.

Numbers are signed; an abstract interpretation over intervals, from the constants and types up to a
fixed point. What a loop adds up is bounded by its increments and its trip count
(`carried_growth`); any other bound that keeps growing round a loop becomes the type's own. A sum of
multiples of one value is a multiple of it: of 8 x - 2 x intervals alone know less than of 6 x. Runs
that the source leaves undefined (a division by zero, an index that wraps round) are left out of
account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, SSAValue

from loom.analysis.program.carried_growth import grow
from loom.analysis.program.interval import Range, whole
from loom.analysis.program.range_rules import RULES, decided, multiply
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import is_token_type, width_of

WIDENED = 2
"""So often may a bound grow before it becomes the type's."""
PATIENCE = 16
"""Rounds after which every value that still grows becomes anything."""

SUMS = (arith.AddiOp, arith.SubiOp, arith.SelectOp)
"""Operations that make what the next iteration of a loop gets, of which more may be known."""

Ranges = Mapping[SSAValue, Range]


def value_ranges(function: FuncOp, index_width: int) -> Ranges:
    """The range of every integer value of the function, a value of i1 left out."""
    found = _Interpretation(index_width)
    found.run(function.body.block)
    return found.ranges


def bits_of(value: SSAValue, index_width: int, ranges: Ranges) -> int:
    """The bits that a value needs; none of an array [bits]."""
    if not is_token_type(value.type):
        return 0
    width, known = width_of(value.type, index_width), ranges.get(value)
    return width if known is None else min(width, known.bits)


@dataclass
class Growth:
    """How often the lower and the upper bound of a value have grown."""

    low: int = 0
    high: int = 0


@dataclass(frozen=True)
class Multiple:
    """``factor * value``."""

    value: SSAValue
    factor: int

    def times(self, factor: int) -> Multiple:
        """So many times as much."""
        return Multiple(self.value, factor * self.factor)


class _Interpretation:
    """Rounds over the function until nothing grows."""

    def __init__(self, index_width: int) -> None:
        self.index_width = index_width
        self.ranges: dict[SSAValue, Range] = {}
        self.growth: dict[SSAValue, Growth] = {}
        self.multiples: dict[SSAValue, Multiple] = {}
        self.grown = True
        self.hurry = False

    def run(self, block: Block) -> None:
        """Every value has its range."""
        rounds = 0
        while self.grown:
            self.grown = False
            rounds += 1
            self.hurry = rounds > PATIENCE
            self.block(block)

    def width(self, value: SSAValue) -> int:
        """Bits of an integer; 0 of anything else [bits]."""
        if isinstance(value.type, IntegerType | IndexType):
            return width_of(value.type, self.index_width)
        return 0

    def of(self, value: SSAValue) -> Range:
        """What is known of a value so far; of an argument, all its type says."""
        return self.ranges.get(value) or whole(self.width(value))

    def set(self, value: SSAValue, range_: Range) -> None:
        """The range of a value that one operation makes."""
        if self.width(value) > 1:
            self.ranges[value] = range_

    def join(self, value: SSAValue, range_: Range) -> None:
        """The range of a value that comes from several places, one of them now."""
        width = self.width(value)
        if width <= 1:
            return
        old = self.ranges.get(value)
        if old is None:
            self.ranges[value] = range_
            self.grown = True
            return
        low, high = min(old.low, range_.low), max(old.high, range_.high)
        if (low, high) == (old.low, old.high):
            return
        self.grown = True
        growth, all_ = self.growth.setdefault(value, Growth()), whole(width)
        growth.low += low < old.low
        growth.high += high > old.high
        if growth.low > WIDENED or self.hurry:
            low = all_.low
        if growth.high > WIDENED or self.hurry:
            high = all_.high
        self.ranges[value] = Range(low, high)

    def join_all(self, values: Sequence[SSAValue], others: Sequence[SSAValue]) -> None:
        """Each value may be the other one in its place."""
        for value, other in zip(values, others, strict=True):
            self.join(value, self.of(other))

    def block(self, block: Block) -> None:
        """One round over the operations of a block."""
        for op in block.ops:
            if isinstance(op, scf.ForOp):
                self.visit_for(op)
            elif isinstance(op, scf.WhileOp):
                self.visit_while(op)
            elif isinstance(op, scf.IfOp):
                self.branch(op)
            elif not op.regions:
                self.visit_operation(op)

    def visit_operation(self, op: Operation) -> None:
        """An operation without regions."""
        if isinstance(op, arith.ConstantOp):
            if isinstance(op.value, IntegerAttr):
                width = self.width(op.result)
                self.set(op.result, constant_range(int(op.value.value.data), width))
            return
        rule = RULES.get(type(op))
        for result in op.results:
            width = self.width(result)
            if width <= 1:
                continue
            if rule is None:
                self.set(result, whole(width))
                continue
            side = self.known_side(op)
            if side is not None:
                self.set(result, self.of(side))
                continue
            operands = [self.of(operand) for operand in op.operands]
            widths = [self.width(operand) for operand in op.operands]
            found = rule(operands, widths, width)
            if found is None or not found.fits(width):
                found = whole(width)
            multiple = self.multiple(op)
            if multiple is None:
                self.multiples.pop(result, None)
            else:
                self.multiples[result] = multiple
                exact = self.exact(multiple)
                if exact.fits(width):
                    found = found & exact or exact
            self.set(result, found)

    def multiple(self, op: Operation) -> Multiple | None:
        """What the operation's result is a multiple of, modulo 2^width, but itself."""
        terms = [self.multiples.get(value, Multiple(value, 1)) for value in op.operands]
        match op:
            case arith.AddiOp() | arith.SubiOp():
                one, other = terms
                sign = 1 if isinstance(op, arith.AddiOp) else -1
                same = one.value is other.value
                return Multiple(one.value, one.factor + sign * other.factor) if same else None
            case arith.ShLIOp():
                places = self.of(op.rhs)
                is_known = places.low == places.high and 0 <= places.low < self.width(op.result)
                return terms[0].times(1 << places.low) if is_known else None
            case arith.MuliOp():
                factor = self.of(op.rhs)
                return terms[0].times(factor.low) if factor.low == factor.high else None
            case arith.TruncIOp():
                return terms[0]
            case arith.ExtSIOp() | arith.IndexCastOp() | arith.ExtUIOp() | IndexCastUIOp():
                number = self.exact(terms[0])
                is_kept = number.is_natural or isinstance(op, arith.ExtSIOp | arith.IndexCastOp)
                return terms[0] if is_kept and number.fits(self.width(op.operands[0])) else None
        return None

    def exact(self, multiple: Multiple) -> Range:
        """What the multiple can be in a type that holds it."""
        return multiply(self.of(multiple.value), Range(multiple.factor, multiple.factor))

    def known_side(self, op: Operation) -> SSAValue | None:
        """What a select always gives, if ranges decide its condition."""
        if not isinstance(op, arith.SelectOp) or not isinstance(op.cond.owner, arith.CmpiOp):
            return None
        truth = decided(op.cond.owner, *map(self.of, op.cond.owner.operands))
        return None if truth is None else op.lhs if truth else op.rhs

    def branch(self, op: scf.IfOp) -> None:
        """Either side's values."""
        for region in op.regions:
            if region.blocks:
                self.block(region.block)
                end = region.block.last_op
                assert end is not None
                self.join_all(op.results, end.operands)

    def visit_for(self, op: scf.ForOp) -> None:
        """The variable stays between the bounds; the rest comes from before or from inside."""
        variable, *carried = op.body.block.args
        range_ = variable_range(op, *(self.of(value) for value in (op.lb, op.ub, op.step)))
        self.join(variable, range_ or whole(self.width(variable)))
        self.join_all(carried, op.iter_args)
        self.join_all(op.results, op.iter_args)
        self.block(op.body.block)
        end = op.body.block.last_op
        assert end is not None
        for number, (argument, result) in enumerate(zip(carried, op.results, strict=True)):
            given = end.operands[number]
            bound = self.bound(op, number)
            if bound is not None and isinstance(given.owner, SUMS):
                self.ranges[given] = bound & self.ranges[given] or bound
            range_ = bound or self.of(given)
            self.join(argument, range_)
            self.join(result, range_)

    def bound(self, op: scf.ForOp, number: int) -> Range | None:
        """What a carried value can be by its increments, if none of them wraps round."""
        start = op.iter_args[number]
        found = grow(op, number, self.of, self.most_iterations) if self.width(start) > 1 else None
        if found is None:
            return None
        first = self.of(start)
        bound = Range(first.low + found.low, first.high + found.high)
        return bound if bound.fits(self.width(start)) else None

    def most_iterations(self, op: scf.ForOp) -> int | None:
        """The most iterations of a loop, or None if its bounds do not say."""
        low, high, step = (self.of(value) for value in (op.lb, op.ub, op.step))
        if variable_range(op, low, high, step) is None:
            return None
        return max(0, -(-(high.high - low.low) // step.low))

    def visit_while(self, op: scf.WhileOp) -> None:
        """The first region's arguments come from before or from the second, whose come from it."""
        before, after = op.before_region.block, op.after_region.block
        self.join_all(before.args, op.arguments)
        self.block(before)
        condition = before.last_op
        assert condition is not None
        self.join_all(after.args, condition.operands[1:])
        self.join_all(op.results, condition.operands[1:])
        self.block(after)
        end = after.last_op
        assert end is not None
        self.join_all(before.args, end.operands)


def constant_range(number: int, width: int) -> Range:
    """One number, read as signed at `width` [bits]."""
    half = 1 << (width - 1)
    value = ((number + half) & ((1 << width) - 1)) - half
    return Range(value, value)


def variable_range(op: scf.ForOp, low: Range, high: Range, step: Range) -> Range | None:
    """What a loop's variable can be inside, or None if its bounds do not say."""
    if step.low < 1 or (is_unsigned(op) and (low.low < 0 or high.low < 0)):
        return None
    return Range(low.low, max(low.low, high.high - 1))


def type_range(type_: Attribute) -> Range | None:
    """The signed numbers of an integer type; None of an index, whose width is an option."""
    return whole(type_.width.data) if isinstance(type_, IntegerType) else None


def stream_range(op: scf.ForOp, ranges: Ranges) -> Range | None:
    """What the loop's variable, its bounds and the first number past them can be, or None."""
    found = [ranges.get(value) or type_range(value.type) for value in (op.lb, op.ub, op.step)]
    if any(each is None for each in found):
        return None
    low, high, step = (each for each in found if each is not None)
    variable = variable_range(op, low, high, step)
    if variable is None:
        return None
    past = Range(variable.low, variable.high + step.high)
    return low | high | step | past
