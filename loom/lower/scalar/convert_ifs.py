"""If-conversion: a value that little is computed for is selected, without branches.

Both values of a result are computed, then `arith.select` takes one. A branch and a merge cost each
bit several LUTs and the path of a condition, a select one LUT. What stays in its branch: accesses
of memory, operations that take cycles or are undefined for some operands, and what they need. A
shift is undefined for an amount of the width or more, so it is moved if its amount is proved less.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.program.value_ranges import Ranges, value_ranges
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import constant_of

MOST_OPERATIONS = 8
"""Operations that are computed for one result though the other value may be chosen."""


def convert_ifs(module: ModuleOp, options: Options) -> None:
    """Innermost branches first: what leaves one may leave the next one, too."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            branches = [op for op in function.walk() if isinstance(op, scf.IfOp)]
            defined = defined_shifts(function, branches, options.index_width)
            for branch in reversed(branches):
                if branch.false_region.blocks:
                    convert_if(branch, defined)


SHIFTS = arith.ShLIOp | arith.ShRUIOp | arith.ShRSIOp
"""Operations that are undefined for an amount of the width or more."""


def defined_shifts(function: FuncOp, branches: list[scf.IfOp], index_width: int) -> set[Operation]:
    """The shifts in branches whose amounts are proved less than the width."""
    shifts = {op for branch in branches for op in branch.walk() if isinstance(op, SHIFTS)}
    ranges: Ranges = {}
    if any(constant_of(op.operands[1]) is None for op in shifts):
        ranges = value_ranges(function, index_width)
    return {op for op in shifts if is_defined(op, ranges, index_width)}


def is_defined(shift: Operation, ranges: Ranges, index_width: int) -> bool:
    """True for a shift by fewer bits than the value has, whatever runs."""
    value, amount = shift.operands
    width = width_of(value.type, index_width)
    bits = constant_of(amount)
    if bits is not None:
        return 0 <= bits < width
    known = ranges.get(amount)
    return known is not None and known.low >= 0 and known.high < width


def convert_if(branch: scf.IfOp, defined: set[Operation]) -> None:
    """Results whose values may both be computed are selected; the others are left.

    `defined` are the shifts that are defined for all their operands.
    """
    sides = branch.true_region.block, branch.false_region.block
    kept: list[int] = []
    for place, result in enumerate(branch.results):
        values = [yielded(side, place) for side in sides]
        moves = [
            computed_for(value, side, defined) for value, side in zip(values, sides, strict=True)
        ]
        if any(move is None or len(move) > MOST_OPERATIONS for move in moves):
            kept.append(place)
            continue
        for op in (op for move in moves if move for op in move):
            move_before(op, branch)
        result.replace_all_uses_with(select_one(branch, *values))
    if len(kept) < len(branch.results):
        keep_results(branch, kept)


def yielded(side: Block, place: int) -> SSAValue:
    """The value that the side of the branch gives for the result."""
    end = side.last_op
    assert isinstance(end, scf.YieldOp)
    return end.operands[place]


def computed_for(value: SSAValue, side: Block, defined: set[Operation]) -> list[Operation] | None:
    """The operations of the side that the value needs, in their order; None: one must stay."""
    needed: set[Operation] = set()
    left = [value]
    while left:
        owner = left.pop().owner
        if isinstance(owner, Operation) and owner.parent is side and owner not in needed:
            if not is_cheap(owner, defined):
                return None
            needed.add(owner)
            left += owner.operands
    return [op for op in side.ops if op in needed]


def is_cheap(op: Operation, defined: set[Operation]) -> bool:
    """True for an operation without latency that is defined for all operands."""
    if isinstance(op, arith.ConstantOp):
        return True
    row = find(op.name)
    if row is None or row.semantics.meaning is None or row.hardware.latency != 0:
        return False
    return row.semantics.undefined is None or op in defined


def move_before(op: Operation, branch: scf.IfOp) -> None:
    """The operation stands before the branch."""
    holder = branch.parent
    assert holder is not None
    op.detach()
    holder.insert_op_before(op, branch)


def select_one(branch: scf.IfOp, chosen: SSAValue, other: SSAValue) -> SSAValue:
    """The value of the side that the condition takes."""
    if chosen is other:
        return chosen
    select = arith.SelectOp(branch.cond, chosen, other)
    select.location = branch.location
    holder = branch.parent
    assert holder is not None
    holder.insert_op_before(select, branch)
    return select.result


def keep_results(branch: scf.IfOp, kept: list[int]) -> None:
    """The branch with these results alone; without any, and with nothing to do, it is gone."""
    holder = branch.parent
    assert holder is not None
    for region in branch.regions:
        end = region.block.last_op
        assert isinstance(end, scf.YieldOp)
        end.operands = [end.operands[place] for place in kept]
    sides = [region.block for region in branch.regions]
    if not kept and all(side.first_op is side.last_op for side in sides):
        branch.detach()
        branch.erase()
        return
    results = [branch.results[place] for place in kept]
    chosen, other = (branch.detach_region(region) for region in list(branch.regions))
    fewer = scf.IfOp(branch.cond, [result.type for result in results], chosen, other)
    fewer.attributes, fewer.location = dict(branch.attributes), branch.location
    holder.insert_op_before(fewer, branch)
    for result, new in zip(results, fewer.results, strict=True):
        rename(new, result)
        result.replace_all_uses_with(new)
    branch.detach()
    branch.erase()


def rename(new: OpResult, old: OpResult) -> None:
    """The name of the one is that of the other."""
    if old.name_hint:
        new.name_hint = old.name_hint
