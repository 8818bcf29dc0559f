"""Every operation obeys its dialect's rules; what breaks one is reported with its place.

xDSL verifies one operation at a time, without places, and leaves out rules that LOOM relies on:
dominance, and agreement of regions with the operation that holds them (`region_rules`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, NoTerminator
from xdsl.utils.exceptions import VerifyException

from loom.dialects.facts.blocks import immediate_dominators, reverse_post_order
from loom.dialects.facts.places import place_of
from loom.dialects.ops.problem import Problem
from loom.dialects.schedules.verify import problems_of_schedules
from loom.errors import LoomError, Place
from loom.frontend.rules.region_rules import broken_rule

LEGAL = "operations that keep the rules of their dialect"
MOST_PROBLEMS = 20
"""Problems after which the search ends: more help nobody."""


EarlyUses = Mapping[SSAValue, tuple[Place, str]]
"""Values that the text uses further up than it defines them: place and name of the use."""


def problems_of(module: ModuleOp, early: EarlyUses) -> list[LoomError]:
    """Rules that operations of the module break, in the order of the text."""
    problems: list[LoomError] = []
    for op in module.walk():
        problem = problem_of(op)
        if problem is not None:
            problems.append(problem)
            if len(problems) == MOST_PROBLEMS:
                break
    problems = problems or list(islice(dominance_problems(module, early), MOST_PROBLEMS))
    return problems or list(islice(problems_of_schedules(module), MOST_PROBLEMS))


def problem_of(op: Operation) -> LoomError | None:
    """The first rule that this operation breaks, or None."""
    what = terminator_problem(op)
    if what is None:
        try:
            op.verify_()
            what = broken_rule(op)
        except Problem as problem:
            return LoomError(problem.code, place_of(op), problem.what, problem.accepted)
        except VerifyException as exception:
            what = one_line(exception)
        except Exception as exception:
            # xDSL's verifiers also raise bare Exception, IndexError, ValueError and AssertionError
            # where a text in generic form has too few blocks, operands or arguments.
            what = one_line(exception) or "it is not complete"
    if what is None:
        return None
    return LoomError("MLIR_VERIFY", place_of(op), f"{op.name} against its rules: {what}", LEGAL)


def one_line(exception: Exception) -> str:
    """The message of an exception without line breaks."""
    return " ".join(str(exception).split())


def terminator_problem(op: Operation) -> str | None:
    """Why the blocks of `op` do not end as they must, or None."""
    if op.has_trait(NoTerminator):
        return None
    for region in op.regions:
        for block in region.blocks:
            if block.last_op is None:
                return "a block without operations"
            if not block.last_op.has_trait(IsTerminator):
                return f"a block that ends in {block.last_op.name}"
    parent = op.parent
    if op.has_trait(IsTerminator) and parent is not None and parent.last_op is not op:
        return "it ends a block, but operations follow"
    return None


def dominance_problems(module: ModuleOp, early: EarlyUses) -> Iterator[LoomError]:
    """Uses of values that are not defined before, in this region or around it.

    Bodies of handshake functions are graphs, in which order means nothing.
    """
    for op in module.body.block.ops:
        if isinstance(op, FuncOp):
            for user, value in _undominated(op, set()):
                named = f"%{value.name_hint}" if value.name_hint else "a value"
                place, name = early.get(value, (place_of(user), named))
                yield LoomError(
                    "MLIR_UNDEFINED_VALUE",
                    place,
                    f"{name} in {user.name}, which is not defined before",
                    "values defined before their use, in the same region or around it",
                )


def _undominated(op: Operation, defined: set[SSAValue]) -> Iterator[tuple[Operation, SSAValue]]:
    """Operations with an operand that is not among the values defined before."""
    for operand in op.operands:
        if operand not in defined:
            yield op, operand
    for region in op.regions:
        if region.blocks:
            yield from _undominated_in(region, defined)


def _undominated_in(region: Region, defined: set[SSAValue]) -> Iterator[tuple[Operation, SSAValue]]:
    """As `_undominated`, for the blocks that are reachable: the others may use what they like."""
    order = reverse_post_order(region)
    below: dict[Block, list[Block]] = {block: [] for block in order}
    for block, above in immediate_dominators(order).items():
        if block is not above:
            below[above].append(block)
    # What a block defines counts in the blocks below it in the tree of dominators.
    stack: list[tuple[Block, list[SSAValue]]] = [(order[0], [])]
    while stack:
        block, leaving = stack.pop()
        if leaving:
            defined.difference_update(leaving)
            continue
        inside: list[SSAValue] = list(block.args)
        defined.update(inside)
        for op in block.ops:
            yield from _undominated(op, defined)
            defined.update(op.results)
            inside.extend(op.results)
        if inside:
            stack.append((block, inside))
        stack += [(other, []) for other in below[block]]
