"""Blocks and the branches between them: edges, order, dominators, arguments that never vary."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import cf
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue


@dataclass(frozen=True)
class Edge:
    """One way out of a block: where it leads, and what it hands to the arguments there.

    `case` is the signed value of the terminator's condition that takes it; None takes the rest.
    """

    target: Block
    values: tuple[SSAValue, ...]
    case: int | None = None


def edges_of(end: Operation) -> tuple[Edge, ...]:
    """The ways out of a block that ends in `end`; the one without a case comes last."""
    if isinstance(end, cf.BranchOp):
        return (Edge(end.successor, tuple(end.arguments)),)
    if isinstance(end, cf.ConditionalBranchOp):
        return (
            Edge(end.then_block, tuple(end.then_arguments), -1),
            Edge(end.else_block, tuple(end.else_arguments)),
        )
    if isinstance(end, cf.SwitchOp):
        listed = zip(case_values(end), end.case_blocks, end.case_operand, strict=True)
        cases = [Edge(block, tuple(operands), value) for value, block, operands in listed]
        return (*cases, Edge(end.default_block, tuple(end.default_operands)))
    return ()


def case_values(switch: cf.SwitchOp) -> Sequence[int]:
    """The values of the cases as signed numbers, in the order of the text."""
    values, type_ = switch.case_values, switch.flag.type
    if values is None:
        return ()
    if not isinstance(type_, IntegerType):
        return values.get_values()
    half = 1 << (type_.width.data - 1)
    return [((value + half) & (2 * half - 1)) - half for value in values.get_values()]


def condition_of(end: Operation) -> SSAValue | None:
    """The value that chooses among the edges; None if there is no choice."""
    if isinstance(end, cf.ConditionalBranchOp):
        return end.cond
    return end.flag if isinstance(end, cf.SwitchOp) else None


def last_of(block: Block) -> Operation:
    """The block's terminator."""
    assert block.last_op is not None
    return block.last_op


def successors(block: Block) -> list[Block]:
    """The blocks that control may enter next, each once."""
    last = block.last_op
    # Some regions, such as that of scf.forall.in_parallel, have a block without a terminator.
    return [] if last is None else list(dict.fromkeys(edge.target for edge in edges_of(last)))


def reverse_post_order(region: Region) -> list[Block]:
    """The blocks that are reachable, each before all that it dominates."""
    entry = region.blocks.first
    assert entry is not None
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, iter(successors(entry)))]
    while stack:
        block, left = stack[-1]
        following = next(left, None)
        if following is None:
            stack.pop()
            order.append(block)
        elif following not in seen:
            seen.add(following)
            stack.append((following, iter(successors(following))))
    return order[::-1]


def predecessors(order: Sequence[Block]) -> dict[Block, list[Block]]:
    """The blocks of `order` that lead to each."""
    found: dict[Block, list[Block]] = {block: [] for block in order}
    for block in order:
        for following in successors(block):
            found[following].append(block)
    return found


def immediate_dominators(order: Sequence[Block]) -> dict[Block, Block]:
    """The closest block on every way to each; the entry is its own.

    `order` is a reverse post-order. Source: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance
    Algorithm", 2001.
    """
    number = {block: k for k, block in enumerate(order)}
    before = predecessors(order)
    found = {order[0]: order[0]}
    changed = True
    while changed:
        changed = False
        for block in order[1:]:
            known = [other for other in before[block] if other in found]
            closest = known[0]
            for other in known[1:]:
                while closest is not other:
                    while number[closest] > number[other]:
                        closest = found[closest]
                    while number[other] > number[closest]:
                        other = found[other]
            if found.get(block) is not closest:
                found[block], changed = closest, True
    return found


def unvarying_arguments(order: Sequence[Block]) -> dict[BlockArgument, SSAValue]:
    """The block arguments that every branch gives the same value, and that value.

    The entry's arguments are not among them. Values that the arguments hand to each other do not
    count, so that a value that goes around a loop unchanged is found.
    """
    incoming: dict[BlockArgument, list[SSAValue]] = {
        argument: [] for block in order[1:] for argument in block.args
    }
    for block in order:
        for edge in edges_of(last_of(block)):
            for argument, value in zip(edge.target.args, edge.values, strict=True):
                incoming[argument].append(value)
    # Optimistic: an argument without a value agrees with all, itself stands for "it varies".
    values: dict[SSAValue, SSAValue] = {}
    changed = True
    while changed:
        changed = False
        for argument, given in incoming.items():
            if values.get(argument) is argument:
                continue
            known = {values.get(v, v) for v in given if v not in incoming or v in values}
            if not known:
                continue
            merged = known.pop() if len(known) == 1 else argument
            if values.get(argument) is not merged:
                # From one value to another is a change, too: two values make it vary.
                values[argument] = argument if argument in values else merged
                changed = True
    return {a: values[a] for a in incoming if values.get(a, a) is not a}
