"""What comes after a load because it is made of the load's datum.

Global in-order dependence: a value is *made of* a datum if none of its tokens can be there before
it, whichever way conditions go. Both are in one run of the load's block, in branches and loops of
it too.

- A pure operation, and a load by its address, wait for all their operands: one is enough.
- A result of a branch waits for the condition, and for what is yielded: all ways, or the condition.
- What a loop carries is the initial value first and what is yielded then: both have to be made of
  the datum, where what the loop carries itself is taken to be. What leaves a loop waits for its
  bounds, or its condition, too.
- What is under a condition waits for it.

Source: the flow analysis of load-store queues, Josipovic, Bhattacharyya, Guerrieri and Ienne,
Shrink it or shed it, FPT 2019; here on structured control flow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue, Use

from loom.dialects.operators.catalogue import find
from loom.dialects.ops import order

Load = memref.LoadOp | order.LoadOp
Store = memref.StoreOp | order.StoreOp


class Datum:
    """The datum of a load, and the values of its block's run that are made of it."""

    def __init__(self, load: Load) -> None:
        block = load.parent
        assert block is not None
        self.block = block
        self.made: Set[SSAValue] = spread(set(), [load.results[0]], block)

    def precedes(self, user: Operation) -> bool:
        """True if `user`, in the load's block or anywhere in it, waits for the datum."""
        if any(operand in self.made for operand in taken_by_all(user)):
            return True
        op: Operation | None = user
        while op is not None and op.parent is not self.block:
            op = op.parent_op()
            if isinstance(op, scf.IfOp) and op.cond in self.made:
                return True
        return False


def carried_datum(load: Load) -> Set[SSAValue]:
    """The values of a loop's body made of the datum of the previous iteration's load there.

    That is in all iterations but the first. Empty if the load's block is no body of a counted loop.
    """
    block = load.parent
    assert block is not None
    end = block.last_op
    if not isinstance(block.parent_op(), scf.ForOp) or end is None:
        return set()
    made = Datum(load).made
    first = [arg for arg, value in zip(block.args[1:], end.operands, strict=True) if value in made]
    return spread(set(), first, block)


def taken_by_all(op: Operation) -> Sequence[SSAValue]:
    """Operands that the operation waits for with all that it does and gives."""
    match op:
        case memref.LoadOp():
            return tuple(op.indices)
        case memref.StoreOp():
            return (op.value, *op.indices)
        case order.LoadOp():
            return (op.index,)
        case order.StoreOp():
            return (op.index, op.value)
        case order.PlaceOp():
            return (op.address,)
        case scf.IfOp():
            return (op.cond,)
        case scf.ForOp():
            return (op.lb, op.ub, op.step)
        case _:
            row = find(op.name)
            pure = row is not None and row.semantics.meaning is not None
            return tuple(op.operands) if pure else ()


def spread(known: Set[SSAValue], new: Iterable[SSAValue], home: Block) -> set[SSAValue]:
    """What is known to be made of a datum, what is `new`, and all that follows in the block."""
    made, work = {*known, *new}, list(new)
    while work:
        for use in list(work.pop().uses):
            for value in follows(use, made, home):
                if value not in made:
                    made.add(value)
                    work.append(value)
    return made


def follows(use: Use, made: Set[SSAValue], home: Block) -> Iterator[SSAValue]:
    """The values made of a datum because the value used there is."""
    op = use.operation
    match op:
        case scf.ForOp() | scf.WhileOp() if use.index >= first_initial(op):
            yield from agreed(op, made, home)
        case scf.ForOp():
            yield from (op.body.block.args[0], *op.results)
        case scf.ConditionOp():
            yield from leaving(op, use.index, home)
        case scf.YieldOp():
            branch = op.parent_op()
            if op.parent is not home and isinstance(branch, scf.IfOp):
                yielded = [region.block.last_op for region in branch.regions]
                if all(end is not None and end.operands[use.index] in made for end in yielded):
                    yield branch.results[use.index]
        case order.LoadOp():
            if use.index == 1:
                yield op.value
        case _:
            if any(operand is op.operands[use.index] for operand in taken_by_all(op)):
                yield from op.results


def first_initial(loop: scf.ForOp | scf.WhileOp) -> int:
    """The place of the loop's first initial value among its operands."""
    return 3 if isinstance(loop, scf.ForOp) else 0


def leaving(end: scf.ConditionOp, place: int, home: Block) -> Iterator[SSAValue]:
    """What a `scf.while` gives its body and what leaves it, if this operand is made of a datum."""
    loop = end.parent_op()
    if end.parent is home or not isinstance(loop, scf.WhileOp):
        return
    numbers = range(len(loop.results)) if place == 0 else (place - 1,)
    for number in numbers:
        yield from (loop.after_region.block.args[number], loop.results[number])


def agreed(loop: scf.ForOp | scf.WhileOp, made: Set[SSAValue], home: Block) -> set[SSAValue]:
    """What is made of a datum because the loop carries it: initially, and in each iteration.

    The most that agrees: what the loop carries is taken to be, and is not where it is not yielded.
    """
    first = first_initial(loop)
    if isinstance(loop, scf.ForOp):
        arguments, end = loop.body.block.args[1:], loop.body.block.last_op
    else:
        arguments, end = loop.before_region.block.args, loop.after_region.block.last_op
    assert end is not None
    taken = [k for k in range(len(arguments)) if loop.operands[first + k] in made]
    if all(arguments[k] in made for k in taken):
        return set()
    while True:
        found = spread(made, [arguments[k] for k in taken], home)
        kept = [k for k in taken if end.operands[k] in found]
        if kept == taken:
            break
        taken = kept
    left = [loop.results[k] for k in taken] if isinstance(loop, scf.ForOp) else []
    return {*found, *left}
