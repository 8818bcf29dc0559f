"""The systems of `make systems`: each is a program behind a bus, as the texts of its modules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loom_sim.stream_systems import wrap_program

from loom.bus.buses import AXIS, memories_on
from loom.bus.wrap import wrap_circuit
from loom.front.api import compile_file
from loom.lower.options import Options

EXAMPLES = Path("examples")


@dataclass(frozen=True)
class System:
    """A program, by its path in `examples/`, and the bus that it is behind; `title`: in words."""

    bus: str
    program: str
    title: str


SYSTEMS: Mapping[str, System] = {
    "fir": System("axi4lite", "c/fir.c", "arrays in RAMs of the wrapper"),
    "fir_in_memory": System("axi4", "c/fir.c", "both arrays in memory, one master each"),
    "convolve": System("axis", "systems/convolve.c", "arrays are streams"),
    "spmv": System("axi4", "spmv.mlir", "five arrays in memory, one master each"),
}
"""By name."""


@dataclass(frozen=True)
class Modules:
    """The texts of a system's modules, and the names of the wrapper and of the kernel in it."""

    texts: tuple[str, ...]
    top: str
    kernel: str


def modules_of(system: System, folder: Path = EXAMPLES) -> Modules:
    """The system as the commands of `make systems` wrap it."""
    program = folder / system.program
    if system.bus == AXIS:
        streams = wrap_program(program)
        return Modules(sources(streams.files), streams.map.module, streams.map.kernel)
    options = Options(memories=memories_on(system.bus, ()))
    circuit = compile_file(program, options=options)
    made = wrap_circuit(circuit.netlist, system.bus, circuit.signs)
    return Modules(sources(made.files), made.map.module, circuit.netlist.name)


def sources(files: Mapping[str, str]) -> tuple[str, ...]:
    """The SystemVerilog among the files."""
    return tuple(text for path, text in files.items() if path.endswith(".sv"))
