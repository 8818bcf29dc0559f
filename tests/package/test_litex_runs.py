"""The LiteX package in LiteX itself: a SoC around the module, run in Verilator by its bus."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from loom_sim.systems import SystemReport, simulate_module

from tests.package.packaged import packaged
from tests.support.deep import SIMULATION_INPUTS, Deep

HERE = Path(__file__).parent
INPUTS = (*SIMULATION_INPUTS, "sim/loom_sim/systems.py", "tests/package/litex_soc.py",
          "tests/package/litex_bench.py")  # fmt: skip
SYSTEM = """\
module litex_system (
  input logic sys_clk,
  input logic sys_rst,
  input logic wb_cyc,
  input logic wb_stb,
  input logic wb_we,
  input logic [29:0] wb_adr,
  input logic [31:0] wb_dat_w,
  input logic [3:0] wb_sel,
  input logic [2:0] wb_cti,
  input logic [1:0] wb_bte,
  output logic [31:0] wb_dat_r,
  output logic wb_ack,
  output logic wb_err
);
  soc circuit (.*, .sim_trace(1'b0));
endmodule
"""
"""The SoC with its pins declared as LOOM's harness reads them."""
STYLE = ("CASEINCOMPLETE", "COMBDLY", "PROCASSINIT", "UNUSEDSIGNAL", "WIDTH")
"""What Verilator has against Verilog of LiteX, which LOOM did not write."""
PLACES = (("gcd", None, "gcd"), ("fir", "axi4lite", "fir_axi4lite"))


def soc_of(pack: Path, top: str, out: Path) -> tuple[int, str]:
    """LiteX has built a SoC around the package, or says why not."""
    out.mkdir()
    command = [sys.executable, str(HERE / "litex_soc.py"), str(pack), top, str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=out,
                          env=os.environ, timeout=300)  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def simulated(pack: Path, top: str, out: Path) -> SystemReport:
    """The bench has run on the SoC."""
    status, said = soc_of(pack, top, out)
    assert status == 0, said[-3000:]
    listed = [Path(path) for path in json.loads((out / "sources.json").read_text())]
    soc = "".join(f"// verilator lint_off {each}\n" for each in STYLE)
    soc += (out / "soc.v").read_text().replace("`timescale 1ns / 1ps\n", "")
    texts = {path.name: path.read_text() for path in listed}
    texts |= {"soc.sv": soc, "litex_system.sv": SYSTEM}
    files = {"places.json": (out / "places.json").read_text()}
    if (driver := pack / f"{top}.py").is_file():
        files[driver.name] = driver.read_text()
    return simulate_module("litex_system", texts, HERE / "litex_bench.py", files)


def texts_of(pack: Path) -> list[str]:
    return [file.read_text() for file in sorted(pack.rglob("*")) if file.is_file()]


@pytest.mark.sim
@pytest.mark.parametrize(("name", "bus", "top"), PLACES)
def test_calls_over_the_bus_of_a_soc(
    name: str, bus: str | None, top: str, tmp_path: Path, deep: Deep
) -> None:
    pack = packaged(name, "litex", bus, tmp_path / "pack")
    deep(*INPUTS, texts=texts_of(pack))
    found = simulated(pack, top, tmp_path / "out")
    assert found.good, found.output[-3000:]


FAULTS: Mapping[str, tuple[int, Callable[[str], str], str]] = {
    "an argument of the other register": (
        0, lambda t: t.replace("data.eq(self.arg_b.storage)", "data.eq(self.arg_a.storage)"),
        "gcd of 12 and 18 is 12"),
    "an activation that never ends": (
        0, lambda t: t.replace("If(ended, running.eq(0)", "If(ended, running.eq(1)"), "status is"),
    "strobes that are not connected": (
        1, lambda t: t.replace("i_s_axi_wstrb=bus.w.strb", "i_s_axi_wstrb=Constant(0, 4)"), ""),
    "an interrupt that goes nowhere": (
        1, lambda t: t.replace(
            "o_irq=self.ev.interrupt.trigger", "o_irq=__import__('migen').Signal()"),
        "no interrupt"),
}  # fmt: skip


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_module_is_seen(fault: str, tmp_path: Path, deep: Deep) -> None:
    place, change, said = FAULTS[fault]
    name, bus, top = PLACES[place]
    pack = packaged(name, "litex", bus, tmp_path / "pack")
    file = pack / f"{top}_litex.py"
    before = file.read_text()
    file.write_text(change(before))
    assert file.read_text() != before
    deep(*INPUTS, texts=texts_of(pack))
    found = simulated(pack, top, tmp_path / "out")
    assert not found.good and said in "".join(found.failed.values()), found.output[-2000:]


@pytest.mark.parametrize(
    ("text", "other", "said"),
    [("CSRStorage(32,", "CSRStorage(32, nothing=1,", "nothing"),
     ("self.result_out0.status", "self.result_out0.storage", "storage")],
)  # fmt: skip
def test_litex_refuses_what_it_has_not(text: str, other: str, said: str, tmp_path: Path) -> None:
    """Names that the classes which record in test_litex_package have, or would pass over."""
    pack = packaged("gcd", "litex", None, tmp_path / "pack")
    file = pack / "gcd_litex.py"
    before = file.read_text()
    file.write_text(before.replace(text, other))
    assert file.read_text() != before
    status, told = soc_of(pack, "gcd", tmp_path / "out")
    assert status != 0 and said in told
