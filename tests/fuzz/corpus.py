"""Texts to start from: every kind of file that LOOM reads, with what the tests know of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text
from tests.support.folders import EXAMPLES, TESTS
from tests.support.row_files import read_rows

FILES = (
    *(
        "blocks.mlir",
        "programs.mlir",
        "structured.mlir",
        "graphs.txt",
        "mlir_errors.txt",
        "dialect_errors.txt",
    ),
    *("structured_errors.txt", "float_errors.txt", "mlir_operations.txt"),
)
"""Files of rows."""
KINDS = ("program", "graph", "netlist", "bundle", "c", "python", "options", "core")


@dataclass(frozen=True)
class Seed:
    """A text of one kind; `kernel` is the program that a bundle, options or a core are for."""

    kind: str
    name: str
    text: str
    kernel: str = ""


def sections(file: str) -> list[str]:
    """The texts of a file of rows, without their names: inputs, accepted ones and messages."""
    return [part for parts in read_rows(file).values() for part in parts]


def programs() -> dict[str, str]:
    """Programs by name: the examples, the hand-made ones, those of the error rows."""
    files = (*EXAMPLES.glob("*.mlir"), *(TESTS / "graphs").glob("*.mlir"))
    found = {path.stem: path.read_text(encoding="utf-8") for path in files}
    for file in FILES:
        found |= {f"{file} {number}": text for number, text in enumerate(sections(file))}
    return dict(sorted(found.items()))


def sources(end: str) -> dict[str, str]:
    """Programs in C or Python by name: the examples and those of the error rows."""
    found = (path for path in EXAMPLES.rglob(f"*{end}") if path.stat().st_size < 4000)
    found = (path for path in found if "suites" not in path.parts)  # these need -I and -D
    # The model of a unit, beside its template, is no program of its own.
    paths = sorted(path for path in found if not path.with_suffix(".sv.j2").exists())
    found = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    rows = read_rows("c_errors.txt" if end == ".c" else "py_errors.txt")
    head = "" if end == ".c" else "import numpy as np\nimport loom\n"
    found |= {f"errors {name}": head + parts[0] for name, parts in rows.items()}
    return found


OPTIONS = (
    "--unroll\n5=2\n--latency\nmuli=3\n--index-width\n32",
    "--unroll\n5=full\n--widths\nkeep\n--zero-trip\nguard",
    "--unroll-below\n8\n--clock-period\n5.5\n--divider\niterative",
    "--partition\nx:cyclic:4\n--ports\nt:2\n--memory-order\nserial",
    "--partition\nx:block:2:0\n--partition\nt:complete\n--lean\noff",
    "--top\nf\n--language\nmlir\n--max-input\n1\n--buffers\nfast",
    "--json\n--latency\narith.addi=2\n--latency\nload=2",
)
"""Command lines, an argument a line."""
OPTIONS_KERNEL = """memref.global "private" constant @t : memref<8xi32> = dense<7>
func.func @f(%x: memref<16xi32>, %n: index) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %8 = arith.constant 8 : index
  %z = arith.constant 0 : i32
  %t = memref.get_global @t : memref<8xi32>
  %s = scf.for %i = %0 to %8 step %1 iter_args(%a = %z) -> i32 {
    %b = memref.load %x[%i] : memref<16xi32>
    %c = memref.load %t[%i] : memref<8xi32>
    %d = arith.muli %b, %c : i32
    %e = arith.addi %a, %d : i32
    scf.yield %e : i32
  }
  return %s : i32
}
"""
"""What the options are for."""
CORES = (
    """{%- import "parts/module.j2" as parts -%}
{%- set latency = {"f32": 2, "bf16": 1} -%}
{{ parts.header(module, "some cycles") }}
{{ parts.ports(module, true) }}
{%- for k in range(module.latency) %}
  logic [T_WIDTH-1:0] word_{{ k }}_q;
{%- endfor %}
  assign operand_ready_o = result_ready_i;
  assign result_valid_o = operand_valid_i;
  assign result_data_o = {1'b0, operand_data_i[T_WIDTH-2:0]};
endmodule
""",
    """{%- set latency = 0 -%}
module {{ module.name }} #(parameter integer T_WIDTH = {{ module.widths["T_WIDTH"] }}) (
{%- for port in module.inputs + module.outputs %}
  // {{ port.name }} {{ port.width|upper }} {{ "%04d"|format(loop.index) }}
{%- endfor %}
{%- macro twice(text, n) -%}{{ text * n }}{%- endmacro %}
  {{ twice("operand_data_i operand_valid_i operand_ready_o ", 1) }}
  result_data_o, result_valid_o, result_ready_i);
endmodule
""",
)
"""Templates for math.absf."""
CORE_KERNEL = """func.func @f(%x: f32) -> f32 {
  %a = math.absf %x : f32
  return %a : f32
}
"""


def other_seeds(kind: str) -> tuple[Seed, ...]:
    """The seeds of what is no MLIR, and no JSON."""
    if kind == "options":
        return tuple(Seed(kind, str(k), each, OPTIONS_KERNEL) for k, each in enumerate(OPTIONS))
    if kind == "core":
        return tuple(Seed(kind, str(k), each, CORE_KERNEL) for k, each in enumerate(CORES))
    found = sources(".c" if kind == "c" else ".py")
    return tuple(Seed(kind, name, text) for name, text in found.items())


@cache
def sound_seeds(kind: str) -> tuple[Seed, ...]:
    """The texts of a kind that are not there for their errors."""
    return tuple(seed for seed in seeds(kind) if "errors" not in seed.name)


@cache
def seeds(kind: str) -> tuple[Seed, ...]:
    """All texts of a kind, in the same order every time."""
    if kind in ("c", "python", "options", "core"):
        return other_seeds(kind)
    found: list[Seed] = []
    for name, text in programs().items():
        if kind == "program":
            found.append(Seed(kind, name, text))
            continue
        try:
            circuit = compile_text(text, name)
        except (LoomError, LoomErrors):
            if kind == "graph" and "handshake.func" in text:
                found.append(Seed(kind, name, text))
            continue
        bundle = EXAMPLES / f"{name}.json"
        if kind == "graph":
            found.append(Seed(kind, name, circuit.dfg_text))
        elif kind == "netlist":
            found.append(Seed(kind, name, circuit.netlist_text))
        elif bundle.exists():
            found.append(Seed(kind, name, bundle.read_text(encoding="utf-8"), text))
    return tuple(found)
