"""A circuit with a clock enable does what the circuit does whose clock stands still meanwhile."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from loom.emit import emit
from loom.emit.boundary import Boundary
from loom.emit.circuit import Emitter
from loom.emit.ports import Pin, find_ports
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.netlist.netlist import Netlist
from tests.golden.bench import run_bench
from tests.support.compiled import compile_example
from tests.support.deep import UNIT_INPUTS, Deep
from tests.support.folders import EXAMPLES

EDGE = Boundary(clock_enable=True)
CYCLES = 4000
CHANNELS = """#include <stdint.h>
void scale(const int32_t x[16], int32_t y[16], int32_t z[16]) {
  for (int i = 0; i < 16; i++) {
    y[i] = x[i] * 3;
    z[i] = y[i] + x[15 - i];
  }
}"""
Fault = Callable[[str], str]
FAULTS: dict[str, Fault] = {
    "a register is not held": lambda text: (
        text.replace("if (clk_en_i)", "if (1'b1)") if "module loom_accumulate" in text else text
    ),
    "a RAM's word is read while the circuit stands still": lambda text: text.replace(
        "taps_rd_en_inside & clk_en_i", "taps_rd_en_inside"
    ),
    "start is taken while the circuit stands still": lambda text: re.sub(
        r"(assign start_ready_o = \w+) & clk_en_i", r"\1", text
    ),
}
"""In `fir`, which reads the array `taps`."""
RAM = """
module ram #(parameter integer W = 1, parameter integer A = 1) (
  input logic clk,
  input logic rd_en, input logic [A-1:0] rd_addr, output logic [W-1:0] rd_data,
  input logic wr_en, input logic [A-1:0] wr_addr, input logic [W-1:0] wr_data
);
  logic [W-1:0] word[0:(1<<A)-1];
  integer k;
  initial for (k = 0; k < (1 << A); k++) word[k] = W'(k * 7 + 3);
  always @(posedge clk) begin
    if (wr_en) word[wr_addr] <= wr_data;
    if (rd_en) rd_data <= word[rd_addr];
  end
endmodule
"""
HEAD = """
module bench;
  logic clk = 0, own_clk = 0, rst_n = 0, en = 0;
  integer cycle = 0, enabled = 0, seed = 5;
"""
CLOCK = f"""
  always begin
    #5;
    check();
    clk = 1; own_clk = en | ~rst_n;
    #1;
    if (en | ~rst_n) enabled = enabled + 1;
    #4;
    clk = 0; own_clk = 0;
    cycle = cycle + 1;
    rst_n = cycle > 3;
    step();
    en = (cycle < {CYCLES // 4}) || ($random(seed) % 3 == 0);
    if (cycle == {CYCLES}) begin
      finish();
      $finish;
    end
  end
endmodule
"""


def netlists() -> dict[str, Netlist]:
    """Circuits with channels, RAMs outside and inside, and memories behind channels."""
    channels = Options(memories=(("x", "channel,latency=3"), ("y", "channel"), ("z", "ram")))
    scale = compile_text(CHANNELS, "scale.c", options=channels).netlist
    examples = [
        compile_example(EXAMPLES / f"{name}.mlir").netlist for name in ("fir", "gcd", "bfs")
    ]
    return {netlist.name: netlist for netlist in (*examples, scale)}


def sources(
    netlist: Netlist, prefix: str, edge: Boundary, fault: Fault = str, emitter: Emitter = emit
) -> str:
    """The modules of the circuit, each with the prefix, which also is the top's name.

    One with a fault has no assertions, which would end the run.
    """
    files = emitter(replace(netlist, name=prefix), edge)
    text = "".join(fault(each) for path, each in files.items() if path.endswith(".sv"))
    if fault is not str:
        text = re.sub(r"`ifdef SIMULATION\n.*?`endif\n", "", text, flags=re.DOTALL)
    return re.sub(r"\bloom_", f"{prefix}_loom_", text)


class Miter:
    """A circuit on the gated clock beside ones with an enable on the running clock.

    All have the same neighbours, and RAMs of their own on their clocks. A neighbour looks at the
    first one with an enable, at every edge of the running clock.
    """

    def __init__(self, netlist: Netlist, others: Sequence[str]) -> None:
        self.name, self.others, self.lead = netlist.name, tuple(others), others[0]
        self.own = find_ports(netlist).pins
        self.ports = find_ports(netlist)
        self.memories = [m for each in self.ports.arrays for m in each.memories]
        self.rams = {m.name for m in self.memories if type(m).__name__ == "MemoryPort"}

    def net(self, pin: Pin, of: str) -> str:
        """The net on a pin: one for all on an input from a neighbour."""
        private = pin.direction == "output" or pin.of in self.rams
        return f"{of}_{pin.name}" if private else f"{self.name}_{pin.name}"

    def instances(self) -> Iterator[str]:
        """Nets, circuits and RAMs."""
        nets = {
            self.net(pin, of): pin.width
            for of in (f"own_{self.name}", *self.others)
            for pin in self.own
            if pin.role not in ("clock", "reset")
        }
        for net, width in nets.items():
            yield f"  logic [{width - 1}:0] {net};\n"
        for of in (f"own_{self.name}", *self.others):
            clock = "own_clk" if of not in self.others else "clk"
            pins = [f".{pin.name}({self.net(pin, of)})" for pin in self.own[2:]]
            pins += [f".clk_i({clock})", ".rst_ni(rst_n)"]
            if of in self.others:
                pins.append(".clk_en_i(en)")
            yield f"  {of} {of}_inst ({', '.join(pins)});\n"
            for m in self.memories:
                if m.name in self.rams:
                    yield self.ram(m.name, m.word_width, m.address_width, of, clock)

    def ram(self, name: str, width: int, address: int, of: str, clock: str) -> str:
        """A RAM outside."""
        there = {pin.name for pin in self.own}
        pins = [f".clk({clock})"]
        for each in ("rd_en_o", "rd_addr_o", "rd_data_i", "wr_en_o", "wr_addr_o", "wr_data_o"):
            idle = "" if each == "rd_data_i" else "'0"
            net = f"{of}_{name}_{each}" if f"{name}_{each}" in there else idle
            pins.append(f".{each[:-2]}({net})")
        return f"  ram #(.W({width}), .A({address})) {of}_{name} ({', '.join(pins)});\n"

    def check(self, of: str) -> str:
        """Outputs are equal in enabled cycles; in others nothing is asked, offered or taken."""
        outputs = [pin for pin in self.own if pin.direction == "output"]
        text = ""
        for pin in outputs:
            own, other = self.net(pin, f"own_{self.name}"), self.net(pin, of)
            text += f"      if (en && {own} !== {other}) bad_{of} = bad_{of} + 1;\n"
            if pin.name.endswith(("_valid_o", "_ready_o", "_en_o")):
                text += f"      if (!en && {other} !== 1'b0) bad_{of} = bad_{of} + 1;\n"
        return text

    def steps(self) -> Iterator[str]:
        """What the neighbours offer next: a token stays until it was taken."""
        for pin in self.own:
            net = self.net(pin, self.lead)
            if pin.direction == "output" or pin.of in self.rams or pin.role in ("clock", "reset"):
                continue
            if pin.name.endswith("_ready_i"):
                yield f"    {net} = $random(seed) % 4 != 0;\n"
            elif pin.name.endswith("_valid_i"):
                stem = pin.name.removesuffix("_valid_i")
                taken = f"{self.lead}_{stem}_ready_before"
                data = [p for p in self.own if p.name in (f"{stem}_data_i", f"{stem}_error_i")]
                fill = "".join(
                    f" {self.net(p, self.lead)} = "
                    + (f"{p.width}'($random(seed)) & 15 | 1;" if p.role != "error" else "0;")
                    for p in data
                )
                owed = f"{self.name}_{stem}_owed > 0 && " if stem in dict(self.responses()) else ""
                yield f"    if (!rst_n) {net} = 0;\n"
                yield f"    else if (!{net} || {taken}) begin\n"
                yield f"      {net} = {owed}($random(seed) % 3 != 0);{fill}\n    end\n"

    def responses(self) -> list[tuple[str, str]]:
        """Response channels of memories, each with its channel of requests."""
        there = {pin.name for pin in self.own}
        pairs = [(f"{m.name}_{r}", f"{m.name}_{a}") for m in self.memories
                 for r, a in (("r", "ar"), ("b", "aw"))]  # fmt: skip
        return [pair for pair in pairs if f"{pair[0]}_valid_i" in there]

    def before(self) -> Iterator[str]:
        """What was taken at the edge that comes, and which responses are owed after it."""
        for pin in self.own:
            if pin.name.endswith("_ready_o"):
                yield f"    {self.lead}_{pin.name[:-2]}_before = {self.net(pin, self.lead)};\n"
        for response, request in self.responses():
            owed = f"{self.name}_{response}_owed"
            sent = f"({self.lead}_{request}_valid_o && {self.name}_{request}_ready_i)"
            came = f"({self.name}_{response}_valid_i && {self.lead}_{response}_ready_o)"
            yield f"    if (rst_n) {owed} = {owed} + 32'({sent}) - 32'({came});\n"

    def declarations(self) -> Iterator[str]:
        """Of the neighbours."""
        for pin in self.own:
            if pin.name.endswith("_ready_o"):
                yield f"  logic {self.lead}_{pin.name[:-2]}_before = 0;\n"
        for response, _ in self.responses():
            yield f"  integer {self.name}_{response}_owed = 0;\n"
        for of in self.others:
            yield f"  integer bad_{of} = 0;\n"
        yield f"  integer done_{self.name} = 0;\n"

    def finish(self) -> Iterator[str]:
        """The words of the RAMs are compared, and what was found is told."""
        for of in self.others:
            for m in self.memories:
                if m.name in self.rams and m.written:
                    for k in range(m.words):
                        words = f"own_{self.name}_{m.name}.word[{k}] !== {of}_{m.name}.word[{k}]"
                        yield f"    if ({words}) bad_{of} = bad_{of} + 1;\n"
            yield f'    $display("{of} %0d %0d", bad_{of}, done_{self.name});\n'


def bench(miters: list[Miter]) -> str:
    """The module ``bench``."""
    parts = [RAM, HEAD]
    for miter in miters:
        parts += [*miter.declarations(), *miter.instances()]
    parts.append("  task check;\n    if (rst_n) begin\n")
    for miter in miters:
        for of in miter.others:
            parts.append(miter.check(of))
        last = [p for p in miter.own if p.name.endswith("_valid_o")]
        results = [p.name[:-8] for p in last if p.of in {c.name for c in miter.ports.channels}]
        parts.append(
            f"      if ({miter.lead}_{results[0]}_valid_o && {miter.name}_{results[0]}_ready_i) "
            f"done_{miter.name} = done_{miter.name} + 1;\n"
        )
    parts.append("    end\n")
    for miter in miters:
        parts += miter.before()
    parts.append("  endtask\n  task step;\n")
    for miter in miters:
        parts += miter.steps()
    parts.append("  endtask\n  task finish;\n")
    for miter in miters:
        parts += miter.finish()
    parts += ["  endtask\n", CLOCK]
    return "".join(parts)


@pytest.mark.from_sources
@pytest.mark.sim
def test_enabled_cycles_are_those_of_a_clock_that_stands_still(tmp_path: Path, deep: Deep) -> None:
    """With the same tokens; and each planted fault is seen. One build."""
    found = netlists()
    texts, miters = [], []
    for name, netlist in found.items():
        others = {f"en_{name}": str} | (
            {f"fault{k}_fir": fault for k, fault in enumerate(FAULTS.values())}
            if name == "fir"
            else {}
        )
        texts.append(sources(netlist, f"own_{name}", Boundary()))
        for prefix, fault in others.items():
            texts.append(sources(netlist, prefix, EDGE, fault))
            assert fault is str or texts[-1] != sources(netlist, prefix, EDGE, lambda text: text)
        miters.append(Miter(netlist, list(others)))
    deep(*UNIT_INPUTS, "tests/emit/test_clock_enable.py", texts=texts)
    file = tmp_path / "bench.sv"
    file.write_text("".join(texts) + bench(miters))
    lines = [line.split() for line in run_bench([str(file)], tmp_path).splitlines()]
    told = {each[0]: (int(each[1]), int(each[2])) for each in lines if len(each) == 3}
    for name in found:
        bad, activations = told[f"en_{name}"]
        assert bad == 0 and activations > 1, (name, bad, activations)
    for k, fault_name in enumerate(FAULTS):
        assert told[f"fault{k}_fir"][0] > 0, fault_name
