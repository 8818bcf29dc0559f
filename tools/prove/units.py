"""What there is to prove: every row of the catalogue, at every structure its template can have."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loom.dialects.operators import float_hardware
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.dataflow_operators import find_burst
from loom.dialects.operators.handshake_operators import buffer_variant, is_deep_buffer
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.operator import AttributeValue, Operator, Port, Shape
from loom.dialects.operators.ordering.comparators import DISTANCES
from loom.dialects.operators.ordering.load_store_queue import LOAD_STORE_QUEUE
from loom.dialects.operators.partitions import Partition, parse_partition
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    ForwardQueueOp,
    ForwardStoreOp,
    StoreQueueOp,
)
from loom.elements import encode_elements
from loom.emit.circuit import instance_of
from loom.emit.instance import Instance, memory_of
from loom.emit.modules import Module, module_of
from loom.emit.render import Rendered
from loom.netlist.netlist import Channel, Endpoint, Memory, Netlist, OutsidePort, Unit
from tools.prove.small_floats import scaled_shapes, small_shapes
from tools.prove.static_loop import sums_shape
from tools.prove.transparent import registers, transparent

WIDTH = 4
"""Of data [bits]: small, so that a function's whole table is part of the proof."""
PACKED_WIDTH = 8
"""Of elements that are packed into words."""
ADDRESS = 3
"""Of addresses [bits]."""
ARITIES = (1, 2, 3)
DEEP, RING = 33, 26
"""Slots of a buffer that has most of its words in a RAM, and of a ring without words."""
FEWER = {str(DEEP): "6", str(RING): "15"}
"""How many they are proved with, so that their tokens are counted easily."""
SLOTS = {WIDTH: (1, 2, 3, 5, 9, DEEP), 1: (4, 7, 10), 0: (1, 2, 3, 5, 15, RING)}
"""Of buffers by the width of data [tokens]: by hand, shift registers and rings."""
QUEUES = (("ls", 3), ("sl,l", 2))
"""Groups and places of load-store queues."""
FORWARDING = (ForwardStoreOp.name, ForwardQueueOp.name)
"""Units whose loads take values of pending stores."""
PENDING, PLACES = (2, 3, 5), (2, 4, 8)
"""Stores whose addresses are compared, of `FORWARDING` the second."""
LANES = (1, 2, 3)
"""Entries of a loop that take turns."""
CONSTANT = 5
"""Of pure operators."""
BURST = {0: 1, 1: 2, 2: 6}
"""Start, step and bound of streams."""
SPARE = 1
"""Registers behind an adder tree that has all it can have, at most [cycles]."""
DIGITS = (16, 2)
"""Of multipliers: the product in one piece, and an adder tree as wide ones have it [bits]."""
MEMBERS = ((3, 1, 2), (2, 0, 3), (0, 2, 1), (0, 0, 0))
"""Widths of families in which each member has its own [bits]."""
MANY_OPERANDS = 3
"""Whose table is too large for a proof; a float row's function has one of its own."""
SIDES = ((0, 1), (1, 0), (1, 1), (2, 2), (3, 2))
"""Stores and loads of the memories."""
DEPTHS = (6, 8)
"""Of the memories [words]: with addresses outside, and without."""


def partition(text: str) -> Partition:
    """The partition that prints as this text."""
    found = parse_partition(text)
    assert found is not None
    return found


BANKS: Mapping[bool, Sequence[tuple[int, int, int, dict[str, AttributeValue]]]] = {
    False: (
        (2, 2, 6, {"partition": partition("6%2")}),
        (1, 2, 8, {"partition": partition("8/4"), "latency": 2}),
        (1, 2, 6, {"partition": partition("2x3%3"), "load_banks": (0, 2)}),
        (2, 2, 6, {"partition": partition("6/1")}),
        (1, 2, 8, {"partition": partition("8/1"), "latency": 2}),
        (0, 2, 8, {"ports": 2}),
        (1, 3, 6, {"ports": 2}),
        (1, 3, 8, {"partition": partition("8%2"), "ports": 2, "latency": 2}),
    ),
    True: (
        (2, 2, 6, {"partition": partition("6%2")}),
        (3, 2, 8, {"partition": partition("8/4")}),
        (2, 2, 6, {"partition": partition("2x3%3"), "load_banks": (0, 2), "store_banks": (2, 2)}),
        (1, 2, 8, {"partition": partition("8/1")}),
        (2, 2, 6, {"partition": partition("6%2"), "latency": 2}),
        (1, 3, 8, {"partition": partition("8/4"), "latency": 3}),
        (1, 2, 6, {"partition": partition("2x3%3"), "load_banks": (0, 2), "latency": 3}),
    ),
}
"""Of memories in banks, by whether they are outside: stores, loads, elements, the attributes."""
CHANNELS: Sequence[tuple[int, int, int, dict[str, AttributeValue]]] = (
    (1, 1, 6, {"outstanding": 1}),
    (2, 2, 8, {"outstanding": 2}),
    (1, 1, 8, {"outstanding": 2}),
    (1, 1, 6, {"outstanding": 2, "pack": 32}),
    (2, 2, 8, {"outstanding": 3, "pack": 32}),
    (1, 1, 6, {"outstanding": 2, "accepts": True}),
    (2, 2, 8, {"outstanding": 3, "accepts": True}),
)
"""The same of memories behind channels, by how many requests are outstanding."""
SERIAL: Sequence[tuple[int, int, int, dict[str, AttributeValue]]] = (
    (2, 2, 6, {"store_requesters": (0, 0), "load_requesters": (0, 0)}),
    (3, 3, 8, {"store_requesters": (0, 1, 0), "load_requesters": (0, 0, 1)}),
)
"""The same of memories some of whose accesses are never requested in one cycle."""


@dataclass(frozen=True)
class ProofUnit:
    """One module with the parameters it is proved for, and all files it needs."""

    name: str
    module: Module
    instance: Instance
    rendered: Rendered
    memory: Memory | None = None

    @property
    def template(self) -> str:
        """The template of the module's text."""
        return self.module.operator.hardware.template_of(self.module.shape)

    @property
    def latency(self) -> int:
        """From the inputs valid to the outputs valid, as the row declares it [cycles]."""
        declared = self.module.operator.hardware.latency_of(self.module.shape)
        return int(dict(self.instance.parameters).get("LATENCY", declared))

    @property
    def slots(self) -> int:
        """Of a buffer, in the instance that is proved [tokens]."""
        declared = self.module.shape.integer("slots")
        return int(dict(self.instance.parameters).get("SLOTS", declared))

    @property
    def tabled(self) -> bool:
        """Whether the proof holds the function's whole table, or its own text stands for it."""
        many = len(self.module.shape.inputs) >= MANY_OPERANDS
        return not (many and self.module.operator.signature.formats)

    @property
    def registers(self) -> list[list[str]]:
        """Of a pipeline whose registers move together, those of its data by stage."""
        return registers(self.rendered.text, self.latency, float_hardware.DIGITS)

    @property
    def loads_alone(self) -> frozenset[int]:
        """Of a memory the loads whose data its RAM holds."""
        kind = self.module.operator.hardware.memory_kind
        return frozenset() if kind is None else kind.loads_alone(self.module.shape)

    def cut_from(self, name: str) -> list[str]:
        """The outputs whose ready the ready of this input does not see, as the row declares."""
        operator, shape = self.module.operator, self.module.shape
        ways, cuts = operator.ways_of(shape), operator.hardware.cuts_ready_of(shape)
        own = ways.get(name, "")
        outputs = (port.name for port in self.module.outputs)
        return [port for port in outputs if cuts or ways.get(port, "") != own]

    @property
    def sources(self) -> Mapping[str, str]:
        """Module name to SystemVerilog text, parts first."""
        found = {made.name: made.text for made in (*self.rendered.needs, self.rendered)}
        if self.module.operator.signature.formats and self.latency:
            name = self.module.name
            found[f"{name}_transparent"] = transparent(self.rendered.text, name)
        return found


def units() -> tuple[ProofUnit, ...]:
    """Everything to prove, in the order of the catalogue."""
    rows = [operator for operator in CATALOGUE.values() if operator.hardware.template]
    return tuple(unit for operator in rows for unit in units_of(operator))


def units_of(operator: Operator) -> Iterator[ProofUnit]:
    """The units of one row."""
    if operator.hardware.memory_kind:
        yield from memories(operator)
        return
    if operator is ISLAND:
        yield unit_of(operator, sums_shape())
        return
    if operator is LOAD_STORE_QUEUE:
        yield from queues()
        return
    if operator.signature.formats:
        shapes = small_shapes(operator, WIDTH)
        for shape in shapes:
            yield unit_of(operator, shape)
            for scaled in scaled_shapes(operator, shape):
                yield unit_of(operator, scaled)
        return
    many = any(port.many for port in operator.signature.ports)
    types = {port.type for port in operator.signature.ports}
    widths: tuple[int, ...] = (WIDTH,)
    if "slots" in operator.signature.attributes:
        widths = tuple(SLOTS)
    elif "T" in types and carries_control(operator):
        widths = (WIDTH, 0)
    back = (WIDTH - 1, 0) if "R" in types and carries_control(operator) else (WIDTH - 1,)
    combined = [
        (width, result, found)
        for width in widths
        for result in back
        for found in attribute_sets(operator, width)
    ]
    for width, result, attributes in combined:
        for arity in ARITIES if many else (1,):
            for other in widths_of_s(operator, arity):
                chosen = {"T": width, "R": result, "S": other, "A": ADDRESS, "index": WIDTH}
                for shape in shapes_of(operator, arity, chosen, attributes):
                    if operator.signature.fits(shape) and is_told_apart(shape):
                        yield from with_latencies(unit_of(operator, shape))
                        for folded in constant_sets(operator, shape):
                            yield unit_of(operator, folded)


def queues() -> Iterator[ProofUnit]:
    """Load-store queues of narrow data: one group, and two with loads before and behind stores."""
    for groups, depth in QUEUES:
        shape = Shape((), (), {"groups": groups, "depth": depth, "outstanding": 2})
        width = {"A": 1, "T": 1, "none": 0}
        sides = LOAD_STORE_QUEUE.signature.ports_of(shape)
        inputs, outputs = (tuple(width[port.type] for port in side) for side in sides)
        unit = unit_of(LOAD_STORE_QUEUE, Shape(inputs, outputs, shape.attributes))
        yield replace(unit, name=f"{unit.name} ({depth} places)")


def is_told_apart(shape: Shape) -> bool:
    """Whether it has another form than buffers of fewer slots, if it has so many."""
    slots = shape.attributes.get("slots")
    if slots == RING:
        return buffer_variant(shape).endswith("ring")
    return slots != DEEP or is_deep_buffer(shape)


def constant_sets(operator: Operator, shape: Shape) -> Iterator[Shape]:
    """The shape with constants: one of each operand that may be one.

    Of a stream that adds to below the bound, each operand and each two. Of any other all three,
    where the burst ends; one of a single token only where it adds.
    """
    names = [port.name for port in operator.signature.inputs]
    if "step_op" not in shape.attributes:
        for name in operator.signature.constants:
            yield replace(shape, constants={names.index(name): CONSTANT})
        return
    adds = shape.attributes["step_op"] == "+="
    if adds and shape.attributes["cont_cond"] == "<":
        for count in (1, 2):
            for places in itertools.combinations(BURST, count):
                yield replace(shape, constants={place: BURST[place] for place in places})
        yield replace(shape, inputs=(*shape.inputs, 0), constants={0: BURST[0], 1: BURST[1]})
    whole = replace(shape, inputs=(*shape.inputs, 0), constants=BURST)
    found = find_burst(whole)
    if found is not None and (adds or found.count > 1):
        yield whole


def with_latencies(unit: ProofUnit) -> Iterator[ProofUnit]:
    """The unit at each latency, where its module takes that as a parameter."""
    parameters = dict(unit.instance.parameters)
    if "LATENCY" not in parameters:
        yield unit
        return
    operator, shape = unit.module.operator, unit.module.shape
    for digit in DIGITS:
        # The latency of a multiplier as many digits wide, of the digits that hardware has.
        wide = Shape(tuple(DIGITS[0] * -(-width // digit) for width in shape.inputs), ())
        for latency in range(1, operator.hardware.latency_of(wide) + SPARE + 1):
            values = tuple({**parameters, "DIGIT": str(digit), "LATENCY": str(latency)}.items())
            name = (
                f"{unit.name} (digits of {digit} bits, {latency} {'cycle' + 's' * (latency > 1)})"
            )
            yield replace(unit, name=name, instance=replace(unit.instance, parameters=values))


def carries_control(operator: Operator) -> bool:
    """Whether T, and R, may also be a token without data: units that only steer, and buffers."""
    types = {port.type for port in operator.signature.ports}
    steers = operator.semantics.process is not None and types <= {"T", "R", "S", "i1"}
    return steers or operator.semantics.passes_control


def attribute_sets(operator: Operator, width: int) -> Iterator[dict[str, AttributeValue]]:
    """Every choice of attributes that changes the module's text, for data of `width` [bits]."""
    mask = (1 << width) - 1
    values: dict[str, Sequence[AttributeValue]] = {
        "slots": SLOTS.get(width, ()),
        "depth": PENDING,
        "value": (5,),
        "initial": ((), *((9 & mask,), (9 & mask, 6 & mask)) * (width != 1)),
        "unsigned": (False, True),
        "rotated": (False, True),
        "lanes": LANES,
        "distance": DISTANCES,
    }
    values |= operator.signature.choices
    if operator.name in FORWARDING:
        values["depth"] = PLACES
    for chosen in itertools.product(*(values[name] for name in operator.signature.attributes)):
        usual = dict(zip(operator.signature.attributes, chosen, strict=True))
        step = usual.get("step_op", "+="), usual.get("cont_cond", "<")
        if usual.get("lanes", 1) != 1 and step != ("+=", "<"):
            continue  # lanes are alike for all steps
        yield usual
        yield from ({**usual, "form": form} for form in operator.hardware.forms)


def widths_of_s(operator: Operator, arity: int) -> tuple[int, ...]:
    """Widths of S beside T [bits]: those that the row's own function text is meant for."""
    types = {port.type for port in operator.signature.ports}
    if "S" not in types:
        return (0,)
    if operator.semantics.meaning is None:
        return (max(1, (arity - 1).bit_length()),)
    found: list[int] = []
    for width in (WIDTH // 2, WIDTH, WIDTH + 2):
        text = operator.hardware.verilog_of(Shape((width,), (WIDTH,)))
        meant = 1 if "S_WIDTH" in text else -1 if "[T_WIDTH-1:0]" in text else 0
        if meant == (width < WIDTH) - (width > WIDTH):
            found.append(width)
    return tuple(found)


def shapes_of(
    operator: Operator, arity: int, widths: Mapping[str, int], attributes: dict[str, AttributeValue]
) -> Iterator[Shape]:
    """The shapes with families of `arity` ports; `widths` [bits] by type variable.

    Where each member of a family has a type of its own: all with data, mixed, all without.
    """
    known = {**widths, "i1": 1, "none": 0}
    types = {port.type for port in operator.signature.ports}
    patterns = {tuple(map(bool, members[:arity])): members for members in reversed(MEMBERS)}
    for members in patterns.values() if "T*" in types else ((),):
        own = {f"T{k}": width for k, width in zip(range(arity), members, strict=False)}
        known |= {**own, "P": sum(own.values())}
        counted = Shape(
            (0,) * port_count(operator.signature.inputs, arity),
            (0,) * port_count(operator.signature.outputs, arity),
        )
        inputs, outputs = operator.signature.ports_of(counted)
        yield Shape(
            tuple(known[port.type] for port in inputs),
            tuple(known[port.type] for port in outputs),
            attributes,
        )


def port_count(declared: Sequence[Port], arity: int) -> int:
    """How many ports there are with families of `arity`."""
    return sum(arity if port.many else 1 for port in declared)


def memories(operator: Operator) -> Iterator[ProofUnit]:
    """Controllers with one to three ports a side, with addresses outside and without."""
    kind = operator.hardware.memory_kind
    assert kind is not None
    sides = SIDES if kind.is_written else [(0, 1), (0, 2)]
    # The latency that a channel declares gives its slots, and nothing else.
    latencies = kind.latencies[:1] if kind.answers else kind.latencies
    choices = itertools.product(sides, DEPTHS, latencies)
    for (stores, loads), depth, latency in choices:
        if loads == 0 and latency != 1:
            continue  # nothing is read
        contents = None
        if not kind.is_outside and (stores == 0 or depth == DEPTHS[0]):
            contents = encode_elements((5 * k + 3) % (1 << WIDTH) for k in range(depth))
        memory = Memory("m", f"i{WIDTH}", WIDTH, depth, kind, contents)
        said: dict[str, AttributeValue] = {"memory": "m", "stores": stores, "loads": loads}
        if latency != 1:
            said["latency"] = latency
        yield unit_of(operator, memory_shape(said), memory)
    others = CHANNELS if kind.answers else BANKS[kind.is_outside]
    for stores, loads, depth, said_of_banks in (*others, *SERIAL):
        if not kind.is_written and "store_requesters" in said_of_banks:
            continue
        stores = stores if kind.is_written else 0
        contents = None
        if not kind.is_outside and (stores == 0 or depth == DEPTHS[0]):
            contents = encode_elements((5 * k + 3) % (1 << WIDTH) for k in range(depth))
        width = PACKED_WIDTH if "pack" in said_of_banks else WIDTH
        memory = Memory("m", f"i{width}", width, depth, kind, contents)
        said = {"memory": "m", "stores": stores, "loads": loads, **said_of_banks}
        unit = unit_of(operator, memory_shape(said, width), memory)
        yield replace(unit, name=f"{unit.name} ({described(said_of_banks)})")


def described(said: Mapping[str, AttributeValue]) -> str:
    """What a memory says of its banks, in words."""
    words = {"partition": "{}", "ports": "{} ports", "latency": "latency {}"}
    words |= {"outstanding": "{} outstanding", "pack": "words of {} bits"}
    found = [words[name].format(value) for name, value in said.items() if name in words]
    found += ["known banks"] * ("load_banks" in said)
    found += ["stores accepted early"] * ("accepts" in said)
    return ", ".join(found + ["requesters"] * ("load_requesters" in said))


def memory_shape(said: dict[str, AttributeValue], width: int = WIDTH) -> Shape:
    """The shape of a memory's unit with these attributes, and elements of `width` [bits]."""
    stores, loads = said["stores"], said["loads"]
    assert isinstance(stores, int) and isinstance(loads, int)
    return Shape(
        (width, ADDRESS) * stores + (ADDRESS,) * loads,
        (width,) * loads + (0,) * (stores + loads + stores * bool(said.get("accepts"))),
        said,
    )


def unit_of(operator: Operator, shape: Shape, memory: Memory | None = None) -> ProofUnit:
    """The unit for one instance, rendered."""
    inputs, outputs = operator.signature.ports_of(shape)
    constants = {inputs[place].name: value for place, value in shape.constants.items()}
    unit = Unit("dut", operator, shape.attributes, constants=constants)
    ports: list[OutsidePort] = []
    channels: list[Channel] = []
    for port, width in zip(inputs, shape.inputs, strict=True):
        if port.name in constants:
            continue
        ports.append(OutsidePort(port.name, "input", port.type, width))
        ends = Endpoint("", port.name), Endpoint("dut", port.name)
        channels.append(Channel(port.name, port.type, width, *ends))
    for port, width in zip(outputs, shape.outputs, strict=True):
        ports.append(OutsidePort(port.name, "output", port.type, width))
        ends = Endpoint("dut", port.name), Endpoint("", port.name)
        channels.append(Channel(port.name, port.type, width, *ends))
    kept = (memory,) if memory else ()
    netlist = Netlist("proof", WIDTH, tuple(ports), kept, (unit,), tuple(channels))
    modules: dict[str, Rendered] = {}
    instance = with_fewer_slots(instance_of(netlist, unit, modules))
    module = module_of(operator, shape, memory_of(netlist, unit), netlist.name)
    details = []
    if "S_WIDTH" in module.widths and operator.semantics.meaning is not None:
        details.append(f"{module.widths['S_WIDTH']} to {module.widths['T_WIDTH']} bits")
    if "SLOTS" in dict(instance.parameters):
        details.append(f"{dict(instance.parameters)['SLOTS']} slots")
    if operator.name in (DisambiguateOp.name, StoreQueueOp.name, *FORWARDING):
        details.append(f"{shape.integer('depth')} addresses")
    if "LANES" in dict(instance.parameters):
        details.append(f"{shape.integer('lanes')} lanes")
    name = f"{module.name} ({', '.join(details)})" if details else module.name
    return ProofUnit(name, module, instance, modules[module.name], memory)


def with_fewer_slots(instance: Instance) -> Instance:
    """The instance; with fewer slots where its module is the same with so few."""
    fewer = ((n, FEWER.get(v, v) if n == "SLOTS" else v) for n, v in instance.parameters)
    return replace(instance, parameters=tuple(fewer))
