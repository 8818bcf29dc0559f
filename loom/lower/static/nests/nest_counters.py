"""When the loops of a nest begin, run and end, by their counters.

An entry of an inner loop is one iteration of the pipeline at least. If the loop runs no iteration,
its bounds say so, and that one is a dummy: the loop begins and ends, and does not run. The loops
inside such a one begin and end with it, whatever their bounds are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import arith
from xdsl.dialects.builtin import i1
from xdsl.ir import BlockArgument, SSAValue

from loom.dialects.facts.loop_attributes import is_unsigned
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type
from loom.lower.static.copied_values import CopiedValues
from loom.lower.static.nests.find_nest import Level
from loom.lower.static.nests.prefetch_bounds import Word


@dataclass(frozen=True)
class Flags:
    """Of the second loop, where its bounds are loaded: what is carried of this iteration.

    It is known an iteration before, so that no chain begins with a comparison of the bounds. The
    nest begins with an iteration before the first one, which only `moves` on to the next entry; for
    all others `ends` is the same. `last` is the last counter of an entry that runs.
    """

    moves: BlockArgument
    ends: BlockArgument
    runs: BlockArgument
    begins: BlockArgument
    last: BlockArgument

    def first(self, build: Arithmetic) -> dict[BlockArgument, SSAValue]:
        """What they are as the nest begins."""
        numbers = {self.moves: 1, self.ends: 0, self.runs: 0, self.begins: 0, self.last: 0}
        return {
            each: build.constant(number, integer_type(each.type))
            for each, number in numbers.items()
        }


class Counting:
    """The bounds of a nest's loops, in terms of the `counters` and of values from outside.

    Those of the second loop may be made of `words` too, which are loaded ahead; then there are
    `flags`.
    """

    def __init__(
        self,
        levels: Sequence[Level],
        counters: Sequence[BlockArgument],
        index_width: int,
        words: Sequence[Word] = (),
    ) -> None:
        self.levels, self.counters, self.index_width = levels, counters, index_width
        self.words = words
        self.flags: Flags | None = None
        self.lows = [level.loop.lb for level in levels]
        self.highs = [level.loop.ub for level in levels]
        self.sliced = {op for level in levels for op in level.slice}
        self.outside = Arithmetic(levels[0].loop)
        self.tested: set[int] = set()
        """Levels that are known to run once the outermost one does."""
        self._runs: dict[int, SSAValue] = {}
        self._last: dict[int, SSAValue | None] = {}

    def is_outside(self, value: SSAValue) -> bool:
        """Whether a bound is the same in the whole nest."""
        if value in self.counters or any(value is word.now for word in self.words):
            return False
        return value.owner not in self.sliced

    def is_invariant(self, number: int) -> bool:
        """Whether both bounds of a level are the same in the whole nest."""
        return self.is_outside(self.lows[number]) and self.is_outside(self.highs[number])

    def test(self, number: int) -> None:
        """The outermost loop runs no iteration where this level, of invariant bounds, does not."""
        runs = self.runs_outside(number)
        self.highs[0] = self.outside.select(runs, self.highs[0], self.lows[0])
        self.tested.add(number)

    def runs_outside(self, number: int) -> SSAValue:
        """Whether a level of invariant bounds runs, known before the nest begins."""
        if number not in self._runs:
            low, high = self.lows[number], self.highs[number]
            self._runs[number] = self.outside.compare(self.less(number), low, high)
        return self._runs[number]

    def always_runs(self, number: int) -> bool:
        """Whether a level runs at least once wherever the level around it does."""
        return not number or self.levels[number].runs or number in self.tested

    def is_unsigned(self, number: int) -> bool:
        """Whether a level compares unsigned."""
        return is_unsigned(self.levels[number].loop)

    def less(self, number: int) -> str:
        """The comparison of a counter that is below its bound."""
        return "ult" if self.is_unsigned(number) else "slt"

    def last_outside(self, number: int) -> SSAValue | None:
        """The last counter of a level with a known trip count, or of step 1 and a fixed bound.

        Of a level that does not run it is the first one, if that is as well fixed.
        """
        if number not in self._last:
            self._last[number] = self._last_of(number)
        return self._last[number]

    def _last_of(self, number: int) -> SSAValue | None:
        level, low, high = self.levels[number], self.lows[number], self.highs[number]
        type_ = integer_type(high.type)
        first, end = constant_of(low), constant_of(high)
        if level.trip_count is not None and first is not None:
            return self.outside.constant(first + (level.trip_count - 1) * level.step, type_)
        if level.step != 1 or not self.is_outside(high):
            return None
        if end is not None:
            last = self.outside.constant(end - 1, type_)
        else:
            last = self.outside.with_constant(arith.SubiOp, high, 1)
        if self.is_invariant(number) and not self.always_runs(number):
            last = self.outside.select(self.runs_outside(number), last, low)
        return last

    def first_counters(self) -> list[SSAValue]:
        """The counters of the first iteration."""
        if self.flags is not None:
            first = constant_of(self.lows[0])
            assert first is not None, "the first counter is no constant"
            numbers = (first - self.levels[0].step, 0)
            return [
                self.outside.constant(number, integer_type(low.type))
                for number, low in zip(numbers, self.lows, strict=True)
            ]
        found: list[SSAValue] = []
        for low in self.lows:
            found.append(Scope(self, self.outside, found).value(low))
        return found

    def next_flags(self, now: Scope) -> dict[BlockArgument, SSAValue]:
        """The flags of the next iteration: of the next entry, or of the next iteration of this one,
        which runs.
        """
        flags, build = self.flags, now.build
        assert flags is not None
        entry = Scope(self, build, [now.moved(0)], {w.now: w.following for w in self.words})
        low, high = entry.value(self.lows[1]), entry.value(self.highs[1])
        runs = build.compare(self.less(1), low, high)
        last = build.with_constant(arith.SubiOp, high, 1)
        one = build.constant(1, i1)
        idle, stays = (build.binary(arith.XOrIOp, each, one) for each in (runs, flags.moves))
        is_short = build.binary(arith.OrIOp, build.compare("eq", low, last), idle)
        is_last = build.compare("eq", now.moved(1), flags.last)
        ends = build.select(flags.moves, is_short, is_last)
        return {
            flags.moves: ends,
            flags.ends: ends,
            flags.runs: build.binary(arith.OrIOp, stays, runs),
            flags.begins: flags.moves,
            flags.last: build.select(flags.moves, last, flags.last),
        }

    def reaches(self, number: int) -> str:
        """The comparison of a counter one step on, after one below its bound, that is past it."""
        if self.levels[number].step == 1:
            return "eq"
        return "uge" if self.is_unsigned(number) else "sge"

    def next_counters(self, build: Arithmetic, counters: Sequence[SSAValue]) -> list[SSAValue]:
        """The innermost counter counts; one that ends begins again and lets the next one count."""
        now = Scope(self, build, counters)
        words = {word.now: word.following for word in self.words}
        innermost = len(counters) - 1
        carries: list[SSAValue | None] = [None] * len(counters)
        for number in reversed(range(innermost)):
            carries[number] = both(build, carries[number + 1], now.moves_on(number + 1))
        begun: list[SSAValue] = []
        following: list[SSAValue] = []
        for number, counter in enumerate(counters):
            moved = now.moved(number)
            if number:
                # It begins only where the one around it has moved, or begun.
                around = [*following[: number - 1], begun[number - 1]]
                first = Scope(self, build, around, words).value(self.lows[number])
                moved = build.select(now.moves_on(number), first, moved)
            begun.append(moved)
            carry = carries[number]
            following.append(moved if carry is None else build.select(carry, moved, counter))
        return following


class Scope:
    """A place where the counters of the outermost levels, and words, have given values."""

    def __init__(
        self,
        counting: Counting,
        build: Arithmetic,
        counters: Sequence[SSAValue],
        words: Mapping[SSAValue, SSAValue] | None = None,
    ) -> None:
        self.counting, self.build, self.counters = counting, build, counters
        known: dict[SSAValue, SSAValue] = dict(words or {})
        known.update(zip(counting.counters, counters, strict=False))
        if list(counters) == list(counting.counters):  # the place where the operations are
            known.update((each, each) for op in counting.sliced for each in op.results)
        self.copies = CopiedValues(build, counting.sliced, known, counting.index_width)
        self._made: dict[tuple[str, int], SSAValue | None] = {}

    def value(self, bound: SSAValue) -> SSAValue:
        """A bound, or what makes one, with these counters; a number where that is known."""
        return self.copies.of(bound)

    def once(self, kind: str, number: int, found: SSAValue | None) -> SSAValue | None:
        """The flag of a level, kept for the next who asks."""
        return self._made.setdefault((kind, number), found)

    def runs_if_reached(self, number: int) -> SSAValue | None:
        """Whether a level runs where the one around it does; None if that is known."""
        if ("reached", number) in self._made:
            return self._made["reached", number]
        counting = self.counting
        if number and counting.flags is not None:
            found: SSAValue | None = counting.flags.runs
        elif counting.always_runs(number):
            found = None
        elif counting.is_invariant(number):
            found = counting.runs_outside(number)
        else:
            low, high = self.value(counting.lows[number]), self.value(counting.highs[number])
            found = self.build.compare(counting.less(number), low, high)
        return self.once("reached", number, found)

    def runs(self, number: int) -> SSAValue | None:
        """Whether a level and all around it run; None if that is known."""
        if not number:
            return None
        if ("runs", number) in self._made:
            return self._made["runs", number]
        around, own = self.runs(number - 1), self.runs_if_reached(number)
        return self.once("runs", number, around if own is None else both(self.build, around, own))

    def moved(self, number: int) -> SSAValue:
        """The counter of a level, a step on."""
        if ("moved", number) not in self._made:
            counter, step = self.counters[number], self.counting.levels[number].step
            moved = self.build.with_constant(arith.AddiOp, counter, step)
            self._made["moved", number] = moved
        found = self._made["moved", number]
        assert found is not None
        return found

    def begins(self, number: int) -> SSAValue:
        """Whether this is the first iteration of a level, or its dummy."""
        if number and self.counting.flags is not None:
            return self.counting.flags.begins
        low = self.value(self.counting.lows[number])
        return self.build.compare("eq", self.counters[number], low)

    def moves_on(self, number: int) -> SSAValue:
        """Whether the next iteration is of the next entry of a level."""
        flags = self.counting.flags
        return self.ends(number) if flags is None else flags.moves

    def is_of_loop(self) -> SSAValue:
        """Whether this is not the iteration before the first one."""
        flags, build = self.counting.flags, self.build
        assert flags is not None
        stays = build.binary(arith.XOrIOp, flags.moves, build.constant(1, i1))
        return build.binary(arith.OrIOp, stays, flags.ends)

    def ends(self, number: int) -> SSAValue:
        """Whether this is the last iteration of a level, or its dummy."""
        if ("ends", number) not in self._made:
            self._made["ends", number] = self._ends(number)
        found = self._made["ends", number]
        assert found is not None
        return found

    def _ends(self, number: int) -> SSAValue:
        counting, build, counter = self.counting, self.build, self.counters[number]
        if number and counting.flags is not None:
            return counting.flags.ends
        last = counting.last_outside(number)
        is_covered = counting.always_runs(number)
        if last is not None:
            is_covered |= counting.is_invariant(number)
            found = build.compare("eq", counter, last)
        else:
            high = self.value(counting.highs[number])
            found = build.compare(counting.reaches(number), self.moved(number), high)
        runs = self.runs(number - 1) if is_covered else self.runs(number)
        if runs is None:
            return found
        idle = build.binary(arith.XOrIOp, runs, build.constant(1, i1))
        return build.binary(arith.OrIOp, found, idle)


def both(build: Arithmetic, *flags: SSAValue | None) -> SSAValue | None:
    """Whether all flags are true; None for those that are known to be."""
    given = [flag for flag in flags if flag is not None]
    if not given:
        return None
    return reduce(lambda one, other: build.binary(arith.AndIOp, one, other), given)
