"""Affine forms: values as sums of iteration numbers and other values, each times a constant.

A form is what an address is before it wraps: the value is equal to it modulo two to the power of
its width, and equal to it outright where the form's interval fits that width. Variables are the
iterations of counted loops, quotients of sums, and every value that is no sum of others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.analysis.program.linear_expression import LinearExpression
from loom.analysis.program.trip_counts import constant_of
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.order import PlaceOp
from loom.dialects.ops.types import is_token_type, width_of


@dataclass(frozen=True)
class IterationNumber:
    """The number of the current iteration of a counted loop, from 0; `body` is the loop's block."""

    body: Block


@dataclass(frozen=True)
class Natural:
    """A value read as an unsigned number."""

    value: SSAValue


@dataclass(frozen=True)
class Quotient:
    """A sum, divided by a constant and rounded down."""

    constant: int
    terms: frozenset[tuple[Variable, int]]
    divisor: int

    @property
    def rest(self) -> Form:
        """What is left, from 0 to the divisor less 1."""
        return LinearExpression(self.constant, dict(self.terms)).plus(
            LinearExpression(0, {self: 1}), -self.divisor
        )


Variable = SSAValue | IterationNumber | Natural | Quotient
Interval = tuple[int, int]
"""The least and the greatest number, both among them."""


Form = LinearExpression[Variable]
"""A sum of variables times constants."""


@dataclass(frozen=True)
class Bounds:
    """The index of a counted loop is ``lower + step * iteration number``, below `upper`."""

    lower: Form
    step: int
    upper: Form


class Forms:
    """The forms of one function's values; nothing may be rewritten meanwhile."""

    def __init__(self, index_width: int) -> None:
        self.index_width = index_width
        self.intervals: dict[Variable, Interval] = {}
        self._rests: dict[frozenset[tuple[Variable, int]], tuple[int, int]] = {}
        """By the terms of what a quotient leaves, its constant and its divisor."""
        self._modular: dict[SSAValue, Form] = {}
        self._bounds: dict[Operation, Bounds | None] = {}

    def modular(self, value: SSAValue) -> Form:
        """A form that is equal to `value` modulo two to the power of its width."""
        found = self._modular.get(value)
        if found is None:
            found = self._modular[value] = self._make(value)
        return found

    def exact(self, value: SSAValue) -> Form:
        """A form that is equal to `value` read as a signed number."""
        form = self.modular(value)
        loop = counted_by(value)
        if loop is not None and not is_unsigned(loop):
            return form
        if (inverted := inverted_by(value)) is not None:
            return Form(-1, {}).plus(self.exact(inverted), -1)
        half = 1 << (self._width(value) - 1)
        low, high = self.interval(form)
        if -half <= low and high < half:
            return form
        # It wraps: what it is above the least number is what the sum leaves besides a quotient.
        above = Form(form.constant + half, form.terms)
        return Form(-half, {}).plus(self._rest(above, 2 * half))

    def natural(self, value: SSAValue) -> Form:
        """A form that is equal to `value` read as an unsigned number."""
        form, modulus = self.modular(value), 1 << self._width(value)
        low, high = self.interval(form)
        if low >= 0 and high < modulus:
            return form
        if form != Form(0, {value: 1}):
            return self._rest(form, modulus)
        variable = Natural(value)
        self.intervals[variable] = (0, modulus - 1)
        return Form(0, {variable: 1})

    def interval(self, form: Form) -> Interval:
        """What the form lies in, by the intervals of its variables."""
        low = high = form.constant
        for variable, factor in form.terms.items():
            ends = [factor * end for end in self.intervals[variable]]
            low, high = low + min(ends), high + max(ends)
        rest = self._rests.get(frozenset(form.terms.items())) if self._rests else None
        if rest is not None:
            above = form.constant - rest[0]
            low, high = max(low, above), min(high, above + rest[1] - 1)
        return low, high

    def bounds(self, loop: scf.ForOp) -> Bounds | None:
        """The loop's bounds; None where its step is no constant above 0."""
        if loop not in self._bounds:
            self._bounds[loop] = self._bounds_of(loop)
        return self._bounds[loop]

    def _bounds_of(self, loop: scf.ForOp) -> Bounds | None:
        unsigned = is_unsigned(loop)
        step = constant_of(loop.step)
        if step is not None and unsigned:
            step &= (1 << self._width(loop.step)) - 1
        if step is None or step <= 0:
            return None
        number = self.natural if unsigned else self.exact
        lower, upper = number(loop.lb), number(loop.ub)
        most = (self.interval(upper)[1] - 1 - self.interval(lower)[0]) // step
        self.intervals[IterationNumber(loop.body.block)] = (0, max(0, most))
        return Bounds(lower, step, upper)

    def _width(self, value: SSAValue) -> int:
        assert is_token_type(value.type)
        return width_of(value.type, self.index_width)

    def anything(self, value: SSAValue) -> Form:
        """An index of which nothing is known, and which is new wherever `value` is."""
        half = 1 << (self.index_width - 1)
        self.intervals[value] = (-half, half - 1)
        return Form(0, {value: 1})

    def _opaque(self, value: SSAValue) -> Form:
        half = 1 << (self._width(value) - 1)
        self.intervals.setdefault(value, (-half, half - 1))
        return Form(0, {value: 1})

    def _make(self, value: SSAValue) -> Form:
        loop = counted_by(value)
        if loop is not None:
            bounds = self.bounds(loop)
            if bounds is None:
                return self._opaque(value)
            return bounds.lower.plus(Form(0, {IterationNumber(loop.body.block): 1}), bounds.step)
        number = constant_of(value)
        if number is not None:
            half = 1 << (self._width(value) - 1)
            return Form((number + half) % (2 * half) - half, {})
        owner = value.owner
        made = self._of(owner) if isinstance(owner, Operation) else None
        return self._opaque(value) if made is None else made

    def _of(self, made_by: Operation) -> Form | None:
        """The form of an operation's result, None if it is no sum."""
        match made_by:
            case arith.AddiOp():
                return self.modular(made_by.lhs).plus(self.modular(made_by.rhs))
            case arith.SubiOp():
                return self.modular(made_by.lhs).plus(self.modular(made_by.rhs), -1)
            case arith.MuliOp():
                left, right = self.modular(made_by.lhs), self.modular(made_by.rhs)
                if left.terms and right.terms:
                    return None
                return left.times(right.constant) if left.terms else right.times(left.constant)
            case arith.ShLIOp():
                places = constant_of(made_by.rhs)
                known = places is not None and 0 <= places < self._width(made_by.result)
                return self.modular(made_by.lhs).times(1 << places) if known and places else None
            case arith.IndexCastOp() | arith.ExtSIOp() | arith.TruncIOp():
                return self._cast(made_by, self.exact)
            case arith.ExtUIOp() | IndexCastUIOp():
                return self._cast(made_by, self.natural)
            case arith.XOrIOp():
                inverted = inverted_by(made_by.result)
                return None if inverted is None else Form(-1, {}).plus(self.modular(inverted), -1)
            case PlaceOp():
                return self.modular(made_by.address)
            case arith.DivUIOp() | arith.RemUIOp() | arith.ShRUIOp() | arith.AndIOp():
                return self._divided(made_by)
            case _:
                return None

    def _cast(self, cast: Operation, widen: Callable[[SSAValue], Form]) -> Form:
        """A wider type holds the same number, a narrower one its lowest bits."""
        source, result = cast.operands[0], cast.results[0]
        narrower = self._width(result) <= self._width(source)
        return self.modular(source) if narrower else widen(source)

    def _divided(self, operation: Operation) -> Form | None:
        """A quotient of a sum that is not negative, or what is left of the sum besides it."""
        places = constant_of(operation.operands[1]) or 0
        leaves = isinstance(operation, arith.AndIOp | arith.RemUIOp)
        divisor = places
        if isinstance(operation, arith.AndIOp):
            divisor = places + 1 if places & (places + 1) == 0 else 0
        elif isinstance(operation, arith.ShRUIOp):
            divisor = 1 << places if 0 < places < self._width(operation.results[0]) else 0
        form = self.exact(operation.operands[0])
        low = self.interval(form)[0]
        if divisor < 2 or low < 0 or not form.terms:
            return self._limited(operation) if leaves else None
        return self._rest(form, divisor) if leaves else Form(0, {self._quotient(form, divisor): 1})

    def _quotient(self, form: Form, divisor: int) -> Quotient:
        """A sum by a constant above 0, rounded down."""
        low, high = self.interval(form)
        quotient = Quotient(form.constant, frozenset(form.terms.items()), divisor)
        self.intervals[quotient] = (low // divisor, high // divisor)
        return quotient

    def _rest(self, form: Form, divisor: int) -> Form:
        """What a sum leaves besides its quotient."""
        if not form.terms:
            return Form(form.constant % divisor, {})
        rest = self._quotient(form, divisor).rest
        self._rests[frozenset(rest.terms.items())] = rest.constant, divisor
        return rest

    def _limited(self, operation: Operation) -> Form | None:
        """A variable that a mask or a divisor keeps small."""
        number = constant_of(operation.operands[1])
        if number is None or number <= 0:
            return None
        result = operation.results[0]
        top = number if isinstance(operation, arith.AndIOp) else number - 1
        self.intervals[result] = (0, top)
        return Form(0, {result: 1})


def inverted_by(value: SSAValue) -> SSAValue | None:
    """The value whose every bit `value` has the other way round: -1 less it, which always fits."""
    owner = value.owner
    inverts = isinstance(owner, arith.XOrIOp) and constant_of(owner.rhs) == -1
    return owner.lhs if isinstance(owner, arith.XOrIOp) and inverts else None


def counted_by(value: SSAValue) -> scf.ForOp | None:
    """The loop whose variable `value` is."""
    if not isinstance(value, BlockArgument) or value.index != 0:
        return None
    loop = value.block.parent_op()
    return loop if isinstance(loop, scf.ForOp) else None
