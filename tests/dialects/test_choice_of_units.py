"""Units have the hardware that an operation, or an option, asks for; the tokens stay the same."""

from __future__ import annotations

from itertools import product
from typing import Literal

import pytest

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.operator import AttributeValue, Shape
from loom.errors import LoomError
from loom.front.api import check_request, compile_text, load_graph, netlist_from_text
from loom.front.request import Request
from loom.lower.dataflow.choose_units import choose_latency, is_multiplier
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.netlist.checks import problems
from loom.netlist.netlist import Netlist
from tests.support.netlists import operator_netlist
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

POWERS = """func.func @f(%n: index, %x: i32, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%p = %x) -> (i32) {
    %v = memref.load %m[%i] : memref<8xi32>
    %s = arith.muli %v, %x {SAID} : i32
    %q = arith.addi %p, %s : i32
    scf.yield %q : i32
  }
  %w = arith.muli %r, %x : i32
  return %w : i32
}"""


def powers(said: str = "", **options: object) -> Netlist:
    text = POWERS.replace("{SAID}", f"{{{said}}}" if said else "")
    return compile_text(text, "k.mlir", options=Options(**options)).netlist  # type: ignore[arg-type]


def latencies(netlist: Netlist) -> list[AttributeValue | None]:
    return [
        unit.attributes.get("latency")
        for unit in netlist.units
        if unit.operator.name == "arith.muli"
    ]


def test_an_operation_says_its_latency_and_an_option_that_of_the_rest() -> None:
    assert latencies(powers()) == [2, 2]
    assert latencies(powers("loom.latency = 5")) == [5, 2]
    assert latencies(powers("loom.latency = 2", latencies=(("muli", 7),))) == [2, 7]
    assert latencies(powers(latencies=(("arith.muli", 7), ("mului_extended", 1)))) == [7, 7]


@pytest.mark.parametrize(
    ("period", "width", "cycles"),
    [
        *((10.0, 8, 1), (10.0, 16, 1), (10.0, 18, 2), (10.0, 32, 2), (10.0, 64, 3)),
        *((14.0, 32, 1), (30.0, 64, 1), (8.0, 8, 2), (1.0, 64, 3)),
    ],
)
def test_a_multiplier_has_the_least_latency_of_the_period(
    period: float, width: int, cycles: int
) -> None:
    """With which its own paths fit, and its neighbours have a fifth of the period."""
    muli = CATALOGUE["arith.muli"]
    assert choose_latency(muli, Shape((width,) * 2, (width,), {}), period) == cycles


def test_a_longer_period_never_asks_for_more_latency() -> None:
    rows = [row for row in CATALOGUE.values() if is_multiplier(row)]
    assert len(rows) == 3
    for row, width in product(rows, (4, 8, 12, 16, 17, 24, 31, 32, 33, 48, 64)):
        outputs = (width,) * len(row.signature.outputs)
        shape = Shape((width,) * 2, outputs, {})
        usual = row.hardware.latency_of(shape)
        found = [choose_latency(row, shape, period) for period in (7.0, 8, 9, 10, 12, 14, 20, 40)]
        assert found == sorted(found, reverse=True) and found[-1] == 1 and found[0] <= usual


def test_graph_and_netlist_carry_it() -> None:
    options = Options(latencies=(("muli", 6),))
    circuit = compile_text(POWERS.replace("{SAID}", ""), "k.mlir", options=options)
    assert "{loom.latency = 6 : i64}" in circuit.dfg_text
    graph = load_graph(Request(circuit.dfg_text, "g.mlir"))
    assert graph is not None
    assert latencies(graph.netlist) == [6, 6]
    assert latencies(netlist_from_text(circuit.netlist_text, "n.json")) == [6, 6]
    given = load_graph(
        Request(circuit.dfg_text, "g.mlir", options=Options(latencies=(("muli", 3),)))
    )
    assert given is not None
    assert latencies(given.netlist) == [6, 6]


def test_an_operation_of_the_index_dialect_says_it_too() -> None:
    text = """func.func @f(%a: index) -> index {
  %r = index.mul %a, %a {loom.latency = 2}
  return %r : index
}"""
    assert latencies(compile_text(text, "k.mlir").netlist) == [2]


def test_buffers_wait_as_long_as_the_unit_works() -> None:
    """Beside the product waits what the same iteration stores or adds later."""

    def places(latency: int) -> int:
        netlist = powers(f"loom.latency = {latency}")
        slots = [unit.attributes.get("slots", 0) for unit in netlist.units]
        return sum(each for each in slots if isinstance(each, int))

    slots = [places(latency) for latency in (1, 2, 4, 8)]
    assert slots == sorted(slots) and slots[0] < slots[-1]


@pytest.mark.parametrize("latency", [1, 5])
def test_the_token_model_does_not_see_it(latency: int) -> None:
    circuit = compile_text(
        POWERS.replace("{SAID}", ""), "k.mlir", options=Options(latencies=(("muli", latency),))
    )
    given = [Activation({"n": n, "x": 3, "m": [1, 2, 3, 4, 5, 6, 7, 8]}) for n in (0, 1, 2, 8)]
    report = compare_models(circuit.source, circuit.top, circuit.netlist, given, max_cycles=1000)
    assert report.differences == ()


REFUSED = {
    "loom.latency = 0": "k.mlir:6:5: error[LOWER_UNIT]: found loom.latency = 0 : i64 of "
    "arith.muli; LOOM accepts 1 to 8",
    'loom.latency = "long"': 'k.mlir:6:5: error[LOWER_UNIT]: found loom.latency = "long" of '
    "arith.muli; LOOM accepts 1 to 8",
    "loom.latency": "k.mlir:6:5: error[LOWER_UNIT]: found loom.latency = unit of "
    "arith.muli; LOOM accepts 1 to 8",
    "loom.speed = 3": "k.mlir:6:5: error[LOWER_UNIT]: found loom.speed = 3 : i64 of "
    "arith.muli; LOOM accepts loom.latency there",
}


@pytest.mark.parametrize("said", REFUSED)
def test_other_hardware_is_refused(said: str) -> None:
    assert refusal(powers, said) == REFUSED[said]


def test_an_operation_without_a_choice_is_refused_in_a_program_and_in_a_graph() -> None:
    program = "func.func @f(%a: i8) -> i8 {\n  %r = arith.addi %a, %a {loom.latency = 1} : i8\n" \
        "  return %r : i8\n}"  # fmt: skip
    graph = "handshake.func @f(%a: i8, %b: i8, ...) -> i8 {\n" \
        "  %r = arith.addi %a, %b {loom.latency = 1} : i8\n  return %r : i8\n}"  # fmt: skip
    for text in (program, graph):
        assert refusal(check_request, Request(text, "k.mlir")) == (
            "k.mlir:2:3: error[LOWER_UNIT]: found loom.latency = 1 : i64 of arith.addi; "
            "LOOM accepts no attribute loom.* there"
        )


def test_a_loop_has_no_latency() -> None:
    with pytest.raises(LoomError, match=r"loom.latency = 2 : i64 of scf.for; LOOM accepts no"):
        compile_text(POWERS.replace("{SAID}", "").replace("  }\n", "  } {loom.latency = 2}\n"))


def test_options_that_no_unit_has_are_refused() -> None:
    assert refusal(powers, latencies=(("muli", 9), ("addi", 1))) == (
        "--latency: error[LOWER_UNIT]: found latency 9 of arith.muli; LOOM accepts 1 to 8\n"
        "--latency: error[LOWER_UNIT]: found a latency of 'addi'; LOOM accepts one of "
        "handshake.memory, handshake.rom, arith.muli, arith.mului_extended, "
        "arith.mulsi_extended"
    )


def test_a_netlist_with_another_latency_is_refused() -> None:
    for value in (9, True, "3"):
        given = operator_netlist(
            "arith.muli", {"T": "i8"}, inputs=2, outputs=1, attributes={"latency": value}
        )
        assert [str(problem) for problem in problems(given)] == [
            f"<netlist>: error[NETLIST_ATTRIBUTE]: found latency = {value!r} on unit 'dut'; "
            "LOOM accepts 1 2 3 4 5 6 7 8"
        ]


MEANS = """func.func @f(%n: index, %x: i32, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %r = scf.for %i = %0 to %n step %1 iter_args(%p = %x) -> (i32) {
    %v = memref.load %m[%i] : memref<8xi32>
    %s = arith.divsi %v, %x : i32
    %t = arith.subi %v, %s : i32
    %q = arith.addi %p, %t : i32
    scf.yield %q : i32
  }
  %w = arith.remui %r, %x {loom.form = "pipelined"} : i32
  return %w : i32
}"""


def test_a_divider_has_the_form_that_is_asked_for() -> None:
    circuit = compile_text(MEANS, "k.mlir", options=Options(divider="iterative"))
    forms = {unit.operator.name: unit.attributes.get("form") for unit in circuit.netlist.units}
    assert forms["arith.divsi"] == "iterative" and forms["arith.remui"] == "pipelined"
    modules = [path for path in circuit.files() if "div" in path or "rem" in path]
    assert modules == ["rtl/loom_divsi_iterative.sv", "rtl/loom_remui.sv"]
    given = load_graph(Request(circuit.dfg_text, "g.mlir"))
    assert given is not None
    read = {unit.name: unit.attributes for unit in given.netlist.units}
    assert read == {unit.name: unit.attributes for unit in circuit.netlist.units}


def test_beside_an_iterative_divider_few_tokens_wait() -> None:
    """The loaded word waits 34 cycles for its quotient: as 34 words, or alone."""

    def longest(divider: Literal["pipelined", "iterative"]) -> int:
        netlist = compile_text(MEANS, "k.mlir", options=Options(divider=divider)).netlist
        slots = [unit.attributes.get("slots", 0) for unit in netlist.units]
        return max(each for each in slots if isinstance(each, int))

    assert longest("pipelined") >= 34
    assert longest("iterative") <= 3


SWAPS = """memref.global "private" @t : memref<4xi32> = dense<[1, 2, 3, 4]> {loom.latency = 2}
func.func @f(%n: index, %x: i32) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %m = memref.alloca() {SAID} : memref<2x4xi32>
  %g = memref.get_global @t : memref<4xi32>
  memref.store %x, %m[%1, %0] : memref<2x4xi32>
  scf.for %i = %0 to %n step %1 {
    %k = arith.andi %i, %3 : index
    %v = memref.load %g[%k] : memref<4xi32>
    memref.store %v, %m[%1, %k] : memref<2x4xi32>
  }
  %r = scf.for %i = %0 to %n step %1 iter_args(%s = %x) -> (i32) {
    %k = arith.andi %i, %3 : index
    %v = memref.load %m[%1, %k] : memref<2x4xi32>
    %q = arith.addi %s, %v : i32
    scf.yield %q : i32
  }
  %w = memref.load %m[%1, %0] : memref<2x4xi32>
  %z = arith.addi %r, %w : i32
  return %z : i32
}"""


def test_a_memory_says_its_latency_where_it_is_made() -> None:
    def of_memories(said: str, **options: object) -> dict[str, AttributeValue | None]:
        text = SWAPS.replace("{SAID}", said)
        circuit = compile_text(text, "k.mlir", options=Options(**options))  # type: ignore[arg-type]
        graph = load_graph(Request(circuit.dfg_text, "g.mlir"))
        assert graph is not None
        memories = [unit for unit in graph.netlist.units if unit.operator.hardware.memory_kind]
        return {str(unit.attributes["memory"]): unit.attributes.get("latency") for unit in memories}

    assert of_memories("") == {"g": 2, "m": None}
    assert of_memories("{loom.latency = 2}") == {"g": 2, "m": 2}
    assert of_memories("{loom.latency = 1}", latencies=(("memory", 2),)) == {"g": 2, "m": 1}
    assert refusal(of_memories, "{loom.latency = 3}") == (
        "k.mlir:6:3: error[LOWER_UNIT]: found loom.latency = 3 : i64 of memref.alloca; "
        "LOOM accepts 1 or 2"
    )
