"""Loops become scf.for where they count, else scf.while."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, scf
from xdsl.ir import Attribute, Block, SSAValue

from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.errors import Place
from loom.frontend.imperative.counting import Count
from loom.frontend.imperative.effects import Effects
from loom.frontend.imperative.expressions import Emitter
from loom.frontend.imperative.tree import Body, Loop, Number, Relation, Variable
from loom.frontend.imperative.types import Int, make_integer_type, make_mlir_type

BEYOND_COUNTING = Int(48, True), Int(64, True)
"""Counters that 32 and 63 bits do not leave in days: 2^47 iterations are 16 days at 100 MHz."""

EmitBody = Callable[[Body], None]
"""Puts the operations of a body at the emitter's place; the body ends where it ends."""


def find_carried(effects: Effects, loop: Loop, besides: Variable | None = None) -> list[Variable]:
    """The variables that one iteration of the loop hands to the next one, or to what follows."""
    assigned = effects.find_assigned(loop.before, loop.body, loop.advance)
    wanted = assigned & (effects.live_at_iteration[loop] | effects.live_after[loop])
    return sort_variables(wanted - {besides} if besides else wanted)


def sort_variables(variables: frozenset[Variable]) -> list[Variable]:
    """The variables in an order that does not change from run to run."""
    return sorted(variables, key=lambda variable: variable.number)


def find_types(variables: Sequence[Variable]) -> list[Attribute]:
    """Their types in MLIR."""
    return [make_mlir_type(variable.type) for variable in variables]


def emit_while(emitter: Emitter, effects: Effects, loop: Loop, emit_body: EmitBody) -> None:
    """The loop as scf.while."""
    place, assigned = loop.place, effects.find_assigned(loop.before, loop.body, loop.advance)
    entering = sort_variables(assigned & effects.live_at_iteration[loop])
    turned = effects.live_at_iteration[loop] if loop.runs_first else effects.live_at_body[loop]
    passed = sort_variables(assigned & (effects.live_after[loop] | turned))
    starts = [emitter.read_variable(variable, place) for variable in entering]
    outside = emitter.block
    before = emitter.block = Block(arg_types=find_types(entering))
    bind_variables(emitter, entering, before.args)
    if loop.runs_first:
        emit_body(loop.body)
    emit_body(loop.before)
    condition = emitter.emit_expression(loop.condition)
    values = [emitter.read_variable(variable, place) for variable in passed]
    emitter.insert(scf.ConditionOp(condition, *values), place)
    after = emitter.block = Block(arg_types=find_types(passed))
    bind_variables(emitter, passed, after.args)
    if not loop.runs_first:
        emit_body(loop.body)
        emit_body(loop.advance)
    emitter.insert(
        scf.YieldOp(*(emitter.read_variable(variable, place) for variable in entering)), place
    )
    emitter.block = outside
    made = emitter.insert(scf.WhileOp(starts, find_types(passed), [before], [after]), place)
    made.attributes.update(loop.attributes)
    forget_assigned(emitter, effects, loop)
    bind_variables(emitter, passed, made.results)


def forget_assigned(emitter: Emitter, effects: Effects, loop: Loop) -> None:
    """What the loop assigned is not to be seen after it, but for what it carries."""
    for variable in effects.find_assigned(loop.before, loop.body, loop.advance):
        emitter.values.pop(variable, None)


def bind_variables(
    emitter: Emitter, variables: Sequence[Variable], values: Sequence[SSAValue]
) -> None:
    """The variables have these values from here on."""
    for variable, value in zip(variables, values, strict=True):
        emitter.values[variable] = value
        value.name_hint = variable.hint


def emit_for(
    emitter: Emitter, effects: Effects, loop: Loop, count: Count, emit_body: EmitBody
) -> None:
    """The loop as scf.for, with the variable's value after it."""
    place, variable = loop.place, count.variable
    low, high, type_ = emit_bounds(emitter, count, place)
    is_read_after = variable in effects.live_after[loop]
    carried = find_carried(effects, loop, besides=variable)
    # One step at a time ends at the bound; longer steps may pass it.
    strides = [variable] if is_read_after and count.step > 1 else []
    starts = [emitter.read_variable(each, place) for each in [*carried, *strides]]
    step = emitter.emit_constant(count.step, type_, place)
    first = emitter.read_variable(variable, place)
    outside = emitter.block
    body = emitter.block = Block(
        arg_types=[make_mlir_type(type_), *find_types([*carried, *strides])]
    )
    inside = emit_counter_value(emitter, count, body.args[0], first, type_, place)
    bind_variables(emitter, [*carried, variable], [*body.args[1 : len(carried) + 1], inside])
    emit_body(loop.body)
    if strides:
        emit_body(loop.advance)
    emitter.insert(
        scf.YieldOp(*(emitter.read_variable(each, place) for each in [*carried, *strides])), place
    )
    emitter.block = outside
    made = scf.ForOp(low, high, step, starts, body)
    made.attributes.update(loop.attributes)
    if not type_.signed:
        UNSIGNED.put(made, True)
    emitter.insert(made, place)
    forget_assigned(emitter, effects, loop)
    bind_variables(emitter, [*carried, *strides], made.results)
    if is_read_after and not strides:
        larger = arith.MaxSIOp if type_.signed else arith.MaxUIOp
        last = emitter.insert_value(larger(low, high), place)
        emitter.values[variable] = emit_counter_value(emitter, count, last, first, type_, place)


def emit_bounds(emitter: Emitter, count: Count, place: Place) -> tuple[SSAValue, SSAValue, Int]:
    """The first index, the one where the loop has ended, and the type in which they count."""
    type_ = count.type
    low = emitter.read_variable(count.variable, place)
    if isinstance(count.bound, Number):
        high = emitter.emit_constant(count.bound.pattern, type_, place)
    else:
        high = emitter.emit_expression(count.bound)
    if count.down:
        low, high = (
            emit_complement(emitter, low, type_, place),
            emit_complement(emitter, high, type_, place),
        )
    if count.around:
        distance = emitter.insert_value(arith.SubiOp(high, low), place)
        return emitter.emit_constant(0, type_, place), distance, type_
    if not count.inclusive:
        return low, high, type_
    if isinstance(count.bound, Number):
        one = emitter.emit_constant(1, type_, place)
        return low, emitter.insert_value(arith.AddiOp(high, one), place), type_
    return emit_inclusive_bounds(emitter, count, low, high, place)


def emit_inclusive_bounds(
    emitter: Emitter, count: Count, low: SSAValue, high: SSAValue, place: Place
) -> tuple[SSAValue, SSAValue, Int]:
    """Bounds in a type with room for one more than the last index.

    Where the last index is the largest of its type, the loop as written never ends: nor does the
    one that counts on beyond all bounds.
    """
    type_ = count.type
    counter = BEYOND_COUNTING[type_.width > 32]
    extend = arith.ExtSIOp if type_.signed else arith.ExtUIOp
    top = emitter.emit_constant(type_.most, type_, place)
    endless = emitter.insert_value(arith.CmpiOp(high, top, Relation.EQ.value[0]), place)
    wide = make_integer_type(counter)
    low, high = (emitter.insert_value(extend(bound, wide), place) for bound in (low, high))
    above = emitter.insert_value(
        arith.AddiOp(high, emitter.emit_constant(1, counter, place)), place
    )
    never = emitter.emit_constant(counter.most, counter, place)
    return low, emitter.insert_value(arith.SelectOp(endless, never, above), place), counter


def emit_complement(emitter: Emitter, value: SSAValue, type_: Int, place: Place) -> SSAValue:
    """All bits the other way round."""
    ones = emitter.emit_constant(-1, type_, place)
    return emitter.insert_value(arith.XOrIOp(value, ones), place)


def emit_counter_value(
    emitter: Emitter, count: Count, index: SSAValue, first: SSAValue, type_: Int, place: Place
) -> SSAValue:
    """The variable's value where the loop's index is this; `first` is the one it begins with."""
    if type_.width > count.type.width:
        index = emitter.insert_value(arith.TruncIOp(index, make_integer_type(count.type)), place)
    if count.around:
        operation = arith.SubiOp if count.down else arith.AddiOp
        return emitter.insert_value(operation(first, index), place)
    return emit_complement(emitter, index, count.type, place) if count.down else index
