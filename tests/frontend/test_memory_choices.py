"""The memory of an argument: options, MLIR, C and Python say the same; what is none is refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from loom.dialects.facts.memory_choices import MemoryChoice, parse_memory
from loom.emit.ports import find_ports, ports_page
from loom.errors import LoomError
from loom.front.api import compile_text, load_graph, netlist_from_text
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.options import Options
from loom.netlist.json_text import to_json
from tests.support.refusals import refusal

SUM = """func.func @f(%a: memref<8xi32>{of_a}, %n: index) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %t = memref.alloc(){of_t} : memref<8xi32>
  memref.store %z, %t[%c0] : memref<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> i32 {{
    %v = memref.load %a[%i] : memref<8xi32>
    %w = arith.addi %v, %s : i32
    scf.yield %w : i32
  }}
  return %r : i32
}}"""
PLAIN = SUM.format(of_a="", of_t="")
C = """#pragma loom memory(a, channel, latency=40)
int f(const int a[8], int n) {
  int s = 0;
  for (int i = 0; i < n; i++) s += a[i];
  return s;
}
"""
PYTHON = """from typing import Annotated
import numpy as np
from numpy.typing import NDArray
import loom

@loom.kernel
def f(a: Annotated[NDArray[np.int32], 8, "channel,latency=40"], n: np.int32) -> np.int32:
    s = np.int32(0)
    for i in range(n):
        s += a[i]
    return s
"""


def kind_and_latency(text: str, file: str, options: Options) -> tuple[str, object]:
    """What the netlist says of the memory of the argument a, and of its unit."""
    netlist = compile_text(text, file, top="f", options=options).netlist
    (unit,) = (u for u in netlist.units if u.attributes.get("memory") == "a")
    return netlist.memory_by_name["a"].kind.word, unit.attributes.get("latency")


def of_a(said: str) -> str:
    """The program with an attribute of its argument."""
    return SUM.format(of_a=f" {{{said}}}", of_t="")


def test_every_language_says_the_same() -> None:
    usual, chosen = Options(), Options(memories=(("a", "channel,latency=40"),))
    expected = ("channel", 40)
    assert kind_and_latency(PLAIN, "f.mlir", usual) == ("ram", None)
    assert kind_and_latency(PLAIN, "f.mlir", chosen) == expected
    said = of_a('loom.memory = "channel, latency=40"')
    assert kind_and_latency(said, "f.mlir", usual) == expected
    assert kind_and_latency(C, "f.c", usual) == expected
    assert kind_and_latency(PYTHON, "f.py", usual) == expected
    # The command line speaks instead of the program.
    asked = Options(memories=(("a", "ram"),))
    assert kind_and_latency(C, "f.c", asked) == ("ram", None)


def test_a_ram_is_what_is_usual() -> None:
    plain = compile_text(PLAIN, "f.mlir", options=Options()).files()
    for choice in ("ram", "ram,latency=1"):
        asked = compile_text(PLAIN, "f.mlir", options=Options(memories=(("a", choice),))).files()
        assert asked == plain


def test_the_netlist_and_the_graph_carry_the_choice() -> None:
    chosen = Options(memories=(("a", "channel,latency=7,outstanding=5"),))
    circuit = compile_text(PLAIN, "f.mlir", options=chosen)
    assert to_json(netlist_from_text(circuit.netlist_text, "f.json")) == circuit.netlist_text
    graph = load_graph(Request(circuit.dfg_text, "f.dfg.mlir"))
    (unit,) = (u for u in graph.netlist.units if u.operator.name == "handshake.chanmemory")
    assert (unit.attributes["latency"], unit.attributes["outstanding"]) == (7, 5)
    assert graph.files().keys() >= {"rtl/f.sv", "rtl/loom_memory_slots.sv"}


def test_the_page_of_the_ports_has_the_channels() -> None:
    chosen = Options(memories=(("a", "channel,latency=7"),))
    circuit = compile_text(PLAIN, "f.mlir", options=chosen)
    found = find_ports(circuit.netlist)
    pins = {pin.name: (pin.width, pin.role) for pin in found.pins if pin.of == "a"}
    assert pins["a_ar_addr_o"] == (3, "read request address")
    assert pins["a_r_error_i"] == (1, "read response error")
    listed = re.findall(r"\ba_(?:a?[rwb]+)_\w+_[io]\b", circuit.files()["rtl/f.sv"])
    assert set(listed) == set(pins)
    page = ports_page(found)
    assert "any; 7 declared, 9 outstanding" in page
    assert "RT_MEMORY_ERROR_RESPONSE" in page
    plain = ports_page(find_ports(compile_text(PLAIN, "f.mlir").netlist))
    assert "RT_MEMORY_ERROR_RESPONSE" not in plain


def test_several_elements_a_word() -> None:
    text = PLAIN.replace("i32", "i16").replace("memref<8x", "memref<21x")
    chosen = Options(memories=(("a", "channel,pack=64"),))
    circuit = compile_text(text, "f.mlir", options=chosen)
    found = find_ports(circuit.netlist)
    pins = {pin.name: pin.width for pin in found.pins if pin.of == "a"}
    assert (pins["a_ar_addr_o"], pins["a_r_data_i"]) == (3, 64)
    (array,) = found.arrays
    (memory,) = array.memories
    assert (array.depth, array.element_width, array.elements_a_word) == (21, 16, 4)
    assert (memory.words, memory.word_width, memory.first, memory.step) == (6, 64, 0, 4)
    assert "| 6 of 4 elements | 3 |" in ports_page(found)
    whole = compile_text(text, "f.mlir", options=Options(memories=(("a", "channel"),)))
    assert "one element a word" in ports_page(find_ports(whole.netlist))
    again = netlist_from_text(circuit.netlist_text, "f.json")
    assert find_ports(again) == found
    with pytest.raises(LoomError, match=r"pack=64 of elements of 12 bits at unit"):
        netlist_from_text(circuit.netlist_text.replace('"i16"', '"i12"'), "f.json")


def test_words_of_one_element_change_nothing() -> None:
    plain, packed = (
        compile_text(PLAIN, "f.mlir", options=Options(memories=(("a", choice),))).files()
        for choice in ("channel", "channel,pack=32")
    )
    assert {k: v for k, v in plain.items() if k.endswith(".sv")} == {
        k: v for k, v in packed.items() if k.endswith(".sv")
    }


def test_a_choice_prints_what_reads_back() -> None:
    for text in ("ram", "channel", "channel,latency=9", "channel,latency=9,pack=64"):
        found = parse_memory(text)
        assert isinstance(found, MemoryChoice)
        assert str(found) == text
        assert parse_memory(str(found)) == found


AT_OPTION = "--memory: error[LOWER_ARRAY]: found "
AT_PROGRAM = "f.mlir:1:1: error[LOWER_ARRAY]: found "
FORMS = "ram, channel, each with ,latency=N, a channel with ,outstanding=N and ,pack=N too"
FITTING = "elements of 8, 16, 32, 64 or 128 bits that are no wider than the word"
REFUSED: dict[str, tuple[str, dict[str, Any], str]] = {
    "unknown kind": (
        PLAIN,
        {"memories": (("a", "ddr"),)},
        f"{AT_OPTION}the memory 'ddr', of a; LOOM accepts {FORMS}",
    ),
    "latency 0": (
        PLAIN,
        {"memories": (("a", "channel,latency=0"),)},
        f"{AT_OPTION}latency 0 of the memory 'channel', of a; LOOM accepts 1 to 1023",
    ),
    "latency 0 in the program": (
        of_a('loom.memory = "channel,latency=0"'),
        {},
        f"{AT_PROGRAM}latency 0 of the memory 'channel', of a; LOOM accepts 1 to 1023",
    ),
    "a slower RAM": (
        PLAIN,
        {"memories": (("a", "ram,latency=4"),)},
        f"{AT_OPTION}latency 4 of the memory 'ram', of a; LOOM accepts 1 to 3; a memory that takes "
        "longer, or may, is a channel",
    ),
    "outstanding requests of a RAM": (
        PLAIN,
        {"memories": (("a", "ram,outstanding=3"),)},
        f"{AT_OPTION}'outstanding=3' of the memory 'ram', of a; LOOM accepts latency=N there",
    ),
    "latency 0 of a RAM": (
        PLAIN,
        {"memories": (("a", "ram,latency=0"),)},
        f"{AT_OPTION}latency 0 of the memory 'ram', of a; LOOM accepts 1 to 3; a memory that takes "
        "longer, or may, is a channel",
    ),
    "words of a RAM": (
        PLAIN,
        {"memories": (("a", "ram,pack=32"),)},
        f"{AT_OPTION}'pack=32' of the memory 'ram', of a; LOOM accepts latency=N there",
    ),
    "words of no width that there is": (
        PLAIN,
        {"memories": (("a", "channel,pack=48"),)},
        f"{AT_OPTION}pack 48 of the memory 'channel', of a; LOOM accepts 32, 64, 128",
    ),
    "elements that are no bytes": (
        PLAIN.replace("i32", "i12"),
        {"memories": (("a", "channel,pack=32"),)},
        f"{AT_OPTION}pack=32 of elements of 12 bits, of a; LOOM accepts {FITTING}",
    ),
    "elements of which no power of two fills a word": (
        PLAIN.replace("i32", "i24"),
        {"memories": (("a", "channel,pack=128"),)},
        f"{AT_OPTION}pack=128 of elements of 24 bits, of a; LOOM accepts {FITTING}",
    ),
    "elements wider than the word, in the program": (
        of_a('loom.memory = "channel,pack=32"').replace("i32", "i64"),
        {},
        f"{AT_PROGRAM}pack=32 of elements of 64 bits, of a; LOOM accepts {FITTING}",
    ),
    "too many outstanding": (
        PLAIN,
        {"memories": (("a", "channel,outstanding=1025"),)},
        f"{AT_OPTION}outstanding 1025 of the memory 'channel', of a; LOOM accepts 1 to 1024",
    ),
    "latency twice": (
        PLAIN,
        {"memories": (("a", "channel,latency=2,latency=3"),)},
        f"{AT_OPTION}latency of a memory a second time, of a; LOOM accepts it once",
    ),
    "an unknown property": (
        PLAIN,
        {"memories": (("a", "channel,depth=2"),)},
        f"{AT_OPTION}'depth=2' of the memory 'channel', of a; LOOM accepts latency=N, "
        "outstanding=N and pack=N there",
    ),
    "no such array": (
        PLAIN,
        {"memories": (("b", "channel"),)},
        f"{AT_OPTION}the array 'b'; LOOM accepts arguments: a",
    ),
    "an array inside": (
        PLAIN,
        {"memories": (("t", "channel"),)},
        f"{AT_OPTION}the array 't', which is inside; LOOM accepts arguments: a",
    ),
    "an array inside in the program": (
        SUM.format(of_a="", of_t=' {loom.memory = "channel"}'),
        {},
        'f.mlir:5:3: error[LOWER_UNIT]: found loom.memory = "channel" of memref.alloc; LOOM '
        "accepts loom.latency, loom.ports there",
    ),
    "an array twice": (
        PLAIN,
        {"memories": (("a", "channel"), ("a", "ram"))},
        f"{AT_OPTION}the array 'a' twice; LOOM accepts one memory an array",
    ),
    "banks behind a channel": (
        PLAIN,
        {"memories": (("a", "channel"),), "partitions": (("a", "cyclic:2"),)},
        f"{AT_OPTION}a partition of a, which is channel; LOOM accepts one of both",
    ),
    "no text": (
        of_a("loom.memory = 3"),
        {},
        f'{AT_PROGRAM}loom.memory = 3 : i64; LOOM accepts "{FORMS}"',
    ),
    "a number's memory": (
        PLAIN.replace("%n: index", '%n: index {loom.memory = "channel"}'),
        {},
        f"{AT_PROGRAM}loom.memory of the argument n, which is index; LOOM accepts it of arrays",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_memories_that_fit_no_argument_are_refused(name: str) -> None:
    text, options, message = REFUSED[name]
    assert refusal(compile_text, text, "f.mlir", options=Options(**options)) == message


C_REFUSED = {
    "memory(a)": "f.c:1:14: error[C_PRAGMA]: found the pragma loom memory(a); LOOM accepts #pragma "
    "loom partition(NAME, cyclic, BANKS), (NAME, block, BANKS, DIM), (NAME, complete), #pragma "
    "loom ports(NAME, NUMBER), #pragma loom memory(NAME, KIND, latency=N), #pragma loom "
    "memory_order(NAME, ORDER) with tokens, comparators, queue",
    "memory(q, channel)": "f.c:1:14: error[C_PRAGMA]: found the pragma loom memory(q, channel), of "
    "an array that the kernel does not use; LOOM accepts its arrays: a",
    "memory(a, ddr)": "f.c:1:14: error[C_PRAGMA]: found the memory 'ddr'; LOOM accepts " + FORMS,
}


@pytest.mark.parametrize("pragma", C_REFUSED)
def test_pragmas_that_fit_no_parameter_are_refused(pragma: str) -> None:
    text = C.replace("memory(a, channel, latency=40)", pragma)
    assert refusal(compile_text, text, "f.c", top="f") == C_REFUSED[pragma]


def test_a_second_pragma_of_an_array_is_refused() -> None:
    text = C.replace("int f", "#pragma loom memory(a, ram)\nint f")
    assert refusal(compile_text, text, "f.c", top="f") == (
        "f.c:2:14: error[C_PRAGMA]: found a second memory of a; LOOM accepts one memory an array"
    )


def test_annotations_that_name_no_memory_are_refused() -> None:
    text = PYTHON.replace("channel,latency=40", "sdram")
    assert refusal(compile_text, text, "f.py") == (
        "f.py:7:42: error[PY_ANNOTATION]: found the memory 'sdram'; LOOM accepts " + FORMS
    )


def test_a_function_that_is_called_says_nothing() -> None:
    text = (
        of_a('loom.memory = "channel"').replace("@f(", "@g(")
        + """
func.func @f(%a: memref<8xi32>, %n: index) -> i32 {
  %r = func.call @g(%a, %n) : (memref<8xi32>, index) -> i32
  return %r : i32
}"""
    )
    assert refusal(compile_text, text, "f.mlir", top="f") == (
        f"{AT_PROGRAM}loom.memory of the argument a of a function that is called; LOOM accepts it "
        "of the circuit's own arguments"
    )


def test_a_port_called_like_a_channel_is_refused() -> None:
    text = PLAIN.replace("%n", "%a_r")
    chosen = Options(memories=(("a", "channel"),))
    assert refusal(compile_text, text, "f.mlir", options=chosen) == (
        "f.mlir:1:1: error[NETLIST_NAME]: found port 'a_r' beside memory 'a', which has a channel "
        "so called; LOOM accepts another name for one of them"
    )


def test_the_command_line_refuses_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "f.mlir", tmp_path / "out"
    file.write_text(PLAIN)
    for value in ("a", "a:ddr", ":channel", "a:channel,latency=x"):
        assert main(["compile", str(file), "-o", str(out), "--memory", value]) == 2
        assert "error[" in capsys.readouterr().err
    assert not out.exists()
    assert (
        main(["compile", "--style", "dynamic", str(file), "-o", str(out), "--memory", "a:channel"])
        == 0
    )


def test_a_graph_and_a_netlist_say_their_memories_themselves() -> None:
    circuit, chosen = compile_text(PLAIN, "f.mlir"), Options(memories=(("a", "channel"),))
    for text, file in ((circuit.dfg_text, "g.mlir"), (circuit.netlist_text, "n.json")):
        assert refusal(load_graph, Request(text, file, options=chosen)) == (
            "--memory: error[LOWER_ARRAY]: found --memory for a graph or a netlist; LOOM accepts "
            "it for a program; a graph has handshake.chanmemory {loom.latency = N}"
        )
