"""A test bench for a circuit of CIRCT's: one activation, memories of one cycle, cycles and results.

Its argument k has the ports `in{k}` (a scalar), or `in{k}_ld{j}_*` and `in{k}_st{j}_*` (a memref,
one port an access); the one after the last is the start token; results, then the end token, are
`out{k}`. A load port takes an address a cycle as long as its datum is taken in the next.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

LIMIT = 100_000
"""A run that takes longer has failed [cycles]."""


@dataclass(frozen=True)
class Answer:
    """What one activation gave: cycles, results, and the words of the memories."""

    cycles: int
    results: tuple[int, ...]
    memories: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True)
class Array:
    """A memref argument: its name, the width of its words [bits], and the words."""

    name: str
    width: int
    words: Sequence[int]


Argument = Array | int
"""A memref, or the bit pattern of a scalar."""


def ports_of(verilog: str, top: str) -> dict[str, int]:
    """The ports of the top module with their widths [bits]."""
    head = re.search(rf"^module {top}\((.*?)^\);", verilog, re.MULTILINE | re.DOTALL)
    assert head is not None
    found: dict[str, int] = {}
    width = 1
    for line in re.sub(r"//.*", "", head[1]).splitlines():
        part = re.fullmatch(r"\s*(input|output)?\s*(\[(\d+):0\])?\s*(\w+),?\s*", line)
        if part is None:
            continue
        if part[1] or part[2]:
            width = int(part[3]) + 1 if part[3] else 1
        found[part[4]] = width
    return found


def bench_text(verilog: str, top: str, arguments: Sequence[Argument]) -> str:
    """The module ``bench``; it prints what `read_answer` reads."""
    ports = ports_of(verilog, top)
    results = sorted({n for n in ports if re.fullmatch(r"out\d+", n)}, key=lambda n: int(n[3:]))
    ends = [name.removesuffix("_valid") for name in ports if re.fullmatch(r"out\d+_valid", name)]
    body = [f"  logic {net(width)}{name};" for name, width in ports.items() if name != "clock"]
    pins = ", ".join(f".{name}({name})" for name in ports)
    clocked: list[str] = []
    for number, argument in enumerate([*arguments, None]):
        if isinstance(argument, Array):
            body += memory_text(number, argument, ports, clocked)
        else:
            token = f"in{number}"
            if isinstance(argument, int) and token in ports:
                body.append(f"  assign {token} = {ports[token]}'d{argument};")
            clocked.append(
                f"    {token}_valid <= reset ? 1'b0 : first | ({token}_valid & ~{token}_ready);"
            )
    taken = " && ".join(f"taken_{end}" for end in ends)
    for end in ends:
        body += [f"  logic taken_{end};", f"  assign {end}_ready = ~taken_{end};"]
        shown = f' $display("RESULT %0d %0d", {end[3:]}, {end});' if end in results else ""
        clocked.append(
            f"    if (reset) taken_{end} <= 1'b0; else if ({end}_valid & {end}_ready) begin\n"
            f"      taken_{end} <= 1'b1;{shown} last <= cycle;\n    end"
        )
    dump = "\n".join(
        f'      for (k = 0; k < {len(a.words)}; k++) $display("WORD {a.name} %0d", word_{n}[k]);'
        for n, a in enumerate(arguments)
        if isinstance(a, Array)
    )
    joined, clocks = "\n".join(body), "\n".join(clocked)
    return f"""
module bench;
  logic clock, first;
  integer cycle, last, k;
{joined}
  {top} dut ({pins});
  initial begin clock = 0; reset = 1; first = 0; cycle = 0; last = 0;
    repeat (4) @(negedge clock);
    reset = 0; first = 1; @(negedge clock); first = 0;
  end
  always #5 clock = ~clock;
  always @(posedge clock) begin
    cycle <= first ? 1 : cycle + 1;
{clocks}
    if ({taken} && cycle > last + 40 || cycle > {LIMIT}) begin
      $display("CYCLES %0d", {taken} ? last : 0);
{dump}
      $finish;
    end
  end
endmodule
"""


def net(width: int) -> str:
    """The range of a net [bits]."""
    return "" if width == 1 else f"[{width - 1}:0] "


def memory_text(
    number: int, array: Array, ports: Mapping[str, int], clocked: list[str]
) -> list[str]:
    """The words of one memory and its ports."""
    depth, name = len(array.words), f"word_{number}"
    body = [f"  logic {net(array.width)}{name} [0:{depth - 1}];", "  initial begin"]
    body += [f"    {name}[{k}] = {array.width}'d{word};" for k, word in enumerate(array.words)]
    body.append("  end")
    for port in sorted(ports):
        load = re.fullmatch(rf"(in{number}_ld\d+)_addr", port)
        store = re.fullmatch(rf"(in{number}_st\d+)_address", port)
        if load is not None:
            p = load[1]
            body.append(f"  assign {p}_addr_ready = ~{p}_data_valid | {p}_data_ready;")
            clocked.append(
                f"    {p}_data_valid <= ~reset & ({p}_addr_ready ? {p}_addr_valid : 1'b1);\n"
                f"    if ({p}_addr_ready & {p}_addr_valid) {p}_data <= {name}[{p}_addr];"
            )
        if store is not None:
            p = store[1]
            body.append(f"  assign {p}_ready = ~{p}_done_valid | {p}_done_ready;")
            clocked.append(
                f"    {p}_done_valid <= ~reset & ({p}_ready ? {p}_valid : 1'b1);\n"
                f"    if ({p}_ready & {p}_valid) {name}[{p}_address] <= {p}_data;"
            )
    return body


def read_answer(output: str) -> Answer:
    """What the bench printed."""
    found = dict(re.findall(r"^RESULT (\d+) (\d+)$", output, re.MULTILINE))
    memories: dict[str, list[int]] = {}
    for name, word in re.findall(r"^WORD (\w+) (\d+)$", output, re.MULTILINE):
        memories.setdefault(name, []).append(int(word))
    cycles = re.search(r"^CYCLES (\d+)$", output, re.MULTILINE)
    return Answer(
        0 if cycles is None else int(cycles[1]),
        tuple(int(found[key]) for key in sorted(found, key=int)),
        {name: tuple(words) for name, words in memories.items()},
    )
