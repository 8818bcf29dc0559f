"""The memories of a machine: ports of RAMs outside, RAMs inside, and what it waits for.

A schedule says when an answer is there. A memory behind channels answers in any cycle: the machine
stands still in a cycle whose answers have not all come, or in which a request is not accepted, and
all its registers have the enable `advance`. Between its ports and the channels stands the
controller of dynamic circuits, which keeps answers that come earlier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from loom.dialects.operators.handshake_operators import ERROR_RESPONSE, OUT_OF_RANGE
from loom.dialects.operators.memories import DONE_LATENCY, SMALL_DEPTH
from loom.dialects.operators.runtime_errors import OF_EVERY_CIRCUIT, RUNTIME_ERRORS
from loom.emit.boundary import DEFAULT_BOUNDARY, ENABLE, Boundary, change_registers
from loom.emit.instance import (
    Instance,
    MemoryPorts,
    Pin,
    memory_facts,
    memory_of,
    memory_pins,
)
from loom.emit.layout import chain
from loom.emit.modules import module_of
from loom.emit.rams import Ram
from loom.emit.render import Rendered, ram_text, render_module, template
from loom.netlist.fsmd.fsmd import Fsmd, ReadPort, WritePort
from loom.netlist.netlist import Memory, Netlist, OutsidePort, Unit

TWO_READERS = "memory/parts/rom"
"""The template of an array that two ports read and nobody writes."""
ADVANCE = "advance"
"""The net that is 1 in a cycle in which the machine goes on."""
HELD_ENABLE = "advance_i"
"""The pin of a unit of the machine for it."""
HELD = "_held"
"""Ends the name of such a unit's module."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A port of the machine to a memory behind channels, whose nets begin with `name`.

    `asks` is the signal of a request; its answer is due `latency` [cycles] later.
    """

    name: str
    asks: str
    latency: int


@dataclass(frozen=True)
class Controller:
    """The controller of an array behind channels: its module, and the parameters of an instance."""

    memory: Memory
    rendered: Rendered
    parameters: tuple[Pin, ...]
    outside: tuple[Pin, ...]
    """The pins of the channels outside, and the ports of the circuit there."""

    @property
    def refused(self) -> str:
        """The net that is 1 when an answer is an error."""
        return f"{self.memory.name}_refused"


@dataclass(frozen=True)
class Inside:
    """An array inside the machine; `contents` are its initial words, if it has some."""

    name: str
    width: int
    depth: int
    contents: Sequence[int] | None = None


@dataclass(frozen=True)
class ChannelPin:
    """A pin of a channel to or from a memory; `width` [bits]."""

    name: str
    direction: str
    width: int


@dataclass(frozen=True)
class Outline:
    """What surrounds a machine: its name, its ports, the memories outside and inside, its edge.

    Of an island in a dynamic circuit `pins` are those of its channels to memories: no RAM is
    beside it, and its error is one bit.
    """

    name: str
    ports: Sequence[OutsidePort]
    outside: Sequence[MemoryPorts]
    inside: Sequence[Inside]
    summary: str
    edge: Boundary = DEFAULT_BOUNDARY
    pins: Sequence[ChannelPin] | None = None
    controllers: Sequence[Controller] = ()
    """Those of the arrays behind channels, for which the machine stands still."""
    waiting: Container[str] = frozenset()
    """Of an island the memories behind channels, whose controllers are units of the circuit."""

    @property
    def is_island(self) -> bool:
        """Whether the machine is a unit of a dynamic circuit."""
        return self.pins is not None


def controllers_of(netlist: Netlist) -> Iterator[Controller]:
    """The controllers of the arrays behind channels, in the order of the netlist."""
    for unit in netlist.units:
        memory = memory_of(netlist, unit)
        if memory is not None and memory.kind.answers:
            yield controller_of(netlist, unit, memory)


def controller_of(netlist: Netlist, unit: Unit, memory: Memory) -> Controller:
    """The controller of one load port and one store port; the machine has compared addresses."""
    shape = netlist.shape_by_unit[unit.name]
    module = module_of(unit.operator, shape, memory, netlist.name)
    rendered = render_module(module)
    facts = memory_facts(memory, shape)
    parameters = [(name, str(width)) for name, width in module.widths.items()]
    parameters += [(each.fact.upper(), str(facts[each.fact])) for each in rendered.parameters]
    return Controller(memory, rendered, tuple(parameters), memory_pins(memory, shape))


def waits_of(fsmd: Fsmd, arrays: Container[str]) -> tuple[Wait, ...]:
    """The ports of the machine to the arrays behind channels."""
    reads = [("rd", port.memory, port.enable, port.latency) for port in fsmd.reads]
    writes = [("wr", port.memory, port.enable, port.latency) for port in fsmd.writes]
    return tuple(
        Wait(f"{memory}_{verb}", enable, latency)
        for verb, memory, enable, latency in (*reads, *writes)
        if memory in arrays
    )


def instance_of_controller(
    each: Controller,
    read: ReadPort | None,
    write: WritePort | None,
    operand: Callable[[str], str],
    spare: Callable[[str, int], str],
    pin: Callable[[str], str],
) -> Instance:
    """The controller beside the machine, between its ports and the channels outside.

    `operand` is the text of a signal, `spare` a net that nothing reads, `pin` the net in the place
    of a port of the circuit. Done tokens of loads are taken as they come: the datum says it.
    """
    name = each.memory.name
    pins = [("clk_i", "clk_i"), ("rst_ni", "rst_ni")]

    def request(channel: str, wait: str, payload: str, ready: str) -> None:
        pins.append((f"{channel}_data_i", operand(payload)))
        pins.append((f"{channel}_valid_i", f"{wait}_valid"))
        pins.append((f"{channel}_ready_o", ready))

    def answer(channel: str, wait: str) -> None:
        pins.append((f"{channel}_valid_o", f"{wait}_answer"))
        pins.append((f"{channel}_ready_i", f"{wait}_take"))

    if write is not None:
        wait = f"{name}_wr"
        request("st_data0", wait, write.data, spare(f"{wait}_data_ready", 1))
        request("st_address0", wait, write.address, f"{wait}_ready")
    if read is not None:
        wait = f"{name}_rd"
        request("ld_address0", wait, read.address, f"{wait}_ready")
        pins.append(("ld_data0_data_o", read.name))
        answer("ld_data0", wait)
    if write is not None:
        answer("st_done0", f"{name}_wr")
    if read is not None:
        pins.append(("ld_done0_valid_o", spare(f"{name}_rd_done_valid", 1)))
        pins.append(("ld_done0_ready_i", "1'b1"))
    pins.append(("error_o", spare(f"{name}_error", 1)))
    pins.append(("refused_o", each.refused))
    pins += [(inner, pin(outer)) for inner, outer in each.outside]
    return Instance(f"memory_{name}", each.rendered.name, each.parameters, tuple(pins))


def held(rendered: Rendered) -> Iterator[tuple[str, str]]:
    """The modules of a unit that stands still with the machine: names and texts, deepest first."""
    modules = (*rendered.needs, rendered)
    names = {each.name for each in modules if each.clocked}
    edge = Boundary(clock_enable=True)
    for each in modules:
        if not each.clocked:
            yield each.name, each.text
            continue
        text = change_registers(each.text, each.name, edge, enable=HELD_ENABLE)
        yield f"{each.name}{HELD}", re.sub(r"\w+", lambda w: renamed(w[0], names), text)


def renamed(word: str, names: set[str]) -> str:
    """The word, with the ending of held modules if it is the name of one."""
    return f"{word}{HELD}" if word in names else word


@dataclass(frozen=True)
class RegisteredWord:
    """The word of a RAM that comes while an island stands still, in a register: `name`_word_q."""

    name: str
    width: int
    answer: str
    """The channel that it comes on."""


class Text(Protocol):
    """What the text of a machine offers: modules so far, widths [bits], signals and new nets."""

    modules: dict[str, str]
    width: dict[str, int]

    def operand(self, name: str) -> str:
        """A signal in an expression: constants as numbers."""
        ...

    def spare(self, name: str, width: int) -> str:
        """A net that nothing reads."""
        ...


class MachineMemories:
    """The lines and instances of one machine's memories, and of the latch of its error code."""

    def __init__(self, fsmd: Fsmd, outline: Outline, text: Text) -> None:
        self.fsmd, self.outline, self.text = fsmd, outline, text
        self.controllers = {each.memory.name: each for each in outline.controllers}
        self.behind = outline.waiting if outline.is_island else self.controllers
        self.waits = [
            replace(each, asks=text.operand(each.asks)) for each in waits_of(fsmd, self.behind)
        ]
        self.goes_on = f" & {ADVANCE}" if self.waits else ""

    def lines(self) -> tuple[list[str], list[Instance]]:
        """Ports of the arrays outside, RAMs of those inside; in reset nothing is written."""
        if self.outline.is_island:
            return self.channels(), []
        lines: list[str] = []
        edge = self.outline.edge
        enabled = self.goes_on + (f" & {ENABLE}" if edge.clock_enable else "")
        awake = "" if edge.asynchronous else f" & {edge.inside_reset}"
        inside = {array.name for array in self.outline.inside}
        reads = {port.memory: port for port in self.fsmd.reads if port.memory not in inside}
        writes = {port.memory: port for port in self.fsmd.writes}
        found = []
        for memory in self.outline.outside:
            read, write = reads.get(memory.name), writes.get(memory.name)
            if memory.name in self.controllers:
                found.append(self.controller(self.controllers[memory.name], read, write))
                continue
            if read is not None:
                lines += [
                    f"  assign {memory.name}_rd_en_o = {self.text.operand(read.enable)}{enabled};",
                    f"  assign {memory.name}_rd_addr_o = {self.text.operand(read.address)};",
                    f"  assign {read.name} = {memory.name}_rd_data_i;",
                ]
            if write is not None:
                stores = f"{self.text.operand(write.enable)}{awake}{enabled}"
                lines += [
                    f"  assign {memory.name}_wr_en_o = {stores};",
                    f"  assign {memory.name}_wr_addr_o = {self.text.operand(write.address)};",
                    f"  assign {memory.name}_wr_data_o = {self.text.operand(write.data)};",
                ]
        for array in self.outline.inside:
            found += self.rams(array, writes.get(array.name), awake)
        return lines, found

    def controller(
        self, each: Controller, read: ReadPort | None, write: WritePort | None
    ) -> Instance:
        """The controller of an array behind channels."""
        for part in (*each.rendered.needs, each.rendered):
            self.text.modules.setdefault(part.name, part.text)
        inside = {f"{name}_o": f"{name}_inside" for name in self.guarded()}

        def pin(port: str) -> str:
            return inside.get(port, port)

        return instance_of_controller(each, read, write, self.text.operand, self.text.spare, pin)

    def guarded(self) -> list[str]:
        """The outputs to channels that a clock enable holds low, without their ``_o``."""
        pins = [outer for each in self.controllers.values() for _, outer in each.outside]
        asks = [pin.removesuffix("_o") for pin in pins if pin.endswith(("_valid_o", "_ready_o"))]
        return asks if self.outline.edge.clock_enable else []

    def silent_pins(self) -> Iterator[str]:
        """The pins that nothing but a check reads: requests are accepted, answers come in time."""
        fsmd, read = self.fsmd, set[str]()
        for k, port in enumerate(fsmd.reads):
            if port.memory in self.behind:
                read |= {f"ld_address{k}_ready_i", f"ld_data{k}_valid_i"}
            elif self.waits:
                read.add(f"ld_data{k}_valid_i")
        for k, each in enumerate(fsmd.writes):
            if each.memory in self.behind:
                read |= {f"st_address{k}_ready_i", f"st_done{k}_valid_i"}
        for pin in self.outline.pins or ():
            is_data = pin.direction == "output" or pin.name.endswith("_data_i")
            if not is_data and pin.name not in read:
                yield pin.name

    def registered_words(self) -> list[RegisteredWord]:
        """What an island that stands still keeps of its RAMs."""
        if not self.waits or not self.outline.is_island:
            return []
        return [
            RegisteredWord(port.name, port.width, f"ld_data{k}")
            for k, port in enumerate(self.fsmd.reads)
            if port.memory not in self.behind
        ]

    def channels(self) -> list[str]:
        """The channels of an island to its memories: a RAM accepts a request in its cycle.

        Where it may stand still it makes such a request in a cycle in which it goes on.
        """
        width = {pin.name: pin.width for pin in self.outline.pins or ()}
        lines: list[str] = []

        def drive(port: str, valid: str, data: str, bits: int) -> None:
            pin = f"{port}_data_o"
            more = width[pin] - bits
            text = self.text.operand(data)
            text = f"{{{more}'d0, {text}}}" if more else text
            lines.append(f"  assign {port}_valid_o = {valid};")
            lines.append(f"  assign {pin} = {text};")

        def valid_of(wait: str, port: ReadPort | WritePort) -> str:
            is_behind = port.memory in self.behind
            return f"{wait}_valid" if is_behind else self.text.operand(port.enable) + self.goes_on

        def accept(wait: str, port: ReadPort | WritePort, request: str, answer: str) -> None:
            if port.memory not in self.behind:
                lines.append(f"  assign {answer}_ready_o = 1'b1;")
                return
            lines.append(f"  assign {wait}_ready = {request}_ready_i;")
            lines.append(f"  assign {wait}_answer = {answer}_valid_i;")
            lines.append(f"  assign {answer}_ready_o = {wait}_take;")

        kept = {each.name for each in self.registered_words()}
        for k, read in enumerate(self.fsmd.reads):
            request, answer, wait = f"ld_address{k}", f"ld_data{k}", f"{read.memory}_rd"
            bits = self.text.width[read.address]
            drive(request, valid_of(wait, read), read.address, bits)
            word = [f"{answer}_data_i"]
            if read.name in kept:
                word.insert(0, f"{read.name}_kept_q ? {read.name}_word_q")
            lines.append(chain(word, f"  assign {read.name} = ", ":"))
            accept(wait, read, request, answer)
        for k, write in enumerate(self.fsmd.writes):
            request, answer, wait = f"st_address{k}", f"st_done{k}", f"{write.memory}_wr"
            valid = valid_of(wait, write)
            drive(f"st_data{k}", valid, write.data, self.text.width[write.data])
            drive(request, valid, write.address, self.text.width[write.address])
            accept(wait, write, request, answer)
        return lines

    def seam(self) -> list[dict[str, Any]]:
        """What is checked at the channels of an island: requests, answer and the time between."""
        if not self.outline.is_island:
            return []
        loads = [
            {"answer": f"ld_data{k}", "requests": [f"ld_address{k}"], "latency": port.latency}
            for k, port in enumerate(self.fsmd.reads)
            if port.memory not in self.behind
        ]
        stores = [
            {
                "answer": f"st_done{k}",
                "requests": [f"st_data{k}", f"st_address{k}"],
                "latency": DONE_LATENCY,
            }
            for k, port in enumerate(self.fsmd.writes)
            if port.memory not in self.behind
        ]
        return [*loads, *stores]

    def rams(self, array: Inside, write: WritePort | None, awake: str) -> Iterator[Instance]:
        """The RAMs of an array inside, which are written where the circuit is awake.

        One for each read port, with the same words; of an array that nobody writes one for two.
        """
        reads = [port for port in self.fsmd.reads if port.memory == array.name]
        each = 2 if write is None else 1
        for number, first in enumerate(range(0, len(reads), each)):
            yield self.ram(array, number, reads[first : first + each], write, awake)

    def ram(
        self,
        array: Inside,
        number: int,
        reads: Sequence[ReadPort],
        write: WritePort | None,
        awake: str,
    ) -> Instance:
        """A RAM with one read port and perhaps one that writes, or a ROM with two that read."""
        bits = max(1, (array.depth - 1).bit_length())
        is_dual = len(reads) > 1
        contents = array.contents
        if contents is None and write is None:
            contents = [0] * array.depth
        small = array.depth <= SMALL_DEPTH
        if contents is not None:
            name = f"loom_{'rom' if is_dual else 'ram'}_{self.outline.name}_{array.name}"
        else:
            name = "loom_ram_small" if small else "loom_ram"
        ram = Ram(
            name,
            "true_dual" if is_dual else "simple_dual",
            contents=contents,
            word_width=array.width,
            address_width=bits,
            writes=write is not None,
            small=small,
        )
        text = str(template(TWO_READERS).make_module({"ram": ram})) if is_dual else ram_text(ram)
        self.text.modules.setdefault(name, text)
        pins = [("clk_i", "clk_i")]
        if write is not None:
            pins += [
                ("wr_en_i", f"{self.text.operand(write.enable)}{awake}{self.goes_on}"),
                ("wr_addr_i", self.text.operand(write.address)),
                ("wr_data_i", self.text.operand(write.data)),
            ]
        for read, port in zip(reads, ("a_", "b_") if is_dual else ("",), strict=True):
            request = "" if is_dual else "rd_"
            pins += [
                (f"{port}{request}en_i", f"{self.text.operand(read.enable)}{self.goes_on}"),
                (f"{port}{request}addr_i", self.text.operand(read.address)),
                (f"{port}rd_data_o", read.name),
            ]
        values = ("T_WIDTH", array.width), ("DEPTH", array.depth), ("ADDRESS_WIDTH", bits)
        pairs = tuple((key, str(value)) for key, value in values)
        title = f"ram{number or ''}_{array.name}"
        return Instance(title, name, pairs, tuple(pins))

    def error(self) -> Instance:
        """The latch of the error code."""
        refused = [each.refused for each in self.controllers.values()]
        outside = [f"{self.text.operand(self.fsmd.error)}{self.goes_on}"] if self.fsmd.error else []
        nets = {OUT_OF_RANGE: outside, ERROR_RESPONSE: refused}
        codes = OF_EVERY_CIRCUIT if not refused else RUNTIME_ERRORS
        made: Any = template("circuit/error_latch").make_module(
            {"errors": codes, "clear": self.outline.edge.error_clear}
        )
        self.text.modules[str(made.name)] = str(made)
        pins = [("clk_i", "clk_i"), ("rst_ni", "rst_ni")]
        for number, code in enumerate(codes):
            if code:
                pins.append((f"error_{number}_i", " | ".join(nets.get(code, [])) or "1'b0"))
        if self.outline.edge.error_clear:
            pins.append(("error_clear_i", "error_clear_i"))
        pins.append(("error_code_o", "error_code_o"))
        return Instance("error_latch", str(made.name), (), tuple(pins))
