"""Guard every loop that may run zero times by a branch: the policy ``guard`` of errata E1."""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from loom.analysis.trip_counts import is_unsigned, runs_at_least_once
from loom.lower.options import Options


def guard_loops(module: ModuleOp, options: Options) -> None:
    """Every scf.for runs at least once, or stands in a branch that is taken when it does."""
    if options.zero_trip != "guard":
        return
    for operation in list(module.walk()):
        if isinstance(operation, scf.ForOp) and not runs_at_least_once(operation):
            guard(operation)


def guard(loop: scf.ForOp) -> None:
    """Replace the loop by ``if (lb < ub) loop else inits``."""
    block = loop.parent
    assert block is not None
    test = arith.CmpiOp(loop.lb, loop.ub, "ult" if is_unsigned(loop) else "slt")
    copy = scf.ForOp(loop.lb, loop.ub, loop.step, loop.iter_args, loop.detach_region(loop.body))
    copy.attributes.update(loop.attributes)
    copy.properties.update(loop.properties)
    copy.location = loop.location
    taken = Block([copy, scf.YieldOp(*copy.results)])
    skipped = Block([scf.YieldOp(*loop.iter_args)])
    branch = scf.IfOp(test.result, [result.type for result in loop.results], [taken], [skipped])
    inserted: list[Operation] = [test, branch]
    for new in inserted:
        new.location = loop.location
        block.insert_op_before(new, loop)
    for result, successor in zip(loop.results, branch.results, strict=True):
        successor.name_hint = result.name_hint
        result.replace_all_uses_with(successor)
    loop.detach()
    loop.erase()
