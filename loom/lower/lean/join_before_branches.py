"""Control tokens that take the same way to a join are joined before it.

Two branches under one condition, of whose results a join takes the same side and nothing takes the
other, let their tokens pass in the same iterations: one branch for the joined token does the same.
So do two muxes with one select, whose inputs are joined one by one, and two replicates under one
condition. The join gives its token when the last of its tokens is there, as before. A token waits
earlier for those that it would wait for later; they are of the same iteration, and no token of an
iteration comes to wait for one of a later iteration, so nothing can deadlock that did not before.

Source: retiming of a join over steering units, as registers over gates: Leiserson and Saxe,
Retiming synchronous circuitry, Algorithmica 6, 1991.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.ops.dataflow import InvariantOp, ReplicateOp
from loom.dialects.ops.handshake import CondBranchOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.options import Options


def join_before_branches(module: ModuleOp, options: Options) -> None:
    """No join of a handshake function takes tokens of two units that steer alike."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            work = [op for op in function.body.block.ops if isinstance(op, JoinOp)]
            while work:
                work += shorten_join(work.pop())


def shorten_join(join: JoinOp) -> list[JoinOp]:
    """The join takes one token of each group of units that steer alike; the joins before these."""
    groups: dict[Hashable, list[OpResult]] = {}
    for operand in dict.fromkeys(join.operands):
        if isinstance(operand, OpResult) and (way := way_of(operand)) is not None:
            groups.setdefault(way, []).append(operand)
    made: list[JoinOp] = []
    alike = [found for found in groups.values() if len(found) > 1]
    if not alike:
        return []
    steered = [steer_together(found, join, made) for found in alike]
    tokens = [*join.operands, *steered]
    if len(tokens) == 1:
        join.out.replace_all_uses_with(tokens[0])
        unit: Operation = join
        unit.detach()
        unit.erase()
    else:
        join.operands = tokens
        made.append(join)
    return made


def way_of(token: OpResult) -> Hashable | None:
    """What the token's way depends on; None if the join is not the only reader of its unit."""
    owner = token.op
    if token.uses.get_length() != 1:
        return None
    if isinstance(owner, CondBranchOp) and owner.results[1 - token.index].uses.get_length() > 0:
        return None
    if not isinstance(owner, CondBranchOp | MuxOp | ReplicateOp | InvariantOp):
        return None
    attributes = frozenset({**owner.attributes, **owner.properties}.items())
    return owner.name, attributes, owner.operands[0], len(owner.operands), token.index


def steer_together(tokens: Sequence[OpResult], join: JoinOp, made: list[JoinOp]) -> SSAValue:
    """The joined tokens, steered by one unit; `made` gets the joins before it."""
    units = [token.op for token in tokens]
    first = units[0]
    steered = [
        join_tokens(list(dict.fromkeys(given)), join, made)
        for given in zip(*(unit.operands[1:] for unit in units), strict=True)
    ]
    one = type(first).create(
        operands=[first.operands[0], *steered],
        result_types=[result.type for result in first.results],
        attributes=dict(first.attributes),
        properties=dict(first.properties),
    )
    one.location = first.location
    for new, old in zip(one.results, first.results, strict=True):
        new.name_hint = old.name_hint
    block_of(join).insert_op_before(one, join)
    join.operands = [each for each in join.operands if each not in tokens]
    for unit in units:
        unit.detach()
        unit.erase()
    return one.results[tokens[0].index]


def join_tokens(tokens: Sequence[SSAValue], before: JoinOp, made: list[JoinOp]) -> SSAValue:
    """One token for all of them; `made` gets the join that gives it."""
    if len(tokens) == 1:
        return tokens[0]
    join = JoinOp(tokens)
    join.location = before.location
    block_of(before).insert_op_before(join, before)
    made.append(join)
    return join.out


def block_of(op: Operation) -> Block:
    """The block that the operation stands in."""
    block = op.parent
    assert block is not None
    return block
