"""Loops that are written alike and never run at the same time become one circuit.

A function with a loop that is called at several places has, once its calls are inlined, as many
copies of the loop. A loop is a function of what it reads, with the order of its memory accesses as
tokens: it moves into a function of its own, and each copy becomes a call (`outline_loops`). The
graph has one circuit for the function; `handshake.share` lets its calls take turns and gives each
caller its own results in their order, so a caller sees what it would see of its own copy. No call
waits for another caller: there is room for the result of every call under way
(loom/dialects/operators/sharing_operators.py).

Accesses stay in order: a call has the tokens that its loop waits for, done tokens come back with
the results, and calls of several callers are never in the circuit together. So an access of one
copy comes before one of another copy wherever it did without sharing, and the circuit itself takes
calls in order, as each copy takes its entries.

What differs is time. Copies that run one after the other lose nothing but what a call takes. Those
that could overlap do no more, so a loop joins others only while the cycles lost so, as far as trip
counts say, are at most a tenth of those of the longest chain of such loops (`--share auto`).
Pipelined loops keep their II: a loop that has another one in it is not pipelined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.alike_loops import Read, Structure
from loom.analysis.program.calls import functions_of, top_of
from loom.analysis.program.loop_overlap import LoopOrder, count_entries, count_iterations
from loom.analysis.program.memory_accesses import root_of
from loom.analysis.program.value_ranges import Ranges, bits_of, value_ranges
from loom.analysis.timing.loop_area import (
    ACCESS,
    BRANCH,
    LOOP,
    Bits,
    luts_of_loop,
    luts_of_selection,
    luts_of_unit,
)
from loom.dialects.facts.arrays import partition_attribute
from loom.dialects.facts.loop_attributes import LANES
from loom.dialects.facts.program_facts import REQUESTER
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.handshake_routing import ShareOp
from loom.dialects.ops.types import is_token_type, width_of
from loom.lower.dataflow.outline_loops import (
    Access,
    Input,
    accesses_in,
    inputs_of,
    is_array,
    outline,
)
from loom.lower.options import Options

LOSS = 10
"""Cycles may become more by one in so many."""
CALL = 3
"""What a call takes besides the loop [cycles]."""
LOOPS = (scf.ForOp, scf.WhileOp)


def share_loops(module: ModuleOp, options: Options) -> None:
    """Loops alike that are worth it are calls of one function; with `--share off` none is.

    First loops of numbers alone, then loops that access memory, from the outside in.
    """
    if options.share == "off":
        return
    top = top_of(module)
    sharing = _Sharing(module, top, options)
    sharing.share(outermost_pure_loops(top.body.block))
    sharing.share(loops_of_one_size(top))


class _Sharing:
    """One function's rewrite."""

    def __init__(self, module: ModuleOp, top: FuncOp, options: Options) -> None:
        self.module = module
        self.top = top
        self.options = options
        self.names: Iterator[str] = (
            name for k in count() if (name := f"shared_{k}") not in functions_of(module)
        )
        numbers = (REQUESTER.of(access) for access in accesses_in(top))
        self.requesters = count(1 + max((n for n in numbers if n is not None), default=0))

    def share(self, loops: Sequence[Operation]) -> None:
        """Those of the loops that are worth it, an outer one before those in it, are calls."""
        alike: dict[Hashable, list[Operation]] = {}
        for loop in loops:
            alike.setdefault(self.structure_of(loop), []).append(loop)
        classes = [each for each in alike.values() if len(each) > 1]
        if not classes:
            return
        ranges = value_ranges(self.top, self.options.index_width)
        area = _Area(self.options.index_width, ranges)
        for group in choose_groups(classes, self.options, area):
            left = [loop for loop in group if self.is_in_top(loop)]
            if len(left) > 1 and area.saved(left, area.inputs_of(left)) > 0:
                function = outline(left, next(self.names), ranges, self.requesters)
                self.module.body.block.add_op(function)

    def structure_of(self, loop: Operation) -> Hashable:
        """Equal for loops alike; arrays in banks are alike if they are the same."""
        arrays = (access.memory for access in accesses_in(loop))
        banks = tuple(root_of(array) if self.is_partitioned(array) else None for array in arrays)
        return tuple(Structure(loop).found), banks

    def is_partitioned(self, array: SSAValue) -> bool:
        """True of an array in banks."""
        return partition_attribute(array, self.top, self.module) is not None

    def is_in_top(self, loop: Operation) -> bool:
        """True if the loop is not gone with one around it."""
        holder: Operation | None = loop
        while holder is not None and holder is not self.top:
            holder = holder.parent_op()
        return holder is self.top


def outermost_pure_loops(block: Block) -> list[Operation]:
    """The loops of a block that touch no memory, none inside another, in the text's order."""
    found: list[Operation] = []
    for op in block.ops:
        if LANES.is_on(op):
            continue  # entries that take turns are no calls, which come one by one
        if isinstance(op, LOOPS) and op.results and is_pure(op):
            found.append(op)
        else:
            for region in op.regions:
                for inner in region.blocks:
                    found += outermost_pure_loops(inner)
    return found


def loops_of_one_size(top: FuncOp) -> list[Operation]:
    """The loops with accesses that have as many operations as another one, outer loops first."""
    sizes: dict[Operation, tuple[int, int]] = {}

    def measure(op: Operation) -> tuple[int, int]:
        inside = [measure(o) for region in op.regions for b in region.blocks for o in b.ops]
        operations = 1 + sum(each[0] for each in inside)
        accesses = isinstance(op, Access) + sum(each[1] for each in inside)
        if isinstance(op, LOOPS) and accesses and not LANES.is_on(op):
            sizes[op] = operations, accesses
        return operations, accesses

    measure(top)
    counts = Counter(sizes.values())
    return [op for op in top.walk() if op in sizes and counts[sizes[op]] > 1]


def is_pure(loop: Operation) -> bool:
    """True of a loop of numbers alone: no arrays, no tokens of their order."""
    return all(
        not is_array(value) and is_token_type(value.type) and width_of(value.type) > 0
        for op in loop.walk()
        for value in (*op.operands, *op.results)
    )


class _Area:
    """What loops take by themselves and in a shared circuit [LUT4]."""

    def __init__(self, index_width: int, ranges: Ranges) -> None:
        self.index_width = index_width
        self.ranges = ranges
        self.reads: dict[Operation, Sequence[Read]] = {}
        self.copies: dict[Operation, float] = {}

    def bits(self, value: SSAValue) -> int:
        """The bits that a value needs."""
        return bits_of(value, self.index_width, self.ranges)

    def reads_of(self, loop: Operation) -> Sequence[Read]:
        """What the loop reads; a loop is looked through once."""
        if loop not in self.reads:
            self.reads[loop] = Structure(loop).reads
        return self.reads[loop]

    def inputs_of(self, loops: Sequence[Operation]) -> list[Input]:
        """What loops alike read in the same places."""
        return inputs_of([self.reads_of(loop) for loop in loops])

    def saved(self, loops: Sequence[Operation], inputs: Sequence[Input]) -> float:
        """The LUTs of all copies but one, less those of what it takes to share that [LUT4]."""
        given = len({chosen for each in inputs for chosen in each.bits})
        for each in inputs:
            if each.is_operand:
                given += max(map(self.bits, each.values))
        back = sum(width_of(result.type, self.index_width) for result in loops[0].results)
        shape = Shape((back, *[given] * len(loops)), (given, *[back] * len(loops)))
        sharing = luts_of_unit(ShareOp.name, shape)
        reads = self.reads_of(loops[0])
        for each in inputs:
            for place in each.places if each.arrays else ():
                more = ACCESS + luts_of_access(reads[place].operation, self.bits)
                sharing += (len(each.arrays) - 1) * more
        return (len(loops) - 1) * self.luts_of_copy(loops[0]) - sharing

    def luts_of_copy(self, loop: Operation) -> float:
        """The LUTs of a loop; of one with accesses also what steers its tokens [LUT4]."""
        if loop not in self.copies:
            found = luts_of_loop(loop, self.index_width, self.bits)
            if accesses := accesses_in(loop):
                found += ACCESS * len(accesses)
                found += sum(LOOP for op in loop.walk() if isinstance(op, LOOPS))
                found += sum(BRANCH for op in loop.walk() if isinstance(op, scf.IfOp))
            self.copies[loop] = found
        return self.copies[loop]


def luts_of_access(access: Operation, bits: Bits) -> float:
    """The LUTs by which an access goes to one of two arrays [LUT4]."""
    given = [bits(value) for value in access.operands if not is_array(value)]
    return luts_of_selection(given, list(map(bits, access.results)))


@dataclass
class Group:
    """Loops that share a circuit, in the text's order, and the cycles that they lose by that."""

    loops: list[Operation]
    lost: int = 0
    saved: float = 0.0
    """The LUTs that they save by that [LUT4]."""
    same_arrays: bool = True
    """No loop reads another array in the place of one."""


def choose_groups(
    classes: Sequence[Sequence[Operation]], options: Options, area: _Area
) -> list[list[Operation]]:
    """The loops that share a circuit, the largest first: a loop before those in it."""
    every = in_text_order([loop for loops in classes for loop in loops])
    place = {loop: number for number, loop in enumerate(every)}
    cycles = {loop: count_entries(loop) * count_iterations(loop) for loop in every}
    order = LoopOrder()
    limit = order.longest_chain(every, [cycles[loop] for loop in every]) // LOSS

    def join(loops: Sequence[Operation]) -> Group:
        together = sorted(loops, key=place.__getitem__)
        all_cycles = [cycles[each] for each in together]
        lost = sum(all_cycles) - order.longest_chain(together, all_cycles)
        if accesses_in(together[0]):
            lost += CALL * sum(map(count_entries, together))
        inputs = area.inputs_of(together)
        same = all(len(each.arrays) <= 1 for each in inputs)
        return Group(together, lost, area.saved(together, inputs), same)

    lost = 0
    chosen: list[list[Operation]] = []
    for loops in classes:
        groups: list[Group] = []
        for loop in sorted(loops, key=lambda each: (-cycles[each], place[each])):
            for number, group in enumerate(groups):
                both = join([*group.loops, loop])
                now = lost - group.lost + both.lost
                saves = both.same_arrays or both.saved > max(group.saved, 0)
                if saves and (options.share == "on" or now <= limit):
                    lost, groups[number] = now, both
                    break
            else:
                groups.append(Group([loop]))
        for group in groups:
            if group.saved > 0:
                chosen.append(group.loops)
            else:
                lost -= group.lost
    return sorted(chosen, key=lambda loops: -sum(1 for _ in loops[0].walk()))


def in_text_order(loops: Sequence[Operation]) -> list[Operation]:
    """The loops as they stand in their function."""
    wanted = set(loops)
    holder: Operation = loops[0]
    while (outer := holder.parent_op()) is not None and not isinstance(holder, FuncOp):
        holder = outer
    return [op for op in holder.walk() if op in wanted]
