"""Whether a stream of indices has at least one turn, as its constants or its guard say."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from loom.dialects.catalogue import CATALOGUE
from loom.dialects.dataflow_operators import continue_function
from loom.dialects.handshake import CondBranchOp
from loom.dialects.operator import Shape
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Netlist, Unit

COND_BR = CATALOGUE[CondBranchOp.name]
NARROW, WIDE = 3, 5
"""Widths at which a comparison and a cast are tried out: no comparison knows its width [bits]."""


@dataclass(frozen=True)
class Bound:
    """A bound of a stream: a constant, or a datum that a branch lets through where it is taken.

    `value` is the constant's bit pattern, `datum` a channel, `condition` the channel that decides
    the branch (of a constant: the branch that its control token passes), `casts` the units that
    the bound passes after that, first to last.
    """

    value: int | None = None
    datum: str | None = None
    condition: str | None = None
    casts: tuple[Unit, ...] = ()


def runs_at_least_once(netlist: Netlist, same: Mapping[str, str], condition: str) -> bool:
    """True if each burst of a stream's condition is known to have a turn."""
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
        if stream is None or "cont_cond" not in stream.operator.attributes:
            return False
        start, bound = (self.bound(self.into(stream, port)) for port in ("start", "bound"))
        shape = self.netlist.shape_by_unit[stream.name]
        if start.value is not None and bound.value is not None:
            values = (self.cast(b, lambda s: s)(b.value or 0) for b in (start, bound))
            if continue_function(shape)(*values):
                return True
        guard = start.condition if start.datum else bound.condition
        test = None if guard is None else self.unit_of(self.channels[guard])
        if guard is None or test is None or "predicate" not in test.operator.attributes:
            return False
        sides = zip((start, bound), self.netlist.inputs_of(test), strict=True)
        return all(self.is_side(b, guard, side) for b, side in sides) and self.implies(
            test, stream, start, bound
        )

    def is_side(self, bound: Bound, condition: str, side: Channel) -> bool:
        """True if the bound is this side of the comparison, where the comparison holds."""
        if bound.value is not None:
            return bound.value == self.bound(side).value
        return (bound.condition, bound.datum) == (condition, self.same[side.name])

    def implies(self, test: Unit, stream: Unit, start: Bound, bound: Bound) -> bool:
        """True if the stream begins with a turn wherever the comparison holds."""
        meaning = test.operator.meaning
        assert meaning is not None
        width = self.netlist.shape_by_unit[test.name].inputs[0]
        shape = self.netlist.shape_by_unit[stream.name]
        compare = meaning(Shape((NARROW, NARROW), (1,), test.attributes))
        wide = NARROW if shape.inputs[0] == width else WIDE

        def narrowed(cast: Shape) -> Shape:
            return replace(
                cast,
                inputs=(NARROW if cast.inputs[0] == width else WIDE,),
                outputs=(NARROW if cast.outputs[0] == width else WIDE,),
            )

        goes_on = continue_function(Shape((wide,) * 3, (wide, 1), stream.attributes))
        casts = [self.cast(b, narrowed) for b in (start, bound)]
        return all(
            goes_on(casts[0](lhs), casts[1](rhs))
            for lhs, rhs in itertools.product(range(1 << NARROW), repeat=2)
            if compare(lhs, rhs) == 1
        )

    def cast(self, bound: Bound, at: Callable[[Shape], Shape]) -> Callable[[int], int]:
        """What the bound's casts make of a bit pattern, each at its shape changed by `at`."""
        functions: list[Callable[..., object]] = []
        for unit in bound.casts:
            assert unit.operator.meaning is not None
            functions.append(unit.operator.meaning(at(self.netlist.shape_by_unit[unit.name])))

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
            return Bound(value, condition=self.bound(self.netlist.inputs_of(unit)[0]).condition)
        if unit.operator is COND_BR and source.source.port == "true_result":
            condition, datum = (self.same[c.name] for c in self.netlist.inputs_of(unit))
            return Bound(datum=datum, condition=condition)
        is_cast = unit.operator.meaning is not None and "S" in {
            port.type for port in unit.operator.inputs
        }
        if is_cast and len(self.netlist.inputs_of(unit)) == 1:
            found = self.bound(self.netlist.inputs_of(unit)[0])
            return replace(found, casts=(*found.casts, unit))
        return Bound()

    def into(self, unit: Unit, port: str) -> Channel:
        """The channel into a port."""
        return self.netlist.channel_by_target[Endpoint(unit.name, port)]

    def unit_of(self, channel: Channel) -> Unit | None:
        """The unit that drives a channel."""
        end = channel.source
        return None if end.unit == OUTSIDE else self.netlist.unit_by_name[end.unit]
