"""The trip count that is said is that of the bounds, where these are constants (rule 16)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import BlockArgument, SSAValue

from loom.dialects.ops.staticlogic import PipelineOp
from loom.dialects.ops.types import width_of
from loom.dialects.schedules.findings import broken, constant_of
from loom.errors import LoomError

MIRRORED = {"slt": "sgt", "sle": "sge", "ult": "ugt", "ule": "uge", "ne": "ne"}
MIRRORED |= {other: word for word, other in MIRRORED.items()}
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")


def trip_count_problems(op: PipelineOp) -> Iterator[LoomError]:
    """A trip count that is negative, or not that of constant bounds."""
    said = op.trip_count
    if said is None:
        return
    if said < 0:
        what = f"'trip_count' must be >= 0, found {said}"
        yield broken(op, "STATIC_TRIP_COUNT", what, "the number of iterations")
        return
    found = None if op.is_while else find_counted(op)
    if found is None:
        return
    known = found.trips
    if known == said or (found.moves is not None and known and said > known):
        return
    if found.moves is not None:
        what = f"trip_count {said} disagrees with the bounds of the outermost loop ({known})"
        accepted = f"trip_count >= {known}, or none" if known else "trip_count = 0, or none"
        yield broken(op, "STATIC_TRIP_COUNT", what, accepted)
    else:
        what = f"trip_count {said} disagrees with the bounds ({known})"
        yield broken(op, "STATIC_TRIP_COUNT", what, f"trip_count = {known}, or none")


@dataclass(frozen=True, slots=True)
class Counted:
    """The induction variable at `place` has `trips` values where the loop tests it and goes on.

    They are `first` and what follows, each by `step` further. `moves` is the flag of `update` in
    whose iterations alone the variable moves; None: it moves in all.
    """

    place: int
    first: int
    step: int
    trips: int
    moves: SSAValue | None


def is_known_to_run(op: PipelineOp) -> bool:
    """Whether the constant bounds of a loop, of a nest the outermost one's, have an iteration."""
    found = None if op.is_while else find_counted(op)
    return found is not None and found.trips > 0


def find_counted(op: PipelineOp) -> Counted | None:
    """The variable that counts between constants and that alone ends the loop; None without one.

    It may count down, and the test be any comparison of two numbers but `eq`. It may be the
    outermost counter of a nest, which moves in some iterations.
    """
    test = op.condition_yield.values[0].owner
    if not isinstance(test, arith.CmpiOp):
        return None
    predicate = PREDICATES[test.predicate.value.data]
    variable, bound = test.lhs, constant_of(test.rhs)
    if bound is None:
        variable, bound = test.rhs, constant_of(test.lhs)
        predicate = MIRRORED.get(predicate, predicate)
    if bound is None or not isinstance(variable, BlockArgument):
        return None
    place = variable.index
    if variable.block is not op.condition.block or place >= len(op.iv_inits):
        return None
    following, own, moves = op.update_yield.values[place], op.update.block.args[place], None
    choice = following.owner
    if isinstance(choice, arith.SelectOp) and choice.rhs is own:
        following, moves = choice.lhs, choice.cond
    first, step = constant_of(op.iv_inits[place]), step_between(own, following)
    if first is None or step is None:
        return None
    trips = count(first, bound, step, predicate, width_of(variable.type))
    return None if trips is None else Counted(place, first, step, trips, moves)


def step_between(own: SSAValue, value: SSAValue) -> int | None:
    """By how much a value is more than an induction variable; None if not by a number."""
    moved = value.owner

    def other(left: SSAValue, right: SSAValue) -> int | None:
        return constant_of(right) if left is own else None

    if isinstance(moved, arith.AddiOp):
        found = other(moved.lhs, moved.rhs)
        return other(moved.rhs, moved.lhs) if found is None else found
    if isinstance(moved, arith.SubiOp):
        found = other(moved.lhs, moved.rhs)
        return None if found is None else -found
    return None


def count(first: int, bound: int, step: int, predicate: str, width: int) -> int | None:
    """How often the test holds; None where the variable would leave the range of its type."""
    if predicate == "eq" or step == 0:
        return None
    unsigned = predicate.startswith("u")
    if unsigned:
        first, bound = first % (1 << width), bound % (1 << width)
    if predicate == "ne":
        trips, rest = divmod(bound - first, step)
        return trips if not rest and trips >= 0 else None
    upward = predicate.endswith(("lt", "le"))
    end = bound
    if predicate.endswith("e"):
        end += 1 if upward else -1
    if (first >= end) if upward else (first <= end):
        return 0
    if upward != (step > 0):
        return None
    trips = -((first - end) // step) if upward else -((end - first) // -step)
    last = first + trips * step
    low, high = (0, 1 << width) if unsigned else (-(1 << width - 1), 1 << width - 1)
    return trips if low <= last < high else None
