"""Loops become scf.for where they count, else scf.while."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute, Block, SSAValue

from loom.errors import Place
from loom.frontend.imperative.counting import Count
from loom.frontend.imperative.effects import Effects
from loom.frontend.imperative.expressions import Emitter
from loom.frontend.imperative.tree import Body, Loop, Number, Relation, Variable
from loom.frontend.imperative.types import OFFSET, Int, integer_type, mlir_type

Run = Callable[[Body], None]
"""Puts the operations of a body at the emitter's place; the body ends where it ends."""


def carried(effects: Effects, loop: Loop, besides: Variable | None = None) -> list[Variable]:
    """The variables that one turn of the loop hands to the next one, or to what follows."""
    assigned = effects.assigned(loop.before, loop.body, loop.advance)
    wanted = assigned & (effects.again[loop] | effects.after[loop])
    return in_order(wanted - {besides} if besides else wanted)


def in_order(variables: frozenset[Variable]) -> list[Variable]:
    """The variables in an order that does not change from run to run."""
    return sorted(variables, key=lambda variable: variable.number)


def types_of(variables: Sequence[Variable]) -> list[Attribute]:
    """Their types in MLIR."""
    return [mlir_type(variable.type) for variable in variables]


def while_loop(emitter: Emitter, effects: Effects, loop: Loop, run: Run) -> None:
    """The loop as scf.while."""
    place, assigned = loop.place, effects.assigned(loop.before, loop.body, loop.advance)
    entering = in_order(assigned & effects.again[loop])
    turned = effects.again[loop] if loop.runs_first else effects.start[loop]
    passed = in_order(assigned & (effects.after[loop] | turned))
    starts = [emitter.read(variable, place) for variable in entering]
    outside = emitter.block
    before = emitter.block = Block(arg_types=types_of(entering))
    bind(emitter, entering, before.args)
    if loop.runs_first:
        run(loop.body)
    run(loop.before)
    condition = emitter.value(loop.condition)
    values = [emitter.read(variable, place) for variable in passed]
    emitter.put(scf.ConditionOp(condition, *values), place)
    after = emitter.block = Block(arg_types=types_of(passed))
    bind(emitter, passed, after.args)
    if not loop.runs_first:
        run(loop.body)
        run(loop.advance)
    emitter.put(scf.YieldOp(*(emitter.read(variable, place) for variable in entering)), place)
    emitter.block = outside
    made = emitter.put(scf.WhileOp(starts, types_of(passed), [before], [after]), place)
    made.attributes.update(loop.attributes)
    forget(emitter, effects, loop)
    bind(emitter, passed, made.results)


def forget(emitter: Emitter, effects: Effects, loop: Loop) -> None:
    """What the loop assigned is not to be seen after it, but for what it carries."""
    for variable in effects.assigned(loop.before, loop.body, loop.advance):
        emitter.values.pop(variable, None)


def bind(emitter: Emitter, variables: Sequence[Variable], values: Sequence[SSAValue]) -> None:
    """The variables have these values from here on."""
    for variable, value in zip(variables, values, strict=True):
        emitter.values[variable] = value
        value.name_hint = variable.hint


def counted_loop(emitter: Emitter, effects: Effects, loop: Loop, count: Count, run: Run) -> None:
    """The loop as scf.for, with the variable's value after it."""
    place, variable = loop.place, count.variable
    low, high, type_ = bounds(emitter, count, place)
    is_read_after = variable in effects.after[loop]
    kept = carried(effects, loop, besides=variable)
    # One step at a time ends at the bound; longer steps may pass it.
    strides = [variable] if is_read_after and count.step > 1 else []
    starts = [emitter.read(each, place) for each in [*kept, *strides]]
    step = emitter.constant(count.step, type_, place)
    first = emitter.read(variable, place)
    outside = emitter.block
    body = emitter.block = Block(arg_types=[mlir_type(type_), *types_of([*kept, *strides])])
    inside = value_of(emitter, count, body.args[0], first, type_, place)
    bind(emitter, [*kept, variable], [*body.args[1 : len(kept) + 1], inside])
    run(loop.body)
    if strides:
        run(loop.advance)
    emitter.put(scf.YieldOp(*(emitter.read(each, place) for each in [*kept, *strides])), place)
    emitter.block = outside
    made = scf.ForOp(low, high, step, starts, body)
    made.attributes.update(loop.attributes)
    if not type_.signed:
        made.attributes["unsignedCmp"] = UnitAttr()
    emitter.put(made, place)
    forget(emitter, effects, loop)
    bind(emitter, [*kept, *strides], made.results)
    if is_read_after and not strides:
        larger = arith.MaxSIOp if type_.signed else arith.MaxUIOp
        last = emitter.make(larger(low, high), place)
        emitter.values[variable] = value_of(emitter, count, last, first, type_, place)


def bounds(emitter: Emitter, count: Count, place: Place) -> tuple[SSAValue, SSAValue, Int]:
    """The first index, the one where the loop has ended, and the type in which they count."""
    type_ = count.type
    low = emitter.read(count.variable, place)
    if isinstance(count.bound, Number):
        high = emitter.constant(count.bound.pattern, type_, place)
    else:
        high = emitter.value(count.bound)
    if count.down:
        low, high = complement(emitter, low, type_, place), complement(emitter, high, type_, place)
    if count.around:
        distance = emitter.make(arith.SubiOp(high, low), place)
        return emitter.constant(0, type_, place), distance, type_
    if not count.inclusive:
        return low, high, type_
    if isinstance(count.bound, Number):
        one = emitter.constant(1, type_, place)
        return low, emitter.make(arith.AddiOp(high, one), place), type_
    return inclusive_bounds(emitter, count, low, high, place)


def inclusive_bounds(
    emitter: Emitter, count: Count, low: SSAValue, high: SSAValue, place: Place
) -> tuple[SSAValue, SSAValue, Int]:
    """Bounds in a type with room for one more than the last index.

    Where the last index is the largest of its type, the loop as written never ends: nor does the
    one that counts on beyond all bounds.
    """
    type_ = count.type
    extend = arith.ExtSIOp if type_.signed else arith.ExtUIOp
    top = emitter.constant(type_.most, type_, place)
    endless = emitter.make(arith.CmpiOp(high, top, Relation.EQ.value[0]), place)
    wide = integer_type(OFFSET)
    low, high = (emitter.make(extend(bound, wide), place) for bound in (low, high))
    above = emitter.make(arith.AddiOp(high, emitter.constant(1, OFFSET, place)), place)
    never = emitter.constant(OFFSET.most, OFFSET, place)
    return low, emitter.make(arith.SelectOp(endless, never, above), place), OFFSET


def complement(emitter: Emitter, value: SSAValue, type_: Int, place: Place) -> SSAValue:
    """All bits the other way round."""
    ones = emitter.constant(-1, type_, place)
    return emitter.make(arith.XOrIOp(value, ones), place)


def value_of(
    emitter: Emitter, count: Count, index: SSAValue, first: SSAValue, type_: Int, place: Place
) -> SSAValue:
    """The variable's value where the loop's index is this; `first` is the one it begins with."""
    if type_.width > count.type.width:
        index = emitter.make(arith.TruncIOp(index, integer_type(count.type)), place)
    if count.around:
        operation = arith.SubiOp if count.down else arith.AddiOp
        return emitter.make(operation(first, index), place)
    return complement(emitter, index, count.type, place) if count.down else index
