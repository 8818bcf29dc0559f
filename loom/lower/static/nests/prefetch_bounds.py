"""Prefetch of loaded bounds: in ``for i .. for k = p[i] .. p[i + 1]`` the words of `p` are loaded
one iteration of the outer loop and more before they are needed.

One pipeline over all iterations must know the bounds of the next entry of the inner loop as the
last iteration of this one issues. The words of this outer iteration and the next one are in
registers; the word of the one after is loaded in every iteration of the pipeline, for the outer
iteration that its next one belongs to, and comes from the RAM when a register takes it. Where
loads of one array are those of each other an outer iteration later, as above, one of them is made
for all. A load past the last outer iteration is never used; one outside the array is replaced by
one inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import BlockArgument, SSAValue

from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.facts.program_facts import IN_RANGE
from loom.lower.scalar.arith_builder import (
    Arithmetic,
    constant_of,
    integer_type,
    zero_of,
)
from loom.lower.static.body_problem import MemoryOrder
from loom.lower.static.copied_values import CopiedValues
from loom.lower.static.loads_inside import inside, load_at, size_of
from loom.lower.static.units import RAM_LATENCY, load_latency

ACCESSES = (memref.LoadOp, memref.StoreOp)
MOST_APART = 3
"""Outer iterations that loads of one array may be apart and have one load."""
AHEAD = 2
"""Outer iterations from a word that is loaded to the newest word that this one needs."""


def can_prefetch(outer: scf.ForOp, loads: Sequence[memref.LoadOp], order: MemoryOrder) -> bool:
    """Whether loads may be made ahead: of RAMs that answer in the next cycle, at addresses that are
    proved to be inside, of arrays that the loops do not store to.

    The outer loop counts from a constant, before which its type holds another number.
    """
    low, step = constant_of(outer.lb), constant_of(outer.step)
    if low is None or step is None or is_unsigned(outer):
        return False
    kind = integer_type(outer.lb.type)
    if isinstance(kind, IntegerType) and low - step < -(1 << kind.width.data - 1):
        return False
    stored = {order.root(op) for op in outer.walk() if isinstance(op, memref.StoreOp)}
    return all(
        IN_RANGE.is_on(load)
        and not is_behind_channel(load.memref)
        and load_latency(load) == RAM_LATENCY
        and order.root(load) not in stored
        for load in loads
    )


@dataclass(frozen=True)
class Word:
    """What stands for a load of a bound: `now`, and in the `following` outer iteration.

    `now` is a constant that nothing reads where it is never needed.
    """

    now: SSAValue
    following: BlockArgument


@dataclass
class _Row:
    """Words of one array: the `loads` with their outer iterations ahead of the first load.

    `words` are the arguments of the block by the same number; the last one comes from the RAM.
    """

    loads: dict[memref.LoadOp, int]
    words: dict[int, BlockArgument] = field(default_factory=dict)
    addresses: list[BlockArgument] = field(default_factory=list)
    """Those of the last word and the next one of its row."""

    @property
    def last(self) -> tuple[memref.LoadOp, int]:
        """The load that is the farthest ahead, and its number."""
        return max(self.loads.items(), key=lambda item: item[1])

    def numbers(self) -> range:
        """The words that are carried."""
        needed = {shift + 1 for shift in self.loads.values()}
        needed |= {shift for load, shift in self.loads.items() if not is_of_bounds(load.res)}
        return range(min(needed), max(self.loads.values()) + AHEAD + 1)


def is_of_bounds(value: SSAValue) -> bool:
    """Whether a value is needed for nothing but the bounds of the loop inside.

    One without a use may be a predicate.
    """
    if not value.uses:
        return False
    for use in value.uses:
        user = use.operation
        if isinstance(user, scf.ForOp) and use.index < 2:
            continue
        if isinstance(user, ACCESSES) or user.regions or not user.results:
            return False
        if not all(map(is_of_bounds, user.results)):
            return False
    return True


class Prefetch:
    """The loads of the second loop's bounds in an outermost loop on its way to one pipeline.

    The pipeline begins with an iteration before the first outer one.
    """

    def __init__(
        self,
        outer: scf.ForOp,
        loads: Sequence[memref.LoadOp],
        step: int,
        order: MemoryOrder,
        index_width: int,
    ) -> None:
        self.outer, self.step, self.order, self.index_width = outer, step, order, index_width
        self.block = outer.body.block
        self.counter, self.made = self.block.args[0], set(self.block.ops)
        self.rows: list[_Row] = []
        self.first: dict[BlockArgument, SSAValue] = {}
        """The words that are carried as the pipeline begins."""
        for load in loads:
            self.add(load)

    def add(self, load: memref.LoadOp) -> None:
        """The load is one of a row that it fits, or the first one of another row."""
        for row in self.rows:
            anchor, shift = next(iter(row.loads.items()))
            apart = self.apart(anchor, load)
            if apart is not None:
                shifts = {**row.loads, load: shift + apart}
                least = min(shifts.values())
                if max(shifts.values()) - least <= MOST_APART:
                    row.loads = {each: shift - least for each, shift in shifts.items()}
                    return
        self.rows.append(_Row({load: 0}))

    def apart(self, one: memref.LoadOp, other: memref.LoadOp) -> int | None:
        """So many outer iterations later the first load is the other one, if it ever is."""
        first, second = self.order.access(one), self.order.access(other)
        terms = first.address.terms
        if first.root != second.root or terms != second.address.terms:
            return None
        distance = second.address.constant - first.address.constant
        if not distance:
            return 0
        iteration, around = first.loops[-1].iteration, len(first.loops) - 1
        depth = self.order.accesses.depth
        if iteration is None or iteration not in terms or distance % terms[iteration]:
            return None
        if any(depth[each] > around for each in terms if each != iteration):
            return None
        return distance // terms[iteration]

    def words(self) -> list[Word]:
        """Registers take the place of the loads, which are gone."""
        build, found = Arithmetic(self.outer), list[Word]()
        for row in self.rows:
            for number in row.numbers():
                row.words[number] = self.carry(self.first_word(row, number - 1))
            row.addresses = [
                self.carry(self.address(row, self.outer.lb, ahead, build)) for ahead in (-2, -1)
            ]
            for load, shift in row.loads.items():
                now: SSAValue | None = row.words.get(shift)
                if now is None:
                    now = build.insert(arith.ConstantOp(zero_of(load.res.type)))
                found.append(Word(now, row.words[shift + 1]))
                load.res.replace_all_uses_with(now)
        for row in self.rows:
            for load in row.loads:
                self.order.drop(load)
                load.detach()
        return found

    def carry(self, first: SSAValue) -> BlockArgument:
        """A value that the pipeline carries, as it begins with `first`."""
        found = self.block.insert_arg(first.type, len(self.block.args))
        found.name_hint = first.name_hint
        self.first[found] = first
        return found

    def carried(self, build: Arithmetic, moves: SSAValue) -> dict[BlockArgument, SSAValue]:
        """What the next iteration gets for each word: another one where this one `moves` on."""
        found: dict[BlockArgument, SSAValue] = {}
        for row in self.rows:
            *held, newest = row.words
            for number in held:
                words = row.words[number + 1], row.words[number]
                found[row.words[number]] = build.select(moves, *words)
            now, following = row.addresses
            after = self.address(row, self.counter, 1, build)
            found[now] = build.select(moves, following, now)
            found[following] = build.select(moves, after, following)
            load, _ = row.last
            address = build.insert(arith.IndexCastOp(found[now], load.indices[0].type))
            found[row.words[newest]] = self.load(load, address, build)
        return found

    def first_word(self, row: _Row, number: int) -> SSAValue:
        """A word of the first outer iteration or one of the next, loaded before the loops.

        Of one before it is any number.
        """
        build = Arithmetic(self.outer)
        if number < 0:
            return build.insert(arith.ConstantOp(zero_of(row.last[0].res.type)))
        shift, load = max(
            ((shift, load) for load, shift in row.loads.items() if shift <= number),
            key=lambda item: item[0],
        )
        address = self.moved(load, self.outer.lb, number - shift, build)
        return self.load(load, inside(load, address, build), build)

    def address(self, row: _Row, counter: SSAValue, ahead: int, build: Arithmetic) -> SSAValue:
        """The address of the last word of a row so many outer iterations ahead, in few bits."""
        load, shift = row.last
        address = self.moved(load, counter, max(row.words) + 1 + ahead - shift, build)
        bits = size_of(load.memref).bit_length() + 1
        return build.insert(arith.IndexCastOp(inside(load, address, build), IntegerType(bits)))

    def load(self, load: memref.LoadOp, address: SSAValue, build: Arithmetic) -> SSAValue:
        """A load like another one at an address of its own."""
        found = load_at(load, address)
        word = build.insert(found)
        found.location = load.location
        self.order.add_copy(load, found)
        return word

    def moved(
        self, load: memref.LoadOp, counter: SSAValue, ahead: int, build: Arithmetic
    ) -> SSAValue:
        """The address of a load so many outer iterations after that of a counter."""
        known = constant_of(counter)
        if known is not None:
            counter = build.constant(known + ahead * self.step, integer_type(counter.type))
        elif ahead:
            counter = build.with_constant(arith.AddiOp, counter, ahead * self.step)
        copies = CopiedValues(build, self.made, {self.counter: counter}, self.index_width)
        return copies.of(load.indices[0])
