"""The largest arrays are compiled; where all elements are equal nobody goes through them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from loom import elements
from loom.elements import Block, repeat_element
from loom.front.api import Circuit, compile_request
from loom.front.request import Request
from loom.netlist.json_text import from_json, to_json

MOST = 1 << 24
FEW = 1 << 16
"""Equal elements that may be gone through one by one [elements]."""
MLIR = """memref.global "private" {constant}@g : memref<4096x4096x{type}> = dense<{value}>
func.func @k(%a: index) -> {type} {{
  %m = memref.get_global @g : memref<4096x4096x{type}>
  %v = memref.load %m[%a, %a] : memref<4096x4096x{type}>
  return %v : {type}
}}
"""
PYTHON = """import numpy as np
import loom
G = np.full(1 << 24, 7, dtype=np.int32)
@loom.kernel
def k(a: np.int32) -> np.int32:
    return G[a & 0xffffff]
"""
PROGRAMS: dict[str, tuple[str, str, int]] = {
    "mlir": ("k.mlir", MLIR.format(constant="", type="i8", value=1), 1),
    "constant": ("k.mlir", MLIR.format(constant="constant ", type="i8", value=-1), 255),
    "float": ("k.mlir", MLIR.format(constant="", type="f32", value=1.5), 0x3FC00000),
    "c": ("k.c", "int g[1<<24]; int k(int a) { int v = g[a]; g[a] = v + 1; return v; }\n", 0),
    "struct": ("k.c", "struct { int a, b; } g[1<<24]; int k(int a) { return g[a].b++; }\n", 0),
    "python": ("k.py", PYTHON, 7),
}


@pytest.fixture
def equal_elements_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody goes through many equal elements one by one."""
    iterate = elements.iterate_block

    def watched(block: Block) -> Iterator[int]:
        count, values = block
        assert len(values) > 1 or count <= FEW, f"{count} equal elements, one by one"
        yield from iterate(block)

    monkeypatch.setattr(elements, "iterate_block", watched)


@pytest.mark.usefixtures("equal_elements_stay_together")
def test_equal_elements_one_by_one_are_reported() -> None:
    with pytest.raises(AssertionError, match="16777216 equal elements, one by one"):
        list(repeat_element(7, MOST))


def compile_program(file: str, text: str) -> tuple[Circuit, dict[str, str]]:
    """The circuit and its files."""
    circuit = compile_request(Request(text, file))
    return circuit, {str(name): made for name, made in circuit.files().items()}


@pytest.mark.usefixtures("equal_elements_stay_together")
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_largest_array_of_equal_elements_is_compiled_at_once(name: str) -> None:
    file, text, value = PROGRAMS[name]
    circuit, files = compile_program(file, text)
    (memory,) = circuit.netlist.memories
    assert memory.contents == repeat_element(value, MOST)
    assert sum(map(len, files.values())) < 100_000
    written = next(made for made in files.values() if "initial begin : contents" in made)
    assert "for (int k = 0; k < DEPTH; k++) begin : same" in written


@pytest.mark.usefixtures("deep_on_sources")
def test_a_large_array_of_few_runs_is_written_by_runs() -> None:
    text = "int g[1<<24] = {5, 6}; int k(int a) { int v = g[a]; g[a] = v + 1; return v; }\n"
    circuit, files = compile_program("k.c", text)
    assert list(circuit.netlist.memories[0].contents or ())[:4] == [5, 6, 0, 0]
    written = next(made for made in files.values() if "initial begin : contents" in made)
    lines = written[written.index("initial begin") :].splitlines()
    assert [line.strip() for line in lines[:7]] == [
        "initial begin : contents",
        "word_q[0] = 32'h5;",
        "word_q[1] = 32'h6;",
        "for (int k = 2; k < 16777216; k++) begin : run2",
        "word_q[k] = 32'h0;",
        "end",
        "end",
    ]
    json_text = to_json(circuit.netlist)
    assert '"contents": {"runs": [[1, 5], [1, 6], [16777214, 0]]}' in json_text
    assert from_json(json_text) == circuit.netlist


@pytest.mark.usefixtures("deep_on_sources")
def test_a_strided_table_has_zeros_in_its_gaps(tmp_path: Path) -> None:
    type_ = "memref<1000x1000xi32, strided<[4000, 2], offset: 3>>"
    text = (
        f'memref.global "private" @g : {type_} = dense<9>\n'
        "func.func @k(%a: index) -> i32 {\n"
        f"  %m = memref.get_global @g : {type_}\n"
        f"  %v = memref.load %m[%a, %a] : {type_}\n"
        "  return %v : i32\n}\n"
    )
    (memory,) = compile_request(Request(text, "k.mlir")).netlist.memories
    given = memory.contents
    assert given is not None and len(given) == 3 + 999 * 4000 + 999 * 2 + 1
    assert [*given[:6]] == [0, 0, 0, 9, 0, 9] and sum(given) == 9 * 1_000_000


def test_a_large_array_of_structs_with_a_few_values() -> None:
    text = """struct { int a; char b; } g[1<<23] = {{1, 2}, {3}, 4, 5};
    int k(int i) { g[i].a += 1; return g[i].b++; }"""
    circuit, _ = compile_program("k.c", text)
    first, second = (list(m.contents or ())[:4] for m in circuit.netlist.memories)
    assert sorted([first, second]) == [[1, 3, 4, 0], [2, 0, 5, 0]]
