"""What is measured: every row of the catalogue, alone in a circuit, at chosen widths.

An attribute takes each of its choices while the others keep their first, so that a row with many
attributes has few units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_shapes import float_shape
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.elements import encode_elements
from loom.netlist.netlist import Channel, Endpoint, Memory, Netlist, OutsidePort, Unit

SHARE = CATALOGUE["handshake.share"]
MANY_ACCESSES = "lls,ls,s"
"""The groups of a queue for many accesses."""
NUMBERS: Mapping[str, Sequence[AttributeValue]] = {
    "slots": (2, 1, 4),
    "depth": (2, 4, 8, 16),
    "value": (5,),
    "initial": ((),),
    "unsigned": (False, True),
    "rotated": (False, True),
    "lanes": (1,),
    "distance": (1,),
    "groups": ("ls", MANY_ACCESSES),
    "outstanding": (3,),
}
"""Values of attributes that have no list of choices; the first is the usual one."""
ADDRESS = 10
"""Of the memories [bits]."""
DEPTH = 1 << ADDRESS
"""Of the memories [words]."""
SIDES = ((1, 1), (0, 1), (1, 0), (2, 2))
"""Stores and loads of the memories."""
INTEGER = 32
"""Of an integer beside a float [bits]."""
DUT = "dut"


@dataclass(frozen=True)
class LibraryUnit:
    """One unit and the circuit in which it stands alone, each port an outside port."""

    title: str
    operator: Operator
    shape: Shape
    netlist: Netlist


def library_units(width: int, arity: int = 2) -> Iterator[LibraryUnit]:
    """Every row at `width` [bits] of its data; numbered families have `arity` ports."""
    for operator in CATALOGUE.values():
        if not is_timed(operator):
            continue
        if kind := operator.hardware.memory_kind:
            possible = kind.sides(SIDES)
            yield from (memory_unit(operator, width, DEPTH, sides) for sides in possible)
            for latency in () if kind.is_outside else kind.latencies[1:]:
                yield memory_unit(operator, width, DEPTH, possible[0], {"latency": latency})
        elif operator.signature.formats:
            shapes = [float_shape(operator, a, INTEGER) for a in attribute_sets(operator)]
            yield from (
                unit_of(operator, shape) for shape in shapes if operator.signature.fits(shape)
            )
        elif fits(operator, width):
            for attributes in attribute_sets(operator):
                yield unit_of(operator, shape_of(operator, width, arity, attributes))


def untimed_units(width: int, arity: int = 2) -> Iterator[LibraryUnit]:
    """The usual unit of each row that is hardware, but cannot be timed alone."""
    for operator in CATALOGUE.values():
        if is_measured(operator) and not is_timed(operator):
            attributes = next(attribute_sets(operator))
            yield unit_of(operator, shape_of(operator, width, arity, attributes))


def is_measured(operator: Operator) -> bool:
    """Whether the row has hardware, and an input: without one nothing can be timed.

    The cost of a unit that runs a schedule follows from the schedule.
    """
    has_hardware = bool(operator.hardware.template and operator.signature.inputs)
    return has_hardware and operator is not ISLAND


def is_timed(operator: Operator) -> bool:
    """Whether the unit can be timed alone: two wait for the circuit, or the memory, they call."""
    return is_measured(operator) and operator not in (SHARE, LOAD_STORE_QUEUE)


def fits(operator: Operator, width: int) -> bool:
    """Whether the row has a unit at this width: casts narrow or widen by half of it."""
    return width > 1 or "S" not in {port.type for port in operator.signature.inputs}


def attribute_sets(operator: Operator) -> Iterator[dict[str, AttributeValue]]:
    """The usual attributes, then each other value of each of them, then what they may say."""
    values: dict[str, Sequence[AttributeValue]] = {
        name: operator.signature.choices.get(name) or NUMBERS[name]
        for name in operator.signature.attributes
    }
    usual = {name: operator.signature.defaults.get(name, each[0]) for name, each in values.items()}
    yield usual
    for name, each in values.items():
        yield from ({**usual, name: value} for value in each if value != usual[name])
    for name, choices in operator.hardware.options.items():
        usual_value = operator.signature.defaults.get(name)
        yield from ({**usual, name: value} for value in choices if value != usual_value)


def shape_of(
    operator: Operator, width: int, arity: int, attributes: Mapping[str, AttributeValue]
) -> Shape:
    """The shape with data of `width` [bits]; casts come from half or twice the width."""
    widths = {"T": width, "S": source_width(operator, width, arity), "A": ADDRESS}
    widths |= {"R": width, "index": width, "i1": 1, "none": 0, "P": arity * width}
    widths |= {f"T{number}": width for number in range(arity)}
    sides = (operator.signature.inputs, operator.signature.outputs)
    counts = [sum(arity if port.many else 1 for port in side) for side in sides]
    inputs, outputs = operator.signature.ports_of(
        Shape((0,) * counts[0], (0,) * counts[1], attributes)
    )
    return Shape(
        tuple(widths[port.type] for port in inputs),
        tuple(widths[port.type] for port in outputs),
        attributes,
    )


def source_width(operator: Operator, width: int, arity: int) -> int:
    """Width of the type variable S beside T [bits]: one the row's own text is meant for."""
    if "S" not in {port.type for port in operator.signature.ports}:
        return 0
    if operator.semantics.meaning is None:
        return max(1, (arity - 1).bit_length())
    for other in (width // 2, 2 * width, width):
        text = operator.hardware.verilog_of(Shape((other,), (width,)))
        meant = 1 if "S_WIDTH" in text else -1 if "[T_WIDTH-1:0]" in text else 0
        if meant == (other < width) - (other > width):
            return other
    return width


SPREAD = 0x9E3779B97F4A7C15
"""Odd; multiples of it have bits that vary at every place."""


def memory_unit(
    operator: Operator,
    width: int,
    depth: int,
    sides: tuple[int, int],
    said: Mapping[str, AttributeValue] = MappingProxyType({}),
) -> LibraryUnit:
    """The controller of one array of `depth` [words] with so many stores and loads."""
    stores, loads = sides
    kind = operator.hardware.memory_kind
    assert kind is not None
    # A table of LUTs has one for each bit that varies, so in a small one they all do.
    factor = SPREAD if kind.is_small(depth) else 1
    words = (k * factor % (1 << width) for k in range(depth))
    contents = None if kind.is_outside else encode_elements(words)
    memory = Memory("words", f"i{width}", width, depth, kind, contents)
    shape = Shape(
        (width, ADDRESS) * stores + (ADDRESS,) * loads,
        (width,) * loads + (0,) * (stores + loads),
        {"memory": "words", "stores": stores, "loads": loads, **said},
    )
    return unit_of(operator, shape, memory)


def title_of(operator: Operator, shape: Shape) -> str:
    """The row's name with the attributes and widths that tell its units apart."""
    hidden = ("memory", "value", "lanes")
    values = {k: v for k, v in shape.attributes.items() if k not in hidden and v != ()}
    words = [f"{k} {v}" for k, v in values.items()]
    if (
        "S" in {port.type for port in operator.signature.inputs}
        and operator.semantics.meaning is not None
    ):
        words.append(f"{shape.inputs[0]} to {shape.outputs[0]} bits")
    inputs, _ = operator.signature.ports_of(shape)
    words += [f"{inputs[place].name} constant" for place in shape.constants]
    return f"{operator.name} ({', '.join(words)})" if words else operator.name


def unit_of(operator: Operator, shape: Shape, memory: Memory | None = None) -> LibraryUnit:
    """The unit alone between outside ports that are called as its own."""
    inputs, outputs = operator.signature.ports_of(shape)
    ports: list[OutsidePort] = []
    channels: list[Channel] = []
    constants = {inputs[place].name: value for place, value in shape.constants.items()}
    for port, width in zip(inputs, shape.inputs, strict=True):
        if port.name in constants:
            continue
        type_ = f"i{width}" if width else "none"
        ports.append(OutsidePort(port.name, "input", type_, width))
        ends = Endpoint("", port.name), Endpoint(DUT, port.name)
        channels.append(Channel(f"c_{port.name}", type_, width, *ends))
    for port, width in zip(outputs, shape.outputs, strict=True):
        type_ = f"i{width}" if width else "none"
        ports.append(OutsidePort(port.name, "output", type_, width))
        ends = Endpoint(DUT, port.name), Endpoint("", port.name)
        channels.append(Channel(f"c_{port.name}", type_, width, *ends))
    unit = Unit(DUT, operator, shape.attributes, constants=constants)
    kept = (memory,) if memory else ()
    netlist = Netlist("unit", 32, tuple(ports), kept, (unit,), tuple(channels))
    return LibraryUnit(title_of(operator, shape), operator, shape, netlist)
