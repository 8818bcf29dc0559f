"""An access does not wait for the done token of a load whose datum it waits for anyway.

A load gives its datum after its memory has served it. So an access whose address, datum or
condition is made of the datum comes after the load, and after all that the load waits for. In
`if (a[i] > limit) a[i] = limit` the store needs no token of the load. An access that needs no
token at all has the fact `ORDERED`: it starts with its address (`drop_idle_control`). Where a
branch gives a done token back and its condition is made of the datum, it gives back what the load
waits for.

What is made of a datum `loom/analysis/order/waits_for_datum.py` says. The token of one run of the
load's block never stands for another run's, but for the next iteration's where the loop carries
what is made of the datum: the access waits then for what is done before the loop. The pass comes
after all that rewrites values: of `(v >> 3) >> 5` of eight bits, which is 0, a constant is left,
and that waits for nothing.

A load that waits for what an outer loop carries hands that order on with its done token: without
it, entries of its loop were measured to follow each other a cycle later.

Source: docs/spec/memory-order.md, "What done means".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue, Use

from loom.analysis.order.waits_for_datum import Datum, carried_datum, taken_by_all
from loom.dialects.facts.program_facts import COMPARED_STORES, ORDERED, QUEUED
from loom.dialects.ops import order
from loom.lower.options import Options


def drop_implied_order(module: ModuleOp, options: Options) -> None:
    """No access waits for the token of a load whose datum orders it."""
    data: dict[order.LoadOp, Datum] = {}
    found = [op for op in module.walk() if isinstance(op, order.LoadOp | order.StoreOp)]
    accesses = [op for op in found if not QUEUED.is_on(op)]  # a queue's tokens are its groups'
    for access in accesses:
        drop_carried_loads(access)
    for access in accesses:
        tokens = list(joined(access.after))
        loads = [op for token in tokens if isinstance(op := token.owner, order.LoadOp)]
        for load in loads:
            if load not in data and stands_for_token(load):
                data[load] = Datum(load)
        before = [load for load in loads if load in data and precedes_always(data[load], access)]
        shorten_wait(access, tokens, before)
    for load, datum in data.items():
        pass_branches(load, datum)


def drop_carried_loads(access: order.LoadOp | order.StoreOp) -> None:
    """The access waits for no load of the previous iteration whose datum comes to it anyway.

    In the first iteration it waits for what the loop begins with, and so it does in all.
    """
    loop = access.parent_op()
    if not isinstance(loop, scf.ForOp):
        return
    end = loop.body.block.last_op
    assert end is not None
    kept: list[SSAValue] = []
    for token in joined(access.after):
        if token.owner is loop.body.block and isinstance(token, BlockArgument):
            loads = [each.owner for each in joined(end.operands[token.index - 1])]
            if all(isinstance(op, order.LoadOp) and comes_to(access, op) for op in loads):
                token = loop.iter_args[token.index - 1]
        kept.append(token)
    if kept != list(joined(access.after)):
        access.operands[list(access.operands).index(access.after)] = order.join_tokens(kept, access)


def comes_to(access: order.LoadOp | order.StoreOp, load: order.LoadOp) -> bool:
    """True if the loop of both carries to the access what is made of the load's datum."""
    made = carried_datum(load) if load.parent is access.parent else set[SSAValue]()
    return any(value in made for value in taken_by_all(access))


def precedes_always(datum: Datum, access: order.LoadOp | order.StoreOp) -> bool:
    """True if the access waits for the datum, and so does the branch or loop around it, if any.

    An access under a condition that only takes the datum leaves the other way without it: the
    return waited there for the done token, here for the datum, and for neither on every way.
    """
    outer: Operation | None = access
    while outer is not None and outer.parent is not datum.block:
        outer = outer.parent_op()
    return outer is not None and datum.precedes(outer)


def stands_for_token(load: order.LoadOp) -> bool:
    """True unless the load waits for what a loop around its own block carries."""
    block = load.after.owner
    return (
        not isinstance(block, Block)
        or block is load.parent
        or isinstance(block.parent_op(), FuncOp)
    )


def shorten_wait(
    access: order.LoadOp | order.StoreOp,
    tokens: Sequence[SSAValue],
    before: Sequence[order.LoadOp],
) -> None:
    """The access waits for those of its tokens alone that none of the loads before it implies.

    A load that compares addresses with several stores may wait for none of its own tokens.
    """
    implied = {
        token
        for load in before
        for token in (load.done, *(() if COMPARED_STORES.is_on(load) else joined(load.after)))
    }
    stores = [op for token in implied if isinstance(op := token.owner, order.StoreOp)]
    implied |= {op.accepted for op in stores if op.accepted is not None}
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


def pass_branches(load: order.LoadOp, datum: Datum) -> None:
    """The done token is not needed if branches that wait for the datum alone give it back."""
    uses = [use for use in load.done.uses if not is_idle(use)]
    if all(isinstance(use.operation, scf.YieldOp) and ends_branch(use, datum) for use in uses):
        for use in uses:
            use.operation.operands[use.index] = load.after


def is_idle(use: Use) -> bool:
    """True if the token orders nothing there."""
    user = use.operation
    if isinstance(user, order.JoinOp):
        return all(is_idle(each) for each in user.done.uses)
    return ORDERED.is_on(user)


def ends_branch(use: Use, datum: Datum) -> bool:
    """True if a branch of the load's block, or one in it, ends there and waits for the datum."""
    return isinstance(use.operation.parent_op(), scf.IfOp) and datum.precedes(use.operation)
