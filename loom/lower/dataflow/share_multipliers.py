"""The multipliers of the circuit take at most the DSP blocks of ``--dsp N``.

Multipliers of one kind become one, with `handshake.share` before and behind it: its callers take
turns, and each gets its own products in their order. A multiplier is a function of its operands,
and there is room for the product of every call under way, so a caller sees what it would see of a
multiplier of its own (loom/dialects/operators/sharing_operators.py). Of products modulo 2^width the
widest multiplier serves all: the low bits of a product depend on no higher ones.

What differs is time. One caller calls every second cycle at most, and callers that would work side
by side take turns. So those share first that lose the fewest cycles for each DSP block, as far as
trip counts say: those of short loops, of loops that run one after the other. Without the option, or
where the circuit takes no more blocks than that, nothing changes.
"""

from __future__ import annotations

import heapq
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.arith import ConstantOp as ParameterOp
from xdsl.dialects.builtin import FloatAttr, IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from loom.analysis.schedule.event_graph import EventGraph
from loom.analysis.timing.targets import find_target
from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops import handshake
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_routing import ShareOp
from loom.dialects.ops.handshake_tuples import PackOp, UnpackOp
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.lower.dataflow.graph_builder import insert, packed_type
from loom.lower.dataflow.unit_overlap import UnitOverlap
from loom.lower.options import Options

LOW_PRODUCT = arith.MuliOp.name
"""The operator whose instances of different widths share the widest one."""
CARRIES = "overflowFlags"
"""The property of a product that says nothing about its hardware."""


def share_multipliers(module: ModuleOp, options: Options) -> None:
    """The DSP blocks of each function's units are at most `options.dsp`; None: any number.

    Refused: LOWER_DSP if more are left when all multipliers of a kind are one.
    """
    if options.dsp is None:
        return
    for function in list(module.ops):
        if isinstance(function, FuncOp):
            limit_blocks(function, options, options.dsp)


@dataclass(frozen=True, eq=False)
class Group:
    """Multipliers that are one, in the text's order; its DSP blocks; the cycles it takes more."""

    units: tuple[Operation, ...]
    blocks: float
    lost: int = 0


def limit_blocks(function: FuncOp, options: Options, limit: int) -> None:
    """Multipliers of the function share until they take at most `limit` blocks."""
    operations = list(function.body.block.ops)
    blocks = {each: blocks_of(each, options) for each in operations}
    if (total := sum(blocks.values())) <= limit:
        return
    found = [each for each in operations if blocks[each] and is_shareable(each)]
    graph = EventGraph(function.body.block, options.index_width, options.cores)
    groups = Grouping(UnitOverlap(graph, found), [Group((each,), blocks[each]) for each in found])
    while total > limit:
        saved = groups.merge_best()
        if not saved:
            raise refuse_limit(function, options, limit, total)
        total -= saved
    for group in groups.left:
        if len(group.units) > 1:
            build_shared(group.units, options.index_width)


def blocks_of(operation: Operation, options: Options) -> float:
    """The DSP blocks of a unit on the target, by its measured cost."""
    operator = find(operation.name)
    if operator is None or operator.hardware.memory_kind or operator.name in options.cores:
        return 0
    cost = unit_cost(operator, shape_of(operation, operator, options.index_width))
    return 0 if cost is None else find_target(options.target).area(cost.area).multipliers


def is_shareable(operation: Operation) -> bool:
    """True of a unit that gives a function of one token of each operand."""
    operator = find(operation.name)
    return operator is not None and operator.semantics.process is None and bool(operation.results)


def kind_of(operation: Operation) -> Hashable:
    """Equal for units of which one can serve for all; a product's width is left out."""
    is_low = operation.name == LOW_PRODUCT
    given = {**operation.attributes, **operation.properties}
    facts = frozenset((name, each) for name, each in given.items() if name != CARRIES or not is_low)
    values = (*operation.operands, *operation.results)
    return operation.name, facts, () if is_low else tuple(value.type for value in values)


class Grouping:
    """The multipliers of a graph in groups of one circuit each; at first each is one."""

    def __init__(self, overlap: UnitOverlap, groups: Sequence[Group]) -> None:
        self.overlap = overlap
        self.left = dict.fromkeys(groups)
        self.interval = CATALOGUE[ShareOp.name].hardware.interval_of(Shape((), ()))
        self.pairs: list[tuple[float, int, Group, Group]] = []
        self.number = 0
        for place, group in enumerate(groups):
            self.push_pairs(group, groups[:place])

    def push_pairs(self, group: Group, others: Sequence[Group]) -> None:
        """The group may be merged with each of the others that are of its kind."""
        kind = kind_of(group.units[0])
        for other in others:
            if kind_of(other.units[0]) == kind:
                both = self.merged(other, group)
                saved = group.blocks + other.blocks - both.blocks
                if saved > 0:
                    lost = (both.lost - group.lost - other.lost) / saved
                    self.number += 1
                    heapq.heappush(self.pairs, (lost, self.number, other, group))

    def merged(self, first: Group, second: Group) -> Group:
        """Both as one group."""
        units = tuple(u for u in self.overlap.units if u in {*first.units, *second.units})
        times = sum(map(self.overlap.times, units))
        lost = self.interval * times - self.overlap.longest_chain(units)
        return Group(units, max(first.blocks, second.blocks), lost)

    def merge_best(self) -> float:
        """Merge the two groups that lose the fewest cycles a block; the blocks that this saves."""
        while self.pairs:
            _, _, first, second = heapq.heappop(self.pairs)
            if first in self.left and second in self.left:
                both = self.merged(first, second)
                del self.left[first], self.left[second]
                self.push_pairs(both, list(self.left))
                self.left[both] = None
                return first.blocks + second.blocks - both.blocks
        return 0


def refuse_limit(function: FuncOp, options: Options, limit: int, least: float) -> LoomError:
    """LOWER_DSP: how many blocks are left when all multipliers of a kind are one."""
    name = find_target(options.target).cells[2]
    return LoomError(
        "LOWER_DSP",
        place_of(function),
        f"a limit of {limit} {name}, where one multiplier of each kind takes {least:g}",
        f"--dsp {least:g} or more",
    )


def build_shared(units: Sequence[Operation], index_width: int) -> None:
    """One unit with `handshake.share` around it stands for all of these."""
    widest = widest_of(units, index_width)
    constants = [
        operand if all(is_same_constant(operand, unit, place) for unit in units) else None
        for place, operand in enumerate(widest.operands)
    ]
    types = [
        operand.type
        for operand, constant in zip(widest.operands, constants, strict=True)
        if constant is None
    ]
    calls: list[SSAValue] = []
    for unit in units:
        given = [
            cast(token_of(unit, place), operand.type, unit)
            for place, (operand, constant) in enumerate(
                zip(widest.operands, constants, strict=True)
            )
            if constant is None
        ]
        calls.append(pack(given, unit))
    results = [result.type for result in widest.results]
    first = units[0]
    share = insert(ShareOp(calls[0], calls, packed_type(results)), first)
    share.called.name_hint = "shared"
    tokens = iter(unpack(share.called, types, first))
    operands = [next(tokens) if constant is None else constant for constant in constants]
    shared = widest.clone(dict(zip(widest.operands, operands, strict=True)))
    shared.operands = operands
    shared.properties.pop(CARRIES, None)
    insert(shared, first)
    share.operands[0] = pack(shared.results, first)
    for unit, out in zip(units, share.outs, strict=True):
        found = unpack(out, results, unit)
        for result, product in zip(unit.results, found, strict=True):
            value = cast(product, result.type, unit)
            value.name_hint = result.name_hint
            result.replace_all_uses_with(value)
        unit.detach()
        unit.erase()


def widest_of(units: Sequence[Operation], index_width: int) -> Operation:
    """The unit that can serve for all."""
    return max(units, key=lambda unit: width_of(unit.results[0].type, index_width))


def is_same_constant(operand: SSAValue, unit: Operation, place: int) -> bool:
    """True if both the operand and that of `unit` at `place` are the same constant."""
    value = constant_value(operand)
    return value is not None and value == constant_value(unit.operands[place])


def constant_value(operand: SSAValue) -> IntegerAttr | FloatAttr | None:
    """The value of a constant operand, which is no channel; None of a channel."""
    if not isinstance(operand.owner, ParameterOp):
        return None
    value = operand.owner.value
    assert isinstance(value, IntegerAttr | FloatAttr)
    return value


def token_of(unit: Operation, place: int) -> SSAValue:
    """The operand of a unit as a channel: a constant comes with each token of another operand."""
    value = constant_value(unit.operands[place])
    if value is None:
        return unit.operands[place]
    other = next(operand for operand in unit.operands if constant_value(operand) is None)
    control = insert(handshake.JoinOp([other]), unit).out
    return insert(handshake.ConstantOp(control, value), unit).result


def cast(value: SSAValue, type_: Attribute, before: Operation) -> SSAValue:
    """The value with zeros in front, or without its high bits."""
    if value.type == type_:
        return value
    if isinstance(type_, IndexType) or isinstance(value.type, IndexType):
        return insert(arith.IndexCastOp(value, type_), before).result
    assert isinstance(type_, IntegerType) and isinstance(value.type, IntegerType)
    kind = arith.ExtUIOp if type_.width.data > value.type.width.data else arith.TruncIOp
    return insert(kind(value, type_), before).results[0]


def pack(values: Sequence[SSAValue], before: Operation) -> SSAValue:
    """One channel of all values together."""
    if len(values) == 1:
        return values[0]
    type_ = packed_type([value.type for value in values])
    return insert(PackOp.create(operands=list(values), result_types=[type_]), before).tuple_


def unpack(value: SSAValue, types: Sequence[Attribute], before: Operation) -> Sequence[SSAValue]:
    """The values of these types that are together in one."""
    if len(types) == 1:
        return [value]
    operation = UnpackOp.create(operands=[value], result_types=list(types))
    return insert(operation, before).results
