"""What a program computes for its assertions alone: no circuit has it."""

from __future__ import annotations

from xdsl.dialects import cf, memref, scf
from xdsl.ir import Operation
from xdsl.traits import IsTerminator, is_side_effect_free


def serves_assertions(operation: Operation) -> bool:
    """True if an assertion comes of the operation, and nothing else that a run shows."""
    if not is_silent(operation):
        return False
    leads, work, seen = holds_assertion(operation), [operation], set[Operation]()
    while work:
        for user in [use.operation for result in work.pop().results for use in result.uses]:
            reached = user.parent_op() if isinstance(user, scf.YieldOp) else user
            if reached is None or not is_silent(reached):
                return False
            leads = leads or holds_assertion(reached)
            if reached not in seen:
                seen.add(reached)
                work.append(reached)
    return leads


def holds_assertion(operation: Operation) -> bool:
    """True of an assertion, and of a branch with one in it."""
    return any(isinstance(each, cf.AssertOp) for each in operation.walk())


def is_silent(operation: Operation) -> bool:
    """True if nothing but results comes of the operation: of a branch, of all in it."""
    if isinstance(operation, scf.IfOp):
        return all(is_silent(each) for each in operation.walk() if each is not operation)
    if isinstance(operation, cf.AssertOp | memref.LoadOp | scf.YieldOp):
        return True
    leaves = operation.regions or operation.has_trait(IsTerminator)
    return not leaves and is_side_effect_free(operation)
