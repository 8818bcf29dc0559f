"""The module of a static loop in a dynamic circuit: its machine between channels."""

from __future__ import annotations

from collections.abc import Iterator

from loom.dialects.operators.island_operator import ports_of_island
from loom.dialects.operators.operator import Port
from loom.emit.machine import machine_modules
from loom.emit.machine_memories import ChannelPin, Outline
from loom.emit.modules import Module
from loom.emit.render import Rendered
from loom.netlist.fsmd.island import machine_of, waiting_memories
from loom.netlist.netlist import OutsidePort


def render_island(module: Module) -> Rendered:
    """The module's text, with those of its units."""
    shape = module.shape
    ports = ports_of_island(shape)
    inputs, outputs = module.operator.signature.ports_of(shape)
    fed = list(zip(inputs, shape.inputs, strict=True))
    given = list(zip(outputs, shape.outputs, strict=True))
    first, last = 1 + ports.values, 1 + ports.results
    outside = [OutsidePort(port.name, "input", "", width) for port, width in fed[:first]]
    outside += [OutsidePort(port.name, "output", "", width) for port, width in given[:last]]
    pins = [
        *(pin for port, width in fed[first:] for pin in pins_of(port, width, is_input=True)),
        *(pin for port, width in given[last:] for pin in pins_of(port, width, is_input=False)),
    ]
    fsmd = machine_of(shape)
    title = shape.text("title").replace("_", " at line ", 1)
    outline = Outline(
        module.name, outside, (), (), f"The {title}.", pins=pins,
        waiting=waiting_memories(fsmd, ports),
    )  # fmt: skip
    texts = machine_modules(fsmd, outline)
    text = texts.pop(module.name)
    needs = tuple(Rendered(name, each, True, (), ()) for name, each in texts.items())
    return Rendered(module.name, text, True, (), needs)


def pins_of(port: Port, width: int, *, is_input: bool) -> Iterator[ChannelPin]:
    """The pins of a channel to or from a memory."""
    there, back = ("i", "o") if is_input else ("o", "i")
    ahead, against = ("input", "output") if is_input else ("output", "input")
    if width:
        yield ChannelPin(f"{port.name}_data_{there}", ahead, width)
    yield ChannelPin(f"{port.name}_valid_{there}", ahead, 1)
    yield ChannelPin(f"{port.name}_ready_{back}", against, 1)
