"""Loops that are written alike and never run at the same time become one circuit.

A function with a loop that is called at several places has, once its calls are inlined, as many
copies of the loop. A loop without memory accesses is a function of the values that it reads: it
moves into a function of its own, and each copy becomes a call. The graph has one circuit for the
function; `handshake.share` lets its calls take turns and gives each caller its own results in their
order, so a caller sees what it would see of its own copy. No call waits for another caller: there
is room for the result of every call under way (loom/dialects/operators/sharing_operators.py).

What differs is time. Copies that run one after the other lose nothing. Those that could overlap do
no more, so a loop joins others only while the cycles lost so, as far as trip counts say, are at
most a tenth of those of the longest chain of such loops (`--share auto`). Pipelined loops keep
their II: a loop that has another one in it is not pipelined.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FunctionType, IndexType, IntegerType, MemRefType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from loom.analysis.program.calls import functions_of, top_of
from loom.analysis.program.interval import Range
from loom.analysis.program.loop_overlap import (
    count_entries,
    count_iterations,
    is_outside,
    longest_chain,
)
from loom.analysis.program.value_ranges import Ranges, value_ranges
from loom.analysis.timing.loop_area import luts_of_loop
from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.argument_names import set_argument_names
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.handshake_routing import ShareOp
from loom.dialects.ops.types import is_token_type, width_of
from loom.lower.options import Options

LOSS = 10
"""Cycles may become more by one in so many."""


def share_loops(module: ModuleOp, options: Options) -> None:
    """Loops alike that are worth it are calls of one function; with `--share off` none is."""
    if options.share == "off":
        return
    top = top_of(module)
    alike: dict[Hashable, list[Operation]] = {}
    for loop in outermost_pure_loops(top.body.block):
        alike.setdefault(structure_of(loop), []).append(loop)
    classes = [loops for loops in alike.values() if len(loops) > 1]
    if not classes:
        return
    ranges = value_ranges(top, options.index_width)
    names = set(functions_of(module))
    for group in choose_groups(classes, options):
        name = next(n for k in range(len(names) + 1) if (n := f"shared_{k}") not in names)
        names.add(name)
        module.body.block.add_op(outline(group, name, ranges))


def outermost_pure_loops(block: Block) -> list[Operation]:
    """The loops of a block that touch no memory, none inside another, in the text's order."""
    found: list[Operation] = []
    for op in block.ops:
        if isinstance(op, scf.ForOp | scf.WhileOp) and op.results and is_pure(op):
            found.append(op)
        else:
            for region in op.regions:
                for inner in region.blocks:
                    found += outermost_pure_loops(inner)
    return found


def is_pure(loop: Operation) -> bool:
    """True of a loop of numbers alone: no arrays, no tokens of their order."""
    return all(
        not isinstance(value.type, MemRefType) and is_data(value.type)
        for op in loop.walk()
        for value in (*op.operands, *op.results)
    )


def is_data(type_: Attribute) -> bool:
    """True of types whose tokens have data."""
    return is_token_type(type_) and width_of(type_, 64) > 0


def structure_of(loop: Operation) -> Hashable:
    """Equal for loops that do the same with the values that they read, in the order of reading."""
    numbers: dict[SSAValue, int] = {}
    found: list[Hashable] = []

    def number(value: SSAValue) -> Hashable:
        return numbers.setdefault(value, len(numbers)), value.type

    for op in loop.walk():
        given = {**op.attributes, **op.properties}
        facts = tuple((name, str(given[name])) for name in sorted(given))
        found.append((op.name, facts, tuple(map(number, op.operands))))
        found.append(tuple(map(number, op.results)))
        for region in op.regions:
            for block in region.blocks:
                found.append((len(region.blocks), tuple(map(number, block.args))))
    return tuple(found)


def values_from_outside(loop: Operation) -> list[SSAValue]:
    """The values that the loop reads, in the order of reading."""
    read = (value for op in loop.walk() for value in op.operands if is_outside(value, loop))
    return list(dict.fromkeys(read))


@dataclass
class Group:
    """Loops that share a circuit, in the text's order, and the cycles that they lose by that."""

    loops: list[Operation]
    lost: int = 0


def choose_groups(
    classes: Sequence[Sequence[Operation]], options: Options
) -> list[list[Operation]]:
    """The loops that share a circuit, those with the most iterations first."""
    every = in_text_order([loop for loops in classes for loop in loops])
    order = {loop: place for place, loop in enumerate(every)}
    cycles = {loop: count_entries(loop) * count_iterations(loop) for loop in every}
    limit = longest_chain(every, [cycles[loop] for loop in every]) // LOSS
    lost = 0
    chosen: list[list[Operation]] = []
    for loops in classes:
        groups: list[Group] = []
        for loop in sorted(loops, key=lambda each: (-cycles[each], order[each])):
            for group in groups:
                together = in_text_order([*group.loops, loop])
                all_cycles = [cycles[each] for each in together]
                now = sum(all_cycles) - longest_chain(together, all_cycles)
                if options.share == "on" or lost - group.lost + now <= limit:
                    lost += now - group.lost
                    group.loops, group.lost = together, now
                    break
            else:
                groups.append(Group([loop]))
        chosen += [group.loops for group in groups if is_smaller(group.loops, options)]
    return chosen


def in_text_order(loops: Sequence[Operation]) -> list[Operation]:
    """The loops as they stand in their function."""
    wanted = set(loops)
    holder: Operation = loops[0]
    while (outer := holder.parent_op()) is not None and not isinstance(holder, FuncOp):
        holder = outer
    return [op for op in holder.walk() if op in wanted]


def is_smaller(loops: Sequence[Operation], options: Options) -> bool:
    """True if one copy of the loop and the unit to share it take fewer LUTs than all copies."""
    if len(loops) < 2:
        return False
    width = options.index_width
    given = sum(width_of(value.type, width) for value in variable_values(loops))
    back = sum(width_of(result.type, width) for result in loops[0].results)
    shape = Shape((back, *[given] * len(loops)), (given, *[back] * len(loops)))
    unit = unit_cost(CATALOGUE[ShareOp.name], shape)
    sharing = unit.area.luts if unit else 0.0
    return sharing < (len(loops) - 1) * luts_of_loop(loops[0], width)


def variable_values(loops: Sequence[Operation]) -> list[SSAValue]:
    """The values that the first loop reads where not all loops read the same constant."""
    read = [values_from_outside(loop) for loop in loops]
    return [values[0] for values in zip(*read, strict=True) if common_constant(values) is None]


def common_constant(values: Sequence[SSAValue]) -> arith.ConstantOp | None:
    """The constant that all of the values are."""
    first = values[0].owner
    if not isinstance(first, arith.ConstantOp):
        return None
    same = (isinstance(v.owner, arith.ConstantOp) and v.owner.value == first.value for v in values)
    return first if all(same) else None


def outline(loops: Sequence[Operation], name: str, ranges: Ranges) -> FuncOp:
    """A function with the loop, which each of the loops is a call of."""
    first = loops[0]
    read = list(zip(*map(values_from_outside, loops), strict=True))
    constants = [common_constant(values) for values in read]
    given = [values for values, constant in zip(read, constants, strict=True) if constant is None]
    kept = [k for k in range(len(first.results)) if any(loop.results[k].uses for loop in loops)]
    types = [narrow_type(values, ranges) for values in given]
    results = [first.results[k].type for k in kept]
    block = Block(arg_types=types)
    mapped: dict[SSAValue, SSAValue] = {}
    arguments = iter(block.args)
    for values, constant in zip(read, constants, strict=True):
        value = values[0]
        if constant is None:
            argument = next(arguments)
            argument.name_hint = value.name_hint
            mapped[value] = extend(argument, value.type, block, first)
        else:
            copy = constant.clone()
            block.add_op(copy)
            mapped[value] = copy.result
    inner = first.clone(mapped)
    copy_places(first, inner)
    block.add_op(inner)
    end = ReturnOp(*[inner.results[k] for k in kept])
    end.location = first.location
    block.add_op(end)
    function = FuncOp(name, FunctionType.from_lists(types, results), Region(block))
    function.location = first.location
    set_argument_names(function, tuple(f"in{k}" for k in range(len(types))))
    numbers = [number for number, constant in enumerate(constants) if constant is None]
    for loop in loops:
        # Read anew: what one of the loops gave another is now the result of a call.
        found = values_from_outside(loop)
        passed = [truncate(found[k], t, loop) for k, t in zip(numbers, types, strict=True)]
        call = CallOp(name, passed, results)
        call.location = loop.location
        replace_results(loop, call, kept)
    return function


def copy_places(source: Operation, copy: Operation) -> None:
    """The operations of the copy have the places of those they are copies of."""
    for old, new in zip(source.walk(), copy.walk(), strict=True):
        new.location = old.location


def narrow_type(values: Sequence[SSAValue], ranges: Ranges) -> Attribute:
    """The type with the bits that all of the values need."""
    type_ = values[0].type
    known = [ranges.get(value) for value in values]
    if not isinstance(type_, IntegerType) or not all(isinstance(each, Range) for each in known):
        return type_
    bits = max(each.bits for each in known if each is not None)
    return IntegerType(bits) if bits < type_.width.data else type_


def truncate(value: SSAValue, type_: Attribute, before: Operation) -> SSAValue:
    """The value with the bits of `type_`."""
    if value.type == type_ or isinstance(value.type, IndexType):
        return value
    assert isinstance(type_, IntegerType)
    return insert(arith.TruncIOp(value, type_), before).result


def insert(op: arith.TruncIOp, before: Operation) -> arith.TruncIOp:
    """The operation stands before another one, at its place."""
    block = before.parent
    assert block is not None
    op.location = before.location
    block.insert_op_before(op, before)
    return op


def extend(value: SSAValue, type_: Attribute, block: Block, source: Operation) -> SSAValue:
    """The value in a type of more bits, at the end of the block."""
    if value.type == type_:
        return value
    assert isinstance(type_, IntegerType)
    op = arith.ExtSIOp(value, type_)
    op.location = source.location
    block.add_op(op)
    return op.result


def replace_results(loop: Operation, call: CallOp, kept: Sequence[int]) -> None:
    """The call stands in place of the loop; results that no loop's are used of are gone."""
    block = loop.parent
    assert block is not None
    block.insert_op_before(call, loop)
    for number, result in zip(kept, call.results, strict=True):
        result.name_hint = loop.results[number].name_hint
        loop.results[number].replace_all_uses_with(result)
    loop.detach()
    loop.erase()
