"""Whether two accesses of one memory may alias, and at which distance [iterations].

An address is a number modulo two to the power of an index's width. Two accesses alias if integers
exist for the iterations of their loops, within their bounds, and for all else that addresses are
made of, with which the addresses are equal. Accesses whose equations have no solution are
independent; all others may conflict. Different arguments, allocations and globals are different
memories.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from math import prod
from typing import Literal

from xdsl.ir import BlockArgument

from loom.analysis.program.affine_forms import Form, Interval, Quotient, Variable
from loom.analysis.program.integer_constraints import Row, is_infeasible
from loom.analysis.program.linear_expression import LinearExpression
from loom.analysis.program.memory_accesses import Access, Accesses

MemoryOrder = Literal["auto", "tokens", "comparators", "queue", "serial"]
System = tuple[list[Row], list[Row]]
"""What is 0, and what is not negative."""
MAX_DISTANCE = 3
"""The greatest dependence distance that is computed; it stands for longer ones [iterations]."""
MAX_NEST_DISTANCE = 16
"""The same over the iterations of a nest, a power of two [iterations]."""
MAX_QUERIES = 1000
"""Queries per function that are solved; all further ones are answered by "may conflict"."""


class Dependences:
    """The dependences between the accesses of one function; with `serial` all may conflict.

    So may an access that says `serial` and all others of its memory. With `counts_whiles` distances
    are known in `while` loops, too.
    """

    def __init__(
        self, accesses: Accesses, order: MemoryOrder, *, counts_whiles: bool = False
    ) -> None:
        self.accesses = accesses
        self.counts_whiles = counts_whiles and order != "serial"
        self.left = 0 if order == "serial" else MAX_QUERIES
        self._answers: dict[tuple[int, int, int, int], bool] = {}
        self._systems: dict[Hashable, bool] = {}

    def may_conflict(self, first: Access, second: Access, same: int) -> bool:
        """True if the two may alias in one iteration of `same` loops, and one of them is a store.

        The `same` outermost loops are around both. Iterations of the loops inside may be any.
        """
        if not (first.stores or second.stores):
            return False
        if first.number > second.number:
            first, second = second, first
        if same and self.is_carried(first, second, same - 1):
            assert first.carried is not None and second.carried is not None
            return first.carried.is_at(second.carried, 0)
        return self._may_conflict((first.number, second.number, same, 0), first, second)

    def distance(self, first: Access, second: Access, same: int) -> int | None:
        """The dependence distance: iterations from `first` to the next `second` that may conflict.

        The loop is the next one inside the `same` outermost, whose iterations are the same; around
        both. None if none does; `MAX_DISTANCE` [iterations] stands for all from there on. What is
        forwarded to a load in its innermost loop is no conflict.
        """
        if not (first.stores or second.stores):
            return None
        if self.is_carried(first, second, same):
            return self.carried_distance(first, second)
        counted = first.loops[same].iteration is not None
        innermost = first.stores and len(second.loops) == same + 1
        nearest = 1 + (second.forwarded if innermost else 0)
        for iterations in range(nearest, MAX_DISTANCE) if counted else ():
            if self._may_conflict((first.number, second.number, same, iterations), first, second):
                return iterations
        last = max(MAX_DISTANCE, nearest) if counted else nearest
        far = self._may_conflict((first.number, second.number, same, -last), first, second)
        return last if far else None

    def is_carried(self, first: Access, second: Access, same: int) -> bool:
        """Whether both addresses are made alike of one value that their innermost loop carries."""
        if not self.counts_whiles or "serial" in (first.order, second.order):
            return False
        one, other = first.carried, second.carried
        return (
            one is not None
            and other is not None
            and (one.carried, one.casts) == (other.carried, other.casts)
            and len(first.loops) == len(second.loops) == same + 1
            and isinstance(one.carried, BlockArgument)
            and one.carried.block.parent_op() is first.loops[same].operation
        )

    def carried_distance(self, first: Access, second: Access) -> int | None:
        """The distance of two such accesses; `MAX_NEST_DISTANCE` stands for all from there on."""
        one, other = first.carried, second.carried
        assert one is not None and other is not None
        if one.step == 0 and not one.is_at(other, 0):
            return None
        distances = range(1, MAX_NEST_DISTANCE)
        return next((n for n in distances if one.is_at(other, n)), MAX_NEST_DISTANCE)

    def nest_distance(
        self, first: Access, second: Access, same: int, trip_counts: Sequence[int]
    ) -> int:
        """At least so many iterations of a nest lie from `first` to a `second` that may conflict.

        The `same` outermost loops are around the nest. Its iterations are those of its innermost
        loop, around both accesses; the loops inside its outermost one have these trip counts.
        `MAX_NEST_DISTANCE` [iterations] stands for all from there on, and for no conflict.
        """
        weights = [prod(trip_counts[level:]) for level in range(len(trip_counts) + 1)]
        distance = 1
        while distance < MAX_NEST_DISTANCE:
            query = _Query(self.accesses, first, second, same, -1)
            self.left -= 1
            if self.left < 0 or not self._refuted(query.system(nest=(weights, 2 * distance - 1))):
                break
            distance *= 2
        return distance

    def crosses(self, first: Access, second: Access, same: int) -> bool:
        """True if interchanging two loops could reverse a dependence from `first` to `second`.

        That is in a later iteration of the loop inside the `same` outermost, but in an earlier
        iteration of the next one: with the two loops interchanged `second` would come first.
        """
        if not (first.stores or second.stores):
            return False
        if any(
            access.loops[same + k].iteration is None for access in (first, second) for k in (0, 1)
        ):
            return True
        question = _Query(self.accesses, first, second, same, -1)
        return not self._refuted(question.system(crossing=True))

    def may_be_equal(self, first: Access, second: Access, *, bounded: bool) -> bool:
        """True if the addresses may be equal in any two iterations.

        Without `bounded` also in those that neither the loops nor the array has.
        """
        zero, rows = _Query(self.accesses, first, second, 0, 0).system()
        return not self._refuted((zero, rows if bounded else []))

    def _may_conflict(
        self, question: tuple[int, int, int, int], first: Access, second: Access
    ) -> bool:
        if "serial" in (first.order, second.order):
            return True
        found = self._answers.get(question)
        if found is None:
            self.left -= 1
            found = self._answers[question] = self.left < 0 or not self._refuted(
                _Query(self.accesses, first, second, *question[2:]).system()
            )
        return found

    def _refuted(self, system: System) -> bool:
        """Whether a system has no solution; many pairs ask for the same."""
        key = tuple(tuple((row.constant, *row.terms.items()) for row in rows) for rows in system)
        found = self._systems.get(key)
        if found is None:
            found = self._systems[key] = is_infeasible(*system)
        return found


class _Query:
    """Two accesses; `apart` iterations of the loop at `same` lie between them, or at least as many.

    `apart` above 0 is exact, below 0 the least, and 0 says that no such loop is distinguished.
    Every variable has a number for each of the two, and one for both where it is the same for both.
    """

    def __init__(
        self, accesses: Accesses, first: Access, second: Access, same: int, apart: int
    ) -> None:
        self.accesses, self.pair = accesses, (first, second)
        self.same, self.apart = same, apart
        self.numbers: dict[tuple[Variable, int], int] = {}
        self.order: list[tuple[Variable, int]] = []
        self.intervals: list[Interval] = []

    def system(
        self, crossing: bool = False, nest: tuple[Sequence[int], int] | None = None
    ) -> System:
        """What is 0, and what is not negative, if the two alias; `crossing` as in `crosses`.

        `nest` are the iterations of a nest that one of each of its loops is, and how many of the
        nest lie between the two at most.
        """
        self.narrow()
        zero, rows = [self.difference(*pair) for pair in self.equal_where_they_alias()], list[Row]()
        iteration = self.pair[0].loops[self.same].iteration if self.apart else None
        if iteration is not None:
            later, earlier = (self.row(Form(0, {iteration: 1}), side) for side in (1, 0))
            between = later.plus(earlier, -1)
            between = LinearExpression(between.constant - abs(self.apart), between.terms)
            (zero if self.apart > 0 else rows).append(between)
        inner = self.pair[0].loops[self.same + 1].iteration if crossing else None
        if inner is not None:
            earlier, later = (self.row(Form(0, {inner: 1}), side) for side in (1, 0))
            rows.append(later.plus(earlier, -1).plus(LinearExpression(-1, dict[int, int]())))
        if nest is not None:
            rows.append(self.within(*nest))
        rows += self.subscripts_in_bounds()
        rows += self.iterations_in_bounds()
        for number, (low, high) in enumerate(self.intervals):
            rows += [LinearExpression(-low, {number: 1}), LinearExpression(high, {number: -1})]
        return zero, rows

    def within(self, weights: Sequence[int], most: int) -> Row:
        """What is not negative where the two lie at most so many iterations of a nest apart."""
        row = LinearExpression(most, dict[int, int]())
        for loop, weight in zip(self.pair[0].loops[self.same :], weights, strict=True):
            assert loop.iteration is not None
            number = Form(0, {loop.iteration: weight})
            row = row.plus(self.row(number, 1), -1).plus(self.row(number, 0))
        return row

    def equal_where_they_alias(self) -> list[tuple[Form, Form]]:
        """What is equal where the two alias: the addresses, or the subscripts of one table."""
        first, second = self.pair
        sizes = [[s.size for s in access.subscripts] for access in self.pair]
        if not sizes[0] or sizes[0] != sizes[1]:
            return [(first.address, second.address)]
        pairs = zip(first.subscripts, second.subscripts, strict=True)
        return [(one.modular, other.modular) for one, other in pairs]

    def difference(self, first: Form, second: Form) -> Row:
        """What is 0 where two numbers are equal, modulo what an index wraps at."""
        between = self.row(first, 0).plus(self.row(second, 1), -1)
        low = high = between.constant
        for number, factor in between.terms.items():
            ends = [factor * end for end in self.intervals[number]]
            low, high = low + min(ends), high + max(ends)
        modulus = 1 << self.accesses.forms.index_width
        if -modulus < low and high < modulus:
            return between
        self.intervals.append((low // modulus, -(-high // modulus)))
        return between.plus(LinearExpression(0, {len(self.intervals) - 1: -modulus}))

    def narrow(self) -> None:
        """A variable that is a subscript, but for a constant, lies where the subscript does."""
        for side, access in enumerate(self.pair):
            for subscript in access.subscripts:
                form = subscript.exact
                for variable, factor in form.terms.items() if len(form.terms) == 1 else ():
                    if abs(factor) == 1:
                        number = self.number(variable, side)
                        last = subscript.size - 1
                        ends = sorted(factor * (end - form.constant) for end in (0, last))
                        low, high = self.intervals[number]
                        self.intervals[number] = (max(low, ends[0]), min(high, ends[1]))

    def subscripts_in_bounds(self) -> Iterator[Row]:
        """What is not negative because the subscripts of both lie in their dimensions."""
        for side, access in enumerate(self.pair):
            for subscript in access.subscripts:
                row = self.row(subscript.exact, side)
                yield row
                yield Row(subscript.size - 1, {}).plus(row, -1)

    def iterations_in_bounds(self) -> Iterator[Row]:
        """What is not negative because accesses lie in their loops, and in their memory.

        Of loops whose iterations, or the bounds of others that need them, the addresses have.
        """
        for variable, side in self.reached():
            if isinstance(variable, Quotient):
                yield self.row(variable.rest, side)
                yield self.row(Form(variable.divisor - 1, {}).plus(variable.rest, -1), side)
            bounds = self.accesses.bounds.get(variable)
            if bounds is None:
                continue
            room = bounds.upper.plus(bounds.lower, -1)
            yield self.row(room.plus(Form(-1, {variable: -bounds.step})), side)
            for access in self.pair if self.same_for_both(variable) else [self.pair[side]]:
                limit = self.accesses.limits[access].get(variable)
                if limit is not None:
                    yield self.row(Form(limit, {variable: -1}), side)

    def reached(self) -> Iterator[tuple[Variable, int]]:
        """All numbered variables, those too that are numbered meanwhile."""
        place = 0
        while place < len(self.order):
            yield self.order[place]
            place += 1

    def row(self, form: Form, side: int) -> Row:
        """The form of one of the two accesses in numbered variables."""
        return LinearExpression(
            form.constant, {self.number(v, side): n for v, n in form.terms.items()}
        )

    def number(self, variable: Variable, side: int) -> int:
        """The number of a variable of one of the two accesses."""
        key = (variable, 0 if self.same_for_both(variable) else side)
        if key not in self.numbers:
            self.order.append(key)
            self.numbers[key] = len(self.intervals)
            self.intervals.append(self.accesses.forms.intervals[variable])
        return self.numbers[key]

    def same_for_both(self, variable: Variable) -> bool:
        """True if the variable changes only with iterations that are the same for both accesses."""
        return self.accesses.depth[variable] <= self.same
