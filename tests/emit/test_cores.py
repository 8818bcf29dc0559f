"""Cores of the user's take the place of LOOM's units, or of none; what is no core is refused."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from loom.dialects.operators.cores import Cores
from loom.emit.cores import BOUNDS, LATENCY, MOST_CHARACTERS, read_cores
from loom.errors import LoomError
from loom.front.api import compile_text, require_graph
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.options import Options
from loom.netlist.with_cores import with_cores
from tests.support.folders import EXAMPLES
from tests.support.refusals import refusal

EXAMPLE = EXAMPLES / "cores"
MAGNITUDE = """{%- import "parts/module.j2" as parts -%}
{%- set latency = LATENCY -%}
{{ parts.header(module, "some cycles") }}
{{ parts.ports(module, true) }}
  logic [2:0] full_q;
  logic [T_WIDTH-2:0] first_q, second_q, third_q;
  logic advance;
  assign advance = ~full_q[2] | result_ready_i;
  assign operand_ready_o = advance & operand_valid_i;
  assign result_valid_o = full_q[2];
  assign result_data_o = {1'b0, third_q};

  always_ff @(posedge clk_i) begin : stages
    if (!rst_ni) full_q <= '0;
    else if (advance) full_q <= {full_q[1:0], operand_valid_i};
    if (advance) begin : data
      first_q <= operand_data_i[T_WIDTH-2:0];
      second_q <= first_q;
      third_q <= second_q;
    end
  end

  (* maybe_unused *) logic unused_sign;
  assign unused_sign = operand_data_i[T_WIDTH-1];
endmodule
"""
"""A core for math.absf, with two registers more than it needs."""

SUM = """func.func @f(%x: memref<16xTYPE>, %n: index) -> TYPE {
  %zero = arith.constant 0.0 : TYPE
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> TYPE {
    %a = memref.load %x[%i] : memref<16xTYPE>
    %d = arith.subf %s, %a : TYPE
    %e = math.absf %d : TYPE
    scf.yield %e : TYPE
  }
  return %sum : TYPE
}
"""
EXPONENTIALS = """func.func @f(%x: memref<1024xbf16>, %n: index) -> bf16 {
  %zero = arith.constant 0.0 : bf16
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> bf16 {
    %a = memref.load %x[%i] : memref<1024xbf16>
    %e = math.exp %a : bf16
    memref.store %e, %x[%i] : memref<1024xbf16>
    %t = arith.addf %s, %e : bf16
    scf.yield %t : bf16
  }
  return %sum : bf16
}
"""


def cores(folder: Path, latency: object = 3, name: str = "math.absf") -> Cores:
    """The core for math.absf, as the only one of a folder."""
    (folder / f"{name}.sv.j2").write_text(MAGNITUDE.replace("LATENCY", str(latency)))
    return read_cores(folder)


def compiled(given: Cores, type_: str = "f32") -> Circuit:
    return compile_text(SUM.replace("TYPE", type_), "k.mlir", options=Options(cores=given))


def slots(circuit: Circuit) -> int:
    """Slots of all buffers."""
    return sum(int(str(u.attributes["slots"])) for u in circuit.netlist.units
               if "slots" in u.attributes)  # fmt: skip


def test_a_core_takes_the_place_of_the_unit(tmp_path: Path) -> None:
    given = cores(tmp_path)
    own, plain = compiled(given), compiled({})
    assert "third_q" in own.files()["rtl/loom_absf_f32.sv"]
    assert "third_q" not in plain.files()["rtl/loom_absf_f32.sv"]
    changed = [name for name, text in own.files().items() if plain.files().get(name) != text]
    assert "rtl/loom_subf_f32.sv" not in changed
    netlist = own.files()["f.netlist.json"]
    again = require_graph(Request(netlist, "f.netlist.json", options=Options(cores=given))).files()
    assert again["rtl/loom_absf_f32.sv"] == own.files()["rtl/loom_absf_f32.sv"]
    graph = require_graph(Request(own.dfg_text, "f.dfg.mlir", options=Options(cores=given))).files()
    assert graph["rtl/loom_absf_f32.sv"] == own.files()["rtl/loom_absf_f32.sv"]


def test_the_latency_of_a_core_decides_where_buffers_go(tmp_path: Path) -> None:
    text = (
        "func.func @f(%x: memref<16xf32>, %y: memref<16xf32>, %n: index) {\n"
        "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        "  scf.for %i = %c0 to %n step %c1 {\n"
        "    %a = memref.load %x[%i] : memref<16xf32>\n    %b = math.absf %a : f32\n"
        "    %c = arith.maximumf %a, %b : f32\n"
        "    memref.store %c, %y[%i] : memref<16xf32>\n  }\n  return\n}\n"
    )
    found = [
        slots(compile_text(text, options=Options(cores=cores(tmp_path, latency))))
        for latency in (3, 20)
    ]
    assert found[0] + 15 <= found[1]
    units = compile_text(text, options=Options(cores=cores(tmp_path, 20))).netlist
    (unit,) = (u for u in units.units if u.operator.hardware.core)
    assert unit.operator.hardware.latency_of(units.shape_by_unit[unit.name]) == 20


def test_a_core_serves_the_formats_it_lists(tmp_path: Path) -> None:
    given = cores(tmp_path, {"f32": 3, "f16": 3})
    for type_, is_own in (("f32", True), ("f16", True), ("f64", False)):
        files = compiled(given, type_).files()
        assert ("third_q" in files[f"rtl/loom_absf_{type_}.sv"]) == is_own
    plain = compiled({}).netlist
    assert with_cores(plain, {}) is plain


@pytest.mark.sim
def test_a_core_in_a_loop_computes_what_the_source_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cores(tmp_path)
    kernel = tmp_path / "k.mlir"
    kernel.write_text(SUM.replace("TYPE", "f32"))
    bundle = [{"inputs": {"x": [k - 7.5 for k in range(16)], "n": n}} for n in (0, 1, 2, 16)]
    assert run(tmp_path, kernel, bundle, "--cores", str(tmp_path), "--stalls", "0.3") == 0
    assert "source, token model and RTL agree on 4 activations" in capsys.readouterr().out


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_example_core_makes_exponentials_compile(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, dice = tmp_path / "k.mlir", Random(1)
    kernel.write_text(EXPONENTIALS)
    borders = [f"0x{sign | border + k:04x}" for sign in (0, 0x8000) for border in
               (0, 118 * 128, 134 * 128, 0x7F80, 0x3F80) for k in (0, 1, 2, 127)]  # fmt: skip
    some = [f"0x{dice.randrange(117 << 7, 135 << 7) | dice.getrandbits(1) << 15:04x}"
            for _ in range(1024 - len(borders))]  # fmt: skip
    bundle = [{"inputs": {"x": [*borders, *some], "n": n}} for n in (0, 1, 1024)]
    assert run(tmp_path, kernel, bundle, "--cores", str(EXAMPLE)) == 0
    assert "source, token model and RTL agree on 3 activations" in capsys.readouterr().out


def test_a_function_without_hardware_names_the_core_that_would_help(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "k.mlir"
    kernel.write_text(EXPONENTIALS.replace("math.exp", "math.tan"))
    assert main(["compile", str(kernel), "-o", str(tmp_path / "o")]) == 2
    assert capsys.readouterr().err.endswith(
        "k.mlir:7:5: error[EMIT_NO_HARDWARE]: found math.tan of bf16, which has no hardware; "
        "LOOM accepts a core of yours for it: --cores DIR with math.tan.sv.j2 in it; `loom model` "
        "and `loom lower` take it as it is\n"
    )


def run(folder: Path, kernel: Path, bundle: object, *more: str) -> int:
    inputs = folder / "b.json"
    inputs.write_text(json.dumps(bundle))
    return main(["sim", str(kernel), "--inputs", str(inputs), *more])


OF_FILES = "a folder of files such as math.exp.sv.j2"
OPERATORS = (
    "cores for the operators of `loom ops` that compute a result from their operands, "
    "and for external functions"
)
TEXTS: Sequence[tuple[str, str, str]] = (
    ("math.frob", "", f"math.frob.sv.j2: error[EMIT_CORE]: found a core for math.frob; "
     f"LOOM accepts {OPERATORS}"),
    ("handshake.fork", "{% set latency = 1 %}", "handshake.fork.sv.j2: error[EMIT_CORE]: found a "
     f"core for handshake.fork; LOOM accepts {OPERATORS}"),
    ("math.absf", "\n{% set", "math.absf.sv.j2:2:1: error[EMIT_CORE]: found no template: "
     "unexpected 'end of template'; LOOM accepts Jinja"),
    ("math.absf", "module x;", "math.absf.sv.j2:1:1: error[EMIT_CORE]: found a core that does not "
     f"say its latency; LOOM accepts {LATENCY}"),
    ("math.absf", "\n{% set latency = module.latency %}", "math.absf.sv.j2:2:1: error[EMIT_CORE]: "
     f"found a latency that is no constant; LOOM accepts {LATENCY}"),
    ("math.absf", "{% set latency = -1 %}", "math.absf.sv.j2:1:1: error[EMIT_CORE]: found the "
     f"latency -1; LOOM accepts {LATENCY}"),
    ("math.absf", "{% set latency = {'f32': '4'} %}", "math.absf.sv.j2:1:1: error[EMIT_CORE]: "
     f"found the latency '4'; LOOM accepts {LATENCY}"),
    ("math.absf", "{% set latency = {'f8': 4} %}", "math.absf.sv.j2:1:1: error[EMIT_CORE]: found "
     "the format 'f8'; LOOM accepts latencies of f16, bf16, f32, f64"),
    ("arith.muli", "{% set latency = {'f32': 4} %}", "arith.muli.sv.j2:1:1: error[EMIT_CORE]: "
     "found the format 'f32'; LOOM accepts one latency"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "text", "message"), TEXTS)
def test_what_is_no_core_is_refused(name: str, text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / f"{name}.sv.j2").write_text(text)
    with pytest.raises(LoomError) as caught:
        read_cores(tmp_path)
    assert caught.value.code == "EMIT_CORE"
    assert str(caught.value) == f"{tmp_path}/{message}"


def test_folders_without_cores_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel = tmp_path / "k.mlir"
    kernel.write_text(SUM.replace("TYPE", "f32"))
    for folder, found in ((tmp_path, "no templates"),
                          (tmp_path / "none", "no readable templates (No such file or directory)"),
                          (kernel, "no readable templates (Not a directory)")):  # fmt: skip
        assert main(["check", str(kernel), "--cores", str(folder)]) == 2
        message = f"{folder}: error[EMIT_CORE]: found {found}; LOOM accepts {OF_FILES}\n"
        assert capsys.readouterr().err == message
    (tmp_path / "math.exp.sv.j2").write_bytes(b"\xff")
    with pytest.raises(LoomError) as caught:
        read_cores(tmp_path)
    assert caught.value.what == "no readable templates (not UTF-8)"


RENDERED = (
    ("{{ module.nonsense }}", "a template that fails: 'loom.emit.modules.Module object' has no "
     "attribute 'nonsense'", "a template that renders for every instance it has a latency for"),
    ("{{ 1 // 0 }}", "a template that fails: integer division or modulo by zero",
     "a template that renders for every instance it has a latency for"),
    ("module loom_absf_f32 (input logic clk_i, rst_ni, operand_data_i); // result_data_o",
     "a core without T_WIDTH, operand_valid_i, operand_ready_o, result_data_o, result_valid_o, "
     "result_ready_i", "a module loom_absf_f32 with the parameters and ports T_WIDTH, clk_i, "
     "rst_ni, operand_data_i, operand_valid_i, operand_ready_o, result_data_o, result_valid_o, "
     "result_ready_i"),
)  # fmt: skip


HOSTILE: dict[str, tuple[str, str]] = {
    "a text of 100 GB": ('{{ "x" * 10**11 }}', "EMIT_CORE_LIMIT"),
    "a list of 10^11": ("{{ ([0] * 10**11)|length }}", "EMIT_CORE_LIMIT"),
    "an integer without end": ("{{ 7 ** (7 ** 12) }}", "EMIT_CORE_LIMIT"),
    "a filter's width": ('{{ "x"|center(10**11) }}', "EMIT_CORE_LIMIT"),
    "a format's width": ('{{ "%99999999999d"|format(1) }}', "EMIT_CORE_LIMIT"),
    "a text of 17 MiB": (
        '{% for k in range(17) %}{{ "x" * 2**20 }}{% endfor %}',
        "EMIT_CORE_LIMIT",
    ),
    "a long range": ("{% for k in range(10**11) %}x{% endfor %}", "EMIT_CORE"),
    "loops in loops": (
        "{% for a in range(99999) %}{% for b in range(99999) %}{% if a + b < 0 %}x{% endif %}"
        "{% endfor %}{% endfor %}",
        "EMIT_CORE_LIMIT",
    ),
    "a macro of itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "EMIT_CORE"),
    "an include of itself": ('{% include "math.absf.sv.j2" %}', "EMIT_CORE"),
    "a file elsewhere": ('{% include "/etc/passwd" %}', "EMIT_CORE"),
    "a file above": ('{% include "../../../etc/passwd" %}', "EMIT_CORE"),
    "Python's classes": ("{{ ''.__class__.__mro__ }}", "EMIT_CORE"),
    "Python's classes by name": ("{{ ''['__class__'] }}", "EMIT_CORE"),
    "Python's classes by a filter": ("{{ ''|attr('__class__') }}", "EMIT_CORE"),
    "Python's classes by format": ("{{ '{0.__class__}'.format(1) }}", "EMIT_CORE"),
    "globals of a function": ("{{ module.operator.hardware.latency_of.__globals__ }}", "EMIT_CORE"),
    "globals of lipsum": ("{{ lipsum.__globals__['os'].system('true') }}", "EMIT_CORE"),
    "frames of a generator": ("{{ ((1, 2)|map('string')).gi_frame }}", "EMIT_CORE"),
    "a change of the circuit": ("{{ module.widths.clear() }}", "EMIT_CORE"),
    "brackets in brackets": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "EMIT_CORE"),
}
"""Templates that take what they are not given, or more than there is, and their codes."""


@pytest.mark.parametrize("name", HOSTILE)
def test_a_template_reaches_nothing_and_ends(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loom.emit.cores.BOUNDS", replace(BOUNDS, seconds=2))
    text, code = HOSTILE[name]
    file = tmp_path / "math.absf.sv.j2"
    file.write_text("{% set latency = 2 %}" + text)
    with pytest.raises(LoomError) as caught:
        compiled(read_cores(tmp_path)).files()
    assert caught.value.code == code, caught.value
    assert "\n" not in str(caught.value) and caught.value.where.file == str(file)


@pytest.mark.parametrize(
    "said", ["'x' * 10**11", "'x'|center(10**11)|length", "7 ** (7 ** 12)", "1 + 1", "[1][0]"]
)
def test_a_latency_is_not_computed(said: str, tmp_path: Path) -> None:
    (tmp_path / "math.absf.sv.j2").write_text(f"{{% set latency = {said} %}}")
    with pytest.raises(LoomError) as caught:
        read_cores(tmp_path)
    assert caught.value.what == "a latency that is no constant"


def test_a_pipe_and_a_long_file_are_no_cores(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "math.absf.sv.j2")
    with pytest.raises(LoomError) as caught:
        read_cores(tmp_path)
    assert (caught.value.code, caught.value.what) == ("EMIT_CORE", "no regular file")
    (tmp_path / "math.absf.sv.j2").unlink()
    (tmp_path / "math.absf.sv.j2").write_text("{% set latency = 2 %}" + " " * MOST_CHARACTERS)
    with pytest.raises(LoomError) as caught:
        read_cores(tmp_path)
    assert caught.value.code == "EMIT_CORE_LIMIT"


@pytest.mark.parametrize(("text", "found", "accepted"), RENDERED)
def test_a_core_that_is_not_the_module_is_refused(
    text: str, found: str, accepted: str, tmp_path: Path
) -> None:
    file = tmp_path / "math.absf.sv.j2"
    file.write_text("{% set latency = 2 %}" + text)
    circuit = compiled(read_cores(tmp_path))
    assert (
        refusal(circuit.files)
        == f"{file}: error[EMIT_CORE]: found {found}; LOOM accepts {accepted}"
    )
