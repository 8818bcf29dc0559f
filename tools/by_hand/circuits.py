"""The kernels of `examples/by_hand/` as black boxes: the same program, ports and memories."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from loom_sim.design import MODULE
from loom_sim.kernel import Kernel

from loom.errors import LoomError, Place
from loom.input_files import read_text

FOLDER = "by_hand"
"""Beside the programs: NAME.sv for NAME.mlir, and the modules that they share."""
PORTS = re.compile(r"^module (\w+) \(\n(.*?)^\);", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def names_of(folder: Path) -> list[str]:
    """The programs of the folder that have a module by hand."""
    files = (folder / FOLDER).glob("*.sv")
    return sorted(file.stem for file in files if (folder / f"{file.stem}.mlir").is_file())


def by_hand(kernel: Kernel, folder: Path) -> Kernel:
    """The kernel with a module by hand in place of its circuit.

    Refused: SIM_FILES for a module whose ports are not those of the circuit.
    """
    top = kernel.netlist.name
    file = folder / FOLDER / f"{top}.sv"
    files = with_parts(file)
    check_ports(file, ports_of(files[file.name], top), ports_of(circuit_text(kernel), top), top)
    return replace(kernel, files=files, black_box=True)


def with_parts(file: Path) -> dict[str, str]:
    """The file and, of the files beside it, those whose modules it uses, by name."""
    found = {file.name: read_text(str(file))}
    beside = {each.name: read_text(str(each)) for each in sorted(file.parent.glob("*.sv"))}
    waiting = [file.name]
    while waiting:
        text = COMMENT.sub("", found[waiting.pop()])
        for name, other in beside.items():
            words = "|".join(MODULE.findall(other)) or "(?!)"
            if name not in found and re.search(rf"\b({words})\b", text):
                found[name] = other
                waiting.append(name)
    return found


def circuit_text(kernel: Kernel) -> str:
    """The text of the circuit's top module."""
    return next(t for t in kernel.files.values() if kernel.netlist.name in MODULE.findall(t))


def ports_of(text: str, top: str) -> tuple[str, ...] | None:
    """The port declarations of a module, in order, without layout; None if it is not there."""
    for name, ports in PORTS.findall(COMMENT.sub("", text)):
        if name == top:
            return tuple(" ".join(port.split()) for port in ports.split(","))
    return None


def check_ports(
    file: Path, found: tuple[str, ...] | None, wanted: tuple[str, ...] | None, top: str
) -> None:
    """Return if the ports are those that are wanted, in their order."""
    if found == wanted:
        return
    where, accepted = Place(str(file)), f"the ports of the circuit {top}, in their order"
    if found is None or wanted is None:
        raise LoomError("SIM_FILES", where, f"no module {top}", f"a module {top}")
    other = next((port for port in found if port not in wanted), None)
    missing = next((port for port in wanted if port not in found), None)
    what = f"`{other}`" if other else f"no `{missing}`" if missing else "another order of ports"
    raise LoomError("SIM_FILES", where, what, accepted)
