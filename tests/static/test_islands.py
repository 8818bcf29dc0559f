"""A static loop in a dynamic circuit: models, texts that read back, checks, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.analysis.program.memory_accesses import Accesses
from loom.analysis.schedule.event_graph import Edge
from loom.dialects.facts.loop_attributes import STYLE
from loom.dialects.facts.places import place_of
from loom.dialects.operators.island_operator import ISLAND
from loom.errors import LoomError, LoomErrors
from loom.front.api import (
    check_request,
    compile_module,
    compile_text,
    load_graph,
    netlist_from_text,
)
from loom.front.circuit import Circuit
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.choose import compile_in_style
from loom.frontend.mlir.read import read_mlir
from loom.lower.explain_order import explain_order
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed.simulate import run_timed
from loom.model.tokens.token_simulator import simulate
from loom.netlist.checks import problems
from loom.netlist.json_text import to_json
from loom.netlist.netlist import Channel, Endpoint, Netlist, Unit
from tests.random_programs.grow_program import grow_program
from tests.random_programs.islands import ISLANDS, mark_loops
from tests.random_programs.islands import REFUSED as REFUSED_CODES
from tests.random_programs.print_program import text_of
from tests.random_programs.verdict import Choice
from tests.support.python_texts import kernel
from tests.support.static.islands import NEST, PROGRAMS, inputs

PLAIN = Options(style="dynamic")


def islands_of(netlist: Netlist) -> list[Unit]:
    """The static loops of a circuit."""
    return [unit for unit in netlist.units if unit.operator is ISLAND]


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize(("lean", "period"), [("on", "default"), ("on", None), ("off", "default")])
def test_the_models_do_what_the_program_does(name: str, lean: Any, period: Any) -> None:
    options = replace(PLAIN, lean=lean, clock_period=period)
    circuit = compile_text(PROGRAMS[name], f"{name}.mlir", options=options)
    given = inputs()
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=10_000, seed=5
    )
    assert not report.differences
    tokens = simulate(circuit.netlist, given).activations
    for timed, counted in zip(run_timed(circuit.netlist, given), tokens, strict=True):
        assert timed.outputs == counted.outputs
        assert not counted.residual
        assert {name: timed.tokens[name] for name in counted.tokens} == counted.tokens


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("lean", ["on", "off"])
def test_the_invariants_hold(name: str, lean: Any) -> None:
    netlist = compile_text(PROGRAMS[name], "k.mlir", options=replace(PLAIN, lean=lean)).netlist
    assert check_invariants(netlist, lean=lean == "on").problems("k.mlir") == []


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("first", [8100, 8110])
def test_random_programs_with_static_loops(first: int) -> None:
    for seed in range(first, first + 10):
        verdict = ISLANDS.judge(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


def test_netlist_and_graph_read_back() -> None:
    circuit = compile_text(NEST, "nest.mlir")
    assert netlist_from_text(circuit.netlist_text) == circuit.netlist
    graph = load_graph(Request(circuit.dfg_text, "nest.dfg.mlir"))
    assert graph is not None
    (ours,), (theirs,) = islands_of(circuit.netlist), islands_of(graph.netlist)
    assert ours.attributes == theirs.attributes
    given = inputs()
    cycles = [[run.cycles for run in run_timed(n, given)] for n in (circuit.netlist, graph.netlist)]
    assert cycles[0] == cycles[1]


def test_a_static_loop_is_smaller_and_is_priced() -> None:
    other = NEST.replace('"static"', '"dynamic"')
    static, dynamic = (compile_text(text, "nest.mlir").cost for text in (NEST, other))
    assert static.unmeasured == static.untimed == ()
    assert static.counts[0] < dynamic.counts[0]


BESIDE = """
int f(const int a[256], int c[256], int d, int e, int g) {
  int s = 0;
  for (int k = 0; k < 4; k++) {
    #pragma loom style(static)
    for (int i = 0; i < 256; i++) c[i] = c[i] * 5 + a[i] + k;
    for (int i = 0; i < 256; i++) s += c[i] & 1 ? c[i] * d + (i ^ e) * g : c[i] + (i ^ g) * e;
  }
  return s;
}
"""
"""A static loop, and one that needs what it stores and things that are there before."""


def most_slots(circuit: Circuit) -> int:
    """The slots of the largest buffer."""
    return max(int(str(unit.attributes.get("slots", 0))) for unit in circuit.netlist.units)


def test_what_runs_beside_a_static_loop_does_not_run_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """No buffer holds the tokens of all cycles of the static loop; they would save none."""
    circuit = compile_text(BESIDE, "k.c", options=PLAIN)
    monkeypatch.setattr(Edge, "delay", Edge.latency)
    other = compile_text(BESIDE, "k.c", options=PLAIN)
    assert most_slots(circuit) < 16 < 256 <= most_slots(other)
    given = [Activation({"a": [*range(256)], "c": [3] * 256, "d": 3, "e": 4, "g": 5})]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=20_000)
    assert not report.differences
    ours, theirs = (next(iter(run_timed(c.netlist, given))).cycles for c in (circuit, other))
    assert ours <= theirs


# What is checked of a netlist


def with_buffer(netlist: Netlist, name: str) -> Netlist:
    """A buffer on a channel, where the netlist says nothing of it yet."""
    (channel,) = (each for each in netlist.channels if each.name == name)
    buffer = next(u for u in netlist.units if u.operator.name == "handshake.buffer")
    added = replace(buffer, name="late", attributes={"kind": "seq", "slots": 2, "initial": ()})
    ends = Endpoint("late", "in"), Endpoint("late", "out")
    split = (
        Channel(name, channel.type, channel.width, channel.source, ends[0]),
        Channel("late", channel.type, channel.width, ends[1], channel.target),
    )
    kept = tuple(each for each in netlist.channels if each.name != name)
    return replace(netlist, units=(*netlist.units, added), channels=(*kept, *split))


@pytest.mark.parametrize("port", ["ld_address0", "ld_data0", "st_data0", "st_done0"])
def test_a_buffer_between_a_static_loop_and_its_memory_is_seen(port: str) -> None:
    netlist = compile_text(NEST, "nest.mlir").netlist
    (unit,) = islands_of(netlist)
    ends = {**netlist.channel_by_source, **netlist.channel_by_target}
    wrong = with_buffer(netlist, ends[Endpoint(unit.name, port)].name)
    assert [each.code for each in problems(wrong)] == ["NETLIST_ISLAND"]
    with pytest.raises(AssertionError, match=r"answer|access"):
        run_timed(wrong, inputs())


def test_another_latency_than_that_of_the_memory_is_seen() -> None:
    netlist = compile_text(NEST, "nest.mlir").netlist
    slow = {"latency": 2}
    units = tuple(
        replace(u, attributes={**u.attributes, **slow}) if u.name == "extmemory_A" else u
        for u in netlist.units
    )
    (found,) = problems(replace(netlist, units=units))
    assert str(found) == (
        "nest.mlir:6:5: error[NETLIST_ISLAND]: found load 0 of unit 'island_0'; LOOM accepts "
        "channels straight to the ports of one access of a RAM, of a known bank or of an array "
        "behind channels that it waits for, where no other of the unit takes its port"
    )


def changed(old: str, new: str) -> str:
    """The netlist of the nest with another text of the schedule."""
    document = json.loads(to_json(compile_text(NEST, "nest.mlir").netlist))
    (unit,) = (each for each in document["units"] if each["operator"] == ISLAND.name)
    for name, text in unit["attributes"].items():
        unit["attributes"][name] = text.replace(old, new)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("memref<16xi32>", "memref<32xi32>", "NETLIST_ISLAND"),
        ("index=64", "index=32", "NETLIST_ISLAND"),
        ("stores=1", "stores=one", "NETLIST_ENDPOINT"),
        ("staticlogic.pipeline", "staticlogic.pipelines", "MLIR_UNKNOWN_OP"),
        ("lat = 1", "lat = 3", "STATIC_AVAILABLE"),
    ],
)  # fmt: skip
def test_a_schedule_that_does_not_fit_is_refused(old: str, new: str, code: str) -> None:
    netlist_from_text(changed("", ""))
    with pytest.raises((LoomError, LoomErrors)) as refused:
        netlist_from_text(changed(old, new))
    error = refused.value
    found = error.problems if isinstance(error, LoomErrors) else [error]
    assert code in {each.code for each in found}


# Refusals


REFUSED = {
    "a dynamic loop inside": (
        PROGRAMS["whole"].replace("    }\n    %v", '    } {loom.style = "dynamic"}\n    %v'),
        "nest.mlir:6:5: error[STATIC_ISLAND]: found a dynamic loop in a static one; LOOM accepts "
        "static loops in dynamic ones",
    ),
    "a divider that takes its time": (
        NEST.replace("arith.addi %acc, %a", 'arith.divsi %acc, %a {loom.form = "iterative"}'),
        "nest.mlir:8:7: error[STATIC_OPERATION]: found arith.divsi in a static schedule; LOOM "
        "accepts pure operations that take operands in every cycle, loads, stores, scf.for, "
        "scf.while and scf.if; --style dynamic for others",
    ),
    "a longer II than is requested": (
        NEST.replace("memref.store %b, %B[%i]", "memref.store %b, %A[%i]")
        .replace("memref.load %A[%i]", "memref.load %A[%acc_]")
        .replace("      %a =", "      %acc_ = arith.index_cast %acc : i32 to index\n      %a =")
        .replace('{loom.style = "static"}', '{loom.style = "static", loom.ii = 1}'),
        "nest.mlir:6:5: error[LOWER_II]: found a static schedule with II = 2, where ii(1) is "
        "requested; LOOM accepts a request of 2 or more",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_static_loop_has_is_refused(what: str) -> None:
    text, said = REFUSED[what]
    with pytest.raises((LoomError, LoomErrors)) as refused:
        compile_text(text, "nest.mlir", options=PLAIN)
    assert str(refused.value) == said


def test_a_static_function_takes_its_static_loops_over_arrays_behind_channels() -> None:
    """The machine of the whole function waits for them."""
    options = Options(style="static", memories=(("*", "channel,latency=4"),))
    found = compile_in_style(Request(NEST, "nest.mlir", options=options)).circuit
    assert isinstance(found, StaticCircuit)
    assert {memory.kind.answers for memory in found.netlist.memories_outside} == {True}
    assert list(found.differences(inputs(), 20_000)) == []


def test_a_dynamic_loop_in_a_static_function_is_refused() -> None:
    text = NEST.replace('"static"', '"dynamic"')
    request = Request(text, "nest.mlir", options=Options(style="static"))
    with pytest.raises((LoomError, LoomErrors), match="found a dynamic loop with --style static"):
        compile_in_style(request)
    request = Request(NEST, "nest.mlir", options=Options(style="static"))
    assert compile_in_style(request).style == "static"


# Other languages

IN_C = """int f(int a[16], int n) {
  int s = 0, k = 0;
#pragma loom style(static)
  for (int i = 0; i < n; i++) s += a[i];
#pragma loom style(static)
  while (k < 16 && a[k] != 0) k++;
  return s + k;
}
"""
IN_PYTHON = kernel(
    "# loom style(static)\nfor i in range(4):\n    x += a[i]\n# loom style(dynamic)\n"
    "for i in range(4):\n    x += a[i]\nreturn x"
)


def test_a_comment_makes_a_loop_of_python_static() -> None:
    netlist = compile_text(IN_PYTHON, "k.py").netlist
    assert [unit.attributes["title"] for unit in islands_of(netlist)] == ["loop_5"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("# loom style(auto)\nfor i in range(4):\n    x += a[i]\nreturn x", "4:5: error[PY_DIR"),
        ("for i in range(4):  # loom style(static)\n    x += a[i]\nreturn x", "4:25: error[PY_D"),
        (
            "# loom style(static)\nfor i in range(4):\n    if a[i] == 0:\n        break\n"
            "return x",
            "5:5: error[PY_DIRECTIVE]: found a directive of a loop that a break or a return "
            "leaves; LOOM accepts loops that end by their conditions alone",
        ),
    ],
)  # fmt: skip
def test_a_comment_that_is_no_loop_s_is_refused(body: str, said: str) -> None:
    with pytest.raises(LoomError) as refused:
        compile_text(kernel(body), "k.py")
    assert f"k.py:{said}" in str(refused.value)


def test_a_pragma_makes_a_loop_static() -> None:
    netlist = compile_text(IN_C, "k.c").netlist
    assert [unit.attributes["title"] for unit in islands_of(netlist)] == ["loop_4", "loop_6"]


def test_no_pass_loses_a_directive() -> None:
    """Each loop that is left when a schedule could be made of it has one."""
    counted = 0
    for seed in range(8200, 8215):
        source = read_mlir(text_of(grow_program(seed)), "k.mlir")
        if not mark_loops(source, seed):
            continue
        try:
            circuit = compile_module(source, options=PLAIN)
        except LoomError as error:
            assert error.code in REFUSED_CODES
            continue
        marked = {place_of(op).line for op in source.walk() if STYLE.of(op) == "static"}
        loops = {loop.place.line for loop in circuit.loops if loop.innermost}
        assert not marked & loops, seed
        counted += bool(islands_of(circuit.netlist))
    assert counted >= 3


def test_check_takes_a_program_with_static_loops() -> None:
    checked = check_request(Request(NEST, "nest.mlir"))
    assert checked.problems("nest.mlir") == []


def test_check_says_that_accesses_wait_for_a_static_loop() -> None:
    circuit = compile_text(NEST, "nest.mlir", options=PLAIN)
    lines = list(explain_order(circuit.source, circuit.graph, PLAIN).lines())
    load = lines.index("load B at nest.mlir:12:5")
    assert lines[load + 1] == (
        "  waits for static loop over B at nest.mlir:6:5: may alias (RAW), by done token"
    )
    loop = lines.index("static loop over A at nest.mlir:6:5")
    assert lines[loop + 2] == (
        "  waits for store A at nest.mlir:15:5 of the previous iteration of the loop at "
        "nest.mlir:5:3: may alias (WAW), by done token"
    )


def test_an_order_that_forgets_the_loop_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its place in memory order a static loop shares ports with other accesses."""
    monkeypatch.setattr(Accesses, "_accesses_of_island", lambda self, number, island: ())
    netlist = compile_text(NEST, "nest.mlir", options=PLAIN).netlist
    source = compile_text(NEST, "nest.mlir", options=PLAIN).source
    found = compare_models(source, "nest", netlist, inputs(), max_cycles=10_000, seed=5)
    assert found.differences
