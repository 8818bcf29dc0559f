"""A loop that divides bit by bit, by compares and subtractions, becomes a division.

Programs for processors without a divider have one in software. Each iteration moves a bit of the
dividend into the rest and takes the divisor from it if that fits, which is a bit of the quotient::

    rest = rest << 1 | (dividend >> place & 1);
    if (rest >= divisor) { rest -= divisor; quotient |= 1 << place; }

Why the two are equal. Let the iterations take the bits of n from the highest one down, and q and r
be the quotient and the rest of the bits taken so far, by a divisor d above 0. With the next bit b
they are 2 n + b, and 2 r + b < 2 d, so the new quotient is 2 q + 1 if d fits into 2 r + b and 2 q
if not. No bit is lost if the type of the rest holds 2 r + b, which is below 2 d and has no more
bits than are taken: one of the two is proved, and so is that d is above 0. Other loops stay as they
are, since they give something else.

In C narrow numbers are widened before each operation, and its result is cut: terms look through
both. A zero in front of a number changes nothing, nor does a cut of what fits into the result; that
the rest does is what is proved. Of a quotient, and of a dividend that is shifted out, the bits of
its type count. So no cut has fewer bits than each of these.

The body is compared as terms, so it does not matter how it is written: by branches, selects or bits
that are shifted in; by a dividend that is shifted out, and its register taken for the quotient.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, OpResult, SSAValue

from loom.analysis.program.interval import Range
from loom.analysis.program.value_ranges import Ranges, bits_of, value_ranges
from loom.analysis.timing.loop_area import luts_of_loop, luts_of_unit
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import DIRECTIVES, HINT, PIPELINE, STYLE
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.types import width_of
from loom.lower.loops.while_to_for import is_pure
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace
from loom.lower.scalar.known_constants import KnownConstants

EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)
MIRRORED = {SLT: SGT, SLE: SGE, SGT: SLT, SGE: SLE, ULT: UGT, ULE: UGE, UGT: ULT, UGE: ULE}
"""The predicate with its sides exchanged."""
UNSIGNED = {SLT: ULT, SLE: ULE, SGT: UGT, SGE: UGE}


@dataclass(frozen=True)
class Leaf:
    """A value that is not looked into."""

    value: SSAValue


@dataclass(frozen=True)
class Number:
    """A known bit pattern."""

    token: int


@dataclass(frozen=True)
class Bit:
    """The bit of a value at a place, as a condition or a number."""

    value: SSAValue
    place: SSAValue | int


@dataclass(frozen=True)
class Fits:
    """1 if the value is at least the divisor, else 0."""

    value: Term
    divisor: Term


@dataclass(frozen=True)
class Not:
    """The other one of two bits."""

    bit: Term


@dataclass(frozen=True)
class Push:
    """2 * value + bit."""

    value: Term
    bit: Term


@dataclass(frozen=True)
class Power:
    """bit << place."""

    place: SSAValue
    bit: Term


@dataclass(frozen=True)
class Put:
    """value + (bit << place), of a value whose bit there is 0."""

    value: Term
    place: SSAValue
    bit: Term


@dataclass(frozen=True)
class Less:
    """value - divisor."""

    value: Term
    divisor: Term


@dataclass(frozen=True)
class Choice:
    """One of two values."""

    condition: Term
    value: Term
    other: Term


ANY_WIDTH = 1 << 32
"""More than any type has [bits]."""
Term = Leaf | Number | Bit | Fits | Not | Push | Power | Put | Less | Choice
ZERO, ONE = Number(0), Number(1)
Side = TypeVar("Side")


@dataclass(frozen=True)
class Division:
    """What a loop computes: dividend and divisor, and which results are quotients and rests.

    The dividend is the lowest `bits` [bits] of a value. All other results that are read are what
    their iteration argument was at first.
    """

    dividend: SSAValue
    bits: int
    divisor: Term
    rest: int
    quotients: frozenset[int]
    width: int
    """The bits of a rest that are kept, and compared as they are [bits]."""


def find_divisions(module: ModuleOp, options: Options) -> None:
    """No loop divides bit by bit by a divisor that is proved to be right, where that is smaller."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        ranges: Ranges | None = None
        for loop in [op for op in function.walk() if isinstance(op, scf.ForOp)]:
            division = match_division(loop, options.index_width)
            if division is None:
                continue
            if ranges is None:
                ranges = value_ranges(function, options.index_width)
            known = range_of(division.divisor, ranges)
            if (
                known is not None
                and is_right(known, division)
                and is_smaller(known, loop, division, ranges, options)
            ):
                build(loop, division)
                ranges = None  # of results that are no longer there


def match_division(loop: scf.ForOp, index_width: int) -> Division | None:
    """What the loop computes if its body is a step of a division, for divisors that are right."""
    if any(fact.is_on(loop) for fact in (*DIRECTIVES, STYLE) if fact not in (PIPELINE, HINT)):
        return None
    pure = (op for op in loop.body.walk() if not isinstance(op, scf.IfOp | scf.YieldOp))
    is_integer = all(isinstance(value.type, IntegerType) for value in loop.results)
    if not loop.results or not is_integer or not all(map(is_pure, pure)):
        return None
    return _Matcher(loop, index_width).match()


def is_invariant(loop: Operation, value: SSAValue) -> bool:
    """True of a value that is the same in all iterations, and may as well be made before them."""
    owner = value.owner
    holder = owner if isinstance(owner, Operation) else owner.parent_op()
    if holder is None or not loop.is_ancestor(holder):
        return True
    row = find(owner.name) if isinstance(owner, Operation) else None
    if row is None or row.semantics.meaning is None or row.semantics.undefined is not None:
        return False
    assert isinstance(owner, Operation)
    return all(is_invariant(loop, operand) for operand in owner.operands)


def move_before(loop: Operation, value: SSAValue) -> None:
    """What makes an invariant value of the loop stands before it."""
    owner = value.owner
    if isinstance(owner, Operation) and owner is not loop and loop.is_ancestor(owner):
        for operand in owner.operands:
            move_before(loop, operand)
        owner.detach()
        block = loop.parent
        assert block is not None
        block.insert_op_before(owner, loop)


def range_of(divisor: Term, ranges: Ranges) -> Range | None:
    """The numbers that the divisor can be."""
    if isinstance(divisor, Number):
        return Range(divisor.token, divisor.token)
    assert isinstance(divisor, Leaf)
    return ranges.get(divisor.value)


def is_right(known: Range, division: Division) -> bool:
    """True if the loop divides by every divisor that there can be."""
    width = division.width
    most = (1 << width) - 1 if division.bits <= width else 1 << width >> 1
    return known.low >= 1 and known.high <= most


def is_smaller(
    known: Range, loop: scf.ForOp, division: Division, ranges: Ranges, options: Options
) -> bool:
    """True of a constant divisor, and of a divider that takes no more LUTs than the loop."""
    if isinstance(division.divisor, Number):
        return True
    dividend = ranges.get(division.dividend)
    bits = division.bits
    if dividend is not None and dividend.is_natural:
        bits = min(bits, dividend.bits - 1)
    width = max(bits, known.bits - 1, 1)

    def needed(value: SSAValue) -> int:
        return bits_of(value, options.index_width, ranges)

    divider = luts_of_unit(arith.DivUIOp.name, Shape((width, width), (width,)))
    return divider <= luts_of_loop(loop, options.index_width, needed)


def resized(arithmetic: Arithmetic, value: SSAValue, type_: IntegerType) -> SSAValue:
    """The value with zeros above it, or its lowest bits."""
    missing = type_.width.data - width_of(value.type, 0)
    if missing == 0:
        return value
    return arithmetic.insert((arith.ExtUIOp if missing > 0 else arith.TruncIOp)(value, type_))


def build(loop: scf.ForOp, division: Division) -> None:
    """The results are computed before the loop, which is gone."""
    arithmetic = Arithmetic(loop)
    dividend = division.dividend
    move_before(loop, dividend)
    rest, whole = loop.results[division.rest].type, dividend.type
    assert isinstance(rest, IntegerType) and isinstance(whole, IntegerType)
    if division.bits < whole.width.data:
        mask = (1 << division.bits) - 1
        dividend = arithmetic.with_constant(arith.AndIOp, dividend, mask)
    type_ = max(rest, whole, key=lambda each: each.width.data)
    dividend = resized(arithmetic, dividend, type_)
    if isinstance(division.divisor, Number):
        divisor = arithmetic.constant(division.divisor.token, type_)
    else:
        assert isinstance(division.divisor, Leaf)
        move_before(loop, division.divisor.value)
        divisor = resized(arithmetic, division.divisor.value, type_)
    quotient = None
    if any(loop.results[number].uses for number in division.quotients):
        quotient = arithmetic.binary(arith.DivUIOp, dividend, divisor)
    values = list(loop.iter_args)
    for number, result in enumerate(loop.results):
        if number in division.quotients and quotient is not None:
            assert isinstance(result.type, IntegerType)
            values[number] = resized(arithmetic, quotient, result.type)
    if loop.results[division.rest].uses:
        if quotient is None:
            left = arithmetic.binary(arith.RemUIOp, dividend, divisor)
        else:
            product = arithmetic.binary(arith.MuliOp, quotient, divisor)
            left = arithmetic.binary(arith.SubiOp, dividend, product)
        values[division.rest] = resized(arithmetic, left, rest)
    replace(loop, *values)


class _Matcher:
    """Compares the body of one loop with a step of a division."""

    def __init__(self, loop: scf.ForOp, index_width: int) -> None:
        self.loop, self.index_width = loop, index_width
        self.known = KnownConstants(index_width)
        self.indices = self.known.indices(loop) or range(0)
        self.index, *self.carried = loop.body.block.args
        self.compared_bits = self.cut = ANY_WIDTH
        self.ends = [self.term(value) for value in last_of(loop.body.block).operands]

    def match(self) -> Division | None:
        """The division, if each result that is read is one of it."""
        for number, end in enumerate(self.ends):
            match end:
                case Choice(Fits(Push(Leaf(rest), Bit() as bit)) as fits, less, kept) if (
                    rest is self.carried[number]
                    and self.starts_with_zero(number)
                    and less == Less(fits.value, fits.divisor)
                    and kept == fits.value
                ):
                    return self.match_results(number, bit, fits)
        return None

    def match_results(self, rest: int, bit: Bit, fits: Fits) -> Division | None:
        """The division with this rest, next bit of the dividend, and bit of the quotient."""
        dividend, bits = bit.value, len(self.indices)
        quotients = set[int]()
        shifted = next((k for k, each in enumerate(self.carried) if each is dividend), None)
        if shifted is None:
            is_integer = isinstance(dividend.type, IntegerType) and is_invariant(
                self.loop, dividend
            )
            if not is_integer or not self.counts_down(bit.place, dividend):
                return None
        else:
            dividend = self.loop.iter_args[shifted]
            width = width_of(dividend.type, self.index_width)
            if bit.place != width - 1 or bits != width:
                return None
            if self.ends[shifted] == Push(Leaf(bit.value), fits):
                quotients.add(shifted)
            elif self.ends[shifted] != Push(Leaf(bit.value), ZERO) or self.is_read(shifted):
                return None
        for number in range(len(self.ends)):
            if number not in (rest, shifted) and self.is_read(number):
                if self.is_quotient(number, fits):
                    quotients.add(number)
                elif self.ends[number] != Leaf(self.carried[number]):
                    return None
        numbers = [rest, *quotients, *([] if shifted is None else [shifted])]
        types = [self.loop.results[number].type for number in numbers]
        if any(self.cut < width_of(each, self.index_width) for each in types):
            return None
        width = min(width_of(types[0], self.index_width), self.compared_bits)
        return Division(dividend, bits, fits.divisor, rest, frozenset(quotients), width)

    def is_quotient(self, number: int, fits: Fits) -> bool:
        """True of a carried value that gets the bits of the quotient."""
        carried = Leaf(self.carried[number])
        match self.ends[number]:
            case Push(value, bit) if value == carried and bit == fits:
                return self.starts_with_zero(number)
            case Put(value, place, bit) if value == carried and bit == fits:
                return self.starts_with_zero(number) and self.counts_down(place, carried.value)
        return False

    def starts_with_zero(self, number: int) -> bool:
        """True of a carried value that is 0 at first."""
        return self.known.token(self.loop.iter_args[number]) == 0

    def is_read(self, number: int) -> bool:
        """True of a result with a reader."""
        return bool(self.loop.results[number].uses)

    def counts_down(self, place: SSAValue | int, value: SSAValue) -> bool:
        """True of a place that is that of each bit, down to 0, and never outside of the value."""
        iterations = len(self.indices)
        if isinstance(place, int) or iterations > width_of(value.type, self.index_width):
            return False
        mask = (1 << width_of(self.index.type, self.index_width)) - 1
        return iterations > 1 and all(
            KnownConstants(self.index_width, {self.index: index & mask}).token(place)
            == iterations - 1 - number
            for number, index in enumerate(self.indices)
        )

    def term(self, value: SSAValue) -> Term:
        """What a value in the body is, as far as a division is made of it."""
        token = self.known.token(value)
        if token is not None:
            return Number(token)
        if not isinstance(value, OpResult) or is_invariant(self.loop, value):
            return Leaf(narrowest(value))
        found = self.made(value.op, value.index)
        return Leaf(value) if found is None else found

    def made(self, op: Operation, result: int) -> Term | None:
        """The term of a result of an operation in the body."""
        match op:
            case arith.ShLIOp():
                return self.shifted(op)
            case arith.MuliOp():
                sides = pairs(self.term(op.lhs), self.term(op.rhs))
                return next((Push(a, ZERO) for a, b in sides if b == Number(2)), None)
            case arith.AddiOp() if op.lhs is op.rhs:
                return Push(self.term(op.lhs), ZERO)
            case arith.AddiOp() | arith.OrIOp() | arith.XOrIOp():
                return self.joined(op.lhs, op.rhs)
            case arith.SubiOp():
                return Less(self.term(op.lhs), self.term(op.rhs))
            case arith.AndIOp():
                masked = pairs(op.lhs, op.rhs)
                return next((self.lowest(a) for a, b in masked if self.term(b) == ONE), None)
            case arith.ShRUIOp() | arith.ShRSIOp():
                bit = self.lowest(op.result)
                if bit is None or (isinstance(op, arith.ShRSIOp) and bit.value is op.lhs):
                    return None  # copies of the sign come in
                return bit if bit.place == width_of(bit.value.type, self.index_width) - 1 else None
            case arith.ExtUIOp():
                inner = self.term(op.input)
                return None if isinstance(inner, Power) else inner  # its place is in fewer bits
            case arith.TruncIOp():
                return self.truncated(op)
            case arith.CmpiOp():
                return self.compared(op)
            case arith.SelectOp():
                return choice(*map(self.term, op.operands))
            case scf.IfOp():
                ends = [last_of(region.block).operands[result] for region in op.regions]
                return choice(*map(self.term, (op.cond, *ends)))
        return None

    def shifted(self, op: arith.ShLIOp) -> Term | None:
        """The term of a shift to the left."""
        value = self.term(op.lhs)
        if self.known.token(op.rhs) == 1:
            return Push(value, ZERO)
        return Power(op.rhs, value) if is_bit(value) else None

    def truncated(self, op: arith.TruncIOp) -> Term | None:
        """The term of a value of which few bits are kept."""
        inner, width = self.term(op.input), width_of(op.result.type, self.index_width)
        if is_bit(inner):
            return inner
        if width == 1:
            return self.lowest(op.input)
        if not isinstance(inner, Push | Less | Put | Choice):
            return None
        self.cut = min(self.cut, width)
        return inner

    def lowest(self, value: SSAValue) -> Bit | None:
        """The lowest bit of a value, if it is one of another value that is shifted to it."""
        shift = value.owner
        if not isinstance(shift, arith.ShRUIOp | arith.ShRSIOp):
            return None
        place, inner = self.known.token(shift.rhs), narrowest(shift.lhs)
        found = inner if inner in self.carried else shift.lhs
        return Bit(found, shift.rhs if place is None else place)

    def joined(self, *sides: SSAValue) -> Term | None:
        """The term of a sum, or of bits side by side."""
        for one, other in pairs(*map(self.term, sides)):
            if isinstance(one, Push) and one.bit == ZERO and is_bit(other):
                return Push(one.value, other)
            if isinstance(other, Power):
                return Put(one, other.place, other.bit)
        return None

    def compared(self, op: arith.CmpiOp) -> Term | None:
        """The term of a comparison."""
        predicate = op.predicate.value.data
        for lhs, rhs, name in (
            (op.lhs, op.rhs, predicate),
            (op.rhs, op.lhs, MIRRORED.get(predicate, predicate)),
        ):
            token = self.known.token(rhs)
            if token == 0 and name in (EQ, NE):
                bit = self.masked(lhs)
                if bit is not None:
                    return bit if name == NE else negated(bit)
            if token == 0 and name in (SLT, SGE):
                bit = self.sign(lhs)
                if bit is not None:
                    return bit if name == SLT else negated(bit)
            if is_invariant(self.loop, rhs) or token is not None:
                found = self.fits(lhs, rhs, name)
                if found is not None:
                    return found
        return None

    def masked(self, value: SSAValue) -> Term | None:
        """The bit that a value is, or that a mask of one bit leaves of another one."""
        term = self.term(value)
        if is_bit(term):
            return term
        if isinstance(value.owner, arith.AndIOp):
            for one, other in pairs(*value.owner.operands):
                mask = self.term(other)
                if isinstance(mask, Power) and mask.bit == ONE:
                    return Bit(one, mask.place)
        return None

    def sign(self, value: SSAValue) -> Term | None:
        """The highest bit of a carried value, or of a difference."""
        match self.term(value):
            case Less(rest, Number() | Leaf() as divisor) if self.is_same(divisor):
                self.compare_signed(value)
                return Not(Fits(rest, divisor))
            case Leaf(carried) if carried in self.carried and carried is value:
                return Bit(carried, width_of(carried.type, self.index_width) - 1)
        return None

    def compare_signed(self, value: SSAValue) -> None:
        """The highest bit of the value is a sign."""
        width = width_of(value.type, self.index_width) - 1
        self.compared_bits = min(self.compared_bits, width)

    def is_same(self, divisor: Number | Leaf) -> bool:
        """True of a divisor that is the same in all iterations."""
        return isinstance(divisor, Number) or is_invariant(self.loop, divisor.value)

    def fits(self, value: SSAValue, divisor: SSAValue, predicate: int) -> Term | None:
        """The term of a comparison with a value from outside, which may be the divisor."""
        if predicate in UNSIGNED:
            self.compare_signed(value)
            predicate = UNSIGNED[predicate]
        least = self.term(divisor)
        if predicate in (ULE, UGT):
            mask = (1 << width_of(divisor.type, self.index_width)) - 1
            if not isinstance(least, Number) or least.token == mask:
                return None
            least = Number(least.token + 1)
        elif predicate not in (ULT, UGE):
            return None
        found = Fits(self.term(value), least)
        return found if predicate in (UGE, UGT) else Not(found)


def narrowest(value: SSAValue) -> SSAValue:
    """The value without zeros in front of it."""
    while isinstance(value.owner, arith.ExtUIOp):
        value = value.owner.input
    return value


def is_bit(term: Term) -> bool:
    """True of what is 0 or 1."""
    return isinstance(term, Bit | Fits | Not) or term in (ZERO, ONE)


def negated(bit: Term) -> Term:
    """The other one of two bits."""
    return bit.bit if isinstance(bit, Not) else Not(bit)


def pairs(one: Side, other: Side) -> tuple[tuple[Side, Side], tuple[Side, Side]]:
    """Two sides in both orders."""
    return (one, other), (other, one)


def choice(condition: Term, value: Term, other: Term) -> Term:
    """One of two values, as what they have in common and the bit that is not."""
    if isinstance(condition, Not):
        return choice(condition.bit, other, value)
    match value, other:
        case (Number(1), Number(0)):
            return condition
        case (Push(one, Number(1)), Push(two, Number(0))) if one == two:
            return Push(one, condition)
        case (Put(one, place, Number(1)), two) if one == two:
            return Put(one, place, condition)
    return Choice(condition, value, other)
