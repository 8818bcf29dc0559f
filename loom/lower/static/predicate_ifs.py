"""A loop body without branches: what a branch held runs always, its accesses under a predicate.

Pure operations of both branches run; a select picks each result. A load whose address is proved
runs always too, since it changes nothing; not behind a channel, where a request is seen.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import i1
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region, SSAValue

from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.program_facts import IN_RANGE
from loom.lower.scalar.arith_builder import Arithmetic, replace

Predicates = dict[Operation, SSAValue]
"""By access, the value of type i1 that is true where it is made; others are always made."""


def predicate_ifs(
    block: Block, is_taken: Callable[[scf.IfOp], bool] = lambda _: True
) -> Predicates:
    """Take every `scf.if` of the block that `is_taken` apart, none of which holds a loop."""
    found: Predicates = {}
    while branch := next(
        (op for op in block.ops if isinstance(op, scf.IfOp) and is_taken(op)), None
    ):
        take_apart(branch, found)
    for operation in list(block.ops):
        if isinstance(operation, PoisonOp) and not operation.result.uses:
            operation.detach()
            operation.erase()
    return found


def take_apart(branch: scf.IfOp, predicates: Predicates) -> None:
    """Move the operations of both branches before the branch; selects are its results."""
    outer = predicates.pop(branch, None)
    build = Arithmetic(branch)
    then = move_out(branch, branch.true_region, branch.cond, outer, predicates)
    opposite: SSAValue | None = None
    if any(is_guarded(op) for block in branch.false_region.blocks for op in block.ops):
        opposite = build.binary(arith.XOrIOp, branch.cond, build.constant(1, i1))
    other = move_out(branch, branch.false_region, opposite, outer, predicates)
    pairs = zip(then, other, strict=True)
    replace(branch, *[choose(build, branch.cond, *pair) for pair in pairs])


def choose(build: Arithmetic, condition: SSAValue, then: SSAValue, other: SSAValue) -> SSAValue:
    """The value of the branch that is taken; that of the other one if nobody wants it: poison."""
    if isinstance(other.owner, PoisonOp):
        return then
    if isinstance(then.owner, PoisonOp):
        return other
    return build.insert(arith.SelectOp(condition, then, other))


def move_out(
    branch: scf.IfOp,
    region: Region,
    condition: SSAValue | None,
    outer: SSAValue | None,
    predicates: Predicates,
) -> list[SSAValue]:
    """Move the operations of one branch before it; what the branch yields."""
    build = Arithmetic(branch)
    operations = [op for block in region.blocks for op in block.ops]
    own = condition
    if outer is not None and condition is not None and any(map(is_guarded, operations)):
        own = build.binary(arith.AndIOp, outer, condition)
    yielded: list[SSAValue] = []
    for operation in operations:
        if isinstance(operation, scf.YieldOp):
            yielded = list(operation.operands)
            continue
        operation.detach()
        assert branch.parent is not None
        branch.parent.insert_op_before(operation, branch)
        if is_guarded(operation):
            assert own is not None
            predicates[operation] = own
    return yielded


def is_guarded(operation: Operation) -> bool:
    """Whether an operation of a branch must not run where the branch is not taken."""
    if isinstance(operation, scf.IfOp | memref.StoreOp):
        return True
    if not isinstance(operation, memref.LoadOp):
        return False
    return not IN_RANGE.is_on(operation) or is_behind_channel(operation.memref)
