"""Arguments are told apart by the names that the text gives them, whatever these are."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

import loom
from loom.front.cli import main
from loom.frontend.functions import top_function
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from loom.netlist.checks import problems
from tests.support.netlists import NetlistBuilder

SCALARS = """
func.func @scalars(%a_0: i32, %a_1: i32, %a.b: i32, %a_b: i32, %_q: i32, %a: i32) -> i32 {
  %0 = arith.subi %a_0, %a_1 : i32
  %1 = arith.muli %0, %a.b : i32
  %2 = arith.subi %1, %a_b : i32
  %3 = arith.muli %2, %_q : i32
  %4 = arith.subi %3, %a : i32
  return %4 : i32
}
"""
MEMORIES = """
func.func @memories(%m_0: memref<2xi32>, %m_1: memref<2xi32>, %start: i32, %done: memref<2xi32>) {
  %at = arith.constant 1 : index
  memref.store %start, %m_1[%at] : memref<2xi32>
  %0 = memref.load %m_0[%at] : memref<2xi32>
  memref.store %0, %done[%at] : memref<2xi32>
  return
}
"""
# The number of the first argument, made a port, is what the second is called.
GENERIC = """
"func.func"() <{sym_name = "generic", function_type = (i32, i32) -> i32}> ({
^bb0(%5: i32, %arg0: i32):
  %0 = "arith.subi"(%5, %arg0) : (i32, i32) -> i32
  "func.return"(%0) : (i32) -> ()
}) : () -> ()
"""
WORDS = {"m_0": [1, 2], "m_1": [3, 4], "done": [5, 6]}
ROWS = [
    (SCALARS, {"a_0": 10, "a_1": 3, "a.b": 100, "a_b": 20, "_q": 2, "a": 1}, [1359], {}),
    (SCALARS, {"0": 10, "1": 3, "2": 100, "3": 20, "4": 2, "5": 1}, [1359], {}),
    (MEMORIES, {**WORDS, "start": 7}, [], {"m_0": [1, 2], "m_1": [3, 7], "done": [5, 2]}),
    (GENERIC, {"0": 10, "arg0": 3}, [7], {}),
]

ACCESSED = """func.func @accessed({0}) -> i8 {{
  %0 = arith.index_castui %i : i1 to index
  %1 = memref.load %m[%0] : memref<2xi8>
  memref.store %v, %m[%0] : memref<2xi8>
  return %1 : i8
}}
"""
"""A program whose arguments are a memory, an index, a datum and one more."""
TWICE = (
    "k.mlir:1:1: error[NETLIST_NAME]: found port 'm{0}_rd' beside memory 'm{0}', whose words have "
    "a port so called; LOOM accepts another name for one of them"
)


def read(
    text: str, inputs: Mapping[str, object], results: object, memories: object
) -> tuple[loom.Circuit, list[Activation]]:
    circuit = loom.compile_text(text)
    bundle = {"inputs": inputs, "expected": {"results": results, "memories": memories}}
    signature = signature_of(top_function(circuit.source, circuit.top))
    return circuit, read_bundle(json.dumps(bundle), "bundle.json", signature)


@pytest.mark.parametrize(("text", "inputs", "results", "memories"), ROWS)
def test_models_take_each_argument_by_its_name(
    text: str, inputs: Mapping[str, object], results: object, memories: object
) -> None:
    circuit, activations = read(text, inputs, results, memories)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, activations, max_cycles=1000
    )
    assert report.differences == ()


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_rtl_takes_each_argument_by_its_name() -> None:
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import Kernel, cosimulate_kernels

    rows = [read(*row) for row in ROWS]
    kernels = [Kernel(c.source, c.top, c.netlist, c.files()) for c, _ in rows]
    reports = cosimulate_kernels(kernels, [given for _, given in rows], SimOptions(stalls=0.3))
    assert [report.differences for report in reports] == [()] * len(ROWS)


def test_ports_keep_names_that_systemverilog_takes() -> None:
    names = [port.name for port in loom.compile_text(SCALARS).netlist.ports]
    assert names == ["a_0", "a_1", "a_b", "a_b_1", "_q", "a", "start", "out0", "done"]


@pytest.mark.parametrize("cut, bank", [("", ""), (' {loom.partition = "cyclic:2"}', "_1")])
def test_a_datum_is_not_called_as_the_words_of_a_memory(cut: str, bank: str) -> None:
    given = f"%m: memref<2xi8>{cut}, %i: i1, %v: i8, %m{bank}"
    assert loom.compile_text(ACCESSED.format(f"{given}_wr: i8"), "k.mlir").files()
    with pytest.raises(loom.LoomError) as caught:
        loom.compile_text(ACCESSED.format(f"{given}_rd: i8"), "k.mlir")
    assert str(caught.value) == TWICE.format(bank)


@pytest.mark.parametrize("name, names", [("m_wr", ["NETLIST_NAME"]), ("m_rd", [])])
def test_a_result_is_not_called_as_the_words_of_a_memory(name: str, names: list[str]) -> None:
    """Words that are stored leave the circuit, as results do."""
    b = NetlistBuilder("store", 8)
    b.port("input", "at", "i8")
    b.port("input", "word", "i8")
    b.port("output", name, "i8")
    b.port("output", "done", "none")
    b.memory("m", "i8", 4, "external")
    b.fork("copies", "%word", ["ram.st_data0", f"%{name}"], "i8")
    b.unit("ram", "handshake.extmemory", memory="m", stores=1, loads=0)
    b.connect("%at", "ram.st_address0", "i8")
    b.connect("ram.st_done0", "%done", "none")
    assert [problem.code for problem in problems(b.build())] == names


OF_OTHER_ALPHABETS = {
    "k.c": "int gö[2] = {1, 2};\nint fü(int b[2], int ä, int ö) {\n  int ü = 0;\n"
    "  for (int ï = 0; ï < ä; ï++) { ü += gö[ï & 1] * b[0]; b[1] = ö; }\n  return ü;\n}\n",
    "k.py": "import numpy as np\nimport loom\n@loom.kernel\n"
    "def fü(ä: np.int32, ö: np.int32) -> np.int32:\n    ü = np.int32(0)\n"
    "    for ï in range(ä):\n        ü += ö\n    return ü\n",
}


@pytest.mark.parametrize("file", OF_OTHER_ALPHABETS)
def test_names_may_be_of_other_alphabets(file: str, tmp_path: Path) -> None:
    """C and Python have them; SystemVerilog and MLIR have letters of ASCII."""
    path = tmp_path / file
    path.write_text(OF_OTHER_ALPHABETS[file], encoding="utf-8")
    circuit = loom.compile_file(path)
    assert all(text.isascii() for name, text in circuit.files().items() if name.endswith(".sv"))
    names = [port.name for port in circuit.netlist.ports]
    assert len(names) == len(set(names))
    assert main(["model", str(path)]) == 0
