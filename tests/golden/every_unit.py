"""Circuits in which every operator stands alone between outside ports, at many widths."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loom.dialects.floats.formats import FORMATS
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_shapes import float_shapes, with_powers
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.memories import INTERNAL, KINDS
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.elements import encode_elements
from loom.netlist.netlist import Channel, Endpoint, Memory, Netlist, OutsidePort, Unit
from tools.prove.static_loop import sums_shape

SMALLER, EQUAL, LARGER = -1, 0, 1
CAST_DIRECTIONS = {
    "arith.extsi": (SMALLER,),
    "arith.extui": (SMALLER,),
    "arith.trunci": (LARGER,),
    "arith.bitcast": (EQUAL,),
    "arith.index_cast": (SMALLER, EQUAL, LARGER),
    "arith.index_castui": (SMALLER, EQUAL, LARGER),
}
"""How wide S is against T, for operators that have both and are no mux."""
WITH_CONTROL = (
    "handshake.fork",
    "handshake.sink",
    "handshake.cond_br",
    "handshake.mux",
    "handshake.buffer",
    "handshake.lazy_fork",
    "handshake.merge",
    "handshake.control_merge",
    "handshake.never",
    "dataflow.carry",
    "dataflow.invariant",
    "dataflow.replicate",
    "dataflow.gate",
)
"""Operators that also carry control tokens."""

POWERS = (1, -1, -9)
"""Exponents of two of constant factors."""
SOME = {"latency": (1, 2, 3, 8), "form": ("iterative",)}
"""Of an option with many values those that are worth a case; the hand rows have all."""


@dataclass(frozen=True)
class Case:
    """One unit to be: an operator and its shape."""

    operator: Operator
    shape: Shape


def attribute_sets(operator: Operator, width: int) -> Iterator[dict[str, AttributeValue]]:
    """Every choice of attributes worth a case for data of `width` [bits], memories left out."""
    mask = (1 << width) - 1
    values: dict[str, Sequence[AttributeValue]] = {
        "slots": (1, 2, 3, 7, 9),
        "depth": (2, 3, 8),
        "groups": ("ls", "sl,l"),
        "outstanding": (2, 4),
        "value": (1, 0),
        "initial": ((), (5 & mask, 0xA5A5A5A5A & mask)),
        "unsigned": (False, True),
        "rotated": (False, True),
        "lanes": (1, 3),
        "distance": (1, 0),
    }
    values |= operator.signature.choices
    for chosen in itertools.product(*(values[name] for name in operator.signature.attributes)):
        usual = dict(zip(operator.signature.attributes, chosen, strict=True))
        is_special = usual.get("rotated") or usual.get("lanes", 1) != 1
        if is_special and "step_op" in usual and not is_diagonal(operator, usual):
            continue
        yield usual
        for name, choices in operator.hardware.options.items():
            yield from ({**usual, name: value} for value in SOME.get(name, choices))


def is_diagonal(operator: Operator, chosen: Mapping[str, AttributeValue]) -> bool:
    """True of few sets with every step, every test and both signs: the proofs have all of them."""
    step, test = (
        operator.signature.choices[name].index(str(chosen[name]))
        for name in operator.signature.choices
    )
    return (
        step % len(operator.signature.choices["cont_cond"]) == test
        and step % 2 == chosen["unsigned"]
    )


def cases(width: int, arities: Sequence[int] = (2, 3)) -> Iterator[Case]:
    """Every operator but the memories, at `width` [bits] (0: control) and these arities."""
    for name, operator in CATALOGUE.items():
        if operator.hardware.memory_kind is not None or (width == 0 and name not in WITH_CONTROL):
            continue
        if not operator.hardware.template or operator.signature.formats:
            continue
        if operator is ISLAND:
            yield Case(operator, sums_shape())
            continue
        many = any(port.many for port in operator.signature.ports)
        for attributes in attribute_sets(operator, width):
            for arity in arities if many else (1,):
                for other in other_widths(name, width, arity):
                    widths = {"T": width, "R": width, "S": other, "A": 12, "index": width}
                    for members in member_widths(operator, arity, width):
                        found = shape(operator, arity, widths | members, attributes)
                        if operator.signature.fits(found):
                            yield Case(operator, found)
                            yield from constant_cases(operator, found)


def constant_cases(operator: Operator, found: Shape) -> Iterator[Case]:
    """The unit with constants: each operand alone, and of a usual stream more of them."""
    names = [port.name for port in operator.signature.inputs]
    if "step_op" not in found.attributes:
        for name in operator.signature.constants:
            width = found.inputs[names.index(name)]
            for value in (90, 0, (1 << width) - 1, 1 << width >> 1):
                constants = {names.index(name): value % (1 << width)}
                chosen = replace(found, constants=constants)
                if operator.signature.fits(chosen):
                    yield Case(operator, chosen)
    elif found.attributes["step_op"] == "+=" and found.attributes["cont_cond"] == "<":
        burst = {0: 0, 1: 1, 2: min(100, (1 << found.inputs[0]) - 1 >> 1)}
        for places in ((0,), (1,), (2,), (0, 1), (1, 2)):
            chosen = replace(found, constants={k: burst[k] for k in places})
            if operator.signature.fits(chosen):
                yield Case(operator, chosen)
        for constants in (burst, {0: 0, 1: 1}):
            whole = replace(found, inputs=(*found.inputs, 0), constants=constants)
            if operator.signature.fits(whole):
                yield Case(operator, whole)


def float_cases(integers: Sequence[int] = (1, 33)) -> Iterator[Case]:
    """Every float operator in every format; of many attributes each value once or more."""
    for operator in CATALOGUE.values():
        if operator.signature.formats and operator.hardware.template:
            many = len(operator.signature.choices) > len(operator.signature.formats)
            for number, shape in enumerate(float_shapes(operator, integers)):
                choice, form = divmod(number, len(FORMATS))
                if not many or form == choice % len(FORMATS):
                    yield Case(operator, shape)
                    for scaled in with_powers(operator, shape, POWERS):
                        yield Case(operator, scaled)


def other_widths(name: str, width: int, arity: int) -> tuple[int, ...]:
    """Widths of the type variable S [bits] beside a T of `width`."""
    if name in ("handshake.mux", "handshake.control_merge"):
        return (max(1, (arity - 1).bit_length()), 8)
    if name in CAST_DIRECTIONS:
        wished = {SMALLER: (width + 1) // 2, EQUAL: width, LARGER: width + 3}
        found = (wished[direction] for direction in CAST_DIRECTIONS[name])
        distinct = tuple(dict.fromkeys(found))
        return distinct if CAST_DIRECTIONS[name] != (SMALLER,) or width > 1 else ()
    return (0,)


def shape(
    operator: Operator, arity: int, widths: dict[str, int], attributes: dict[str, AttributeValue]
) -> Shape:
    """The shape with families of `arity` ports; `widths` [bits] by type variable."""
    widths = widths | {"i1": 1, "none": 0}
    ports = [
        sum(arity if p.many else 1 for p in side)
        for side in (operator.signature.inputs, operator.signature.outputs)
    ]
    inputs, outputs = operator.signature.ports_of(
        Shape((0,) * ports[0], (0,) * ports[1], attributes)
    )
    return Shape(
        tuple(widths[port.type] for port in inputs),
        tuple(widths[port.type] for port in outputs),
        attributes,
    )


def member_widths(operator: Operator, arity: int, width: int) -> Iterator[dict[str, int]]:
    """Widths of families in which each member has its own: alike, and with a control token."""
    if all(port.type != "T*" for port in operator.signature.ports):
        yield {}
        return
    for widths in ([width + k for k in range(arity)], [width * (k != 1) for k in range(arity)]):
        yield {**{f"T{k}": each for k, each in enumerate(widths)}, "P": sum(widths)}


def memory_case(
    kind: str, stores: int, loads: int, width: int, address: int, name: str, **said: AttributeValue
) -> Case:
    """A memory controller; `name` is the array it serves, `said` what it says of its hardware."""
    rows = CATALOGUE.values()
    operator = next(row for row in rows if row.hardware.memory_kind == KINDS[kind])
    attributes = {"memory": name, "stores": stores, "loads": loads, **said}
    return Case(
        operator,
        Shape(
            (width, address) * stores + (address,) * loads,
            (width,) * loads + (0,) * (stores + loads),
            attributes,
        ),
    )


def circuit(name: str, units: Sequence[Case], memories: Sequence[Memory] = ()) -> Netlist:
    """Every unit alone, each of its ports an outside port ``<unit>_<port>``."""
    made: list[Unit] = []
    ports: list[OutsidePort] = []
    channels: list[Channel] = []
    for number, case in enumerate(units):
        unit = f"x{number}_{case.operator.name.rpartition('.')[2]}"
        inputs, outputs = case.operator.signature.ports_of(case.shape)
        constants = {inputs[place].name: value for place, value in case.shape.constants.items()}
        made.append(Unit(unit, case.operator, case.shape.attributes, constants=constants))
        for port, width in zip(inputs, case.shape.inputs, strict=True):
            if port.name in constants:
                continue
            outside, inner = f"{unit}_{port.name}", Endpoint(unit, port.name)
            ports.append(OutsidePort(outside, "input", port.type, width))
            source = Endpoint("", outside)
            channels.append(Channel(f"c_{outside}", port.type, width, source, inner))
        for port, width in zip(outputs, case.shape.outputs, strict=True):
            outside, inner = f"{unit}_{port.name}", Endpoint(unit, port.name)
            ports.append(OutsidePort(outside, "output", port.type, width))
            target = Endpoint("", outside)
            channels.append(Channel(f"c_{outside}", port.type, width, inner, target))
    return Netlist(name, 64, tuple(ports), tuple(memories), tuple(made), tuple(channels))


def every_unit(
    widths: Sequence[int] = (0, 1, 8, 32, 64), arities: Sequence[int] = (2, 3)
) -> Netlist:
    """Every operator at every width, and memories of many kinds."""
    found = [case for width in widths for case in cases(width, arities)] + [*float_cases()]
    cases_, memories = every_memory()
    return circuit("every_unit", found + cases_, memories)


def format_of(case: Case) -> str:
    """The format of a float unit; of a conversion the first."""
    return str(case.shape.attributes[next(iter(case.operator.signature.formats))])


def every_unit_in_groups(
    widths: Sequence[int] = (0, 1, 8, 32, 64), arities: Sequence[int] = (2, 3)
) -> tuple[Netlist, ...]:
    """The units of `every_unit`, a circuit for each width, for each format, and for memories.

    A linter takes more than linear time for circuits of thousands of units.
    """
    floats: dict[str, list[Case]] = {}
    for case in float_cases():
        floats.setdefault(format_of(case), []).append(case)
    return (
        *(circuit(f"every_unit_{width}", list(cases(width, arities))) for width in widths),
        *(circuit(f"every_unit_{name}", found) for name, found in floats.items()),
        circuit("every_unit_memories", *every_memory()),
    )


def every_memory() -> tuple[list[Case], list[Memory]]:
    """Memories inside and outside, of one to three ports a side, checked and not."""
    cases_: list[Case] = []
    memories: list[Memory] = []
    kinds = itertools.product(KINDS.values(), (0, 1, 2, 3), (0, 1, 3), ((10, 64), (16, 4)))
    for kind, stores, loads, (depth, address) in kinds:
        if stores + loads == 0 or (depth == 16 and stores == 3) or (stores and not kind.is_written):
            continue
        name = f"m{len(memories)}"
        contents = None
        if not kind.is_outside and (stores == 0 or loads == 3):
            contents = encode_elements(
                (k * 0x9E3779B9 if stores < 2 else 5) % 256 for k in range(depth)
            )
        memories.append(Memory(name, "i8", 8, depth, kind, contents))
        cases_.append(memory_case(kind.name, stores, loads, 8, address, name))
    for stores, loads, depth in ((1, 1, 10), (0, 3, 16), (3, 3, 10)):
        name = f"m{len(memories)}"
        memories.append(Memory(name, "i8", 8, depth, INTERNAL, encode_elements(range(depth))))
        cases_.append(memory_case("internal", stores, loads, 8, 64, name, latency=2))
    memories.append(Memory("tiny", "i1", 1, 1, INTERNAL))
    cases_.append(memory_case("internal", 1, 1, 1, 64, "tiny"))
    memories.append(Memory("unwritten", "i8", 8, 6, INTERNAL))
    cases_.append(memory_case("internal", 0, 2, 8, 64, "unwritten"))
    return cases_, memories
