"""Floats from text to text: literals, bundles, printed results, graphs that read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import FloatAttr

from loom.dialects.floats.attributes import pattern_of
from loom.front.api import check_request, compile_text, netlist_from_text
from loom.front.cli import main
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module, read_mlir
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.reference.reference import compile_reference
from tests.model.test_program_meets_model import PROGRAMS
from tests.support.refusals import refusal

LITERALS = (
    ("1.0 : f32", 0x3F800000),
    ("-2.5 : f16", 0xC100),
    ("1.0e-3 : f64", 0x3F50624DD2F1A9FC),
    ("1.e5 : f32", 0x47C35000),
    ("1.", 0x3FF0000000000000),
    ("-0.0 : bf16", 0x8000),
    ("0x7FC00000 : f32", 0x7FC00000),
    ("0xFF800001 : f32", 0xFF800001),
    ("0x1 : f16", 1),
    ("0x7F81 : bf16", 0x7F81),
    ("0xFFF0000000000001 : f64", 0xFFF0000000000001),
    ("1.0e300 : f32", 0x7F800000),
    ("-65520.0 : f16", 0xFC00),
    ("5.9604644775390625e-08 : f16", 1),
    ("3.39e38 : bf16", 0x7F7F),
    ("1.0e-60 : f32", 0),
    ("16777217.0 : f32", 0x4B800000),
)


@pytest.mark.parametrize(("literal", "pattern"), LITERALS)
def test_literals_are_bit_patterns(literal: str, pattern: int) -> None:
    for text in (
        f"func.func @f() {{\n  %0 = arith.constant {literal}\n  return\n}}",
        f'func.func @f() {{\n  %0 = "arith.constant"() <{{value = {literal}}}> : () -> '
        f"{literal.partition(' : ')[2] or 'f64'}\n  return\n}}",
    ):
        (constant,) = (op for op in parse_module(text).walk() if isinstance(op, arith.ConstantOp))
        assert isinstance(constant.value, FloatAttr)
        assert pattern_of(constant.value) == pattern


DENSE = (
    ("[1.0, 0x7FC1, -0.0]", "bf16", (0x3F80, 0x7FC1, 0x8000)),
    ("1.5", "f16", (0x3E00,) * 3),
    ('"0x01007FFF0000"', "f16", (1, 0xFF7F, 0)),
    ("[0x7F800001, 1.0e39, 0.1]", "f32", (0x7F800001, 0x7F800000, 0x3DCCCCCD)),
    ("[0xFFF0000000000001, 0.1, 5.0e-324]", "f64", (0xFFF0000000000001, 0x3FB999999999999A, 1)),
)


@pytest.mark.parametrize(("dense", "type_", "words"), DENSE)
def test_dense_floats_stay_as_they_are(dense: str, type_: str, words: tuple[int, ...]) -> None:
    text = (
        f"memref.global @g : memref<3x{type_}> = dense<{dense}>\n"
        f"func.func @f(%i: index) -> {type_} {{\n"
        f"  %g = memref.get_global @g : memref<3x{type_}>\n"
        f"  %0 = memref.load %g[%i] : memref<3x{type_}>\n"
        f"  return %0 : {type_}\n}}\n"
    )
    circuit = compile_text(text)
    (memory,) = circuit.netlist.memories
    assert memory.contents is not None
    assert (memory.type, tuple(memory.contents)) == (type_, words)
    reference = compile_reference(circuit.source, "f")
    assert tuple(reference.run([k]).results[0] for k in range(3)) == words
    assert str(check_request(Request(circuit.dfg_text, "k.mlir"))).endswith("no problem")
    assert netlist_from_text(circuit.netlist_text) == circuit.netlist
    again = parse_module(circuit.dfg_text)
    assert str(again) + "\n" == circuit.dfg_text


@pytest.mark.parametrize("name", [name for name in PROGRAMS if "f32" in PROGRAMS[name]])
def test_graphs_and_netlists_read_back(name: str) -> None:
    circuit = compile_text(PROGRAMS[name])
    assert "fastmath" not in circuit.dfg_text and "rounding" not in circuit.dfg_text
    assert str(check_request(Request(circuit.dfg_text, "k.mlir"))).endswith("no problem")
    assert str(parse_module(circuit.dfg_text)) + "\n" == circuit.dfg_text
    assert netlist_from_text(circuit.netlist_text) == circuit.netlist


KEPT = PROGRAMS["floats are no integers to the rewrites"]
MINUS_ZERO, NAN, ONE = 0x80000000, 0x7FC00000, 0x3F800000


@pytest.mark.parametrize(
    ("x", "results"),
    [
        (MINUS_ZERO, (0, 0, MINUS_ZERO, NAN, 1, 0, 1, MINUS_ZERO)),
        (ONE, (ONE, 0, 0, ONE, 1, 0, 1, MINUS_ZERO)),
        (0x7F800000, (0x7F800000, NAN, NAN, NAN, 1, 0, 1, MINUS_ZERO)),
        (0xFFC00001, (NAN, NAN, NAN, NAN, 0, 1, 1, MINUS_ZERO)),
    ],
)
def test_no_integer_identity_is_applied(x: int, results: tuple[int, ...]) -> None:
    assert compile_reference(read_mlir(KEPT), "kept").run([x, 0]).results == results


def test_equal_comparisons_by_other_predicates_are_not_shared() -> None:
    text = KEPT.replace("-> (f32, f32, f32, f32, i1, i1, i1, f32)", "-> (i1, i1)")
    text = text[: text.index("  return")] + "  return %e, %f : i1, i1\n}\n"
    units = [unit for unit in compile_text(text).netlist.units if "predicate" in unit.attributes]
    assert [unit.attributes for unit in units] == [
        {"predicate": "oeq", "format": "f32"},
        {"predicate": "une", "format": "f32"},
    ]


SUM = """func.func @f(%a: f32, %m: memref<3xf16>) -> (f32, bf16) {
  %0 = arith.addf %a, %a : f32
  %1 = arith.truncf %0 : f32 to bf16
  %c0 = arith.constant 0 : index
  %h = arith.truncf %a : f32 to f16
  memref.store %h, %m[%c0] : memref<3xf16>
  return %0, %1 : f32, bf16
}
"""


def bundle(a: str, m: str = "[0.5, -1, 2]", results: str = "[3.0, 3]") -> str:
    return f'{{"inputs": {{"a": {a}, "m": {m}}}, "expected": {{"results": {results}}}}}'


def read(text: str) -> Activation:
    return read_bundle(text, "b.json", signature_of(top_function(read_mlir(SUM))))[0]


def test_bundles_hold_numbers_words_and_patterns() -> None:
    given = read(bundle('"0x7fc00001"', '["nan", "-inf", 1.1]', '["nan", "inf"]'))
    assert given.inputs == {"a": 0x7FC00001, "m": [0x7E00, 0xFC00, 0x3C66]}
    assert given.expected.results == (NAN, 0x7F80)
    assert read(bundle("16777217", "[0, -0.0, 6e-8]")).inputs == {
        "a": 0x4B800000,
        "m": [0, 1 << 15, 1],
    }


MISFITS = (
    (bundle('"one"'), '1:18: error[BUNDLE_SHAPE]: found the string \'one\' for argument a in the '
     'activation; LOOM accepts numbers, "nan", "inf", "-inf" and bit patterns such as "0x3C00"'),
    (bundle('"0x100000000"'), '1:18: error[BUNDLE_SHAPE]: found the string \'0x100000000\' for '
     'argument a in the activation; LOOM accepts numbers, "nan", "inf", "-inf" and bit patterns '
     'such as "0x3C00"'),
    (bundle("true"), '1:18: error[BUNDLE_SHAPE]: found true for argument a in the activation; LOOM '
     'accepts numbers, "nan", "inf", "-inf" and bit patterns such as "0x3C00"'),
    (bundle("1e39"), "1:18: error[BUNDLE_RANGE]: found 1e+39 for argument a in the activation; "
     "LOOM accepts numbers up to 3.4028234663852886e+38"),
    (bundle("1e999"), "1:18: error[BUNDLE_RANGE]: found the number 1e999; LOOM accepts numbers "
     "that fit a type"),
    (bundle("1", "[0, 65520, 0]"), "1:30: error[BUNDLE_RANGE]: found 65520 for argument m in the "
     "activation; LOOM accepts numbers up to 65504.0"),
    (bundle("1", "2.5"), "1:26: error[BUNDLE_SHAPE]: found 2.5 for argument m in the activation; "
     "LOOM accepts a list of floats"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MISFITS)
def test_bundles_that_do_not_fit(text: str, message: str) -> None:
    assert refusal(read, text) == f"b.json:{message}"


def test_results_are_printed_as_decimals(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kernel, inputs = tmp_path / "k.mlir", tmp_path / "b.json"
    kernel.write_text(SUM)
    activations = [bundle("0.1", results="[0.2, 0.2]"), bundle('"nan"', results='["nan", "nan"]'),
                   bundle("-0.0", results='[-0.0, -0.0]')]  # fmt: skip
    inputs.write_text(f"[{', '.join(activations)}]")
    assert main(["model", str(kernel), "--inputs", str(inputs), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert [run["results"] for run in said["runs"]] == [[0.2, 0.2], ["nan", "nan"], [-0.0, -0.0]]
    assert [run["memories"]["m"] for run in said["runs"]] == [
        [0.1, -1.0, 2.0], ["nan", -1.0, 2.0], [-0.0, -1.0, 2.0]]  # fmt: skip
    inputs.write_text(bundle("0.1", results='[0.3, "-inf"]'))
    assert main(["model", str(kernel), "--inputs", str(inputs)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("f activation 0: results 0.2, 0.2; ")
    assert lines[2:] == [
        "  activation 0: result 0 is 0.2, the bundle expects 0.3",
        "  activation 0: result 1 is 0.2, the bundle expects -inf",
    ]


CONVERT = "func.func @f(%a: f32) -> i8 {\n  %0 = arith.fptosi %a : f32 to i8\n  return %0 : i8\n}"


def test_conversions_outside_the_range_are_undefined() -> None:
    reference = compile_reference(read_mlir(CONVERT, "k.mlir"), "f")
    assert reference.run([0x42FE0000]).results == (127,)
    messages = {
        0x43000000: "a conversion to signed integers of 8 bits of a number outside their range",
        NAN: "a conversion of NaN to an integer",
    }
    for pattern, what in messages.items():
        assert refusal(reference.run, [pattern]) == (
            f"k.mlir:2:3: error[REF_UNDEFINED]: found {what} in arith.fptosi; "
            "LOOM accepts operations with a result"
        )


def test_undefined_conversions_of_constants_are_not_folded() -> None:
    text = CONVERT.replace("  %0", "  %c = arith.constant 1.0e10 : f32\n  %0").replace(
        "%a :", "%c :"
    )
    text = text.replace("fptosi %a", "fptosi %c")
    assert any("format" in unit.attributes for unit in compile_text(text).netlist.units)


def test_random_floats_are_of_all_kinds() -> None:
    signature = signature_of(top_function(read_mlir(SUM)))
    form = signature.arguments[0].form
    assert form is not None
    words = [given.inputs["a"] for given in random_activations(signature, 3, 2000)]
    assert words == [given.inputs["a"] for given in random_activations(signature, 3, 2000)]
    found = [word for word in words if isinstance(word, int)]
    for kind in (form.is_nan, form.is_infinite, lambda word: form.magnitude(word) == 0,
                 lambda word: 0 < form.magnitude(word) < form.hidden_bit):  # fmt: skip
        assert 10 < sum(map(kind, found)) < 300
    small = [given.inputs["a"] for given in random_activations(signature, 3, 50, below=3)]
    assert set(small) == {0, 0x3F800000, 0x40000000}


GRAPH = """handshake.func @g(%a: f32, %b: f32, %s: none, ...) -> (f32, none) {
  %0 = arith.mulf %a, %b : f32
  handshake.return %0, %s : f32, none
}
"""


def test_graphs_take_and_give_floats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph, inputs = tmp_path / "g.mlir", tmp_path / "b.json"
    graph.write_text(GRAPH)
    inputs.write_text('{"inputs": {"a": 1.5, "b": "-inf"}, "expected": {"results": ["-inf"]}}')
    assert main(["model", str(graph), "--inputs", str(inputs)]) == 0
    assert capsys.readouterr().out.startswith("g activation 0: results -inf; ")
    inputs.write_text('{"inputs": {"a": 1.5, "b": 3}, "expected": {"results": [0.1]}}')
    assert main(["model", str(graph), "--inputs", str(inputs)]) == 1
    assert "result 0 is 4.5, the bundle expects 0.1" in capsys.readouterr().out
