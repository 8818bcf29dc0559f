"""Loops that count: what a counted loop of MLIR does exactly as the loop as written.

A variable that counts down is counted by its complement, which goes up: `i > n` is `~i < ~n`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith

from loom.frontend.imperative.effects import STAYS, Effects, find_loads, find_reads, find_stores
from loom.frontend.imperative.tree import (
    Apply,
    Assign,
    Compare,
    Continue,
    Convert,
    Expression,
    Loop,
    Number,
    Read,
    Relation,
    Variable,
)
from loom.frontend.imperative.types import Int

MIRRORED = {
    Relation.LT: Relation.GT, Relation.GT: Relation.LT, Relation.LE: Relation.GE,
    Relation.GE: Relation.LE, Relation.EQ: Relation.EQ, Relation.NE: Relation.NE,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Count:
    """How a loop counts: `variable` goes on by `step` while it is below `bound`.

    If it goes `down`, its complement is below the complement of the bound. `last` is counted too,
    if `inclusive`. `signed` is how the two compare. If it is `around`, the loop ends where the
    variable is the bound, be it above or below where it begins.
    """

    variable: Variable
    type: Int
    bound: Expression
    step: int
    down: bool
    inclusive: bool
    signed: bool
    around: bool = False


def find_count(loop: Loop, effects: Effects) -> Count | None:
    """How the loop counts, or None if it does not, or might wrap around on the way."""
    variable, step = find_step(loop)
    if variable is None or loop.runs_first or loop.before:
        return None
    if effects.find_jumps(loop.body) - {Continue} != STAYS:
        return None
    condition = loop.condition
    while isinstance(condition, Convert) and isinstance(condition.value, Compare):
        condition = condition.value
    if not isinstance(condition, Compare):
        return None
    sides = narrow_sides(condition.left, condition.right)
    relation = condition.relation
    if sides is None or not is_read(sides[0], variable):
        swapped = narrow_sides(condition.right, condition.left)
        if swapped is None or not is_read(swapped[0], variable):
            return None
        sides, relation = swapped, MIRRORED[relation]
    _, bound, signed = sides
    if not is_unvarying(bound, loop, effects):
        return None
    return make_exact(Count(variable, Int(variable.type.width, signed), bound, step, step < 0,
                       relation in (Relation.LE, Relation.GE), signed), relation)  # fmt: skip


def make_exact(count: Count, relation: Relation) -> Count | None:
    """The count with a positive step, if the variable does not wrap around."""
    step = abs(count.step)
    known = find_number(count.bound, count.type)
    if relation is Relation.NE and step == 1:
        return Count(count.variable, count.type, count.bound, 1, count.down, False, False, True)
    wanted = (Relation.GT, Relation.GE) if count.down else (Relation.LT, Relation.LE)
    if relation not in wanted:
        return None
    if known is None:
        if step != 1 or (count.inclusive and count.type.width > 63):
            return None
    else:
        # The complement of a number is as far from the other end of its type.
        up = count.type.least + count.type.most - known if count.down else known
        if up + count.inclusive - 1 + step > count.type.most:
            return None
    return Count(count.variable, count.type, count.bound, step, count.down, count.inclusive,
                 count.signed)  # fmt: skip


def find_step(loop: Loop) -> tuple[Variable | None, int]:
    """The variable that the loop advances by a constant, which its body leaves alone."""
    if len(loop.advance) != 1 or not isinstance(loop.advance[0], Assign):
        return None, 0
    variable, value = loop.advance[0].variable, loop.advance[0].value
    type_ = variable.type
    if not isinstance(type_, Int) or type_.is_truth or not isinstance(value, Apply):
        return None, 0
    left, right = value.operands
    signed = Int(type_.width, True)
    if value.operation is arith.AddiOp and isinstance(left, Number):
        left, right = right, left
    if not is_read(left, variable) or not isinstance(right, Number):
        return None, 0
    step = signed.decode(right.pattern)
    if value.operation is arith.SubiOp:
        step = -step
    elif value.operation is not arith.AddiOp:
        return None, 0
    if step == 0 or abs(step) > signed.most:
        return None, 0
    return variable, step


def is_read(expression: Expression, variable: Variable) -> bool:
    """True if the expression is the variable."""
    return isinstance(expression, Read) and expression.variable is variable


def find_number(expression: Expression, type_: Int) -> int | None:
    """The constant that the expression is, as a number of the type."""
    return type_.decode(expression.pattern) if isinstance(expression, Number) else None


def is_unvarying(bound: Expression, loop: Loop, effects: Effects) -> bool:
    """True if the bound is loop-invariant, and the body does not count itself."""
    changed = effects.find_assigned(loop.body, loop.advance)
    variable, _ = find_step(loop)
    if variable in effects.find_assigned(loop.body) or find_reads([bound]) & changed:
        return False
    return not find_loads(bound) & find_stores(loop.body)


def narrow_sides(left: Expression, right: Expression) -> tuple[Expression, Expression, bool] | None:
    """The sides of a comparison in the type of the left one, and whether it is signed then.

    None if the comparison of the two in that type is another one.
    """
    if not isinstance(left.type, Int):
        return None
    if not isinstance(left, Convert):
        return left, right, left.type.signed
    wide, inner = left.type, left.value
    narrow = inner.type
    if not isinstance(narrow, Int) or narrow.is_truth or narrow.width > wide.width:
        return None
    if narrow.width == wide.width:
        return inner, right, wide.signed
    signed = wide.signed and narrow.signed
    if isinstance(right, Convert) and right.value.type == narrow:
        # Both grow by the same rule, which keeps their order in the narrow type.
        return inner, right.value, signed
    if isinstance(right, Number):
        # A negative number that became a large one is above the constant as a pattern, too.
        number = wide.decode(right.pattern)
        if (narrow.least if signed else 0) <= number <= narrow.most:
            return inner, Number(narrow, right.place, right.pattern), signed
    return None
