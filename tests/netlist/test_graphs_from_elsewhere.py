"""Graphs as CIRCT prints them become circuits, with results that were worked out by hand.

The graphs stand in tests/graphs/NAME.mlir, their bundles beside them.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from loom_sim import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.errors import LoomError
from loom.front.api import check_request, load_graph, require_graph
from loom.front.graphs import Graph
from loom.front.request import Request
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.graph_run import draw_settling_activations, run_graph, signature_of_netlist
from tests.support.compiled import compile_example
from tests.support.folders import TESTS
from tests.support.refusals import refusal

FOLDER = TESTS / "graphs"
GRAPHS = sorted(FOLDER.glob("*.mlir"))
EXAMPLES = sorted((FOLDER.parent.parent / "examples").glob("*.mlir"))
MAX_CYCLES = 10_000


def load(path: Path) -> tuple[Graph, list[Activation]]:
    graph = load_graph(Request(path.read_text(encoding="utf-8"), path.name))
    assert graph is not None
    return graph, bundle_of(graph, path.with_suffix(".json"))


def bundle_of(graph: Graph, bundle: Path) -> list[Activation]:
    signature = signature_of_netlist(graph.netlist, graph.arguments)
    return read_bundle(bundle.read_text(encoding="utf-8"), bundle.name, signature)


@pytest.mark.parametrize("path", GRAPHS, ids=lambda path: path.stem)
def test_the_token_model_gives_what_was_worked_out(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 40
    assert "no problem" in str(check_request(Request(text, path.name)))
    graph, given = load(path)
    assert len(given) >= 2
    for each in given:
        assert each.expected.results is not None or each.expected.memories
    for seed in (None, 1, 2):
        report = run_graph(graph.netlist, given, max_cycles=MAX_CYCLES, seed=seed)
        assert report.differences == ()
        assert len(report.outcomes) == len(given)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("stalls", (0.0, 0.4))
def test_the_rtl_gives_the_same(stalls: float) -> None:
    loaded = [load(path) for path in GRAPHS]
    kernels = [Kernel(None, g.netlist.name, g.netlist, g.files()) for g, _ in loaded]
    options = SimOptions(stalls=stalls, seed=5, max_cycles=MAX_CYCLES)
    reports = cosimulate_kernels(kernels, [given for _, given in loaded], options)
    found = {report.kernel.netlist.name: report.differences for report in reports}
    assert {name: texts for name, texts in found.items() if texts} == {}
    assert all(len(r.rtl.runs) == len(g) for r, (_, g) in zip(reports, loaded, strict=True))


def instances_of(text: str) -> list[str]:
    """The paragraphs of a module without comments: places, and loops by place, are the text's."""
    return sorted(re.sub(r"^ *//.*\n", "", text, flags=re.MULTILINE).split("\n\n"))


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_what_loom_lowers_comes_back_as_it_was_compiled(path: Path) -> None:
    circuit = compile_example(path)
    again = load_graph(Request(circuit.dfg_text, f"{path.stem}.dfg.mlir"))
    assert again is not None and again.notes == ()
    compiled = circuit.files()
    for name, text in (
        require_graph(Request(circuit.dfg_text, f"{path.stem}.dfg.mlir")).files().items()
    ):
        if name.endswith((".sv", ".f")):
            assert instances_of(text) == instances_of(compiled[name]), name
    netlist = load_graph(Request(circuit.netlist_text, f"{path.stem}.netlist.json"))
    assert netlist is not None
    for graph in (again, netlist):
        given = bundle_of(graph, path.with_suffix(".json"))
        assert run_graph(graph.netlist, given, max_cycles=1_000_000).differences == ()


@pytest.mark.parametrize("name", ["collatz", "checksum", "gcd"])
def test_what_loom_lowers_takes_more_buffers(name: str) -> None:
    """Buffers may stand on some copies of a broadcast alone: those are copies of a fork then."""
    path = EXAMPLES[0].parent / f"{name}.mlir"
    text = compile_example(path).dfg_text
    options = Options(clock_period=10.0)
    request = Request(text, f"{name}.dfg.mlir", graph_buffers="place", options=options)
    graph = require_graph(request)
    assert "buffers placed" in graph.notes[0]
    broadcasts, before = (
        sum(unit.operator.name == "dataflow.broadcast" for unit in netlist.units)
        for netlist in (graph.netlist, require_graph(Request(text, "k.dfg.mlir")).netlist)
    )
    assert 0 < broadcasts <= before
    given = bundle_of(graph, path.with_suffix(".json"))
    assert run_graph(graph.netlist, given, max_cycles=1_000_000).differences == ()


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_a_lowered_example_runs_without_its_source() -> None:
    kernels, activations = [], []
    for name in ("gcd", "fir", "histogram"):
        path = FOLDER.parent.parent / "examples" / f"{name}.mlir"
        circuit = compile_example(path)
        graph = load_graph(Request(circuit.dfg_text, f"{name}.dfg.mlir"))
        assert graph is not None
        kernels.append(Kernel(None, name, graph.netlist, graph.files()))
        activations.append(bundle_of(graph, path.with_suffix(".json")))
    for report in cosimulate_kernels(kernels, activations, SimOptions(stalls=0.2)):
        assert report.match, report.differences
        assert report.to_json()["bound"] is None


LOOP = (FOLDER / "loop_with_merges.mlir").read_text(encoding="utf-8")


@pytest.mark.usefixtures("no_clock_period")
def test_a_cycle_is_named_and_cut_when_asked() -> None:
    said = str(check_request(Request(LOOP, "k.mlir"))).splitlines()
    assert said[1] == "note: 4 buffers placed; --graph-buffers=keep takes the graph as it is"
    with pytest.raises(Exception, match=r"NETLIST_CYCLE.*cmpi_go.*a buffer in every cycle"):
        check_request(Request(LOOP, "k.mlir", graph_buffers="keep"))
    straight = (FOLDER / "straight_line.mlir").read_text(encoding="utf-8")
    assert "note" not in str(check_request(Request(straight, "k.mlir")))
    assert "note: 0 buffers placed" in str(
        check_request(Request(straight, "k.mlir", graph_buffers="place"))
    )


GENERIC = """"builtin.module"() ({
  "handshake.func"() <{function_type = (i8, none) -> (i8, none), sym_name = "f"}> ({
  ^bb0(%a: i8, %s: none):
    %m:2 = "handshake.memory"(%address) <{id = 3 : i32, ldCount = 1 : i32, lsq = false,
      memRefType = memref<4xi8>, stCount = 0 : i32}> : (index) -> (i8, none)
    %i = "handshake.constant"(%s) <{value = 1 : index}> : (none) -> index
    %v, %address = "handshake.load"(%i, %m#0, %s) : (index, i8, none) -> (i8, index)
    "handshake.sink"(%v) : (i8) -> ()
    %b = "handshake.buffer"(%a) <{bufferType = #handshake<buffer_type_enum seq>,
      initValues = [7, 9], slots = 2 : i32}> : (i8) -> i8
    %c = "handshake.buffer"(%b) {bufferType = 1 : i32, slots = 3 : i32} : (i8) -> i8
    "handshake.return"(%c, %m#1) : (i8, none) -> ()
  }) {argNames = ["a", "s"], resNames = ["o", "d"]} : () -> ()
}) : () -> ()
"""
OLDER = """handshake.func @f(%a: i8 {hw.name = "a"}, %s: none, ...) -> (i8, index, none) {
  %b = buffer [2] %a {sequential = true} : i8
  %c = buffer [1] %b {sequential = false} : i8
  %t, %i = control_merge %c : i8
  %z = source : none
  sink %z : none
  return %t, %i, %s : i8, index, none
}
"""


def test_the_generic_and_older_forms_are_read() -> None:
    graph = load_graph(Request(GENERIC, "k.mlir"))
    assert graph is not None
    buffers = [u.attributes for u in graph.netlist.units if "slots" in u.attributes]
    assert buffers == [
        {"kind": "seq", "slots": 3, "initial": (9, 7)}, {"kind": "fifo", "slots": 3},
    ]  # fmt: skip
    assert [memory.name for memory in graph.netlist.memories] == ["memory3"]
    older = load_graph(Request(OLDER, "k.mlir"))
    assert older is not None
    kinds = [u.attributes["kind"] for u in older.netlist.units if "kind" in u.attributes]
    assert kinds == ["seq", "fifo"]


TWO = """handshake.func @f(%a: i8, %s: none, ...) -> (i8, none) {
  return %a, %s : i8, none
}
handshake.func @g(%a: i8, %s: none, ...) -> (i8, none) {
  %o = arith.addi %a, %a : i8
  return %o, %s : i8, none
}
"""


def test_top_names_the_function() -> None:
    graph = load_graph(Request(TWO, "k.mlir", top="g"))
    assert graph is not None and graph.netlist.name == "g"
    assert refusal(load_graph, Request(TWO, "k.mlir", top="h")) == (
        "k.mlir: error[DFG_FUNCTIONS]: found no handshake.func @h; "
        "LOOM accepts a name out of: @f, @g"
    )


def endless(body: str) -> Graph:
    text = f"handshake.func @f(%a: i8, %s: none, ...) -> (i8, none) {{\n{body}}}\n"
    graph = load_graph(Request(text, "k.mlir"))
    assert graph is not None
    return graph


@pytest.mark.parametrize(
    ("body", "operator"),
    (
        (
            "  %z = source\n  %m = merge %s, %z : none\n  return %a, %m : i8, none\n",
            "merge (merge_m)",
        ),
        (
            "  %z = source\n  %b = buffer [1] seq %z {initValues = [0]} : none\n"
            "  %j = join %b, %s : none, none\n  return %a, %j : i8, none\n",
            "buffer (buffer_b)",
        ),
    ),
)  # fmt: skip
def test_tokens_without_end_must_have_company(body: str, operator: str) -> None:
    with pytest.raises(LoomError, match="MODEL_ENDLESS") as caught:
        run_graph(endless(body).netlist, [Activation({"a": 1})], max_cycles=10)
    assert str(caught.value) == (
        f"k.mlir:3:3: error[MODEL_ENDLESS]: found tokens without end into handshake.{operator}; "
        "LOOM accepts sources whose tokens go where tokens that end are taken with them"
    )


def test_a_graph_that_is_not_right_is_told() -> None:
    graph = endless("  %n = never : i8\n  sink %a : i8\n  return %n, %s : i8, none\n")
    report = run_graph(graph.netlist, [Activation({"a": 1})] * 2, max_cycles=10)
    assert report.differences == (
        "activation 0: the token model deadlocks: no token on out0; blocked: ",
    )
    twice = endless("  %m = merge %a, %a : i8\n  return %m, %s : i8, none\n")
    report = run_graph(twice.netlist, [Activation({"a": 1})], max_cycles=10)
    assert report.differences == ("activation 0: the token model gives 2 tokens on output out0",)


def test_random_activations_let_the_circuit_come_to_rest() -> None:
    graph, _ = load(FOLDER / "loop_with_merges.mlir")
    signature = signature_of_netlist(graph.netlist, graph.arguments)
    drawn = draw_settling_activations(graph.netlist, signature, 1, 3)
    assert len(drawn) == 3
    assert run_graph(graph.netlist, drawn, max_cycles=100_000).differences == ()
