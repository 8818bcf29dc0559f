"""One unit in a compiled bench: built in a folder of its own, run, and its answer read."""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from loom_sim.build import Builder, Variant
from loom_sim.cache import cache_root
from loom_sim.programs import find_programs

from loom.errors import LoomError, Place
from loom.processes.child import Finished, Limits, run_child
from loom.processes.unwind import scratch_folder
from tools.floats.host import header
from tools.floats.units import FloatUnit

FOLDER = Path(__file__).parent
SAID = re.compile(r"(\d+) vectors, (\d+) mismatches, (\d+) cycles")
TIMEOUT = 1200.0
"""For a step of the build, or the run [s]."""


@dataclass(frozen=True)
class Answer:
    """How many vectors ran, how many differed, in how many cycles, and what was said of them."""

    vectors: int
    mismatches: int
    cycles: int
    said: str


def run_unit(unit: FloatUnit, vectors: int, seed: int = 1, stalls: int = 0) -> Answer:
    """The answer of so many vectors; operands of at most 16 bits in all are tried exhaustively.

    In `stalls` of 16 cycles the consumer refuses. Refused: SIM_BUILD, and what finding the
    programs refuses.
    """
    with scratch_folder("loom-floats-") as folder:
        build(unit, folder)
        done = step(["./bench", str(vectors), str(seed), str(stalls)], folder)
    found = SAID.search(done.output)
    if found is None:
        raise failed(unit.name, done)
    return Answer(int(found[1]), int(found[2]), int(found[3]), done.output)


def build(unit: FloatUnit, folder: Path) -> None:
    """The program ``bench`` stands in the folder."""
    programs = find_programs()
    variant = Variant(wave=False, fast=True)
    runtime = Builder(programs, cache_root(None), TIMEOUT).runtime(variant)
    for file in ("bench.cpp", "host.h", "vectors.h"):
        shutil.copyfile(FOLDER / file, folder / file)
    (folder / "unit.h").write_text(header(unit), encoding="utf-8")
    source = f"{unit.module.name}.sv"
    (folder / source).write_text(unit.rendered.text, encoding="utf-8")
    widths = [f"-G{variable}_WIDTH={width}" for variable, width in unit.integers.items()]
    ports = [port.name for port in unit.module.operator.signature.inputs]
    for place, value in unit.module.shape.constants.items():
        width = unit.module.shape.inputs[place]
        widths.append(f"-G{ports[place].upper()}={width}'h{value:x}")
    flags = ["--cc", "-Wall", "--no-timing", "--prefix", "Vunit", "--Mdir", ".", "-O3"]
    top = ["--top-module", unit.module.name, source]
    commands = [[str(programs.verilator), *flags, *widths, *top]]
    compiler = [programs.compiler, *variant.compiler_flags(programs), "-O2", "-I."]
    objects = [str(path) for path in sorted(runtime.glob("*.o")) if "vpi" not in path.name]
    run_steps(unit, commands, folder)
    sources = ["bench.cpp", *sorted(path.name for path in folder.glob("Vunit*.cpp"))]
    (folder / "all.cpp").write_text("".join(f'#include "{source}"\n' for source in sources))
    run_steps(unit, [[*compiler, "all.cpp", *objects, "-o", "bench", "-pthread"]], folder)


def run_steps(unit: FloatUnit, commands: list[list[str]], folder: Path) -> None:
    """Every command has succeeded."""
    for command in commands:
        done = step(command, folder)
        if done.status != 0:
            raise failed(unit.name, done)


def step(command: list[str], folder: Path) -> Finished:
    """A command of the build has ended."""
    root = str(find_programs().verilator_root)
    return run_child(command, folder, {**os.environ, "VERILATOR_ROOT": root}, Limits(TIMEOUT))


def failed(name: str, done: Finished) -> LoomError:
    """The refusal of a bench that could not be built or did not end."""
    end = "took too long" if done.timed_out else f"ended with status {done.status}"
    lines = "\n  ".join(line for line in done.output.splitlines() if line.strip())[-4000:]
    return LoomError(
        "SIM_BUILD",
        Place(name),
        f"a bench that {end}:\n  {lines}\n",
        "SystemVerilog that Verilator takes without a warning, and a working C++ compiler",
    )
