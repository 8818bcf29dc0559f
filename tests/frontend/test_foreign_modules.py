"""What stands beside functions and graphs in a file of CIRCT's is left out, with a note."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.front.api import compile_text, inspect_request, load_graph
from loom.front.request import Request

HELPER = """hw.module private @helper<WIDTH: i32 = 8>(in %a : i8, out b : i8) attributes {x = {y}} {
  %c = comb.add bin %a, %a : i8
  %s = hw.struct_create (%c) : !hw.struct<f: i8>
  sv.ifdef "SYNTHESIS" { sv.verbatim "} // (" }
  hw.output %c : i8
} loc("k.fir":1:2)
"""
EXTERN = 'hw.module.extern @black(in %a : i8, out b : i8) attributes {verilogName = "box"}\n'
EXTERNAL = "handshake.func private @g(i8, none, ...) -> (i8, none)\n"
GRAPH = """handshake.func @f(%a: i8, %s: none, ...) -> (i8, none) {
  %x = arith.addi %a, %a : i8
  return %x, %s : i8, none
}
"""
PROGRAM = "func.func @f(%a: i8) -> i8 {\n  return %a : i8\n}\n"
NOTES = (
    "hw.module @helper is left out: LOOM compiles functions and graphs",
    "hw.module.extern @black is left out: LOOM compiles functions and graphs",
)


@pytest.mark.parametrize("form", ["{}", "module {{\n{}}}"])
def test_modules_beside_a_graph_are_left_out(form: str) -> None:
    text = form.format(HELPER + EXTERN + EXTERNAL + GRAPH)
    request = Request(text, "k.mlir")
    graph = load_graph(request)
    # In the same lines, which units keep.
    alone = load_graph(Request("\n" * text.partition(GRAPH)[0].count("\n") + GRAPH, "k.mlir"))
    assert graph is not None and alone is not None
    assert graph.notes == (*NOTES, "handshake.func @g is left out: it has no body")
    assert graph.files() == alone.files()
    assert str(inspect_request(request)).endswith(
        "\nnote: handshake.func @g is left out: it has no body"
    )


def test_modules_beside_a_program_are_left_out() -> None:
    circuit = compile_text(HELPER + PROGRAM + EXTERN, "k.mlir")
    assert circuit.notes == NOTES
    assert circuit.dfg_text == compile_text(PROGRAM, "k.mlir").dfg_text
    assert circuit.files() == compile_text(PROGRAM, "k.mlir").files()


def refusal(text: str) -> str:
    with pytest.raises(LoomError) as caught:
        load_graph(Request(text, "k.mlir")) or compile_text(text, "k.mlir")
    return str(caught.value)


def test_an_instance_of_an_external_function_is_a_unit_and_one_of_a_module_is_refused() -> None:
    body = GRAPH.replace("%x = arith.addi %a, %a : i8", "%x, %d = instance @g(%a, %t) : (i8, none) "
                         "-> (i8, none)\n  %t = source")  # fmt: skip
    graph = load_graph(Request(HELPER + EXTERNAL + body, "k.mlir"))
    assert graph is not None and graph.notes == NOTES[:1]
    assert "handshake.instance" in {unit.operator.name for unit in graph.netlist.units}
    assert refusal(HELPER + body.replace("@g", "@helper")) == (
        "k.mlir:8:3: error[DFG_INSTANCE]: found an instance of @helper, which is no handshake.func "
        "in this file; LOOM accepts instances of @f, and of external functions that it declares: "
        "handshake.func private @helper(..)"
    )


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (HELPER[: HELPER.index("hw.output")] + PROGRAM, "MLIR_SYNTAX"),
        ("hw.module @x", "MLIR_SYNTAX"),
        (EXTERN, "MLIR_NO_TOP"),
        (PROGRAM.replace("return", EXTERN + "  return"), "MLIR_UNSUPPORTED_OP"),
    ],
)
def test_what_is_cut_off_or_stands_inside_is_refused(text: str, code: str) -> None:
    assert f"error[{code}]" in refusal(text)
