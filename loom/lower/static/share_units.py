"""Which operations of a static schedule may take one unit in turn, and how often in a cycle.

Operations of one kind share units where these have cycles left: those of one loop in different
cycles modulo its II, those of loops and stages that run one after the other in any. A unit takes
operands in every cycle, so its table is that of the modulo schedule. In front of a shared unit
stands a multiplexer, whose delay is the schedule's too. Source: B. R. Rau, "Iterative modulo
scheduling", 1994, on resources and reservation tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation

from loom.analysis.timing.targets import Target, find_target
from loom.analysis.timing.unit_costs import Cost, overhead, unit_cost
from loom.dialects.facts.instances import shape_of, signal_shape
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.staticlogic import LATENCY, SHARED, latency_of
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH, width_of
from loom.errors import LoomError
from loom.lower.dataflow.choose_units import LATENCY as UNIT_LATENCY
from loom.lower.dataflow.choose_units import SHARE, find_open_latencies, set_latencies
from loom.lower.options import Options
from loom.lower.static.units import Units, choice_delay

WORTH = 2
"""Units are shared that have this many times the LUT4s of a multiplexer for their operands."""
SHARERS = 16
"""Most operations that take one unit."""
OWN = (LATENCY, SHARED)
"""Attributes that the schedule gives."""
Kind = str
"""Operations of equal kinds can take one unit in turn."""


@dataclass(frozen=True)
class Slots:
    """What operations share: their kinds; of each kind its units, most operations of a unit, and
    the delay of the multiplexer in front [ns].
    """

    kinds: Mapping[Operation, Kind]
    units: Mapping[Kind, int]
    sharers: Mapping[Kind, int]
    delays: Mapping[Kind, float]


@dataclass(frozen=True)
class Sharing:
    """The kinds whose operations may share, by the most operations of a unit.

    `limits` are the most units of a kind that the DSP blocks asked for leave room for; `is_free` if
    only sharing that costs hardly a cycle is wanted.
    """

    sharers: Mapping[Kind, int]
    limits: Mapping[Kind, int]
    is_free: bool = True

    @property
    def required(self) -> Sharing:
        """The kinds alone of which there are not enough units."""
        sharers = {kind: most for kind, most in self.sharers.items() if kind in self.limits}
        return Sharing(sharers, self.limits)

    def slots(self, operations: Sequence[Operation], ii: int, more: int = 0) -> Slots:
        """As many units of each kind as a body needs that begins every `ii` cycles, and `more`."""
        kinds = {
            each: kind
            for each in operations
            if latency_of(each) and (kind := kind_of(each)) in self.sharers
        }
        units = {
            kind: min(self.limits.get(kind, number), -(-number // ii) + more)
            for kind, number in Counter(kinds.values()).items()
        }
        sharers = {kind: self.sharers[kind] for kind in units}
        delays = {kind: choice_delay(most) for kind, most in sharers.items()}
        return Slots(kinds, units, sharers, delays)


def find_sharing(function: func.FuncOp, units: Units, product_cycles: int | None = None) -> Sharing:
    """What is shared in a function: units that are worth it, and multipliers beyond ``--dsp``.

    With `product_cycles` multipliers are worth it, too, however few LUTs they have; those that have
    no time for a multiplexer in front take so many cycles more, for registers behind it.
    Refused: LOWER_DSP if one multiplier of each kind takes more blocks than asked for.
    """
    options = units.options
    # Latencies are a part of the kind.
    is_open = set(find_open_latencies(function.walk(), options))
    set_latencies(is_open, options, units.clock)
    target = find_target(options.target)
    kinds, costs = find_kinds(function, options)
    if product_cycles:
        for kind, found in kinds.items():
            has_room = most_sharers(costs[kind], units.period) > 1
            if len(found) > 1 and not has_room and is_open.issuperset(found):
                add_cycles(found, product_cycles, options, units.period)
        kinds, costs = find_kinds(function, options)
    blocks = {kind: target.area(cost.area).multipliers for kind, cost in costs.items()}
    limits = limit_blocks(function, target, options, kinds, blocks)
    sharers: dict[Kind, int] = {}
    for kind, found in kinds.items():
        is_worth = costs[kind].area.luts >= WORTH * operand_bits(found[0], options)
        is_worth |= product_cycles is not None and bool(blocks[kind])
        if kind in limits:
            sharers[kind] = len(found)
        elif is_worth and options.share != "off":
            sharers[kind] = min(len(found), most_sharers(costs[kind], units.period))
    return Sharing(
        {kind: most for kind, most in sharers.items() if most > 1}, limits, options.share != "on"
    )


def find_kinds(
    function: func.FuncOp, options: Options
) -> tuple[dict[Kind, list[Operation]], dict[Kind, Cost]]:
    """The operations of each kind, in the order of the text, and the cost of one."""
    kinds: dict[Kind, list[Operation]] = {}
    costs: dict[Kind, Cost] = {}
    for operation in function.walk():
        cost = cost_of(operation, options)
        if cost is not None:
            kind = kind_of(operation)
            kinds.setdefault(kind, []).append(operation)
            costs[kind] = cost
    return kinds, costs


def add_cycles(
    found: Sequence[Operation], more: int, options: Options, period: float | None
) -> None:
    """Multipliers take so many cycles more, if that leaves time for a multiplexer in front."""
    latency = found[0].attributes[UNIT_LATENCY]
    assert isinstance(latency, IntegerAttr)
    for operation in found:
        operation.attributes[UNIT_LATENCY] = IntegerAttr(latency.value.data + more, 64)
    longer = cost_of(found[0], options)
    if longer is None or most_sharers(longer, period) == 1:
        for operation in found:
            operation.attributes[UNIT_LATENCY] = latency


def most_sharers(cost: Cost, period: float | None) -> int:
    """So many operations may take a unit that its multiplexer fits in front of it."""
    entry = cost.delays.get("data>register")
    if period is None or entry is None:
        return SHARERS
    room = SHARE * period - (entry - overhead())
    return min(SHARERS, 1 << max(0, int(room / choice_delay(2))))


def limit_blocks(
    function: func.FuncOp, target: Target, options: Options,
    kinds: Mapping[Kind, Sequence[Operation]], blocks: Mapping[Kind, float],
) -> dict[Kind, int]:  # fmt: skip
    """The most units of each kind with DSP blocks, if their number is limited.

    Each kind has one; those with the most operations for a unit get more while blocks are left.
    """
    if options.dsp is None:
        return {}
    numbers = {kind: len(found) for kind, found in kinds.items() if blocks[kind]}
    limits = dict.fromkeys(numbers, 1)
    used = sum(blocks[kind] for kind in numbers)
    if used > options.dsp:
        what = f"a limit of {options.dsp} {target.cells[2]}, where one multiplier of each kind "
        what += f"takes {used:g}"
        raise LoomError("LOWER_DSP", place_of(function), what, f"--dsp {used:g} or more")
    while True:
        able = [
            kind
            for kind, number in numbers.items()
            if limits[kind] < number and used + blocks[kind] <= options.dsp
        ]
        if not able:
            return {kind: limit for kind, limit in limits.items() if limit < numbers[kind]}
        kind = max(able, key=lambda each: numbers[each] / limits[each])
        limits[kind] += 1
        used += blocks[kind]


def kind_of(operation: Operation) -> Kind:
    """The operator, its attributes, and its types; of equal ones the latencies are equal."""
    given = {**operation.properties, **operation.attributes}
    facts = sorted(f"{name}={value}" for name, value in given.items() if name not in OWN)
    types = [str(value.type) for value in (*operation.operands, *operation.results)]
    operator = find(operation.name)
    constants = signal_shape(operation, operator, DEFAULT_INDEX_WIDTH).constants if operator else {}
    return " ".join(["unit of", operation.name, *facts, *types, *map(str, constants.values())])


def cost_of(operation: Operation, options: Options) -> Cost | None:
    """The measured cost of a pure operation on signals; None of any other."""
    operator = find(operation.name)
    if operator is None or operator.semantics.meaning is None:
        return None
    if isinstance(operation, arith.ConstantOp):
        return None
    return unit_cost(operator, shape_of(operation, operator, options.index_width))


def operand_bits(operation: Operation, options: Options) -> int:
    """The width of all operands [bits]."""
    return sum(width_of(value.type, options.index_width) for value in operation.operands)
