"""The module an instance of an operator needs: its name and all that its template reads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.operators.lanes import Lanes, requesters_of
from loom.dialects.operators.memories import address_bits, compares_addresses
from loom.dialects.operators.operator import (
    AttributeValue,
    Operator,
    Port,
    Shape,
    members_of,
)
from loom.elements import Elements
from loom.emit.banks import Banked, bank_elements, banked
from loom.emit.channel_ports import channel_ports
from loom.emit.lane_ports import lane_ports
from loom.emit.layout import assignment
from loom.emit.memory_text import Controller
from loom.emit.rams import Ports, Ram
from loom.emit.shared_port import shared_port
from loom.netlist.netlist import Memory

LAST_NAMES = Counter(name.rpartition(".")[2] for name in CATALOGUE)
DEFAULT_WIDTH = 32


@dataclass(frozen=True, slots=True)
class PortText:
    """A port as its module writes it: `width` is an expression, empty for a control port."""

    name: str
    width: str
    range: str


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a module and the value that an instance falls back to."""

    name: str
    default: int


@dataclass(frozen=True)
class ArrayText:
    """What a memory's module reads of its array: the RAM, and whether addresses may miss it.

    `controller` is what its text lists; `banked` where there are several RAMs, or several ports to
    read one; `packed` where a word outside has several elements.
    """

    checked: bool
    ram: Ram
    controller: Controller
    banked: Banked | None = None
    packed: bool = False


@dataclass(frozen=True)
class Module:
    """One module text to be; equal names mean equal texts."""

    name: str
    operator: Operator
    shape: Shape
    widths: Mapping[str, int]  # of this instance, by parameter [bits]
    inputs: tuple[PortText, ...]
    outputs: tuple[PortText, ...]
    parameters: tuple[Parameter, ...] = ()
    array: ArrayText | None = None
    exponent_widths: Mapping[str, int] = field(default_factory=dict)  # of float formats [bits]
    constants: tuple[PortText, ...] = ()

    @property
    def constant_parameters(self) -> tuple[tuple[str, str, str], ...]:
        """The parameters that are operands: name, type, default."""
        return tuple((port.name, f"logic {port.range[:-1]}", "'0") for port in self.constants)

    @property
    def exponent_parameters(self) -> tuple[tuple[str, str, int], ...]:
        """The parameters that tell a template the float formats: name, type, default."""
        return tuple((name, "integer", width) for name, width in self.exponent_widths.items())

    @property
    def latency(self) -> int:
        """As the row declares it for this instance [cycles]."""
        return self.operator.hardware.latency_of(self.shape)

    @property
    def attributes(self) -> Mapping[str, AttributeValue]:
        """The attributes of the instance that the text is rendered for."""
        return self.shape.attributes

    @property
    def narrows(self) -> bool:
        """True if the function drops the high bits of its only operand."""
        inputs, outputs = self.shape.inputs, self.shape.outputs
        return len(inputs) == len(outputs) == 1 and inputs[0] > outputs[0]

    def function(self, inputs: str, outputs: str) -> str:
        """The operator's function, its port names followed by `inputs` and `outputs`.

        One statement becomes an assign: Icarus takes no constant select in an always_comb.
        """
        suffix = {port.name: inputs for port in self.inputs}
        suffix |= {port.name: outputs for port in self.outputs}
        suffix |= {port.name: "_constant" for port in self.constants}
        text = re.sub(
            r"(?<!')\b[a-z_][a-z0-9_]*\b",
            lambda word: word[0] + suffix.get(word[0], ""),
            self.operator.hardware.verilog_of(self.shape),
        )
        if text.count(";") == 1:
            return assignment(text)
        if not text:
            return "  // Control tokens only: there is nothing to compute."
        body = "\n".join(f"    {line}" for line in text.splitlines())
        return f"  always_comb begin : compute\n{body}\n  end"


def variables_of(ports: tuple[Port, ...], widths: tuple[int, ...]) -> dict[str, int]:
    """Width [bits] by parameter name, in port order; control ports have no parameter."""
    return {
        f"{port.type.upper()}_WIDTH": width
        for port, width in zip(ports, widths, strict=True)
        if width and port.type not in ("i1", "none")
    }


def module_name(operator: Operator, shape: Shape, ports: tuple[Port, ...]) -> str:
    """The name that says all of an instance that changes its module's text."""
    dialect_name = operator.name.replace(".", "_")
    last = operator.name.rpartition(".")[2]
    words = ["loom", last if LAST_NAMES[last] <= 1 else dialect_name]
    if variant := operator.hardware.variant_of(shape):
        words.append(variant)
    if operator.signature.arrange is not None:
        usual = operator.signature.defaults
        values = (
            (name, value)
            for name in operator.signature.attributes
            if (value := shape.attributes.get(name)) != usual.get(name, ...)
            and name not in operator.hardware.facts_of(shape)
        )
        words += [f"{value}_{name}" for name, value in values if type(value) is int]
    elif any(port.many for port in operator.signature.ports):
        side = max(
            (operator.signature.inputs, shape.inputs),
            (operator.signature.outputs, shape.outputs),
            key=family,
        )
        words.append(str(members_of(side[0], len(side[1]))))
    if shape.constants:
        words += [*(ports[place].name for place in shape.constants), "constant"]
    widths = (*shape.inputs, *shape.outputs)
    variable = zip(ports, widths, strict=True)
    if any(width == 0 and not says_itself(port) for port, width in variable):
        words.append("ctrl")
    return "_".join(words)


def family(side: tuple[tuple[Port, ...], tuple[int, ...]]) -> bool:
    """True of declared ports, with their widths, among which is a numbered family."""
    return any(port.many for port in side[0])


def says_itself(port: Port) -> bool:
    """True if the module's name need not say that the port has no data.

    A port with a type variable of its own has a letter in the variant.
    """
    return port.type in ("i1", "none") or port.type[-1].isdigit()


def address_width(memory: Memory) -> int:
    """Bits of an address of the memory's RAM [bits]."""
    return address_bits(memory.depth)


def module_of(operator: Operator, shape: Shape, memory: Memory | None, circuit: str) -> Module:
    """The module for one instance; `memory` is the array that the instance serves."""
    in_ports, out_ports = operator.signature.ports_of(shape)
    name = module_name(operator, shape, in_ports + out_ports)
    array = None
    widths = variables_of(in_ports + out_ports, shape.inputs + shape.outputs)
    if operator is ISLAND:
        name, widths = f"loom_island_{circuit}_{shape.text('title')}", {}
    if memory is not None:
        array = array_text(memory, operator, shape, widths["A_WIDTH"], circuit)
        name += "" if array.checked else "_unchecked"
        name += requesters_name(shape, f"{circuit}_{memory.name}")
        name += "_packed" if array.packed else ""
        name += "_accepts" if memory.kind.accepts(shape) else ""
        if array.banked is None:
            name += array.ram.name.removeprefix(f"loom_{memory.kind.storage}")
        else:
            name += f"_banked_{circuit}_{memory.name}"
    texts = tuple(map(port_text, in_ports, shape.inputs))
    return Module(
        name,
        operator,
        shape,
        widths,
        tuple(port for place, port in enumerate(texts) if place not in shape.constants),
        tuple(map(port_text, out_ports, shape.outputs)),
        tuple(Parameter(name, default_of(name, widths, operator)) for name in widths),
        array,
        operator.signature.exponent_widths_of(shape),
        tuple(texts[place] for place in shape.constants),
    )


def requesters_name(shape: Shape, own: str) -> str:
    """What a memory's module name says of its requesters; `own` is a name of this memory alone."""
    of_loads, of_stores = requesters_of(shape, "load"), requesters_of(shape, "store")
    if all(len(set(each)) == len(each) for each in (of_loads, of_stores)):
        return ""
    return "_serial" if set(of_loads) | set(of_stores) == {0} else f"_requesters_{own}"


def array_text(
    memory: Memory, operator: Operator, shape: Shape, bits: int, circuit: str
) -> ArrayText:
    """What a module text needs to know of `memory`, addressed with `bits` [bits].

    A memory inside that nobody writes has contents: zeros, where the program gives none.
    """
    lanes = memory.kind.lanes_of(shape)
    slow = operator.hardware.latency_of(shape) > 1 and not memory.kind.answers
    latency = operator.hardware.latency_of(shape) if slow else 1
    name = f"{circuit}_{memory.name}"
    writes = bool(shape.attributes["stores"])
    whole = ram_of(memory, memory.contents, name, latency, writes=writes)
    checked = compares_addresses(shape, bits, memory.depth)
    if lanes.plain:
        requesters = requesters_of(shape, "store"), requesters_of(shape, "load")
        if memory.kind.answers:
            packed = memory.kind.elements_a_word(shape) > 1
            accepts = memory.kind.accepts(shape)
            controller = channel_ports(requesters, checked=checked, packed=packed, accepts=accepts)
            return ArrayText(checked, whole, controller, packed=packed)
        controller = shared_port(requesters, whole, memory.kind, checked=checked)
        return ArrayText(checked, whole, controller)
    rams = {
        bank: bank_ram(memory, lanes, bank, f"{name}_bank{bank}", latency)
        for bank in sorted({lane.bank for lane in lanes.loads})
        if not memory.kind.is_outside
    }
    found = banked(lanes, memory, rams, bits)
    controller = lane_ports(found, latency, memory.kind, checked=checked)
    return ArrayText(checked, whole, controller, found)


def ram_of(
    memory: Memory,
    contents: Elements | None,
    name: str,
    latency: int,
    *,
    writes: bool,
    ports: Ports = "simple_dual",
    is_bank: bool = False,
) -> Ram:
    """The RAM of a memory; one inside that nobody writes has contents: zeros, if none are given.

    That of a bank is block RAM, however few its words are: `add_banks` counts it so.
    """
    contents = memory.kind.initial_elements(contents, memory.depth, is_written=writes)
    small = memory.kind.is_small(memory.depth) and not is_bank
    kind = f"loom_{memory.kind.storage}" + ("_small" if small and contents is None else "")
    kind += "" if latency == 1 else f"_latency_{latency}"
    return Ram(
        kind if contents is None else f"{kind}_{name}",
        ports,
        latency,
        contents=contents,
        word_width=memory.width,
        address_width=address_width(memory),
        writes=writes,
        small=small,
    )


def bank_ram(memory: Memory, lanes: Lanes, bank: int, name: str, latency: int) -> Ram:
    """The RAM of one bank, or the register."""
    partition = lanes.partition
    part = memory if partition is None else replace(memory, depth=partition.places)
    elements = bank_elements(memory, partition, bank)
    writes = any(lane.bank == bank for lane in lanes.stores)
    if lanes.registers:
        found = ram_of(part, elements, name, 1, writes=writes)
        return replace(
            found, name=found.name.replace(f"loom_{memory.kind.storage}", "loom_word", 1)
        )
    readers = sum(lane.bank == bank for lane in lanes.loads)
    ports: Ports = "simple_dual" if writes or readers < 2 else "true_dual"
    is_bank = partition is not None
    return ram_of(part, elements, name, latency, writes=writes, ports=ports, is_bank=is_bank)


def port_text(port: Port, width: int) -> PortText:
    """The port's width as an expression in its type variable."""
    if port.type == "i1":
        return PortText(port.name, "1", "")
    if port.type == "none" or width == 0:
        return PortText(port.name, "", "")
    parameter = f"{port.type.upper()}_WIDTH"
    return PortText(port.name, parameter, f"[{parameter}-1:0] ")


def default_of(name: str, widths: dict[str, int], operator: Operator) -> int:
    """A default that the module's text is right for: casts keep their direction."""
    if name == "P_WIDTH":
        return DEFAULT_WIDTH * max(1, len(widths) - 1)
    if operator.signature.formats:
        is_fixed = name.removesuffix("_WIDTH") in operator.signature.formats.values()
        return widths[name] if is_fixed else DEFAULT_WIDTH
    if operator.semantics.meaning is None or name != "S_WIDTH" or "T_WIDTH" not in widths:
        return DEFAULT_WIDTH
    if widths["S_WIDTH"] == widths["T_WIDTH"]:
        return DEFAULT_WIDTH
    return DEFAULT_WIDTH * 2 if widths["S_WIDTH"] > widths["T_WIDTH"] else DEFAULT_WIDTH // 2
