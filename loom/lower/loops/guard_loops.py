"""Mark the loops that are known to run; guard the others by a branch, if that is the policy.

Source: docs/spec D1, policy ``guard``.
"""

from __future__ import annotations

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from loom.analysis.program.nonzero_trip import has_nonzero_trip
from loom.analysis.program.trip_counts import has_constant_nonzero_trip
from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.facts.loop_attributes import NONZERO_TRIP, is_unsigned
from loom.lower.options import Options


def guard_loops(module: ModuleOp, options: Options) -> None:
    """Every scf.for that is known to run says so; with `guard` the others stand in a branch.

    Such a branch is taken when its loop runs, so that then every loop says so.
    """
    for function in module.ops:
        if isinstance(function, FuncOp):
            loops = [each for each in function.walk() if isinstance(each, scf.ForOp)]
            plain = all(has_constant_nonzero_trip(loop) for loop in loops)
            ranges = {} if plain else value_ranges(function, options.index_width)
            for loop in loops:
                if has_nonzero_trip(loop, ranges):
                    NONZERO_TRIP.put(loop, True)
                elif options.zero_trip == "guard":
                    guard(loop)


def guard(loop: scf.ForOp) -> None:
    """Replace the loop by ``if (lb < ub) loop else inits``."""
    block = loop.parent
    assert block is not None
    test = arith.CmpiOp(loop.lb, loop.ub, "ult" if is_unsigned(loop) else "slt")
    copy = scf.ForOp(loop.lb, loop.ub, loop.step, loop.iter_args, loop.detach_region(loop.body))
    copy.attributes.update(loop.attributes)
    NONZERO_TRIP.put(copy, True)
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
