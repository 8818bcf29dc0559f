"""Which units are measured, and in which order: between them costs are interpolated.

The axes are few and the points sparse: three widths (and none, for units that steer tokens without
data), a few sizes of numbered families, buffers and memories. What programs seldom use is measured
at one place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from loom_sim.placement.synthesis_tools import SECONDS

from loom.analysis.timing.unit_costs import COMPARE
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.dataflow_operators import ACCUMULATED, INITIAL, OPERAND
from loom.dialects.operators.float_shapes import float_shapes, with_powers
from loom.dialects.operators.handshake_operators import NARROW
from loom.dialects.operators.integer_meanings import PREDICATES as PREDICATES_OF_INTEGERS
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.operators.ordering.comparators import MOST_STORES
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.dialects.ops.dataflow import AccumulateOp, StreamOp
from loom.dialects.ops.handshake import ForkOp, JoinOp, MuxOp
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    ForwardQueueOp,
    ForwardStoreOp,
    StoreQueueOp,
)
from tools.library.units import (
    INTEGER,
    MANY_ACCESSES,
    LibraryUnit,
    attribute_sets,
    fits,
    is_measured,
    memory_unit,
    shape_of,
    unit_of,
)

WIDTHS = (32, 64, 8)
"""Of data [bits], in the order in which they are measured."""
ARITIES = (2, 3, 4, 8)
"""Ports of a numbered family."""
COMMON = tuple(CATALOGUE[op.name] for op in (ForkOp, JoinOp, MuxOp))
"""The families of all those arities; others have the first and the last."""
STREAM = CATALOGUE[StreamOp.name]
ACCUMULATE = CATALOGUE[AccumulateOp.name]
COMPARATORS = tuple(
    CATALOGUE[op.name] for op in (DisambiguateOp, ForwardStoreOp, ForwardQueueOp, StoreQueueOp)
)
STORES = tuple(range(1, MOST_STORES + 1))
"""Stores whose values one of them forwards."""
SHIFTS = tuple(CATALOGUE[f"arith.{name}"] for name in ("shli", "shrui", "shrsi"))
DIFFERENT = (CATALOGUE["arith.subi"], *SHIFTS)
"""Operators that are measured with a constant on the left too."""
SLOTS = (1, 2, 4, 8, 16, NARROW, 32, 64, 512)
"""Of buffers [tokens], which are measured at one bit too; `NARROW` where they shift then."""
LINE = 16
"""The most slots of a stage."""
DEPTHS = (1024, 16)
"""Of memories [words]; a controller of a RAM outside is measured at the first."""
SIDES = ((1, 1), (0, 1), (1, 0), (2, 2), (0, 3), (3, 0))
"""Stores and loads of memories; at other widths and depths than the first only the first two."""
LATENCIES_OF_CHANNELS = (14, 62)
"""Of memories behind channels, beside the usual one: they give the slots [cycles]."""
PACKED = ((32, 64), (32, 128), (8, 32))
"""Widths of elements and of the words that they are packed into behind channels [bits]."""
MANY = ((2, 1), (16, 1), (16, 16))
"""Stores, as many loads, and the requesters of each side: of memories at the first width."""
ADDRESSES = dict(COMPARE[1][:1])
"""What the compare of an address with a depth says: it is measured at the least width too."""
PREDICATES = ("oeq", "olt", "uno")
"""Comparisons of floats that are measured in every format."""
LATENCIES = {1: (32,), 2: (32, 64)}
"""Of multipliers besides the usual one [cycles], and the widths of factors with each [bits]."""
FACTORS = (16, 18, 8)
"""Widths with which a product of one word is measured too, at a latency of 1: those of a block's
digits, and of two bits more."""
SCALED = 8
"""The exponent of two of a constant factor, which costs more than smaller ones."""
LARGE = 500
"""The size of a pipeline from which on a unit takes minutes: those come last."""
VAST = 1100
"""The size from which on place and route takes a quarter of an hour: pipelined 64-bit dividers."""
USUAL = "f32"


def measured_units() -> list[LibraryUnit]:
    """Every unit of the file of costs, those that most programs use first; each once."""
    return sorted(all_units(), key=lambda unit: size_of(unit) > LARGE)


def all_units() -> Iterator[LibraryUnit]:
    """The units by width: integers and steering first, then floats."""
    integers = [row for row in CATALOGUE.values() if is_measured(row) and not row.signature.formats]
    floats = [
        unit for row in CATALOGUE.values() if row.signature.formats for unit in float_units(row)
    ]
    for width in (*WIDTHS[:2], 0):
        yield from (unit for row in integers for unit in units_of(row, width))
    multipliers = [row for row in integers if is_multiplier(row)]
    for latency, widths in LATENCIES.items():
        for row, width in product(multipliers, widths):
            yield unit_at(row, width, {"latency": latency})
    short = [row for row in multipliers if len(row.signature.outputs) == 1]
    for row, width in product(short, FACTORS):
        yield unit_at(row, width, {"latency": 1})
    buffers = [row for row in integers if "slots" in row.signature.attributes]
    yield from (unit for row in buffers for unit in units_of(row, 1))
    yield from (unit for unit in floats if USUAL in unit.shape.attributes.values())
    yield from (unit for row in integers for unit in units_of(row, WIDTHS[2]))
    yield from (unit for unit in floats if USUAL not in unit.shape.attributes.values())


def size_of(unit: LibraryUnit) -> int:
    """Width times latency, by the cycles between two tokens: what a pipeline's area goes with."""
    row, shape = unit.operator, unit.shape
    width = max((*shape.inputs, *shape.outputs))
    return width * row.hardware.latency_of(shape) // row.hardware.interval_of(shape)


def seconds_of(unit: LibraryUnit) -> float:
    """The time that place and route of the unit may take [s]."""
    return SECONDS if size_of(unit) <= VAST else 12 * SECONDS


def units_of(operator: Operator, width: int) -> Iterator[LibraryUnit]:
    """The units of one row without floats at `width` [bits]; 0 is tokens without data."""
    if operator.hardware.memory_kind:
        yield from memories(operator, width)
        return
    if not (fits(operator, width) if width else carries_control(operator)):
        return
    few = operator not in COMMON or width == WIDTHS[-1]
    arities: Sequence[int] = (ARITIES[0], ARITIES[-1]) if few else ARITIES
    if operator in COMPARATORS:
        arities = STORES
    families = any(port.many for port in operator.signature.ports)
    many = families and operator.signature.arrange is None
    for arity in arities if many else ARITIES[:1]:
        for attributes in chosen_attributes(operator, width):
            shape = shape_of(operator, width, arity, attributes)
            yield unit_of(operator, shape)
            for constants in constant_sets(operator, shape):
                yield unit_of(operator, constants)


def constant_sets(operator: Operator, shape: Shape) -> Iterator[Shape]:
    """The shape with the constants that are measured.

    One operand of a pure operator, the second where it is the same as the first; of comparisons
    at other widths than the first the usual one, and the one of addresses. Of signed streams that
    add the step, to below a bound: the step, with the start or the bound, and all three, with a
    control token. Of accumulators the initial value, of those that add the operand too.
    """
    names = [port.name for port in operator.signature.inputs]
    if operator is STREAM:
        usual = (shape.text("step_op"), shape.text("cont_cond"), shape.attributes["unsigned"])
        if usual == ("+=", "<", False):
            start, step, bound = 0, 1, pattern(width_of(shape))
            for found in ({1: step}, {1: step, 2: bound}, {0: start, 1: step}):
                yield replace(shape, constants=found)
            whole = {0: start, 1: step, 2: bound}
            yield replace(shape, inputs=(*shape.inputs, 0), constants=whole)
        return
    if operator is ACCUMULATE:
        yield replace(shape, constants={INITIAL: 0})
        if shape.text("operator") == ACCUMULATED[0]:
            yield replace(shape, constants={INITIAL: 0, OPERAND: pattern(width_of(shape))})
        return
    predicate = shape.attributes.get("predicate", PREDICATES_OF_INTEGERS[0])
    usual_ones = (PREDICATES_OF_INTEGERS[0], ADDRESSES["predicate"])
    if width_of(shape) != WIDTHS[0] and predicate not in usual_ones:
        return
    for name in operator.signature.constants:
        if name != "lhs" or operator in DIFFERENT:
            value = pattern(width_of(shape))
            amount = 3 if operator in SHIFTS and name == "rhs" else value
            yield replace(shape, constants={names.index(name): amount})


def width_of(shape: Shape) -> int:
    """The width of the data [bits]."""
    return max(shape.inputs)


def pattern(width: int) -> int:
    """A positive number of which every other bit is 1."""
    return sum(1 << place for place in range(0, width - 1, 2))


def memories(operator: Operator, width: int) -> Iterator[LibraryUnit]:
    """Controllers of a memory of words of `width` [bits]; 0: none."""
    kind = operator.hardware.memory_kind
    assert kind is not None
    depths = DEPTHS[:1] if kind.is_outside else DEPTHS
    for depth in depths if width else ():
        few = SIDES if width == WIDTHS[0] else SIDES[:2]
        for sides in kind.sides(few):
            yield memory_unit(operator, width, depth, sides)
        if kind.answers:
            for stated in LATENCIES_OF_CHANNELS if few is SIDES else ():
                for sides in SIDES[:2]:
                    yield memory_unit(operator, width, depth, sides, {"latency": stated})
            for (element, pack), sides in product(PACKED, few[:3]):
                for stated in (0, *LATENCIES_OF_CHANNELS) if element == width else ():
                    said = {"pack": pack, **({"latency": stated} if stated else {})}
                    yield memory_unit(operator, width, depth, sides, said)
            continue
        if few is SIDES and kind.is_written:
            for count, requesters in MANY:
                yield memory_unit(operator, width, depth, (count, count), shared(count, requesters))


def shared(count: int, requesters: int) -> dict[str, AttributeValue]:
    """What a memory of `count` stores and loads says whose accesses share so many requesters."""
    if count == requesters:
        return {}
    said = tuple(k % requesters for k in range(count))
    return {"store_requesters": said, "load_requesters": said}


def chosen_attributes(operator: Operator, width: int) -> Iterator[dict[str, AttributeValue]]:
    """The sets that are measured: of buffers every kind with every number of slots.

    Of comparisons of addresses every depth.
    """
    sets = attribute_sets(operator)
    if operator is LOAD_STORE_QUEUE and width == WIDTHS[-1]:
        return
    usual = next(sets)
    if operator is LOAD_STORE_QUEUE:  # ports and places together cost more than each of them
        yield {**usual, "groups": MANY_ACCESSES, "depth": 8}
    if "slots" not in operator.signature.attributes:
        yield usual
        if "latency" in operator.hardware.options:
            return  # of multipliers the usual latency; the others have widths of their own
        often = {"step_op": usual["step_op"]} if "step_op" in usual else {}
        for chosen in sets:
            kept = chosen.get("rotated") or "depth" in chosen or chosen == ADDRESSES
            if width == WIDTHS[-1] and not kept:
                continue
            if width == WIDTHS[0] or often.items() <= chosen.items():
                yield chosen
        return
    for kind, slots in product(operator.signature.choices["kind"], SLOTS):
        is_left = slots > LINE if kind == "stage" else slots == NARROW and width > 1
        if not is_left:
            yield {**usual, "kind": kind, "slots": slots}


def float_units(operator: Operator) -> Iterator[LibraryUnit]:
    """The units of a row of floats: every choice with every other."""
    for shape in float_shapes(operator, (INTEGER,)) if is_measured(operator) else ():
        predicate = shape.attributes.get("predicate", PREDICATES[0])
        if predicate in PREDICATES or USUAL in shape.attributes.values():
            yield unit_of(operator, shape)
            for scaled in with_powers(operator, shape, (SCALED,)):
                yield unit_of(operator, scaled)


def is_multiplier(operator: Operator) -> bool:
    """Whether the row is a pure one that leaves its latency open."""
    return "latency" in operator.hardware.options and operator.semantics.meaning is not None


def unit_at(operator: Operator, width: int, attributes: dict[str, AttributeValue]) -> LibraryUnit:
    """The unit of a row with two operands."""
    return unit_of(operator, shape_of(operator, width, ARITIES[0], attributes))


def carries_control(operator: Operator) -> bool:
    """Whether the data's type may also be a token without data: units that steer, and buffers."""
    types = {port.type for port in operator.signature.ports}
    steers = (
        operator.semantics.process is not None
        and types <= {"T", "S", "i1", "none"}
        and "T" in types
    )
    without_data = operator not in (ACCUMULATE, *COMPARATORS)
    return (steers and without_data) or operator.semantics.passes_control
