"""Rules for blocks and branches: those of MLIR, and what LOOM asks beyond them."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import cf, scf
from xdsl.dialects.builtin import IntegerType, MemRefType, UnrankedMemRefType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from loom.dialects.facts.blocks import (
    case_values,
    edges_of,
    last_of,
    predecessors,
    reverse_post_order,
    unvarying_arguments,
)
from loom.dialects.facts.places import place_of, place_of_value
from loom.dialects.ops.llvm_intrinsics import Unreachable
from loom.errors import LoomError

BRANCHES = cf.BranchOp | cf.ConditionalBranchOp | cf.SwitchOp


def branch(op: Operation) -> str | None:
    """None if every block that `op` leads to takes what `op` hands to it."""
    for edge in edges_of(op):
        given = [str(value.type) for value in edge.values]
        taken = [str(argument.type) for argument in edge.target.args]
        if given != taken:
            return f"({', '.join(given)}) for a block of arguments ({', '.join(taken)})"
    return None


def switch(op: cf.SwitchOp) -> str | None:
    """As `branch`; the cases are different."""
    values = case_values(op)
    return "a case that comes twice" if len(set(values)) < len(values) else branch(op)


def entry_is_first(region: Region) -> str | None:
    """None if nothing branches to the region's first block."""
    first = region.blocks.first
    for block in region.blocks:
        if any(edge.target is first for edge in edges_of(last_of(block))):
            return "a branch to the first block"
    return None


def execute_region(op: scf.ExecuteRegionOp) -> str | None:
    """Blocks branch to each other or yield the results."""
    wanted = list(op.result_types)
    for block in op.region.blocks:
        last = last_of(block)
        if isinstance(last, scf.YieldOp):
            if list(last.operand_types) != wanted:
                return f"{len(last.operands)} values yielded that are not its results"
        elif not isinstance(last, BRANCHES | Unreachable):
            return f"a block that ends in {last.name}"
    if op.region.blocks and op.region.blocks[0].args:
        return "a first block with arguments"
    return entry_is_first(op.region)


def function(op: FuncOp) -> str | None:
    """Blocks branch to each other or return."""
    for block in op.body.blocks:
        if not isinstance(last_of(block), ReturnOp | BRANCHES | Unreachable):
            return f"a block that ends in {last_of(block).name}"
    return entry_is_first(op.body)


def flow_problems(op: FuncOp | scf.ExecuteRegionOp) -> Iterator[LoomError]:
    """What LOOM cannot compile in the blocks of this operation."""
    region = op.body if isinstance(op, FuncOp) else op.region
    order = reverse_post_order(region)
    yield from endless_problems(op, order)
    unvarying = unvarying_arguments(order)
    for argument in (argument for block in order[1:] for argument in block.args):
        is_memory = isinstance(argument.type, MemRefType | UnrankedMemRefType)
        if is_memory and argument not in unvarying:
            what = f"a choice of {argument.type} at run time"
            accepted = "a memref that every branch to the block hands over alike"
            yield LoomError("MLIR_MEMREF_VALUE", place_of_value(argument), what, accepted)
    for block in order:
        last = last_of(block)
        if isinstance(last, cf.SwitchOp) and not isinstance(last.flag.type, IntegerType):
            what = f"a switch over {last.flag.type}"
            yield LoomError("MLIR_UNSUPPORTED_TYPE", place_of(last), what, "one over an integer")


def endless_problems(op: Operation, order: list[Block]) -> Iterator[LoomError]:
    """A problem if the text shows that control comes to a place and never gets to an end."""
    before = predecessors(order)
    leave = {block for block in order if isinstance(last_of(block), ReturnOp | scf.YieldOp)}
    if order[0] not in reaching(leave, before):
        what = f"{op.name} without an end that can be reached"
        accepted = "bodies that can come to a return or a yield"
        yield LoomError("MLIR_ENDLESS", place_of(op), what, accepted)
        return
    stop = {block for block in order if isinstance(last_of(block), Unreachable)}
    ending = reaching(leave | stop, before)
    lost = [block for block in order if block not in ending]
    if lost:
        place = place_of(lost[0].first_op or op)
        accepted = "loops from which a return can be reached"
        yield LoomError("MLIR_ENDLESS", place, "a loop that nothing leaves", accepted)


def reaching(ends: set[Block], before: dict[Block, list[Block]]) -> set[Block]:
    """The blocks from which one of `ends` can be reached."""
    found = set(ends)
    waiting = list(ends)
    while waiting:
        for block in before[waiting.pop()]:
            if block not in found:
                found.add(block)
                waiting.append(block)
    return found
