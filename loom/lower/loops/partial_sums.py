"""The float sum of a loop becomes partial sums, where the program allows its terms in any order.

A float sum waits for its adder in each iteration. Here a loop of T iterations becomes two: the
inner one adds every N-th term to a partial sum, the outer one adds the N partial sums to the total.
The iterations of the outer loop wait for none of those before, so they take turns in the inner loop
(`INTERLEAVE`), and the adder takes a term a cycle. A partial sum starts at -0.0, which changes
nothing that it is added to; 0.0 makes 0.0 of -0.0.

Allowed is that by the directive `PARTIAL_SUMS`, by an option for all float sums, and by `reassoc`
among the flags of a sum's additions. All models and the circuit run the program that is made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith, math, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
)
from xdsl.dialects.func import CallOp
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, Operation, OpResult, Region, SSAValue, Use
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from loom.dialects.facts.layouts import View, source_of
from loom.dialects.facts.loop_attributes import (
    DIRECTIVES,
    HINT,
    II,
    INTERLEAVE,
    LOOPS,
    PARTIAL_SUMS,
    PIPELINE,
    RESHAPING,
    STYLE,
    UNROLL,
    UNSIGNED,
    is_unsigned,
)
from loom.dialects.facts.places import place_of, place_row
from loom.dialects.facts.program_facts import REASSOCIATED
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.dataflow_operators import MOST_LANES
from loom.dialects.ops.index import IndexCastUIOp
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.lower.scalar.known_constants import KnownConstants

NEVER = 1
"""A loop with so many partial sums stays as it is."""
BY_FLAGS = 8
"""Partial sums where flags allow them and nobody says how many: what the adder of doubles and the
register of its loop take [cycles]."""
MOST_BY_FLAGS = 16
"""So many there are at most to have a divisor of the trip count, which needs no guard."""
WORTH = 2
"""So many terms a partial sum has at least where no directive requests it."""
INDEX_WIDTH = 64
"""The widest an index gets [bits]; bounds that fit no narrower one are refused later."""
LOOP = "a loop for partial sums"
FLOAT_SUMS = (arith.AddfOp, arith.SubfOp, math.FmaOp)
"""Operations that add to a float total, or subtract from it."""
BESIDE = (PARTIAL_SUMS, II, PIPELINE, HINT)
"""Directives that a loop with partial sums may have."""


def split_sums(
    module: ModuleOp,
    sums: int | None = None,
    *,
    by_flags: bool = True,
    lines: frozenset[int] = frozenset(),
) -> None:
    """Sums of loops are partial sums where that is requested; `REASSOCIATED` says which ones.

    It is requested by a directive, by `sums` for all float sums, and with `by_flags` by the flags
    of a sum's additions. Without a directive loops at `lines` stay as they are, and those that
    gain nothing or cannot follow. Refused: a directive that its loop cannot follow (LOWER_LOOP).
    """
    notes: list[str] = []
    for loop in [op for op in module.walk() if isinstance(op, LOOPS)]:
        place, directive = place_of(loop), PARTIAL_SUMS.of(loop)
        if PARTIAL_SUMS.is_on(loop) and directive in (None, NEVER):
            continue  # what is no number is refused with the other directives
        try:
            if directive is None:
                if place.line in lines or not (sums or by_flags):
                    continue
                number = sums or number_by_flags(loop)
                check_worth(loop, number)
            else:
                number = directive
            made = split_loop(loop, number, is_hint=directive is None or HINT.is_on(loop))
        except LoomError:
            if directive is not None and not HINT.is_on(loop):
                raise
            PARTIAL_SUMS.drop(loop)
            continue
        if made:
            notes.append(f"the sum of the loop at {place} is added up in {made} partial sums")
    if notes:
        known = REASSOCIATED.of(module)
        REASSOCIATED.put(module, "\n".join([known, *notes] if known else notes))


def number_by_flags(loop: Operation) -> int:
    """How many partial sums a loop has whose flags allow them.

    Loops in another one have none: there entries of the loop may take turns, in the order of each
    sum.
    """
    counted = require_counted(loop)
    if not all(has_flag(op) for op in check_sums(counted)):
        raise refuse(loop, "whose additions keep their order", "fastmath<reassoc> on each")
    if any(isinstance(op, LOOPS) for op in list_around(loop)):
        raise refuse(loop, "in another loop", "a loop in none")
    trips = len(find_indices(counted))
    return next((n for n in range(BY_FLAGS, MOST_BY_FLAGS + 1) if trips % n == 0), BY_FLAGS)


def check_worth(loop: Operation, number: int) -> None:
    """Return if partial sums that no directive requests gain time, and move no other directive."""
    around = loop.parent_op()
    is_moved = isinstance(around, LOOPS) and (
        any(each.is_on(around) for each in RESHAPING) or (INTERLEAVE.of(around) or NEVER) != NEVER
    )
    if is_moved:
        raise refuse(loop, "that another directive moves", "it without that directive")
    if any(STYLE.of(op) == "static" for op in list_around(loop) if isinstance(op, LOOPS)):
        raise refuse(loop, "in a static loop", "loops of the function's style")
    if len(find_indices(require_counted(loop))) < WORTH * number:
        raise refuse(loop, "with few iterations", f"{WORTH} for each partial sum")


def split_loop(loop: Operation, number: int, *, is_hint: bool) -> int | None:
    """The loop's sums are `number` partial sums, or one of each term if those are fewer.

    The number that there is, None if there is at most one term. Refused: LOWER_LOOP.
    """
    if number > MOST_LANES:
        raise refuse(loop, f"that has {number} of them", f"1 to {MOST_LANES} partial sums")
    counted = require_counted(loop)
    check_directives(counted)
    check_body(counted)
    check_sums(counted)
    indices = find_indices(counted)
    lanes = min(number, len(indices))
    if lanes < 2:
        PARTIAL_SUMS.put(counted, NEVER)
        return None
    check_range(counted, indices, lanes)
    rewrite(counted, indices, lanes, is_hint=is_hint)
    return lanes


def refuse(loop: Operation, found: str, accepted: str) -> LoomError:
    """The refusal of a loop that cannot have partial sums."""
    return LoomError("LOWER_LOOP", place_of(loop), f"{LOOP} {found}", accepted)


# What is asked of a loop


def require_counted(loop: Operation) -> scf.ForOp:
    """The loop, which counts."""
    if not isinstance(loop, scf.ForOp):
        accepted = "scf.for, or a loop of C or Python that counts up or down to a bound"
        raise refuse(loop, f"that is {loop.name}", accepted)
    return loop


def check_directives(loop: scf.ForOp) -> None:
    """Return if nothing else is requested of the loop that reshapes it."""
    for directive in DIRECTIVES:
        is_never = directive is UNROLL and UNROLL.of(loop) == 1
        if directive.is_on(loop) and directive not in BESIDE and not is_never:
            raise refuse(loop, f"with {directive}, too", f"beside it {II} and {PIPELINE}")
    for op in (loop, *list_around(loop)):
        if isinstance(op, LOOPS) and STYLE.of(op) == "static":
            raise refuse(loop, "with a static schedule", "loops of a dynamic circuit")


def list_around(loop: Operation) -> Iterator[Operation]:
    """The operations around the loop, from inside to outside."""
    holder = loop.parent_op()
    while holder is not None:
        yield holder
        holder = holder.parent_op()


def check_body(loop: scf.ForOp) -> None:
    """Return if the loop's iterations may run in any order."""
    for op in loop.body.block.walk():
        if isinstance(op, (*LOOPS, CallOp)):
            raise refuse(loop, "with a loop or a call in it", "an innermost loop without calls")
        if isinstance(op, memref.StoreOp):
            if not is_independent(op, loop):
                at = place_of(op)
                found = f"with a store on {at.line}:{at.column} that another iteration may see"
                accepted = "stores to an array that nothing else in the loop accesses, at its index"
                raise refuse(loop, found, accepted)
        elif not is_harmless(op):
            at = place_of(op)
            found = f"with {op.name} on {at.line}:{at.column}, which has an order"
            raise refuse(loop, found, "arithmetic, loads and branches")


def is_harmless(op: Operation) -> bool:
    """True of an operation that changes nothing but its results."""
    row = find(op.name)
    return (
        isinstance(op, memref.LoadOp | memref.GetGlobalOp | scf.IfOp | scf.YieldOp | View)
        or (row is not None and row.semantics.meaning is not None)
        or (not op.regions and is_side_effect_free(op))
    )


def is_independent(store: memref.StoreOp, loop: scf.ForOp) -> bool:
    """True if no other iteration accesses the element, as its subscript is the index."""
    root = root_of(store.memref)
    others = [
        op
        for op in loop.body.block.walk()
        if op is not store
        for value in op.operands
        if is_memory(value) and root_of(value) == root
    ]
    index = loop.body.block.args[0]
    direct = not isinstance(store.memref.owner, View)
    return direct and not others and any(strip_casts(each) is index for each in store.indices)


def is_memory(value: SSAValue) -> bool:
    """True of a memref."""
    return isinstance(value.type, MemRefType)


def root_of(value: SSAValue) -> object:
    """What tells the memory of a memref from others: the name of a global, else a value."""
    while isinstance(value.owner, View):
        value = source_of(value.owner)
    owner = value.owner
    return owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else value


def strip_casts(value: SSAValue) -> SSAValue:
    """The number that is cast to a wider one, or to an index."""
    owner = value.owner
    while isinstance(owner, arith.ExtSIOp | arith.ExtUIOp) or (
        isinstance(owner, arith.IndexCastOp | IndexCastUIOp) and isinstance(value.type, IndexType)
    ):
        value = owner.operands[0]
        owner = value.owner
    return value


# What a sum is


def check_sums(loop: scf.ForOp) -> Sequence[Operation]:
    """The float additions of the loop's sums, of which there is one at least.

    Every value that the loop carries is a sum.
    """
    block = loop.body.block
    end = block.last_op
    assert end is not None
    found: list[SSAValue] = []
    for position, carried in enumerate(block.args[1:]):
        totals = follow_sum(carried, end, position)
        if end.operands[position] not in totals:
            name = f" {carried.name_hint}" if carried.name_hint else ""
            what = f"that carries a value{name} which is no sum, or is read by more than its terms"
            raise refuse(loop, what, "sums by additions, subtractions and fma, under any branches")
        found += totals
    additions = [value.owner for value in found if isinstance(value.owner, FLOAT_SUMS)]
    if not additions:
        raise refuse(loop, "that carries no float sum", "float sums")
    return additions


def follow_sum(carried: SSAValue, end: Operation, position: int) -> list[SSAValue]:
    """The carried total and all that is made of it, which are totals too; none if one is not."""
    totals = [carried]
    if not isinstance(carried.type, AnyFloat | IntegerType | IndexType):
        return []
    for value in totals:  # it grows
        for use in value.uses:
            if use.operation is end and use.index == position:
                continue
            made = find_total(use)
            if made is None:
                return []
            if made not in totals:
                totals.append(made)
    return totals if all(is_total(value, totals) for value in totals[1:]) else []


def find_total(use: Use) -> SSAValue | None:
    """What the use makes of a total by adding to it, or by passing it on."""
    op, place = use.operation, use.index
    if isinstance(op, scf.YieldOp):
        holder = op.parent_op()
        return holder.results[place] if isinstance(holder, scf.IfOp) else None
    is_first = isinstance(op, arith.SubfOp | arith.SubiOp) and place == 0
    is_chosen = isinstance(op, arith.SelectOp) and place > 0
    is_last = isinstance(op, math.FmaOp) and place == 2
    is_either = isinstance(op, arith.AddfOp | arith.AddiOp)
    return op.results[0] if is_first or is_chosen or is_last or is_either else None


def is_total(value: SSAValue, totals: Sequence[SSAValue]) -> bool:
    """True if the value is one total and terms, whichever way the branches go."""
    op = value.owner
    assert isinstance(op, Operation) and isinstance(value, OpResult)
    if isinstance(op, scf.IfOp):
        ends = [region.block.last_op for region in op.regions]
        return all(end is not None and end.operands[value.index] in totals for end in ends)
    if isinstance(op, arith.SelectOp):
        return op.lhs in totals and op.rhs in totals
    return sum(operand in totals for operand in op.operands) == 1


def has_flag(addition: Operation) -> bool:
    """True of an addition whose terms may be added in any order."""
    assert isinstance(addition, FLOAT_SUMS)
    flags = addition.fastmath
    return flags is not None and FastMathFlag.REASSOC in flags.data


# How often a loop runs


def find_indices(loop: scf.ForOp) -> range:
    """The indices of the loop, which are known."""
    found = KnownConstants(INDEX_WIDTH).indices(loop)
    if found is None:
        raise refuse(loop, "whose trip count is not known", "constant bounds")
    return found


def check_range(loop: scf.ForOp, indices: range, lanes: int) -> None:
    """Return if no index wraps, those that the last iterations compare with the bound neither."""
    rounds = -(-len(indices) // lanes)
    last = indices.start + (rounds * lanes - 1) * indices.step
    bits = width_of(loop.lb.type, INDEX_WIDTH) - (0 if is_unsigned(loop) else 1)
    if max(last, lanes * indices.step) >= 1 << bits:
        accepted = "a wider index, or a number of partial sums that divides the trip count"
        raise refuse(loop, f"with an index beyond {loop.lb.type}", accepted)


# The rewrite


def rewrite(loop: scf.ForOp, indices: range, lanes: int, *, is_hint: bool) -> None:
    """Two loops stand in place of the loop."""
    block = loop.parent
    assert block is not None
    index, *carried = loop.body.block.args
    types = [value.type for value in carried]
    outer_body, inner_body = (Block(arg_types=[index.type, *types]) for _ in range(2))
    zero = arith.ConstantOp(make_number(0, index.type))
    stride = arith.ConstantOp(make_number(lanes * indices.step, index.type))
    neutral = [arith.ConstantOp(make_neutral(type_)) for type_ in types]
    outer = scf.ForOp(zero, stride, loop.step, loop.iter_args, Region(outer_body))
    inner = scf.ForOp(loop.lb, loop.ub, stride, neutral, Region(inner_body))
    block.insert_ops_before([zero, stride, *neutral, outer], loop)
    fill_inner(loop, inner_body, outer_body.args[0], guarded=len(indices) % lanes != 0)
    totals = [
        make_addition(total, partial)
        for total, partial in zip(outer_body.args[1:], inner.results, strict=True)
    ]
    outer_body.add_ops([inner, *totals, scf.YieldOp(*(each.results[0] for each in totals))])
    for each in (zero, stride, *neutral, inner, *totals, outer_body.last_op):
        assert each is not None
        each.location = loop.location
    outer.location = place_row(loop.location)
    state_facts(loop, outer, inner, lanes, is_hint=is_hint)
    for old, new, partial in zip(loop.results, outer.results, inner.results, strict=True):
        new.name_hint, partial.name_hint = old.name_hint, "partial"
        old.replace_all_uses_with(new)
    Rewriter.erase_op(loop)


def fill_inner(loop: scf.ForOp, body: Block, lane: SSAValue, *, guarded: bool) -> None:
    """The operations of the loop are the body, for the index plus `lane` if there is such a one."""
    old = loop.body.block
    index = arith.AddiOp(body.args[0], lane)
    index.result.name_hint = old.args[0].name_hint
    for argument, new in zip(old.args, (index.result, *body.args[1:]), strict=True):
        if new is not index.result:
            new.name_hint = argument.name_hint
        argument.replace_all_uses_with(new)
    moved = list(old.ops)
    for op in moved:
        op.detach()
    added: list[Operation] = [index]
    if guarded:
        test = arith.CmpiOp(index, loop.ub, "ult" if is_unsigned(loop) else "slt")
        skip = scf.YieldOp(*body.args[1:])
        types = [value.type for value in body.args[1:]]
        choice = scf.IfOp(test, types, [Block(moved)], [Block([skip])])
        added += [test, choice, scf.YieldOp(*choice.results)]
        skip.location = loop.location
    for op in added:
        op.location = loop.location
    body.add_ops(added if guarded else [*added, *moved])


def state_facts(
    loop: scf.ForOp, outer: scf.ForOp, inner: scf.ForOp, lanes: int, *, is_hint: bool
) -> None:
    """The iterations of the outer loop take turns; what was requested of the loop is of the inner.

    Both stay two loops, with the sums that they have.
    """
    INTERLEAVE.put(outer, lanes)
    if is_hint:
        HINT.put(outer, True)
    for each in (II, PIPELINE, HINT):
        each.copy(loop, inner)
    for made in (outer, inner):
        PARTIAL_SUMS.put(made, NEVER)
        UNROLL.put(made, 1)
        if is_unsigned(loop):
            UNSIGNED.put(made, True)


def make_addition(total: SSAValue, term: SSAValue) -> Operation:
    """The sum of both."""
    if isinstance(total.type, AnyFloat):
        return arith.AddfOp(total, term)
    return arith.AddiOp(total, term)


def make_number(number: int, type_: Attribute) -> IntegerAttr:
    """The number as an attribute."""
    assert isinstance(type_, IntegerType | IndexType)
    return IntegerAttr(number, type_, truncate_bits=True)


def make_neutral(type_: Attribute) -> FloatAttr | IntegerAttr:
    """What changes nothing that it is added to: -0.0, as 0.0 makes 0.0 of -0.0."""
    return FloatAttr(-0.0, type_) if isinstance(type_, AnyFloat) else make_number(0, type_)
