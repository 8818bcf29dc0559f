"""In reset a static circuit writes nothing, in whatever cycle of a run the reset comes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.promises.four_state import NEEDS_ICARUS
from tests.static.test_machines import example

BENCH = """
module bench;
  logic clk = 1'b0, reset_n = 1'b0;
  logic [31:0] word = 32'd7;
  wire rd_en, wr_en;
  integer stores = 0, wrong = 0;
  %s
  always #5 clk = ~clk;
  initial begin
    repeat (3) @(negedge clk);
    reset_n = 1'b1;
    repeat (300) begin
      @(negedge clk);
      if (wr_en !== 1'b0) begin
        stores = stores + 1;
        reset_n = 1'b0;
        #1 if (wr_en !== 1'b0) wrong = wrong + 1;
        reset_n = 1'b1;
      end
    end
    $display("%%0d stores, %%0d of them in reset", stores, wrong);
    $finish;
  end
endmodule
"""
PINS = {"clk_i": "clk", "rst_ni": "reset_n", "a_wr_en_o": "wr_en", "a_rd_data_i": "word"}
"""Other inputs are 1, so the circuit runs again and again; other outputs are open."""
NAME = "reverse"


def run(files: dict[str, str], folder: Path) -> str:
    """What the bench says of the circuit."""
    ports = re.findall(
        r"^  (input|output) logic (?:\[[^]]*\] )?(\w+),?$", files[f"rtl/{NAME}.sv"], re.M
    )
    pins = [f".{pin}({PINS.get(pin, '1' if way == 'input' else '')})" for way, pin in ports]
    bench = folder / "bench.sv"
    bench.write_text(BENCH % f"{NAME} dut({', '.join(pins)});", encoding="utf-8")
    listed = [str(bench)]
    for path, text in files.items():
        if path.endswith(".sv"):
            (folder / Path(path).name).write_text(text, encoding="utf-8")
            listed.append(str(folder / Path(path).name))
    image = str(folder / "image")
    subprocess.run(["iverilog", "-g2012", "-s", "bench", "-o", image, *listed], check=True)
    found = subprocess.run(["vvp", "-n", image], check=True, capture_output=True, text=True)
    return found.stdout.strip()


@NEEDS_ICARUS
def test_nothing_is_written_in_reset(tmp_path: Path) -> None:
    assert re.fullmatch(r"[1-9]\d* stores, 0 of them in reset", run(example(NAME)[0].rtl, tmp_path))


@NEEDS_ICARUS
def test_a_write_enable_without_the_reset_is_seen(tmp_path: Path) -> None:
    files = dict(example(NAME)[0].rtl)
    top = f"rtl/{NAME}.sv"
    assert len(re.findall(r"a_wr_en_o = \w+ & rst_ni;", files[top])) == 1
    files[top] = re.sub(r"(a_wr_en_o = \w+) & rst_ni;", r"\1;", files[top])
    (stores, wrong) = re.findall(r"\d+", run(files, tmp_path))
    assert stores == wrong != "0"


@pytest.mark.parametrize("name", ("bfs", "reverse"))
def test_arrays_inside_are_not_written_either(name: str) -> None:
    text = example(name)[0].rtl[f"rtl/{name}.sv"]
    writes = re.findall(r"\.wr_en_i\((.*)\),$", text, re.M)
    assert writes and all(each.endswith(" & rst_ni") for each in writes)
