"""Arrays in banks: which words a bank holds, which accesses know theirs, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from loom.dialects.operators.lanes import ANY, Lane, lanes_of
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.dialects.operators.partitions import Axis, Partition, parse_directive, parse_partition
from loom.emit.banks import exact_reciprocal
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_text, load_graph, netlist_from_text
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from loom.model.timed.simulate import predicted
from loom.netlist.netlist import Netlist
from tests.support.folders import EXAMPLES

pytestmark = pytest.mark.usefixtures("no_clock_period")

PAIRS = """func.func @f(%a: memref<16xi32>{OF_A}, %n: index, %k: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0 : i32
  %m = memref.alloc() {OF_M} : memref<16xi32>
  scf.for %i = %c0 to %n step %c2 {
    %j = arith.addi %i, %c1 : index
    %v = memref.load %a[%i] : memref<16xi32>
    %w = memref.load %a[%j] : memref<16xi32>
    %x = arith.addi %v, %w : i32
    memref.store %x, %m[%i] : memref<16xi32>
    memref.store %v, %m[%j] : memref<16xi32>
  }
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> i32 {
    %v = memref.load %m[%i] : memref<16xi32>
    %u = arith.addi %t, %v : i32
    scf.yield %u : i32
  }
  %l = memref.load %m[%k] : memref<16xi32>
  %r = arith.addi %s, %l : i32
  return %r : i32
}"""


def pairs(of_a: str = "", of_m: str = "") -> str:
    """The program; what is said stands in braces where something is."""
    said = f" {{{of_a}}}" if of_a else ""
    return PAIRS.replace("{OF_A}", said).replace("{OF_M}", f"{{{of_m}}}" if of_m else "")


ROWS = """func.func @f(%a: memref<8xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %z = arith.constant 0 : i32
  %m = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %a[%i] : memref<8xi32>
    memref.store %v, %m[%i] : memref<8xi32>
  }
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %z) -> i32 {
    %v = memref.load %m[%i] : memref<8xi32>
    %u = arith.addi %t, %v : i32
    scf.yield %u : i32
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %m[%i] : memref<8xi32>
    %u = arith.addi %s, %v : i32
    memref.store %u, %m[%i] : memref<8xi32>
  }
  %r = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %s) -> i32 {
    %v = memref.load %m[%i] : memref<8xi32>
    %u = arith.muli %t, %v : i32
    scf.yield %u : i32
  }
  return %r : i32
}"""
"""Loops in a row over an array: no two of them ever request a port of it at once."""


def compiled(text: str, **options: Any) -> Netlist:
    return compile_text(text, "k.mlir", options=Options(**options)).netlist


def said_of(netlist: Netlist, memory: str) -> dict[str, AttributeValue]:
    """What the unit of a memory says of its banks."""
    (unit,) = (u for u in netlist.units if u.attributes.get("memory") == memory)
    known = ("partition", "load_banks", "store_banks", "ports")
    found = {name: unit.attributes[name] for name in known if name in unit.attributes}
    return {k: str(v) if isinstance(v, Partition) else v for k, v in found.items()}


SPLITS = {
    "16%4": lambda i: (i % 4, i // 4),
    "16/4": lambda i: (i // 4, i % 4),
    "10/3": lambda i: (i // 3, i % 3),
    "10%3": lambda i: (i % 3, i // 3),
    "16/1": lambda i: (i, 0),
    "4x6%2": lambda i: (i % 6 % 2, i // 6 * 3 + i % 6 // 2),
    "4%2x6": lambda i: (i // 6 % 2, i // 6 // 2 * 6 + i % 6),
    "4/2x6%3": lambda i: (i // 6 // 2 * 3 + i % 6 % 3, i // 6 % 2 * 2 + i % 6 // 3),
    "3x5/2x4%2": lambda i: (
        i // 4 % 5 // 2 * 2 + i % 4 % 2,
        (i // 20 * 2 + i // 4 % 5 % 2) * 2 + i % 4 // 2,
    ),
}


@pytest.mark.parametrize("text", SPLITS)
def test_every_word_has_a_place_of_its_own(text: str) -> None:
    partition = parse_partition(text)
    assert partition is not None and str(partition) == text
    found = [partition.split(address) for address in range(partition.depth)]
    assert found == [SPLITS[text](address) for address in range(partition.depth)]
    assert all(b < partition.banks and p < partition.places for b, p in found)
    assert len(set(found)) == partition.depth
    known = [word for places in partition.positions for word in places if word is not None]
    assert sorted(known) == list(range(partition.depth))


@pytest.mark.parametrize(
    ("axes", "text"),
    [
        ((Axis(4), Axis(6)), "24"),
        ((Axis(4), Axis(6, "%", 2)), "24%2"),
        ((Axis(4), Axis(6, "%", 4)), "4x6%4"),
        ((Axis(4, "/", 2), Axis(6)), "24/12"),
        ((Axis(4, "%", 2), Axis(6)), "4%2x6"),
        ((Axis(1), Axis(6, "/", 1), Axis(1)), "6/1"),
    ],
)
def test_whole_dimensions_are_taken_together(axes: tuple[Axis, ...], text: str) -> None:
    whole, found = Partition(axes), Partition(axes).simplified()
    assert str(found) == text
    assert [whole.split(a) for a in range(whole.depth)] == [
        found.split(a) for a in range(whole.depth)
    ]


@pytest.mark.parametrize("text", ["", "16%", "16%0", "16%17", "16-4", "x16", "4096%2048"])
def test_other_texts_are_no_partitions(text: str) -> None:
    assert parse_partition(text) is None


def test_reciprocals_are_exact() -> None:
    for divisor in (3, 5, 7, 9, 10, 33, 100):
        for limit in (divisor + 1, 64, 1000):
            places, reciprocal = exact_reciprocal(divisor, limit)
            assert all(n * reciprocal >> places == n // divisor for n in range(limit))


def test_lanes_serve_what_may_come_to_their_bank() -> None:
    shape = Shape(
        (),
        (),
        {
            "loads": 4,
            "stores": 1,
            "partition": parse_partition("8%2"),
            "load_banks": (0, 1, ANY, 0),
        },
    )
    found = lanes_of(shape, registers=True)
    assert found.loads == (Lane(0, 0, (0, 2, 3)), Lane(1, 0, (1, 2)))
    assert found.stores == (Lane(0, 0, (0,)), Lane(1, 0, (0,)))
    two = lanes_of(Shape((), (), {**shape.attributes, "ports": 2}), registers=True)
    assert two.loads == (Lane(0, 0, (0, 3)), Lane(0, 1, (2,)), Lane(1, 0, (1,)), Lane(1, 1, (2,)))
    registers = lanes_of(
        Shape((), (), {**shape.attributes, "partition": parse_partition("8/1")}), registers=True
    )
    assert registers.registers and all(len(lane.accesses) == 1 for lane in registers.loads)


def test_accesses_know_their_bank() -> None:
    """The pairs of a loop with a step of two are in different banks; any index may be in each."""
    said = 'loom.partition = "cyclic:2"'
    netlist = compiled(pairs(said, said))
    assert said_of(netlist, "a") == {"partition": "16%2", "load_banks": (0, 1)}
    assert said_of(netlist, "m") == {"partition": "16%2", "store_banks": (0, 1)}
    assert said_of(compiled(pairs('loom.partition = "block:2"')), "a") == {"partition": "16/8"}


PLANE = """func.func @f(%a: memref<4x6xi32>) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %z = arith.constant 0 : i32
  %s = scf.for %j = %c0 to %c6 step %c3 iter_args(%t = %z) -> i32 {
    %k = arith.addi %j, %c1 : index
    %v = memref.load %a[%c1, %j] : memref<4x6xi32>
    %w = memref.load %a[%c2, %k] : memref<4x6xi32>
    %x = arith.addi %v, %w : i32
    %u = arith.addi %t, %x : i32
    scf.yield %u : i32
  }
  return %s : i32
}"""


@pytest.mark.parametrize(
    ("cuts", "partition", "banks"),
    [
        (("cyclic:3:1",), "24%3", (0, 1)),
        (("cyclic:2:0",), "4%2x6", (1, 0)),
        (("block:2",), "24/12", (0, 1)),
        (("complete:0",), "24/6", (1, 2)),
        (("cyclic:2:0", "cyclic:3:1"), "4%2x6%3", (3, 1)),
        (("cyclic:4:1",), "4x6%4", None),
    ],
)
def test_dimensions_are_cut_on_their_own(
    cuts: tuple[str, ...], partition: str, banks: tuple[int, ...] | None
) -> None:
    options = tuple(("a", cut) for cut in cuts)
    found = said_of(compiled(PLANE, partitions=options), "a")
    assert found.pop("partition") == partition
    assert found == ({} if banks is None else {"load_banks": banks})


def test_program_option_and_graph_say_the_same() -> None:
    said = 'loom.partition = "cyclic:2"'
    by_program = compile_text(pairs(said, said), "k.mlir")
    options = Options(partitions=(("a", "cyclic:2"), ("m", "cyclic:2")))
    by_option = compile_text(pairs(), "k.mlir", options=options)
    assert by_program.netlist_text == by_option.netlist_text
    graph = load_graph(Request(by_program.dfg_text, "g.mlir"))
    assert graph is not None
    assert said_of(graph.netlist, "a") == said_of(by_program.netlist, "a")
    assert netlist_from_text(by_program.netlist_text) == by_program.netlist
    # An option speaks instead of the program.
    other = compiled(pairs(said), partitions=(("a", "block:4"),))
    assert said_of(other, "a")["partition"] == "16/4"


def test_reading_two_words_a_cycle_is_for_arrays_inside() -> None:
    assert said_of(compiled(pairs(of_m="loom.ports = 2")), "m") == {"ports": 2}
    assert said_of(compiled(pairs(), ports=(("m", 2),)), "m") == {"ports": 2}


def test_loops_in_a_row_take_turns_at_read_ports() -> None:
    """Which need no arbiter at one port, and no number of a requester at two."""
    assert said_of(compiled(ROWS, ports=(("m", 2),)), "m") == {"ports": 2}
    circuit = compile_text(ROWS, "k.mlir", options=Options(ports=(("m", 2),)))
    given = [Activation({"a": [*range(k, k + 8)]}) for k in (1, 5)]
    report = compare_models(circuit.source, circuit.top, circuit.netlist, given, max_cycles=1000)
    assert list(report.differences) == []


@pytest.mark.parametrize(
    ("cut", "saved"), [("cyclic:2", 9), ("cyclic:4", 9), ("block:3", 0), ("complete", 9)]
)
def test_the_models_agree_and_ports_bind_less(cut: str, saved: int) -> None:
    """Neighbours lie in one block, but for those at its end."""
    given = [
        Activation({"a": [7 * k % 100 for k in range(16)], "n": n, "k": 1}) for n in (16, 4, 8, 2)
    ]
    cycles: list[int] = []
    for options in (Options(), Options(partitions=(("a", cut), ("m", cut)))):
        circuit = compile_text(pairs(), "k.mlir", options=options)
        report = compare_models(
            circuit.source, circuit.top, circuit.netlist, given, max_cycles=1000
        )
        assert report.differences == ()
        runs = predicted(circuit.netlist, given, report.tokens)
        assert runs is not None
        for outcome, run in zip(report.outcomes, runs, strict=True):
            assert outcome.bound <= run.cycles
        cycles.append(runs[0].cycles)
    whole, cut_up = cycles
    assert whole - cut_up == saved


def test_the_interval_counts_ports() -> None:
    whole = compile_text(pairs(), "k.mlir").loops[0]
    assert (whole.ii, whole.limited_by) == (2, "2 loads of a")
    halves = Options(partitions=(("a", "cyclic:2"), ("m", "cyclic:2")))
    assert compile_text(pairs(), "k.mlir", options=halves).loops[0].ii == 1
    fours = Options(partitions=(("a", "complete"), ("m", "block:2")))
    loop = compile_text(pairs(), "k.mlir", options=fours).loops[0]
    assert (loop.ii, loop.limited_by) == (1, "")


C = """static int t1[4] = {1, 2, 3, 4};
#pragma loom partition(x, cyclic, 4)
int f(int x[64]) {
  int b_2[4][4], s = 0;
#pragma loom partition(b_2, cyclic, 2, 1)
#pragma loom partition(b_2, block, 2)
#pragma loom ports(t1, 2)
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) b_2[i][j] = x[i + j];
  for (int i = 0; i < 4; i++) s += b_2[i][0] * t1[i] + t1[s & 3];
  return s;
}
#pragma loom partition(y, complete)
int g(int y[4]) { return y[0] + y[3]; }
"""


def test_pragmas_of_c_say_it_in_or_before_a_function() -> None:
    found = compile_text(C, "k.c", top="f").netlist
    assert said_of(found, "x")["partition"] == "64%4"
    assert said_of(found, "t1_0") == {"ports": 2}
    (local,) = (m.name for m in found.memories if m.name.startswith("local"))
    assert said_of(found, local)["partition"] == "4/2x4%2"
    other = compile_text(C, "k.c", top="g").netlist
    assert said_of(other, "y") == {"partition": "4/1", "load_banks": (0, 3)}
    # An option calls arrays as the program does.
    by_option = Options(partitions=(("t1", "block:2"), ("b_2", "complete:0")))
    found = compile_text(C, "k.c", top="f", options=by_option).netlist
    assert said_of(found, "t1_0") == {"partition": "4/2", "ports": 2}
    assert said_of(found, local)["partition"] == "16/4"


@pytest.mark.parametrize(
    ("options", "rams"),
    [
        ({}, 2),
        ({"ports": (("m", 2),)}, 4),
        ({"partitions": (("m", "cyclic:4"),)}, 8),
        ({"partitions": (("m", "complete"),)}, 0),
    ],
)
def test_the_estimate_counts_the_rams_of_all_banks(options: dict[str, Any], rams: int) -> None:
    """A RAM of 32 bits is two blocks of an ECP5; words in registers are none."""
    text = pairs().replace("%v = memref.load %m[%i]", "%v = memref.load %m[%k]")
    text = text.replace("16xi32", "64xi32")  # 16 words are LUT RAM where they are no banks
    circuit = compile_text(text, "k.mlir", options=Options(**options))
    assert circuit.cost.area.block_rams == rams


GAINS: dict[str, tuple[Options, float]] = {
    "fir": (
        Options(unroll=((8, 4),), partitions=(("samples", "cyclic:4"), ("taps", "cyclic:4"))),
        0.33,
    ),
    "matmul": (Options(unroll=((6, None),), partitions=(("a", "complete:1"), ("b", "complete"))),
               0.2),
}  # fmt: skip


@pytest.mark.parametrize("name", GAINS)
def test_ports_bind_examples_less(name: str) -> None:
    """The examples of docs/partition.md: cycles in banks, by cycles without."""
    options, share = GAINS[name]
    text, cycles = (EXAMPLES / f"{name}.mlir").read_text(encoding="utf-8"), list[int]()
    for each in (Options(), options):
        circuit = compile_text(text, f"{name}.mlir", options=each)
        signature = signature_of(top_function(circuit.source, None))
        bundle = (EXAMPLES / f"{name}.json").read_text(encoding="utf-8")
        given = read_bundle(bundle, f"{name}.json", signature)[:1]
        report = compare_models(
            circuit.source, circuit.top, circuit.netlist, given, max_cycles=10_000
        )
        assert report.differences == ()
        runs = predicted(circuit.netlist, given, report.tokens)
        assert runs is not None
        cycles.append(runs[0].cycles)
    assert cycles[1] <= share * cycles[0]


def test_a_graph_says_the_partition_as_a_typed_attribute_or_as_its_text() -> None:
    circuit = compile_text(pairs('loom.partition = "cyclic:2"'), "k.mlir")
    typed = 'loom.partition = #loom.partition<"16%2">'
    assert typed in circuit.dfg_text
    for said in (typed, 'loom.partition = "16%2"'):
        text = circuit.dfg_text.replace(typed, said)
        netlist = load_graph(Request(text, "g.mlir")).netlist
        assert said_of(netlist, "a") == said_of(circuit.netlist, "a") != {}
    for said in ('#loom.partition<"16%0">', '"16%0"', "2"):
        text = circuit.dfg_text.replace(typed, f"loom.partition = {said}")
        with pytest.raises((LoomError, LoomErrors), match="sizes, partitioned by % or /"):
            load_graph(Request(text, "g.mlir"))


def test_directives_print_as_they_are_read() -> None:
    for text in ("cyclic:4", "block:2:1", "complete", "complete:3"):
        assert str(parse_directive(text)) == text
    assert [parse_directive(text) for text in ("round:2", "complete:1:2", "cyclic:x")] == [None] * 3
