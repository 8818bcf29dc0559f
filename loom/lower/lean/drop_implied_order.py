"""An access does not wait for the done token of a load whose datum it waits for anyway.

A load gives its datum after its memory has served it. So an access whose address, datum or
condition is made of the datum comes after the load, and after all that the load waits for. In
`if (a[i] > limit) a[i] = limit` the store needs no token of the load. An access that needs no
token at all has the fact `ORDERED`: it starts with its address (`drop_idle_control`). Where a
branch gives a done token back and its condition is made of the datum, it gives back what the load
waits for.

"Made of" goes through pure operations, through loads by their address, and through branches by
their condition. A value made in the same block is a token for each run of the block, and so is the
done token: the token of one run never stands for another run's. What a loop carries to its next
iteration is left alone.

A load that waits for what an outer loop carries hands that order on with its done token: without
it, entries of its loop were measured to follow each other a cycle later.

Source: docs/spec/memory-order.md, "What done means".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue, Use

from loom.dialects.facts.program_facts import ORDERED
from loom.dialects.operators.catalogue import find
from loom.dialects.ops import order
from loom.lower.options import Options


def drop_implied_order(module: ModuleOp, options: Options) -> None:
    """No access waits for the token of a load whose datum orders it."""
    made: dict[order.LoadOp, set[SSAValue]] = {}
    accesses = [op for op in module.walk() if isinstance(op, order.LoadOp | order.StoreOp)]
    for access in accesses:
        tokens = list(joined(access.after))
        loads = [op for token in tokens if isinstance(op := token.owner, order.LoadOp)]
        loads = [load for load in loads if stands_for_token(load)]
        for load in loads:
            if load not in made:
                made[load] = made_of(load)
        before = [load for load in loads if comes_after(access, load, made[load])]
        shorten_wait(access, tokens, before)
    for load, values in made.items():
        pass_branches(load, values)


def stands_for_token(load: order.LoadOp) -> bool:
    """True if the load waits for the start, or for what its own loop carries."""
    block = load.after.owner
    return isinstance(block, Block) and (
        block is load.parent or isinstance(block.parent_op(), FuncOp)
    )


def made_of(load: order.LoadOp) -> set[SSAValue]:
    """The values of the load's block that are not there before the load's datum."""
    made: set[SSAValue] = {load.value}
    work: list[SSAValue] = [load.value]
    while work:
        value = work.pop()
        for use in value.uses:
            op = use.operation
            if op.parent is load.parent and any(each is value for each in taken_by_all(op)):
                new = [result for result in op.results if result not in made]
                made |= set(new)
                work += new
    return made


def taken_by_all(op: Operation) -> Sequence[SSAValue]:
    """Operands that all results of the operation wait for."""
    match op:
        case order.LoadOp():
            return (op.index,)
        case order.StoreOp():
            return (op.index, op.value)
        case scf.IfOp():
            return (op.cond,)
        case _:
            row = find(op.name)
            pure = row is not None and row.semantics.meaning is not None
            return tuple(op.operands) if pure else ()


def comes_after(user: Operation, load: order.LoadOp, made: set[SSAValue]) -> bool:
    """True if the operation, in the load's block or in branches there, waits for the datum."""
    op: Operation | None = user
    while op is not None and op.parent is not load.parent:
        op = op.parent_op()
        if not isinstance(op, scf.IfOp):
            return False
        if op.parent is load.parent:
            return op.cond in made
    return op is not None and any(operand in made for operand in taken_by_all(op))


def shorten_wait(
    access: order.LoadOp | order.StoreOp,
    tokens: Sequence[SSAValue],
    before: Sequence[order.LoadOp],
) -> None:
    """The access waits for those of its tokens alone that none of the loads before it implies."""
    implied = {token for load in before for token in (load.done, *joined(load.after))}
    left = [token for token in tokens if token not in implied]
    if not left:
        ORDERED.put(access, True)
    elif len(left) < len(tokens) and is_made_beside(access.after, access):
        access.operands[list(access.operands).index(access.after)] = order.join_tokens(left, access)


def is_made_beside(token: SSAValue, access: Operation) -> bool:
    """True if the token is made in the block of the access.

    A join of an outer block is one token on all ways through the branches in it. Taken apart there,
    it would wait for a load on each way by another unit, and no single unit for it on every way.
    """
    return isinstance(token.owner, Operation) and token.owner.parent is access.parent


def joined(token: SSAValue) -> Iterator[SSAValue]:
    """The token, or those that joins make it of."""
    if isinstance(token.owner, order.JoinOp):
        for operand in token.owner.operands:
            yield from joined(operand)
    else:
        yield token


def pass_branches(load: order.LoadOp, made: set[SSAValue]) -> None:
    """The done token is not needed if branches that wait for the datum alone give it back."""
    uses = [use for use in load.done.uses if not is_idle(use)]
    if all(isinstance(use.operation, scf.YieldOp) and ends_branch(use, load, made) for use in uses):
        for use in uses:
            use.operation.operands[use.index] = load.after


def is_idle(use: Use) -> bool:
    """True if the token orders nothing there."""
    user = use.operation
    if isinstance(user, order.JoinOp):
        return all(is_idle(each) for each in user.done.uses)
    return ORDERED.is_on(user)


def ends_branch(use: Use, load: order.LoadOp, made: set[SSAValue]) -> bool:
    """True if a branch of the load's block, or one in it, ends there and waits for the datum."""
    return isinstance(use.operation.parent_op(), scf.IfOp) and comes_after(
        use.operation, load, made
    )
