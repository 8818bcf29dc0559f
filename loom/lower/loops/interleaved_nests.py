"""Iterations of an outer loop take turns in the loop in it: two loops become three.

``for i: for k: s += ...`` waits for each sum. With N entries interleaved it is ``for i by N: for k:
for lane``, whose innermost iterations depend on those N before them, so that one pipeline of all
three starts one in each cycle. What the inner loop carries is an array of N elements, ``lanes``.
What stands before the inner loop runs in its first iteration, what stands behind it in its last
one; if the outer loop carries values, it is a loop of its own.

Source: C-slow retiming, C. E. Leiserson and J. B. Saxe, 1991, of the loop instead of the circuit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, Operation, OpResult, SSAValue

from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.fact import Fact
from loom.dialects.facts.loop_attributes import (
    ENTRY_BEGIN,
    ENTRY_END,
    HINT,
    II,
    INTERLEAVE,
    PIPELINE,
    UNSIGNED,
)
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.dataflow_operators import MOST_LANES
from loom.dialects.ops.order import PlaceOp
from loom.errors import LoomError, Place
from loom.lower.loops.interleave_loops import FARTHEST, MOST_BITS, NEVER, LaneChooser
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import INDEX, Arithmetic, integer_type, replace

ARRAY = 2
"""What the array adds to the way of a carried value: its load, and the cycle after its store."""
KEPT = (II, PIPELINE, UNSIGNED, HINT)
"""What a loop keeps that gets another body."""


@dataclass(frozen=True)
class Interleaving:
    """So many entries of the loop `inner` in `outer` are interleaved."""

    outer: scf.ForOp
    inner: scf.ForOp
    lanes: int


class InterleavedNests:
    """The loops of a module whose entries are interleaved: those with a directive.

    With `chooses` also those that gain by it.
    """

    def __init__(self, *, chooses: bool) -> None:
        self.chooses = chooses
        self.taken: list[tuple[Place, int]] = []
        """The places of the loops around them, and how many entries are interleaved."""
        self.is_open = False
        """Whether there are others that gain by it."""

    def build(self, module: ModuleOp, options: Options) -> None:
        """Rewrite the loops. Refused (LOWER_LOOP): a directive that cannot be followed."""
        for function in module.ops:
            if isinstance(function, FuncOp) and not function.is_declaration:
                for each in list(self.find(function, options)):
                    self.taken.append((place_of(each.outer), each.lanes))
                    _Rewrite(each, function, options).build()

    def find(self, function: FuncOp, options: Options) -> Iterator[Interleaving]:
        """Those of a function; no directive is left."""
        chooser = LaneChooser(function, options)
        for loop in list(function.walk()):
            number = INTERLEAVE.take(loop)
            if number == NEVER or not (number or isinstance(loop, scf.ForOp)):
                continue
            is_hint = HINT.is_on(loop)
            try:
                found = follow(chooser, loop, number) if number else choose(chooser, loop)
            except LoomError:
                if number and not is_hint:
                    raise
                continue
            if number or (found is not None and self.chooses):
                assert found is not None
                yield found
            self.is_open |= found is not None and not number


def follow(chooser: LaneChooser, loop: Operation, number: int) -> Interleaving:
    """What a directive requests; refused (LOWER_LOOP) where it cannot be followed."""
    inner = chooser.follow(loop, number)
    assert isinstance(loop, scf.ForOp)
    if not can_move(loop, inner):
        what = "a loop to be interleaved that gives its own values to the loop in it"
        accepted = "values that are carried behind that alone, or --style dynamic"
        raise LoomError("LOWER_LOOP", place_of(loop), what, accepted)
    return Interleaving(loop, inner, number)


def choose(chooser: LaneChooser, loop: Operation) -> Interleaving | None:
    """As many lanes as a carried value takes cycles; None where ports take as many, or none can be.

    Refused (LOWER_LOOP): loops that cannot be interleaved.
    """
    assert isinstance(loop, scf.ForOp)
    if chooser.options.interleave == "off":
        return None
    inner = chooser.match(loop)
    number = choose_lanes(chooser, loop, inner)
    if number is None or not can_move(loop, inner):
        return None
    chooser.check_independent(loop, inner)
    return Interleaving(loop, inner, number)


def choose_lanes(chooser: LaneChooser, outer: scf.ForOp, inner: scf.ForOp) -> int | None:
    """The least number of lanes that hides what a carried value takes through its array.

    Without one the largest that hides a part of it.
    """
    trips, entries = chooser.trips(outer), chooser.trips(inner)
    alone = chooser.recurrence(inner) - 1
    if not trips or not entries or entries < 2 or alone <= max(1, chooser.served(inner)):
        return None
    needed = alone + ARRAY
    factors = [n for n in range(2, min(trips, MOST_LANES) + 1) if trips % n == 0]
    enough = [n for n in factors if needed <= n <= FARTHEST * needed]
    number = min(enough, default=max((n for n in factors if n < needed), default=None))
    if number is None or number * chooser.held_bits(inner) > MOST_BITS:
        return None
    return number


def can_move(outer: scf.ForOp, inner: scf.ForOp) -> bool:
    """Whether what stands around the inner loop may run in its first and last iterations.

    What the outer loop carries is read behind the inner one alone; no array lies in the loop.
    """
    if any(isinstance(op, memref.AllocOp) for op in outer.walk()):
        return False
    carried = set(outer.body.block.args[1:])
    before = [inner]
    for operation in outer.body.block.ops:
        if operation is inner:
            break
        before.append(operation)
    return not any(
        operand in carried for op in before for each in op.walk() for operand in each.operands
    )


def is_repeatable(operation: Operation, others: set[Operation]) -> bool:
    """Whether an operation gives the same in each iteration, made of such and of the counter."""
    row = find(operation.name)
    is_pure = row is not None and row.semantics.meaning is not None
    is_pure |= isinstance(operation, arith.ConstantOp | memref.GetGlobalOp | PlaceOp)
    return (
        is_pure
        and not operation.regions
        and all(
            not isinstance(value, OpResult) or value.op not in others
            for value in operation.operands
        )
    )


def substitute(operations: Iterable[Operation], values: Mapping[SSAValue, SSAValue]) -> None:
    """The operations, and those in them, read other values."""
    for operation in operations:
        for each in operation.walk():
            for place, operand in enumerate(each.operands):
                if operand in values:
                    each.operands[place] = values[operand]


def move(operations: Iterable[Operation], end: Operation) -> None:
    """The operations stand in front of `end`."""
    block = end.parent
    assert block is not None
    for operation in operations:
        operation.detach()
        block.insert_op_before(operation, end)


def mark(operations: Iterable[Operation], part: Fact[int], loops: int) -> None:
    """Their accesses begin entries, or end them, which so many loops interleave."""
    for operation in operations:
        for each in operation.walk():
            if isinstance(each, memref.LoadOp | memref.StoreOp):
                part.put(each, loops)


def with_end(arguments: Sequence[Attribute] = ()) -> tuple[Block, scf.YieldOp]:
    """A block that yields nothing, and its end."""
    end = scf.YieldOp()
    block = Block([end], arg_types=arguments)
    return block, end


class _Rewrite:
    """Two loops on their way to three."""

    def __init__(self, chosen: Interleaving, function: FuncOp, options: Options) -> None:
        self.outer, self.inner, self.lanes = chosen.outer, chosen.inner, chosen.lanes
        self.function = function
        chooser = LaneChooser(function, options)
        self.indices = chooser.constants.indices(self.outer)
        self.inside = chooser.constants.indices(self.inner)
        assert self.indices is not None
        self.has_one_group = len(self.indices) == self.lanes
        self.loops = 2 if self.has_one_group else 3
        """The loops that stand in place of the two."""
        self.before = Arithmetic(self.outer)
        operations = list(self.outer.body.block.ops)
        place = operations.index(self.inner)
        self.behind = operations[place + 1 : -1]
        self.begin: list[Operation] = []
        """What runs in the first iteration alone."""
        self.repeated: list[Operation] = []
        """What runs in each iteration."""
        others: set[Operation] = set()
        for operation in operations[:place]:
            if is_repeatable(operation, others):
                self.repeated.append(operation)
            else:
                self.begin.append(operation)
                others.add(operation)
        read = {
            operand
            for op in (*self.behind, last_of(self.outer.body.block), *self.inner.body.block.ops)
            for each in op.walk()
            for operand in each.operands
        }
        self.kept = [value for op in self.begin for value in op.results if value in read]
        """What the first iteration makes and later ones read."""

    def build(self) -> None:
        """The three loops stand in place of the two."""
        outer, before = self.outer, self.before
        indices, counter = self.indices, outer.body.block.args[0]
        assert indices is not None
        values = [*self.inner.iter_args, *self.kept]
        self.arrays = [self.array(value.type) for value in values]
        zero, one, last = (before.constant(number) for number in (0, 1, self.lanes))
        self.bounds = zero, last, one
        group, end = with_end([counter.type, *(value.type for value in outer.iter_args)])
        first: SSAValue = before.constant(indices.start, integer_type(counter.type))
        if not self.has_one_group:
            group.args[0].name_hint, first = counter.name_hint, group.args[0]
        carried = outer.iter_args if self.has_one_group else group.args[1:]
        self.build_entries(Arithmetic(end), first)
        given = self.build_behind(Arithmetic(end), first, carried) if outer.iter_args else []
        if self.has_one_group:
            move([op for op in group.ops if op is not end], outer)
            replace(outer, *given)
            return
        step = before.constant(indices.step * self.lanes, integer_type(counter.type))
        group.insert_op_before(scf.YieldOp(*given), end)
        end.detach()
        loop = scf.ForOp(outer.lb, outer.ub, step, outer.iter_args, group)
        self.copy_facts(outer, loop)
        before.put(loop)
        replace(outer, *loop.results)

    def array(self, type_: Attribute) -> memref.AllocOp:
        """An array of the function with an element for each lane."""
        found = memref.AllocOp.get(type_, None, [self.lanes])
        found.memref.name_hint = "lanes"
        first = self.function.body.block.first_op
        assert first is not None
        Arithmetic(first).put(found)
        found.location = self.outer.location
        return found

    def copy_facts(self, old: Operation, new: Operation) -> None:
        """A loop has the facts of the one in whose place it is."""
        for fact in KEPT:
            fact.copy(old, new)
        if isinstance(old, scf.ForOp) and UNSIGNED.name in old.properties:
            new.properties[UNSIGNED.name] = old.properties[UNSIGNED.name]

    def index_of(self, build: Arithmetic, first: SSAValue, lane: SSAValue) -> SSAValue:
        """The outer loop's index of a lane of the group that begins with `first`."""
        indices, kind = self.indices, integer_type(first.type)
        assert indices is not None
        ahead = build.value(build.multiply(lane, indices.step))
        if not isinstance(kind, IndexType):
            ahead = build.insert(arith.IndexCastOp(ahead, kind))
        found = build.binary(arith.AddiOp, first, ahead)
        found.name_hint = self.outer.body.block.args[0].name_hint
        return found

    def build_entries(self, build: Arithmetic, first: SSAValue) -> None:
        """The inner loop with the lanes in it, and what is behind it where nothing is carried."""
        inner, inside = self.inner, self.inside
        assert inside is not None
        counter, *arguments = inner.body.block.args
        lanes, end = with_end([INDEX])
        lanes.args[0].name_hint = "lane"
        now = Arithmetic(end)
        index = self.index_of(now, first, lanes.args[0])
        entries, entries_end = with_end([counter.type])
        entries.args[0].name_hint = counter.name_hint
        kind = integer_type(counter.type)
        move(self.repeated, end)
        words = [now.insert(memref.LoadOp.get(each, [lanes.args[0]])) for each in self.arrays]
        if words or self.begin:
            is_first = now.compare("eq", entries.args[0], now.constant(inside.start, kind))
            values = self.begin_entry(now, is_first, words)
        else:
            values = []
        own = dict[SSAValue, SSAValue](
            zip((counter, *arguments), (entries.args[0], *values), strict=False)
        )
        own |= dict(zip(self.kept, values[len(arguments) :], strict=True))
        body = [op for op in inner.body.block.ops if not isinstance(op, scf.YieldOp)]
        yielded = last_of(inner.body.block)
        substitute([*body, yielded], own)
        ends = [*yielded.operands, *values[len(arguments) :]]
        move(body, end)
        for array, value in zip(self.arrays, ends, strict=True):
            now.put(memref.StoreOp.get(value, array, [lanes.args[0]]))
        given = dict[SSAValue, SSAValue](zip((*inner.results, *self.kept), ends, strict=True))
        if not self.outer.iter_args and self.behind:
            is_last = now.compare("eq", entries.args[0], now.constant(inside[-1], kind))
            then, then_end = with_end()
            substitute(self.behind, given)
            mark(self.behind, ENTRY_END, self.loops)
            move(self.behind, then_end)
            now.put(scf.IfOp(is_last, [], [then]))
        self.outer.body.block.args[0].replace_all_uses_with(index)
        self.index = index
        entries.insert_op_before(self.loop_of_lanes(lanes), entries_end)
        loop = scf.ForOp(inner.lb, inner.ub, inner.step, [], entries)
        self.copy_facts(inner, loop)
        loop.location = inner.location
        assert build.anchor.parent is not None
        build.anchor.parent.insert_op_before(loop, build.anchor)

    def begin_entry(
        self, build: Arithmetic, is_first: SSAValue, words: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """What the iteration begins with: in the first one what is made then, else the words."""
        made = [*self.inner.iter_args, *self.kept]
        if not self.begin:
            return [build.select(is_first, *pair) for pair in zip(made, words, strict=True)]
        then, then_end = with_end()
        mark(self.begin, ENTRY_BEGIN, self.loops)
        move(self.begin, then_end)
        then.insert_op_before(scf.YieldOp(*made), then_end)
        then_end.detach()
        choice = scf.IfOp(
            is_first, [value.type for value in made], [then], [Block([scf.YieldOp(*words)])]
        )
        build.put(choice)
        return choice.results

    def loop_of_lanes(self, block: Block, carried: Sequence[SSAValue] = ()) -> scf.ForOp:
        """A loop over the lanes."""
        low, high, step = self.bounds
        loop = scf.ForOp(low, high, step, carried, block)
        loop.location = self.outer.location
        return loop

    def build_behind(
        self, build: Arithmetic, first: SSAValue, carried: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """A loop over the lanes of what is behind the inner loop; what the outer loop carries."""
        outer, inner = self.outer, self.inner
        block, end = with_end([INDEX, *(value.type for value in carried)])
        block.args[0].name_hint = "lane"
        now = Arithmetic(end)
        own: dict[SSAValue, SSAValue] = {self.index: self.index_of(now, first, block.args[0])}
        for operation in self.repeated:
            copied = operation.clone(own)
            now.put(copied)
            own |= zip(operation.results, copied.results, strict=True)
        for array, value in zip(self.arrays, (*inner.results, *self.kept), strict=True):
            own[value] = now.insert(memref.LoadOp.get(array, [block.args[0]]))
        own |= zip(outer.body.block.args[1:], block.args[1:], strict=True)
        yielded = last_of(outer.body.block)
        substitute([*self.behind, yielded], own)
        move(self.behind, end)
        block.insert_op_before(scf.YieldOp(*yielded.operands), end)
        end.detach()
        loop = self.loop_of_lanes(block, carried)
        assert build.anchor.parent is not None
        build.anchor.parent.insert_op_before(loop, build.anchor)
        return loop.results
