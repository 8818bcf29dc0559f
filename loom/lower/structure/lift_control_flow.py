"""Blocks that branch to each other become scf operations; any graph of them does.

`prepare_blocks` says what a block may use, `structure_blocks` finds loops and branches,
`build_structured` gives them results.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from loom.dialects.facts.blocks import condition_of, edges_of, last_of, reverse_post_order
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace
from loom.lower.structure.build_structured import Builder, Values
from loom.lower.structure.move_blocks import move_before
from loom.lower.structure.prepare_blocks import (
    copy_views,
    drop_assertions,
    drop_unreachable,
    gather_constants,
    replace_invariant_arguments,
)
from loom.lower.structure.structure_blocks import Node, Way, build_code
from loom.lower.structure.structured_code import Copies, Run, Slot, Variable, live_before


def lift_control_flow(module: ModuleOp, options: Options) -> None:
    """Every region is one block; no scf.execute_region and no cf operation is left."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            drop_assertions(function)
            lift_function(function)


def lift_function(function: FuncOp) -> None:
    """The function and all inside have one block a region."""
    holders = [function, *(op for op in function.walk() if isinstance(op, scf.ExecuteRegionOp))]
    regions = [holder.regions[0] for holder in holders]
    if any(len(region.blocks) > 1 for region in regions):
        for region in regions:
            drop_unreachable(region)
        for region in regions:
            replace_invariant_arguments(region)
        gather_constants(function)
        for region in regions:
            copy_views(region)
    start = function.body.blocks[0]
    # Inner regions first; none of them is in an unreachable block, which are gone.
    for holder in reversed(holders):
        if holder is not function and not in_function(holder, function):
            continue
        region = holder.regions[0]
        if len(region.blocks) > 1:
            lift(region, start)
        if isinstance(holder, scf.ExecuteRegionOp):
            replace(holder, *move_before(holder.region.blocks[0], holder))


def in_function(op: Operation, function: FuncOp) -> bool:
    """True if the operation still stands in the function."""
    above: Operation | None = op
    while above is not None and above is not function:
        above = above.parent_op()
    return above is function


def lift(region: Region, start: Block) -> None:
    """The region is its first block, in which scf operations do what the blocks did.

    Constants that are needed stand at the beginning of `start`.
    """
    blocks = reverse_post_order(region)
    ends = [last_of(block) for block in blocks]
    leaving = next(end for end in ends if isinstance(end, ReturnOp | scf.YieldOp))
    results = [Slot(type_) for type_ in leaving.operand_types]
    shared = variables_of(blocks)
    code = build_code(graph_of(blocks, results, shared))
    live_before(code, set(results))
    first, builder = blocks[0], Builder()
    kind, place = type(leaving), leaving.location
    made, values = Block(), Values()
    values.update({v: v for end in ends for v in end.operands if v not in shared})
    builder.build(code, values, set(results), made)
    end = kind(*(builder.value(values, result, result) for result in results))
    end.location = place
    for old in ends:
        old.detach()
        old.erase(safe_erase=False)
    for op in list(made.ops):
        op.detach()
        first.add_op(op)
    first.add_op(end)
    for block in blocks[1:]:
        region.detach_block(block)
        block.erase(safe_erase=False)
    front = start.first_op
    assert front is not None
    for constant in builder.constants.values():
        constant.location = front.location
        start.insert_op_before(constant, front)


def graph_of(blocks: Sequence[Block], results: Sequence[Slot], shared: set[Variable]) -> Node:
    """The first of the blocks as a node, with all that it leads to.

    `shared` are the values that blocks hand to each other.
    """
    nodes: dict[Block, Node] = {}
    for block in blocks:
        operations = tuple(op for op in block.ops if op is not block.last_op)
        end = last_of(block)
        code = [run_of(operations, shared)] if operations else []
        nodes[block] = Node([*code], condition_of(end), [], end)
    for block in blocks:
        node, end = nodes[block], last_of(block)
        for edge in edges_of(end):
            copies = Copies(tuple(zip(edge.target.args, edge.values, strict=True)))
            node.ways.append(Way(nodes[edge.target], [copies], edge.case))
        if isinstance(end, ReturnOp | scf.YieldOp):
            node.ways.append(Way(None, [Copies(tuple(zip(results, end.operands, strict=True)))]))
    drop_dead_ends([nodes[block] for block in blocks])
    for block in reversed(blocks):
        skip_empty(nodes[block])
    return nodes[blocks[0]]


def variables_of(blocks: Sequence[Block]) -> set[Variable]:
    """The values that one block defines and another one, or its terminator, uses."""
    found: set[Variable] = {argument for block in blocks[1:] for argument in block.args}
    for block in blocks:
        for op in block.ops:
            for result in op.results:
                if any(is_far(use.operation, block) for use in result.uses):
                    found.add(result)
    return found


def is_far(user: Operation, block: Block) -> bool:
    """True if the user is not among, or inside, the operations of the block before its end."""
    above: Operation | None = user
    while above is not None and above.parent is not block:
        above = above.parent_op()
    return above is None or above is block.last_op


def run_of(operations: tuple[Operation, ...], shared: set[Variable]) -> Run:
    """The operations, with the variables that they read and define."""
    defines = [result for op in operations for result in op.results if result in shared]
    uses: set[Variable] = {v for op in operations for i in op.walk() for v in i.operands}
    return Run(operations, frozenset(uses & shared - set(defines)), tuple(defines))


def drop_dead_ends(nodes: Sequence[Node]) -> None:
    """No way is left to where nothing leads out of the graph: a program never goes there."""
    alive: set[Node | None] = {None}
    more = True
    while more:
        more = False
        for node in reversed(nodes):
            if node not in alive and any(way.target in alive for way in node.ways):
                alive.add(node)
                more = True
    for node in nodes:
        node.ways = [way for way in node.ways if way.target in alive]
        if node.ways:
            node.ways[-1].case = None


def skip_empty(node: Node) -> None:
    """The node's ways do not lead to nodes that do nothing but go on."""
    for way in node.ways:
        seen: set[Node] = set()
        while way.target is not None and is_empty(way.target) and way.target not in seen:
            seen.add(way.target)
            (onward,) = way.target.ways
            way.copies = [*way.copies, *onward.copies]
            way.target = onward.target


def is_empty(node: Node) -> bool:
    """True for a node without code and choice."""
    return not node.code and len(node.ways) == 1
