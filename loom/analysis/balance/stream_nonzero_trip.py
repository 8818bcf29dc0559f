"""Whether a stream of indices has at least one iteration, as its constants or its guard say."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.dataflow_operators import continue_function, is_rotated
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.handshake import CondBranchOp
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit

COND_BR = CATALOGUE[CondBranchOp.name]
NARROW, MOST_WIDTHS = 3, 4
"""The least width at which comparisons and casts are tried out [bits], and how many widths at most:
no comparison and no extension knows its width."""


@dataclass(frozen=True)
class Bound:
    """A bound of a stream: a constant, or a datum that a branch lets through where it is taken.

    `value` is the constant's bit pattern, of `width` [bits], `datum` a channel, `condition` the
    channel that decides the branch (of a constant: the branch that its control token passes),
    `casts` the units that the bound passes after that, first to last.
    """

    value: int | None = None
    width: int | None = None
    datum: str | None = None
    condition: str | None = None
    casts: tuple[Unit, ...] = ()


Pair = tuple[Bound, Bound]
"""Start and bound, or what a comparison has on its left and on its right."""


def cast_widths(shape: Shape) -> tuple[int, int]:
    """The widths before and after a cast [bits]."""
    return shape.inputs[0], shape.outputs[0]


def sign_extend(width: int, to: int) -> Callable[[int], int]:
    """The sign extension of bit patterns."""
    return lambda value: (value - (value >> (width - 1) << width)) % (1 << to)


def has_nonzero_trip(netlist: Netlist, same: Mapping[str, str], condition: str) -> bool:
    """True if each burst of a stream's condition is known to have an iteration."""
    return _Reader(netlist, same).runs(condition)


class _Reader:
    """Reads where the bounds of a stream come from."""

    def __init__(self, netlist: Netlist, same: Mapping[str, str]) -> None:
        self.netlist = netlist
        self.same = same
        self.channels = {channel.name: channel for channel in netlist.channels}

    def runs(self, condition: str) -> bool:
        """By constants, or by the branch that both bounds have passed."""
        stream = self.unit_of(self.channels[condition])
        if stream is None or "cont_cond" not in stream.operator.signature.attributes:
            return False
        if is_rotated(self.netlist.shape_by_unit[stream.name]):
            return False  # its first test decides about the second iteration
        start, bound = (
            self.constant(stream, place) or self.bound(self.into(stream, port))
            for place, port in ((0, "start"), (2, "bound"))
        )
        shape = self.netlist.shape_by_unit[stream.name]
        if start.value is not None and bound.value is not None:
            values = (self.cast(b, lambda s: s)(b.value or 0) for b in (start, bound))
            if continue_function(shape)(*values):
                return True
        guard = start.condition if start.datum else bound.condition
        test = None if guard is None else self.unit_of(self.channels[guard])
        if guard is None or test is None or "predicate" not in test.operator.signature.attributes:
            return False
        left, right = (
            self.side(each, guard, self.constant(test, place) or self.uncast(self.into(test, port)))
            for each, place, port in ((start, 0, "lhs"), (bound, 1, "rhs"))
        )
        if left is None or right is None:
            return False
        return self.implies(test, stream, (start, bound), (left, right))

    def uncast(self, channel: Channel) -> Bound:
        """The datum behind a channel's casts, or its constant."""
        found = self.bound(channel)
        if found.value is not None:
            return replace(found, condition=None)
        casts: list[Unit] = []
        channel = self.channels[self.same[channel.name]]
        while (unit := self.unit_of(channel)) is not None and self.is_cast(unit):
            casts.insert(0, unit)
            channel = self.channels[self.same[self.netlist.inputs_of(unit)[0].name]]
        return Bound(datum=channel.name, casts=tuple(casts))

    def side(self, bound: Bound, condition: str, side: Bound) -> Bound | None:
        """The side of the comparison, from where the bound begins; None if it is another value."""
        if bound.value is not None:
            return side if self.number(bound) == self.number(side) else None
        if bound.condition != condition or bound.datum is None:
            return None
        # What the branch lets through may be the outcome of casts, which the side then has too.
        origin = self.uncast(self.channels[bound.datum])
        count = len(origin.casts)
        if origin.datum != side.datum or origin.casts != side.casts[:count]:
            return None
        return replace(side, datum=bound.datum, casts=side.casts[count:])

    def number(self, bound: Bound) -> int | None:
        """The signed number that a constant stands for, after its casts."""
        if bound.value is None or bound.width is None:
            return None
        value = self.cast(bound, lambda shape: shape)(bound.value)
        width = bound.width
        for unit in bound.casts:
            width = self.netlist.shape_by_unit[unit.name].outputs[0]
        return value - (1 << width) if value >> (width - 1) & 1 else value

    def implies(self, test: Unit, stream: Unit, bounds: Pair, sides: Pair) -> bool:
        """True if the stream begins with an iteration wherever the comparison holds.

        Tried out on all numbers of a few bits: the widths that occur become small ones of the same
        order. A constant is any number of its sign that fits where it is shortest.
        """
        meaning = test.operator.semantics.meaning
        assert meaning is not None
        shapes = self.netlist.shape_by_unit
        at_test, at_stream = shapes[test.name].inputs[0], shapes[stream.name].inputs[0]
        widths = {at_test, at_stream}
        for bound in (*bounds, *sides):
            widths |= {w for unit in bound.casts for w in cast_widths(shapes[unit.name])}
        small = {width: NARROW + rank for rank, width in enumerate(sorted(widths))}
        if len(small) > MOST_WIDTHS:
            return False

        def shrunk(cast: Shape) -> Shape:
            (before,), (after,) = cast.inputs, cast.outputs
            return replace(cast, inputs=(small[before],), outputs=(small[after],))

        compare = meaning(Shape((small[at_test],) * 2, (1,), test.attributes))
        begin = small[at_stream]
        goes_on = continue_function(Shape((begin,) * 3, (begin, 1), stream.attributes))
        readers: list[tuple[range, Callable[[int], int], Callable[[int], int]]] = []
        for bound, side in zip(bounds, sides, strict=True):
            if bound.value is not None:
                shortest = min(at_test, at_stream)
                to_test = sign_extend(small[shortest], small[at_test])
                to_stream = sign_extend(small[shortest], begin)
                half = 1 << small[shortest] - 1
                is_natural = (self.number(bound) or 0) >= 0
                numbers = range(half) if is_natural else range(half, 2 * half)
            else:
                first = [*side.casts, *bound.casts]
                shortest = shapes[first[0].name].inputs[0] if first else at_test
                to_test, to_stream = (self.cast(each, shrunk) for each in (side, bound))
                numbers = range(1 << small[shortest])
            readers.append((numbers, to_test, to_stream))
        (lefts, left, start), (rights, right, end) = readers
        return all(
            goes_on(start(lhs), end(rhs))
            for lhs, rhs in itertools.product(lefts, rights)
            if compare(left(lhs), right(rhs)) == 1
        )

    def cast(self, bound: Bound, at: Callable[[Shape], Shape]) -> Callable[[int], int]:
        """What the bound's casts make of a bit pattern, each at its shape changed by `at`."""
        functions: list[Callable[..., object]] = []
        for unit in bound.casts:
            assert unit.operator.semantics.meaning is not None
            functions.append(
                unit.operator.semantics.meaning(at(self.netlist.shape_by_unit[unit.name]))
            )

        def run(value: int) -> int:
            for function in functions:
                result = function(value)
                assert isinstance(result, int)
                value = result
            return value

        return run

    def bound(self, channel: Channel) -> Bound:
        """Where the tokens of a channel come from."""
        source = self.channels[self.same[channel.name]]
        unit = self.unit_of(source)
        if unit is None:
            return Bound()
        if "value" in unit.attributes:
            value = unit.attributes["value"]
            assert isinstance(value, int)
            return Bound(
                value,
                width=source.width,
                condition=self.bound(self.netlist.inputs_of(unit)[0]).condition,
            )
        if unit.operator is COND_BR and source.source.port == "true_result":
            condition, datum = (self.same[c.name] for c in self.netlist.inputs_of(unit))
            return Bound(datum=datum, condition=condition)
        if self.is_cast(unit):
            found = self.bound(self.netlist.inputs_of(unit)[0])
            return replace(found, casts=(*found.casts, unit))
        return Bound()

    def is_cast(self, unit: Unit) -> bool:
        """True of a pure unit from one width to another."""
        types = {port.type for port in unit.operator.signature.inputs}
        is_pure = unit.operator.semantics.meaning is not None and "S" in types
        return is_pure and len(self.netlist.inputs_of(unit)) == 1

    def constant(self, unit: Unit, place: int) -> Bound | None:
        """The operand of the unit, if it is a constant."""
        shape = self.netlist.shape_by_unit[unit.name]
        if place not in shape.constants:
            return None
        return Bound(shape.constants[place], width=shape.inputs[place])

    def into(self, unit: Unit, port: str) -> Channel:
        """The channel into a port."""
        return self.netlist.channel_by_target[Endpoint(unit.name, port)]

    def unit_of(self, channel: Channel) -> Unit | None:
        """The unit that drives a channel."""
        end = channel.source
        return None if end.unit == OUTSIDE else self.netlist.unit_by_name[end.unit]
