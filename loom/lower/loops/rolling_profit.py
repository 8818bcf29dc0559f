"""Whether a row of loops alike is smaller, or faster, than one loop in an outer one.

The row stays where its loops overlap, which those of an outer loop do not, and where a constant
is worth more than a number that is not known: an address with it conflicts with fewer others, and
a product or quotient by it comes sooner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import frexp

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation

from loom.analysis.program.alike_loops import LOOPS, Row
from loom.analysis.program.interval import Range
from loom.analysis.program.loop_overlap import count_iterations, follow_use, loops_around
from loom.analysis.program.memory_accesses import Accesses, Root, root_of
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.analysis.timing.loop_area import ACCESS, BRANCH, LOOP, luts_of_operation
from loom.dialects.ops.types import width_of
from loom.lower.options import Options

OUTER = 60
"""What the outer loop takes at most [LUT4]."""
BIT = 2.5
"""What a bit of a constant takes that is different in each loop [LUT4]."""
START, DRAIN = 4, 5
"""What the outer loop takes once, and each loop besides its iterations [cycles]."""
DELAY = 2
"""What an operator takes more by any number than by a constant [cycles]."""
LOSS = 10
"""Cycles may become more by one in so many."""

DIVISIONS = (
    arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp, arith.FloorDivSIOp,
    arith.CeilDivSIOp, arith.CeilDivUIOp,
)  # fmt: skip
"""Operators that by a constant are others, which take an operand a cycle."""
FASTER_BY_CONSTANTS = (
    *DIVISIONS, arith.MuliOp, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp,
)  # fmt: skip
"""Operators that by a constant take fewer cycles, or none."""
FASTER_BY_POWERS = (arith.MulfOp, arith.DivfOp)
"""Operators that by a power of two take fewer cycles."""

Place = tuple[Operation, int]
"""An operand of an operation."""


def is_smaller_apart(row: Row, options: Options) -> bool:
    """True if the row's loops take no more LUTs than one of them in an outer loop."""
    width, reads = options.index_width, row.reads[0]
    different = row.different
    slower = {reads[k].operation for k in different} & set(slow_operations(row))
    copy = 0.0
    for op in row.loops[0].walk():
        if isinstance(op, LOOPS):
            copy += LOOP
        elif isinstance(op, memref.LoadOp | memref.StoreOp):
            copy += ACCESS
        elif isinstance(op, scf.IfOp):
            copy += BRANCH
        elif op not in slower:
            copy += luts_of_operation(op, width)
    once = {row.constants(k): bits_of(row.constants(k), width) for k in different}
    rolled = OUTER + BIT * sum(once.values())
    rolled += sum(luts_of_operation(op, width) for op in slower)
    return (len(row.loops) - 1) * copy <= rolled


def bits_of(constants: Iterable[Attribute], index_width: int) -> int:
    """The bits that the constants need."""
    needed = 1
    for each in constants:
        if isinstance(each, IntegerAttr):
            number = int(each.value.data)
            needed = max(needed, Range(number, number).bits)
        elif isinstance(each, FloatAttr):
            needed = max(needed, width_of(each.type, index_width))
    return needed


def slow_operations(row: Row) -> Iterator[Operation]:
    """Operators of the first loop by a constant that is different in each loop."""
    for number in row.different:
        op = row.reads[0][number].operation
        if isinstance(op, FASTER_BY_CONSTANTS) or (
            isinstance(op, FASTER_BY_POWERS) and any(map(is_power, row.constants(number)))
        ):
            yield op


def is_power(constant: Attribute) -> bool:
    """True of a float constant that is a power of two, or 0."""
    return isinstance(constant, FloatAttr) and abs(frexp(constant.value.data)[0]) in (0.0, 0.5)


class Memory:
    """The accesses of a function and how they depend on each other, until it is rewritten."""

    def __init__(self, function: FuncOp, options: Options) -> None:
        self.function = function
        self.options = options

    @cached_property
    def accesses(self) -> Accesses:
        """The accesses."""
        return Accesses(self.function, self.options.index_width)

    @cached_property
    def known(self) -> Dependences:
        """The dependences between them."""
        return Dependences(self.accesses, requested_order(self.function, self.options.memory_order))


def is_faster_apart(row: Row, memory: Memory) -> bool:
    """True if one loop in an outer one could take more cycles than the row.

    But for one in `LOSS`, in which the outer loop starts and operators end.
    """
    cycles = count_iterations(row.loops[0]) + DRAIN
    timing = Timing(row, memory)
    if len(row.loops) * cycles < START * LOSS or cycles < timing.chain() * DELAY * LOSS:
        return True
    return timing.is_faster_apart()


class Timing:
    """One row in its function."""

    def __init__(self, row: Row, memory: Memory) -> None:
        self.row = row
        self.loop = row.loops[0]
        self.memory = memory
        self.around = len(loops_around(self.loop))
        """The number of loops around the row."""

    def is_faster_apart(self) -> bool:
        """True if something would take more cycles."""
        return self.constant_is_in_address() or self.operator_is_slower() or not self.is_serial()

    def constant_is_in_address(self) -> bool:
        """True if a value that differs is in the address of an array that is written, or a bound.

        The accesses of one loop could then conflict where they do not in any of the row.
        """
        written = self.written()
        reads = self.row.reads[0]
        starts = [
            (reads[k].operation, reads[k].index) for k in (*self.row.different, *self.row.carried)
        ]
        for op, index in self.reached(starts):
            if isinstance(op, scf.ForOp) and index < 3:
                return True
            if isinstance(op, memref.LoadOp) and index > 0 and root_of(op.memref) in written:
                return True
            if isinstance(op, memref.StoreOp) and index > 1:
                return True
        return False

    def written(self) -> set[Root]:
        """The arrays that the loop writes."""
        return {root_of(op.memref) for op in self.loop.walk() if isinstance(op, memref.StoreOp)}

    def operator_is_slower(self) -> bool:
        """True if an operator by a constant takes more cycles by any number where these count.

        That is a divider, and an operator that a later iteration waits for.
        """
        return any(
            isinstance(op, DIVISIONS) or self.is_in_recurrence(op)
            for op in slow_operations(self.row)
        )

    def chain(self) -> int:
        """The most operators of an iteration after each other that are slower than before."""
        slow = set(slow_operations(self.row))
        return max(
            (len(slow & {other for other, _ in self.after(op)} | {op}) for op in slow), default=0
        )

    def after(self, op: Operation) -> set[Place]:
        """The operands to which the results of an operation lead."""
        uses = [(use.operation, use.index) for r in op.results for use in r.uses]
        return self.reached(uses, by_control=True)

    def is_in_recurrence(self, op: Operation) -> bool:
        """True if an iteration's operation may wait for that of one before."""
        after = self.after(op)
        if any(other is op for other, _ in after):
            return True
        stores = {other for other, _ in after if isinstance(other, memref.StoreOp)}
        for other, _ in after:
            if isinstance(other, scf.IfOp | scf.ForOp | scf.WhileOp | scf.ConditionOp):
                within = self.loop if isinstance(other, scf.ConditionOp) else other
                stores |= {each for each in within.walk() if isinstance(each, memref.StoreOp)}
        loads = (load for load in self.loop.walk() if isinstance(load, memref.LoadOp))
        return any(
            self.may_follow(store, load)
            and any(
                other is op
                for other, _ in self.reached((use.operation, use.index) for use in load.res.uses)
            )
            for load in loads
            for store in stores
        )

    def may_follow(self, store: Operation, load: Operation) -> bool:
        """True if a load may read what the store wrote an iteration before of any loop."""
        first, second = self.memory.accesses.access_of(store), self.memory.accesses.access_of(load)
        assert first is not None and second is not None
        if first.root != second.root:
            return False
        common = sum(a is b for a, b in zip(first.loops, second.loops, strict=False))
        return any(
            self.memory.known.distance(first, second, same) is not None
            for same in range(self.around, common)
        )

    def is_serial(self) -> bool:
        """True if each innermost loop waits for the loop before in the row, all the time.

        In a loop around the row, the first loop of an iteration then waits for the last one of the
        iteration before, too.
        """
        chained = set() if self.around else self.chained()
        return all(
            inner in chained or self.waits(inner)
            for inner in self.loop.walk()
            if isinstance(inner, LOOPS) and is_innermost(inner)
        )

    def waits(self, inner: Operation) -> bool:
        """True if an access of the loop conflicts with one of the loop before."""
        before = self.memory.accesses.inside(self.row.loops[1])
        for root, accesses in self.memory.accesses.inside(inner).items():
            for access in accesses:
                for other in before.get(root, ()):
                    if not self.memory.known.may_conflict(access, other, self.around):
                        continue
                    if not self.around:
                        return True
                    if self.memory.known.distance(other, access, self.around - 1) == 1:
                        return True
        return False

    def chained(self) -> set[Operation]:
        """The loops that compute with a result of the loop before what they give to the next."""
        found: set[Operation] = set()
        reads = self.row.reads[0]
        for number in self.row.carried:
            kind = self.row.kinds[number]
            start = reads[number].operation, reads[number].index
            after = self.reached([start])
            end = self.loop.regions[0].blocks[0].last_op
            gives = isinstance(kind, int) and any(
                op is end and index == kind + (0 if isinstance(op, scf.YieldOp) else 1)
                for op, index in after
            )
            if gives:
                holders = {op.parent_op() for op, _ in after}
                found |= {holder for holder in holders if isinstance(holder, LOOPS)}
        return found

    def reached(self, starts: Iterable[Place], *, by_control: bool = False) -> set[Place]:
        """The operands in the loop to which some operands lead, in this or a later iteration.

        `by_control` those, too, of iterations that a condition of theirs lets run.
        """
        found = set(starts)
        work = list(found)
        while work:
            op, index = work.pop()
            uses = follow_use(op, index)
            values = [*uses.now, *uses.next]
            if isinstance(op, scf.ConditionOp) and index == 0 and not by_control:
                holder = op.parent_op()
                values = [*holder.results] if holder is not None else []
            for value in values:
                for use in value.uses:
                    place = use.operation, use.index
                    if place not in found and self.loop.is_ancestor(use.operation):
                        found.add(place)
                        work.append(place)
        return found


def is_innermost(loop: Operation) -> bool:
    """True if no loop is in it."""
    return not any(isinstance(op, LOOPS) for op in loop.walk() if op is not loop)
