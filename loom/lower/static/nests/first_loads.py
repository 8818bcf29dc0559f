"""Loads of an outer loop in an iteration of the inner one that is theirs alone.

In ``for i { s = a[f(i)]; for j { .. a[g(i, j)] .. } }`` both loads of `a` take one port, so that in
one pipeline an iteration would take two cycles. The inner loop begins an iteration earlier: there
the outer load is made, in all others the inner one, by one load of a selected address. What the
first iteration loads is held for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i1
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.analysis.program.memory_accesses import Root
from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.loop_attributes import is_unsigned
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.operators.catalogue import find
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type
from loom.lower.static.body_problem import MemoryOrder, ports_of
from loom.lower.static.build_pipeline import Builder, loops_around
from loom.lower.static.predicate_ifs import Predicates
from loom.lower.static.units import CASTS

ACCESSES = (memref.LoadOp, memref.StoreOp)


class Pair(NamedTuple):
    """Two loads that one load becomes: of the outer loop, and of the one inside."""

    first: memref.LoadOp
    other: memref.LoadOp


def pairs_of(outer: scf.ForOp, inner: scf.ForOp, step: int, builder: Builder) -> tuple[Pair, ...]:
    """Loads around an innermost loop that each take the port of another load inside.

    None unless the inner loop may begin a step earlier, and is known to end where it begins or
    later.
    """
    low = constant_of(inner.lb)
    if low is None or is_unsigned(inner) or not ends_behind(inner, builder):
        return ()
    kind = integer_type(inner.lb.type)
    if isinstance(kind, IntegerType) and low - step < -(1 << kind.width.data - 1):
        return ()
    free = list(first_in(inner, builder.order))
    found: list[Pair] = []
    for load in loads_around(outer, inner):
        partner = next((each for each in free if ports_of(each) == ports_of(load)), None)
        if partner is not None and may_move(load, outer, inner, builder.order):
            free.remove(partner)
            found.append(Pair(load, partner))
    made: set[SSAValue] = set()
    for load, _ in found:
        behind = dependents(load, outer.body.block, inner) or ()
        made.update(value for op in (load, *behind) for value in op.results)
    needed: set[SSAValue] = set()
    for load, other in found:
        needed.update(guards(load, outer.body.block) or ())
        needed.update(*(leaves(value, inner) or () for value in needs(other, inner)))
    return () if made & needed else tuple(found)


def ends_behind(loop: scf.ForOp, builder: Builder) -> bool:
    """Whether a loop's bound is known to be no less than its first counter."""
    low, high = constant_of(loop.lb), constant_of(loop.ub)
    if low is not None and high is not None:
        return low <= high
    return loop in builder.running or loop in builder.forward


def first_in(inner: scf.ForOp, order: MemoryOrder) -> Iterator[memref.LoadOp]:
    """The loads of a loop that may be its first operations: no store to their array is in front."""
    stored: set[Root] = set()
    for operation in inner.body.block.walk():
        if isinstance(operation, memref.StoreOp):
            stored.add(order.root(operation))
        elif isinstance(operation, memref.LoadOp) and order.root(operation) not in stored:
            if is_behind_channel(operation.memref):
                continue
            if None not in (leaves(value, inner) for value in needs(operation, inner)):
                yield operation


def needs(load: memref.LoadOp, loop: scf.ForOp) -> list[SSAValue]:
    """The address of a load in a loop, and the conditions under which it is made."""
    return [load.indices[0], *guards(load, loop.body.block)]


def guards(load: memref.LoadOp, block: Block) -> list[SSAValue]:
    """The conditions of the branches around a load in a block; of one that runs always none."""
    found: list[SSAValue] = []
    holder = load.parent_op() if load.parent is not block and not IN_RANGE.is_on(load) else None
    while isinstance(holder, scf.IfOp):
        found.append(holder.cond)
        holder = holder.parent_op() if holder.parent is not block else None
    return found


def leaves(value: SSAValue, loop: scf.ForOp) -> set[SSAValue] | None:
    """The values from outside a loop that one inside is made of; None if it needs a load or a loop.

    What the loop counts and carries is inside.
    """
    owner = value.owner
    if isinstance(owner, Block):
        return set() if owner is loop.body.block else {value}
    if not is_in(owner, loop):
        return {value}
    if not is_pure(owner):
        return None
    found = [leaves(each, loop) for each in owner.operands]
    return None if None in found else set().union(*(each for each in found if each))


def is_pure(operation: Operation) -> bool:
    """Whether an operation makes numbers of numbers, whatever these are."""
    operator = find(operation.name)
    is_known = operator is not None and operator.semantics.meaning is not None
    return is_known or isinstance(operation, (arith.ConstantOp, *CASTS))


def is_in(operation: Operation, loop: scf.ForOp) -> bool:
    """Whether a loop is around an operation."""
    holder = operation.parent_op()
    while holder is not None and holder is not loop:
        holder = holder.parent_op()
    return holder is loop


def loads_around(outer: scf.ForOp, inner: scf.ForOp) -> Iterator[memref.LoadOp]:
    """The loads of the outer loop, beside the inner one, of which an answer is not seen."""
    for operation in outer.body.block.ops:
        for op in operation.walk() if operation is not inner else ():
            if isinstance(op, memref.LoadOp) and not is_behind_channel(op.memref):
                yield op


def may_move(load: memref.LoadOp, outer: scf.ForOp, inner: scf.ForOp, order: MemoryOrder) -> bool:
    """Whether a load beside the inner loop gives the same in an iteration before its first one.

    No store that it passes may meet it. In front of the loop what is made of it must not be needed
    there; behind it its address needs no load and nothing that the loop gives.
    """
    operations = list(outer.body.block.ops)
    place, loop = operations.index(outermost(load, outer.body.block)), operations.index(inner)
    depth = loops_around(outer) + 1
    passed = operations[place + 1 : loop] if place < loop else operations[loop : place + 1]
    for other in (op for each in passed for op in each.walk()):
        if (
            isinstance(other, memref.StoreOp)
            and order.root(other) == order.root(load)
            and order.known.may_conflict(order.access(load), order.access(other), depth)
        ):
            return False
    if place < loop:
        return dependents(load, outer.body.block, inner) is not None
    return None not in (leaves(value, outer) for value in needs(load, outer))


def outermost(operation: Operation, block: Block) -> Operation:
    """The operation of a block that is or holds another one."""
    found = operation
    while found.parent is not block:
        holder = found.parent_op()
        assert holder is not None
        found = holder
    return found


def dependents(load: memref.LoadOp, block: Block, inner: scf.ForOp) -> list[Operation] | None:
    """The operations in front of the inner loop that are made of a load, in their order.

    None if one of them has an effect, or the inner loop's bounds need one.
    """
    made: set[SSAValue] = {load.res}
    found: list[Operation] = []
    for operation in block.ops:
        if operation is inner:
            break
        reading = [op for op in operation.walk() if not made.isdisjoint(op.operands)]
        if not reading:
            continue
        for op in reading:
            made.update(op.results)
        has_effect = any(isinstance(op, ACCESSES) and op is not load for op in operation.walk())
        if has_effect or (operation.regions and not isinstance(operation, scf.IfOp)):
            return None
        found.append(operation)
        made.update(operation.results)
    return None if made & {inner.lb, inner.ub, inner.step} else found


def begin_earlier(inner: scf.ForOp, step: int, outside: Operation) -> None:
    """The inner loop has one iteration more, before its first one."""
    low = constant_of(inner.lb)
    assert low is not None
    kind = integer_type(inner.lb.type)
    inner.operands[0] = Arithmetic(outside).constant(low - step, kind)


class FirstLoads:
    """The pairs of an innermost loop, whose branches are gone, as a `block` takes its operations.

    `own` is true in the iteration of the outer loop's loads.
    """

    def __init__(
        self,
        block: Block,
        inner: scf.ForOp,
        own: SSAValue,
        order: MemoryOrder,
        predicates: Predicates,
    ) -> None:
        self.block, self.inner, self.own, self.order = block, inner, own, order
        self.predicates = predicates
        self.held: dict[BlockArgument, SSAValue] = {}
        """What the block carries besides, and what the next iteration gets for it."""

    def merge(self, pairs: Sequence[Pair]) -> list[memref.LoadOp]:
        """One load stands for each pair, first in the inner loop, before what is made of it."""
        first = self.inner.body.block.first_op
        assert first is not None
        mark = arith.ConstantOp(IntegerAttr(0, i1))
        self.inner.body.block.insert_op_before(mark, first)
        behind: list[Operation] = []
        for load, _ in pairs:
            if is_before(load, self.inner):
                made = dependents(load, self.block, self.inner) or ()
                behind += [operation for operation in made if operation not in behind]
        found = [self.merged(*pair, mark) for pair in pairs]
        place = {operation: number for number, operation in enumerate(self.block.ops)}
        for operation in sorted(behind, key=place.__getitem__):
            operation.detach()
            self.inner.body.block.insert_op_before(operation, mark)
        mark.detach()
        mark.erase()
        return found

    def merged(self, first: memref.LoadOp, other: memref.LoadOp, mark: Operation) -> memref.LoadOp:
        """The load that stands for two, in front of the mark."""
        build = Arithmetic(mark)
        guards = [self.predicates.pop(load, None) for load in (first, other)]
        for place, load, guard in zip((self.inner, mark), (first, other), guards, strict=True):
            for value in (load.indices[0], guard):
                if value is not None:
                    move_before(place, value)
        address = build.select(self.own, first.indices[0], other.indices[0])
        found = memref.LoadOp.get(other.memref, [address])
        found.attributes = dict(other.attributes)
        if not IN_RANGE.is_on(first):
            IN_RANGE.drop(found)
        if guards != [None, None]:
            either = (build.constant(1, i1) if guard is None else guard for guard in guards)
            self.predicates[found] = build.select(self.own, *either)
        word = build.insert(found)
        found.location, word.name_hint = other.location, other.res.name_hint
        self.order.add_merged(found, other, first)
        kept = self.block.insert_arg(word.type, len(self.block.args))
        kept.name_hint = first.res.name_hint
        self.held[kept] = build.select(self.own, word, kept)
        first.res.replace_all_uses_with(self.held[kept])
        other.res.replace_all_uses_with(word)
        for gone in (first, other):
            self.order.drop(gone)
            gone.detach()
            gone.erase()
        return found


def is_before(operation: Operation, other: Operation) -> bool:
    """Whether an operation stands in front of another one of its block."""
    found = operation.next_op
    while found is not None and found is not other:
        found = found.next_op
    return found is other


def move_before(place: Operation, value: SSAValue) -> None:
    """What makes a value in the block of a place stands in front of it."""
    owner = value.owner
    if isinstance(owner, Block) or owner.parent is not place.parent or is_before(owner, place):
        return
    for operand in owner.operands:
        move_before(place, operand)
    owner.detach()
    assert place.parent is not None
    place.parent.insert_op_before(owner, place)
