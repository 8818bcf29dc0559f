"""What is compared: every unit that is proved, in all its structures, and the modules of buses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from loom_sim.stream_systems import wrap_program

from loom.bus.buses import AXIS, WRAPPERS, memories_on
from loom.bus.streams import adapter_texts
from loom.bus.wrap import RAM, wrap_circuit, wrapper_texts
from loom.emit.verilog_2005 import to_verilog_2005
from loom.front.api import compile_file
from loom.lower.options import Options
from tools.equivalence.compare import Pair
from tools.prove.units import ProofUnit, units
from tools.systems.circuits import EXAMPLES, SYSTEMS

PROGRAM = SYSTEMS["fir"].program
"""What stands behind each bus; it has arrays."""
SMALL = {RAM.name: (("DEPTH", "4"), ("ADDRESS_WIDTH", "2"))}
"""Sizes that a module is compared with in place of its own."""


def pairs(folder: Path = EXAMPLES) -> Iterator[tuple[str, Pair]]:
    """All pairs, by name."""
    for unit in units():
        yield unit.name, pair_of(unit)
    seen: set[str] = set()
    for bus in WRAPPERS:
        texts = bus_texts(bus, folder)
        for name, text in texts.items():
            if text not in seen:
                yield f"{name} of {bus}", Pair(name, SMALL.get(name, ()), texts, in_verilog(texts))
        seen |= {*texts.values()}


def pair_of(unit: ProofUnit) -> Pair:
    """A unit with its parts."""
    known = {unit.module.name, *(part.name for part in unit.rendered.needs)}
    texts = {name: text for name, text in unit.sources.items() if name in known}
    return Pair(unit.module.name, unit.instance.parameters, texts, in_verilog(texts))


def bus_texts(bus: str, folder: Path) -> dict[str, str]:
    """The modules between a circuit and a bus, but for the one at the top, which only connects."""
    if bus == AXIS:
        streams = wrap_program(folder / SYSTEMS["convolve"].program).map.streams
        own: Mapping[str, str] = dict(adapter_texts(streams))
    else:
        circuit = compile_file(folder / PROGRAM, options=Options(memories=memories_on(bus, ())))
        found = wrap_circuit(circuit.netlist, bus, circuit.signs).map
        texts = wrapper_texts(found)
        own = {path: text for path, text in texts.items() if Path(path).stem != found.module}
    return {Path(path).stem: text for path, text in own.items()}


def in_verilog(texts: Mapping[str, str]) -> dict[str, str]:
    """The same modules in Verilog-2005."""
    return {name: to_verilog_2005(text, name) for name, text in texts.items()}
