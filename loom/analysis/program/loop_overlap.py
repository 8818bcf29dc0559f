"""Which loops of a function never run at the same time, and how long they run.

The function is in normal form with its memory order threaded, so that whatever an operation waits
for is one of its values. A loop runs after another one if it reads what the other one gives, by way
of any operations and of the results of loops, which come when these loops end. Inside of a loop,
whose iterations overlap, the first one must read what the second one gave an iteration before, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from loom.analysis.program.trip_counts import constant_of

ASSUMED = 16
"""The trip count of a loop of which nothing is known [iterations]."""


def trip_count(loop: Operation) -> int:
    """The trip count of a loop with constant bounds, or `ASSUMED` [iterations]."""
    if isinstance(loop, scf.ForOp):
        low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        if low is not None and high is not None and step is not None and step > 0:
            return max(1, -(-(high - low) // step))
    return ASSUMED


def count_entries(operation: Operation) -> int:
    """How often an operation runs in one activation: the trip counts of the loops around it."""
    count = 1
    holder = operation.parent_op()
    while holder is not None:
        if isinstance(holder, scf.ForOp | scf.WhileOp):
            count *= trip_count(holder)
        holder = holder.parent_op()
    return count


def count_iterations(loop: Operation) -> int:
    """The iterations of one run of a loop, those of the loops in it each on its own."""
    inner = [op for op in loop.walk() if op is not loop and isinstance(op, scf.ForOp | scf.WhileOp)]
    return trip_count(loop) * (1 + sum(count_iterations(op) for op in inner if around(op) is loop))


def around(operation: Operation) -> Operation | None:
    """The innermost loop around an operation."""
    holder = operation.parent_op()
    while holder is not None and not isinstance(holder, scf.ForOp | scf.WhileOp):
        holder = holder.parent_op()
    return holder


def loops_around(operation: Operation) -> list[Operation]:
    """The loops around an operation, innermost first."""
    found: list[Operation] = []
    holder = around(operation)
    while holder is not None:
        found.append(holder)
        holder = around(holder)
    return found


def values_read(operation: Operation) -> set[SSAValue]:
    """The values from outside that an operation waits for, with the conditions that it is under."""
    found = {v for inner in operation.walk() for v in inner.operands if is_outside(v, operation)}
    holder = operation.parent_op()
    while holder is not None:
        if isinstance(holder, scf.IfOp):
            found.add(holder.cond)
        elif isinstance(holder, scf.ForOp):
            found |= {holder.lb, holder.ub, holder.step}
        holder = holder.parent_op()
    return found


def is_outside(value: SSAValue, operation: Operation) -> bool:
    """True if the value is not made in the operation."""
    owner = value.owner
    holder = owner if isinstance(owner, Operation) else owner.parent_op()
    return holder is None or not operation.is_ancestor(holder)


@dataclass(frozen=True)
class Uses:
    """What a use of a value leads to: values of the same iteration, and of the next one."""

    now: Sequence[SSAValue] = ()
    next: Sequence[SSAValue] = ()


def follow_use(operation: Operation, index: int) -> Uses:
    """The values that come after operand `index` of an operation."""
    match operation:
        case scf.ForOp():
            if index < 3:
                return Uses((*operation.body.block.args, *operation.results))
            return Uses((operation.body.block.args[index - 2], operation.results[index - 3]))
        case scf.WhileOp():
            return Uses((operation.before_region.block.args[index],))
        case scf.ConditionOp():
            loop = operation.parent_op()
            assert isinstance(loop, scf.WhileOp)
            if index == 0:
                return Uses((*loop.after_region.block.args, *loop.results))
            return Uses((loop.after_region.block.args[index - 1], loop.results[index - 1]))
        case scf.YieldOp():
            holder = operation.parent_op()
            if isinstance(holder, scf.ForOp):
                results = (holder.results[index],)
                return Uses(results, (holder.body.block.args[index + 1],))
            if isinstance(holder, scf.WhileOp):
                return Uses((), (holder.before_region.block.args[index],))
            return Uses((holder.results[index],)) if holder is not None else Uses()
        case _:
            return Uses(operation.results)


def values_after(starts: Iterable[SSAValue], loop: Operation | None) -> set[SSAValue]:
    """The values that come after one of `starts`; with a `loop` also those of its next iteration.

    With a loop, values outside of it are not followed.
    """
    found = set(starts)
    work = list(found)
    while work:
        for use in work.pop().uses:
            uses = follow_use(use.operation, use.index)
            holder = use.operation.parent_op()
            further = [*uses.now, *(uses.next if loop is not None and holder is loop else ())]
            for value in further:
                if value not in found and (loop is None or not is_outside(value, loop)):
                    found.add(value)
                    work.append(value)
    return found


class LoopOrder:
    """Which loops of a function run one after the other; it must not be rewritten meanwhile."""

    def __init__(self) -> None:
        self.read: dict[Operation, set[SSAValue]] = {}
        self.after: dict[tuple[Operation, Operation | None], set[SSAValue]] = {}
        self.found: dict[tuple[Operation, Operation], bool] = {}

    def values_read(self, loop: Operation) -> set[SSAValue]:
        """The values from outside that a loop waits for."""
        if loop not in self.read:
            self.read[loop] = values_read(loop)
        return self.read[loop]

    def values_after(self, loop: Operation, around: Operation | None) -> set[SSAValue]:
        """The values that come after a loop, in `around` also those of the next iteration."""
        key = loop, around
        if key not in self.after:
            self.after[key] = values_after(loop.results, around)
        return self.after[key]

    def is_after(self, first: Operation, second: Operation) -> bool:
        """True if `second` never runs while `first` does; it stands below it in the text."""
        key = first, second
        if key not in self.found:
            self.found[key] = self.find(first, second)
        return self.found[key]

    def find(self, first: Operation, second: Operation) -> bool:
        """As `is_after`, of loops that have not been asked for."""
        if self.values_read(second).isdisjoint(self.values_after(first, None)):
            return False
        outer = set(loops_around(first))
        common = next((loop for loop in loops_around(second) if loop in outer), None)
        return common is None or not self.values_read(first).isdisjoint(
            self.values_after(second, common)
        )

    def longest_chain(self, loops: Sequence[Operation], cycles: Sequence[int]) -> int:
        """The most cycles of loops one after the other; `loops` are in the text's order."""
        best: list[int] = []
        for place, loop in enumerate(loops):
            before = [best[k] for k in range(place) if self.is_after(loops[k], loop)]
            best.append(cycles[place] + max(before, default=0))
        return max(best, default=0)
