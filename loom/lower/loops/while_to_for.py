"""A while loop that counts up to a bound becomes a counted loop, where the two are exactly equal.

A counted loop has its next index ready while the body still works on the previous one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.types import width_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, integer_type
from loom.lower.scalar.value_bounds import upper_bound

EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)
MIRRORED = {SGT: SLT, SGE: SLE, UGT: ULT, UGE: ULE, NE: NE, SLT: SGT, SLE: SGE, ULT: UGT, ULE: UGE}
"""The predicate with its sides exchanged."""


@dataclass(frozen=True)
class CountedLoop:
    """How a while loop counts: its carried value `position`, while it is below `bound`."""

    position: int
    bound: SSAValue | int
    step: int
    unsigned: bool


def while_to_for(module: ModuleOp, options: Options) -> None:
    """No scf.while is left that is known to be an scf.for."""
    for op in list(module.walk(reverse=True)):
        if isinstance(op, scf.WhileOp):
            count = match_counted_loop(op, options)
            if count is not None:
                rewrite(op, count)


def match_counted_loop(loop: scf.WhileOp, options: Options) -> CountedLoop | None:
    """How the loop counts, or None if it does not, or not only."""
    before = loop.before_region.block
    end = before.last_op
    assert isinstance(end, scf.ConditionOp)
    test = end.condition.owner
    if not isinstance(test, arith.CmpiOp) or test.parent is not before:
        return None
    if not all(is_pure(op) for op in before.ops if op is not end):
        return None
    for index, bound, mirrored in ((test.lhs, test.rhs, False), (test.rhs, test.lhs, True)):
        if index in before.args and not is_defined_in(bound, before):
            position = before.args.index(index)
            step = match_step(loop, position)
            predicate = test.predicate.value.data
            if step is not None:
                number = MIRRORED.get(predicate, EQ) if mirrored else predicate
                return check_bounds(loop, position, bound, number, step, options)
    return None


def is_pure(op: Operation) -> bool:
    """True if the operation may as well stand in the body and after the loop."""
    row = find(op.name)
    return isinstance(op, arith.ConstantOp) or (
        row is not None and row.semantics.meaning is not None
    )


def is_defined_in(value: SSAValue, block: Block) -> bool:
    """True if the block, which holds no regions, defines the value."""
    return (value.owner if isinstance(value.owner, Block) else value.owner.parent) is block


def match_step(loop: scf.WhileOp, position: int) -> arith.AddiOp | None:
    """The addition that makes the next value of the counter, if that is what makes it."""
    after = loop.after_region.block
    end = after.last_op
    assert end is not None
    made = end.operands[position].owner
    if not isinstance(made, arith.AddiOp) or made.parent is not after:
        return None
    passed = forwarded_values(loop)
    counter = loop.before_region.block.args[position]
    for side, other in ((made.lhs, made.rhs), (made.rhs, made.lhs)):
        number = constant_of(other)
        if side in after.args and passed[after.args.index(side)] is counter and number is not None:
            return made
    return None


def forwarded_values(loop: scf.WhileOp) -> list[SSAValue]:
    """What the loop's condition passes on."""
    end = loop.before_region.block.last_op
    assert isinstance(end, scf.ConditionOp)
    return list(end.args)


def check_bounds(
    loop: scf.WhileOp,
    position: int,
    bound: SSAValue,
    predicate: int,
    addition: arith.AddiOp,
    options: Options,
) -> CountedLoop | None:
    """The count, if no index can pass the bound and wrap around to below it."""
    type_ = integer_type(bound.type)
    width = width_of(type_, options.index_width)
    step = constant_of(addition.rhs)
    step = constant_of(addition.lhs) if step is None else step
    first, last = constant_of(loop.arguments[position]), constant_of(bound)
    assert step is not None
    if isinstance(type_, IntegerType) and width > options.index_width:
        return None
    unsigned = predicate in (ULT, ULE)
    top = (1 << width) - 1 if unsigned else (1 << (width - 1)) - 1
    limit: SSAValue | int = bound
    highest = upper_bound(bound, width, unsigned)
    if predicate in (SLE, ULE):
        if last is None or highest == top:
            return None
        highest, limit = highest + 1, highest + 1
    elif predicate == NE:
        if first is None or last is None or last < first or step < 1 or (last - first) % step:
            return None
    elif predicate not in (SLT, ULT):
        return None
    if not 0 < step <= top or (
        highest - 1 + step > top and not has_no_wrap_flag(addition, unsigned)
    ):
        return None
    if step > 1 and any(depends_on_counter(v, loop, position) for v in live_results(loop)):
        return None
    return CountedLoop(position, limit, step, unsigned)


def has_no_wrap_flag(addition: arith.AddiOp, unsigned: bool) -> bool:
    """True if the program says that the addition never wraps."""
    flags = addition.overflow_flags
    wanted = "nuw" if unsigned else "nsw"
    return flags is not None and any(flag.value == wanted for flag in flags.data)


def live_results(loop: scf.WhileOp) -> list[SSAValue]:
    """What the condition passes on that somebody reads after the loop."""
    pairs = zip(forwarded_values(loop), loop.results, strict=True)
    return [value for value, result in pairs if result.first_use is not None]


def depends_on_counter(value: SSAValue, loop: scf.WhileOp, position: int) -> bool:
    """True if the value depends on the counter."""
    before = loop.before_region.block
    if value is before.args[position]:
        return True
    owner = value.owner
    if isinstance(owner, Block) or owner.parent is not before:
        return False
    return any(depends_on_counter(operand, loop, position) for operand in owner.operands)


def rewrite(loop: scf.WhileOp, count: CountedLoop) -> None:
    """An scf.for stands in place of the loop."""
    before = loop.before_region.block
    counter = before.args[count.position]
    type_ = integer_type(counter.type)
    outside = Arithmetic(loop)
    low = loop.arguments[count.position]
    bound = outside.constant(count.bound, type_) if isinstance(count.bound, int) else count.bound
    step = outside.constant(count.step, type_)
    carried = [argument for argument in before.args if argument is not counter]
    starts = [loop.arguments[argument.index] for argument in carried]
    body = Block(arg_types=[type_, *(argument.type for argument in carried)])
    for old, new in zip([counter, *carried], body.args, strict=True):
        new.name_hint = old.name_hint
    made = scf.ForOp(low, bound, step, starts, body)
    made.attributes.update(loop.attributes)  # its directives
    if count.unsigned:
        UNSIGNED.put(made, True)
    outside.put(made)
    fill_body(loop, body, dict(zip([counter, *carried], body.args, strict=True)), count.position)
    known = dict[SSAValue, SSAValue](zip(carried, made.results, strict=True))
    if any(depends_on_counter(value, loop, count.position) for value in live_results(loop)):
        # One step at a time ends at the bound, or does not begin at all.
        larger = arith.MaxUIOp if count.unsigned else arith.MaxSIOp
        known[counter] = outside.binary(larger, low, bound)
    read = {id(value) for value in live_results(loop)}
    values = [
        rematerialize(value, before, known, outside) if id(value) in read else low
        for value in forwarded_values(loop)
    ]
    for result, value in zip(loop.results, values, strict=True):
        if result.first_use is not None:
            result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()


def fill_body(
    loop: scf.WhileOp, body: Block, known: Mapping[SSAValue, SSAValue], position: int
) -> None:
    """The second region's operations stand in the body, with what they need of the first."""
    before, after = loop.before_region.block, loop.after_region.block
    end = after.last_op
    assert end is not None
    fed = [value for k, value in enumerate(end.operands) if k != position]
    last = scf.YieldOp(*fed)
    last.location = end.location
    for op in list(after.ops):
        op.detach()
        if op is end:
            op.erase()
        else:
            body.add_op(op)
    body.add_op(last)
    first = body.first_op
    assert first is not None
    inside, found = Arithmetic(first), dict(known)
    for argument, value in zip(after.args, forwarded_values(loop), strict=True):
        if argument.first_use is not None:
            argument.replace_all_uses_with(rematerialize(value, before, found, inside))


def rematerialize(
    value: SSAValue, before: Block, known: dict[SSAValue, SSAValue], place: Arithmetic
) -> SSAValue:
    """The value of the first region, made anew at a place where its arguments are `known`."""
    if value in known:
        return known[value]
    owner = value.owner
    if isinstance(owner, Block) or owner.parent is not before:
        return value
    operands = {v: rematerialize(v, before, known, place) for v in owner.operands}
    copy = owner.clone(operands)
    place.put(copy)
    for old, new in zip(owner.results, copy.results, strict=True):
        known[old] = new
    return known[value]
