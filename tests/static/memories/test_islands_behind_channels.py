"""Static loops of dynamic circuits over arrays behind channels: the unit waits for them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from xdsl.dialects.func import FuncOp

from loom.analysis.balance.invariants import check_invariants
from loom.analysis.timing.island_cost import cost_of_unit
from loom.dialects.facts.loop_attributes import LOOPS, STYLE
from loom.dialects.operators.island_operator import ISLAND, ports_in
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_module, compile_text, netlist_from_text
from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.static import predicate_ifs
from loom.lower.static.nests import find_nest
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from loom.model.timed.simulate import run_timed
from loom.netlist.json_text import to_json
from loom.netlist.netlist import Endpoint
from tests.random_programs.grow_program import grow_program
from tests.random_programs.islands import BEHIND
from tests.random_programs.print_program import text_of
from tests.random_programs.verdict import Choice
from tests.static.test_static_channels import TEXTS
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.rtl.clean import (
    passes_slang,
    require_clean_in_icarus,
    require_clean_in_verilator_and_yosys,
    write_rtl,
)
from tests.support.static.islands import NEST, PROGRAMS, inputs

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "rtl_templates/memory",
          "loom/lower/static")  # fmt: skip
MOST = 200_000
"""Longer than any activation here [cycles]."""
DOT = """func.func @dot(%A: memref<16xi32>, %B: memref<16xi32>, %n: index, %m: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 1 : i32
  %r = scf.for %j = %c0 to %m step %c1 iter_args(%t = %z) -> (i32) {
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> (i32) {
      %a = memref.load %A[%i] : memref<16xi32>
      %b = memref.load %B[%i] : memref<16xi32>
      %p = arith.muli %a, %b : i32
      %o = arith.addi %acc, %p : i32
      scf.yield %o : i32
    } {loom.style = "static"}
    memref.store %s, %B[%j] : memref<16xi32>
    memref.store %t, %A[%j] : memref<16xi32>
    scf.yield %s : i32
  }
  return %r : i32
}
"""
"""Words of both arrays are needed in each cycle, one of which may be that of a RAM."""
TEXTS_BESIDE = {"dot": DOT, **{name: PROGRAMS[name] for name in ("nest", "search", "whole")}}
"""Programs with static loops and with accesses of their arrays around them."""
WHERE = {
    "near": (("*", "channel,latency=1"),),
    "far": (("*", "channel,latency=6"),),
    "packed": (("*", "channel,latency=3,pack=64,outstanding=40"),),
    "loads": (("A", "channel,latency=4"),),
    "stores": (("B", "channel,latency=4"),),
}
"""Which of the arrays A and B are behind channels; the other is a RAM."""
PAIRS = [(name, where) for name in TEXTS_BESIDE for where in WHERE]
IN_RTL = ("fir", "matvec", "spmv", "histogram", "insertion_sort", "linear_search", "bfs",
          "memory_patterns", "smooth_f16", "window", *TEXTS)  # fmt: skip
CLEAN = (("nest", "far"), ("dot", "stores"), ("whole", "loads"), ("whole", "stores"),
         ("search", "near"), ("search", "packed"))  # fmt: skip


@cache
def beside(name: str, where: str) -> Circuit:
    """The circuit of a program, under a name of its own."""
    text = TEXTS_BESIDE[name].replace(f"@{name}(", f"@{name}_{where}(")
    return compile_text(text, f"{name}.mlir", options=Options(memories=WHERE[where]))


@cache
def outermost(name: str, latency: int = 4) -> tuple[Circuit, Sequence[Activation]]:
    """A program whose outermost loops are static, all its arrays behind channels; activations."""
    text = TEXTS.get(name) or (EXAMPLES / f"{name}.mlir").read_text()
    source = read_mlir(text, f"{name}.mlir")
    for loop in source.walk():
        if isinstance(loop, LOOPS) and isinstance(loop.parent_op(), FuncOp):
            STYLE.put(loop, "static")
    options = Options(memories=(("*", f"channel,latency={latency}"),))
    circuit = compile_module(source, options=options)
    signature = signature_of(top_function(circuit.source))
    if name in TEXTS:
        reference = compile_reference(circuit.source, circuit.top, 64)
        return circuit, accepted_activations(reference, signature, 3, 3)
    bundle = read_bundle((EXAMPLES / f"{name}.json").read_text(), f"{name}.json", signature)
    return circuit, list(islice(cycle(bundle), max(3, len(bundle))))


def require_alike(circuit: Circuit, given: Sequence[Activation]) -> None:
    """Both models do what the program does, with as many tokens on each channel."""
    report = compare_models(circuit.source, circuit.top, circuit.netlist, given, max_cycles=MOST)
    assert not report.differences
    assert [len(run.outputs) for run in run_timed(circuit.netlist, given)]


@pytest.mark.parametrize(("name", "where"), PAIRS)
def test_the_models_do_what_the_program_does(name: str, where: str) -> None:
    circuit = beside(name, where)
    units = [unit for unit in circuit.netlist.units if unit.operator is ISLAND]
    ports = [ports_in(str(unit.attributes["ports"])) for unit in units]
    assert any(each is not None and each.channels for each in ports)
    require_alike(circuit, inputs())


@pytest.mark.parametrize("name", (*IN_RTL, "kmp", "triangular", "newton_f32"))
def test_outermost_loops_do_what_the_program_does(name: str) -> None:
    circuit, given = outermost(name)
    require_alike(circuit, given)


@pytest.mark.parametrize("where", WHERE)
@pytest.mark.parametrize("lean", ["on", "off"])
def test_the_invariants_hold(where: str, lean: Any) -> None:
    options = Options(memories=WHERE[where], lean=lean)
    netlist = compile_text(NEST, "nest.mlir", options=options).netlist
    assert check_invariants(netlist, lean=lean == "on").problems("k.mlir") == []


def requests(circuit: Circuit, given: Sequence[Activation]) -> list[dict[str, tuple[int, int]]]:
    """How many loads and stores each activation asks for, by array."""
    netlist, found = circuit.netlist, []
    for run in run_timed(netlist, given):
        asked: dict[str, tuple[int, int]] = {}
        for unit in netlist.units:
            if unit.operator.hardware.memory_kind is None:
                continue
            inputs_ = [port.name for port in netlist.ports_of(unit)[0]]
            loads, stores = (
                sum(run.tokens[netlist.channel_by_target[Endpoint(unit.name, port)].name]
                    for port in inputs_ if port.startswith(verb))
                for verb in ("ld_address", "st_address")
            )  # fmt: skip
            asked[str(unit.attributes["memory"])] = loads, stores
        found.append(asked)
    return found


ASKING = ("branches", "fir", "spmv", "histogram", "threshold", "insertion_sort", "bfs", "scatter")


@pytest.mark.parametrize("name", ASKING)
def test_it_asks_for_no_more_than_the_program_loads_and_stores(name: str) -> None:
    circuit, given = outermost(name)
    reference = compile_reference(circuit.source, circuit.top, 64)
    for each, asked in zip(given, requests(circuit, given), strict=True):
        words = [list(v) if isinstance(v, list) else v for v in each.inputs.values()]
        accesses = reference.run(words).accesses
        for array, (loads, stores) in asked.items():
            wanted = accesses.get(array, (0, 0))
            assert loads <= wanted[0] and stores <= wanted[1], (array, loads, stores, wanted)


@pytest.mark.parametrize("fault", ["branches", "nests"])
def test_a_request_that_the_program_does_not_make_is_seen(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (circuit, given), counted = outermost("branches"), []
    room = {"branches": predicate_ifs, "nests": find_nest}[fault]
    for _ in range(2):
        counted.append(requests(circuit, given))
        monkeypatch.setattr(room, "is_behind_channel", lambda _: False)
        circuit, _ = outermost.__wrapped__("branches")
    assert counted[0] != counted[1]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("first", [8300, 8310])
def test_random_programs(first: int) -> None:
    for seed in range(first, first + 10):
        verdict = BEHIND.judge(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


# What is checked of a netlist


def test_the_netlist_reads_back() -> None:
    netlist = beside("nest", "far").netlist
    assert netlist_from_text(to_json(netlist)) == netlist


def changed(unit: str, name: str, edit: Callable[[Any], Any]) -> str:
    """The netlist of the nest with another attribute of a unit, whose name begins like this."""
    document = json.loads(to_json(beside("nest", "far").netlist))
    for each in document["units"]:
        if each["name"].startswith(unit):
            each["attributes"][name] = edit(each["attributes"].get(name))
    return json.dumps(document)


WRONG: dict[str, tuple[str, str, Callable[[Any], Any], str]] = {
    "a memory that answers later": (
        "chanmemory_A", "latency", lambda _: 9, "load 0 of unit 'island_0'",
    ),
    "a memory with fewer slots": (
        "chanmemory_A", "outstanding", lambda _: 7, "load 0 of unit 'island_0'",
    ),
    "a port that does not wait": (
        "island", "ports", lambda text: text.replace("ld0:7,", ""), "load 0 of unit 'island_0'",
    ),
    "a port that there is not": (
        "island", "ports", lambda text: text.replace("st0:7", "st1:7"), "NETLIST_ENDPOINT",
    ),
    "two latencies of a port": (
        "island", "ports", lambda text: text.replace("ld0:7", "ld0:8"), "NETLIST_ENDPOINT",
    ),
    "a schedule for a RAM": (
        "island", "schedule", lambda text: text.replace("channel,latency=6", "ram,latency=1"),
        "of latency 7",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_a_netlist_that_does_not_fit_is_refused(what: str) -> None:
    unit, name, edit, said = WRONG[what]
    netlist_from_text(changed("island", "title", str))
    with pytest.raises((LoomError, LoomErrors)) as refused:
        netlist_from_text(changed(unit, name, edit))
    assert said in str(refused.value)


REFUSED = {
    "a slow RAM beside": (
        Options(memories=(("A", "channel"), ("B", "ram,latency=2"))),
        "B, a RAM of latency 2, beside arrays behind channels",
    ),
    "few slots": (
        Options(memories=(("A", "channel,latency=4,outstanding=5"),)),
        "A with 5 requests outstanding, fewer than the 6 of its latency",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_no_static_loop_waits_for_is_refused(what: str) -> None:
    options, said = REFUSED[what]
    with pytest.raises((LoomError, LoomErrors)) as refused:
        compile_text(NEST, "nest.mlir", options=options)
    assert str(refused.value) == (
        f"nest.mlir:6:5: error[STATIC_ISLAND]: found a static loop over {said}; LOOM accepts "
        "another memory there; style dynamic for the loop"
    )


def test_a_stream_is_refused() -> None:
    source = read_mlir((EXAMPLES / "fir.mlir").read_text(), "fir.mlir")
    (loop,) = (op for op in source.walk() if isinstance(op, LOOPS))
    STYLE.put(loop, "static")
    with pytest.raises((LoomError, LoomErrors), match="a static loop over samples, a stream"):
        compile_module(source, options=Options(streams=("samples",)))


def test_waiting_is_priced() -> None:
    """The enable, and what is owed of each answer; the path through the controllers is longer."""
    costs = []
    for memories in ((), WHERE["far"]):
        netlist = compile_text(NEST, "k.mlir", options=Options(memories=memories)).netlist
        (unit,) = (each for each in netlist.units if each.operator is ISLAND)
        cost = cost_of_unit(unit.operator, netlist.shape_by_unit[unit.name])
        assert cost is not None
        costs.append(cost)
    ram, far = costs
    assert far.area.luts > ram.area.luts and far.area.flip_flops > ram.area.flip_flops
    assert all(far.delays[way] >= delay for way, delay in ram.delays.items())
    assert far.delays["register>register"] > ram.delays["register>register"]


# In RTL


def kernel_of(circuit: Circuit) -> Kernel:
    """The circuit with its files."""
    return Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())


def require_in_rtl(
    kernels: Sequence[Kernel], given: Sequence[Sequence[Activation]], stalls: float
) -> None:
    """RTL does what the programs do; without stalls in the cycles of the timed model.

    With stalls sinks are shy, and answers come after 1 to 12 cycles.
    """
    arrays = [
        {memory.name for memory in kernel.netlist.memories_outside if memory.kind.answers}
        for kernel in kernels
    ]
    answers = dict.fromkeys(set.intersection(*arrays), (1, 12)) if stalls else {}
    options = SimOptions(stalls=stalls, seed=3, max_cycles=MOST, answers=answers)
    reports = cosimulate_kernels(kernels, given, options)
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for kernel, inputs_, report in zip(kernels, given, reports, strict=True):
            measured = [run.cycles for run in report.rtl.runs]
            predicted = [run.cycles for run in run_timed(kernel.netlist, inputs_)]
            assert measured == predicted, kernel.top


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
@pytest.mark.parametrize("group", [("near", "far"), ("packed",), ("loads",), ("stores",)])
def test_in_rtl(group: Sequence[str], stalls: float, deep: Deep) -> None:
    """Seven activations without a reset: no trip, one, two and many."""
    kernels = [kernel_of(beside(name, where)) for name in TEXTS_BESIDE for where in group]
    given = [inputs()] * len(kernels)
    deep(*INPUTS, texts=describe_runs(zip(kernels, given, strict=True)))
    require_in_rtl(kernels, given, stalls)


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.3])
def test_outermost_loops_in_rtl(stalls: float, deep: Deep) -> None:
    circuits, given = zip(*map(outermost, IN_RTL), strict=True)
    kernels = [kernel_of(circuit) for circuit in circuits]
    deep(*INPUTS, texts=describe_runs(zip(kernels, given, strict=True)))
    arrays = {m.name for kernel in kernels for m in kernel.netlist.memories_outside}
    answers = dict.fromkeys(arrays, (1, 12)) if stalls else {}
    options = SimOptions(stalls=stalls, seed=3, max_cycles=MOST, answers=answers)
    reports = cosimulate_kernels(kernels, given, options)
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


Fault = Callable[[str], str]
FAULTS: dict[str, tuple[str, str, Fault]] = {
    "it goes on without an answer": (
        "nest", "far",
        lambda text: re.sub(r"assign answered = ([^;]*);", r"assign answered = (\1) | 1'b1;", text),
    ),
    "it goes on without acceptance": (
        "nest", "far",
        lambda text: re.sub(r"(advance = answered)\s*& ([^;]*);", r"\1 | (1'b0 & \2);", text),
    ),
    "a request is made once more": (
        "nest", "far",
        lambda text: re.sub(r"(A_rd_sent_q <= )([^;]*);", r"\g<1>1'b0 & (\2);", text),
    ),
    "a register goes on": (
        "nest", "far",
        lambda text: text.replace("if (advance) begin : go_on", "begin : go_on"),
    ),
    "a unit goes on": (
        "search", "far", lambda text: text.replace(".advance_i(advance)", ".advance_i(1'b1)"),
    ),
    "a RAM is written while it stands still": (
        "search", "loads",
        lambda text: re.sub(r"(assign st_\w+0_valid_o = \w+) & advance;", r"\1;", text),
    ),
}  # fmt: skip
"""By program and memories, in the text of a static loop."""


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_text_is_seen(fault: str, deep: Deep) -> None:
    name, where, edit = FAULTS[fault]
    circuit = beside(name, where)
    files = dict(circuit.files())
    for path in [each for each in files if "island" in each]:
        text = re.sub(r"`ifdef SIMULATION\n.*?`endif\n", "", files[path], flags=re.DOTALL)
        files[path] = edit(text)
    assert any(edit(text) != text for path, text in circuit.files().items() if "island" in path)
    wrong = replace(kernel_of(circuit), files=files)
    deep(*INPUTS, texts=describe_runs([(wrong, inputs())]))
    (report,) = cosimulate_kernels([wrong], [inputs()], SimOptions(stalls=0.4, max_cycles=20_000))
    assert not report.match


@pytest.mark.sim
def test_the_word_of_a_ram_is_kept(deep: Deep) -> None:
    """A RAM that forgets its word as soon as it is taken; and a unit that does not keep it."""
    circuit = beside("dot", "loads")
    wrong = []
    for fault in (False, True):
        files = dict(circuit.files())
        (path,) = (each for each in files if "island" in each)
        taken = r"(ld_data1_valid_i ? ld_data1_data_i : 32'd0);"
        files[path] = re.sub(r"(?<=: )ld_data1_data_i;", taken, files[path])
        if fault:
            files[path] = re.sub(r"(\w+_kept_q <= )([^;]*);", r"\1(\2) & 1'b0;", files[path])
        assert taken in files[path] and fault == ("& 1'b0;" in files[path])
        wrong.append(replace(kernel_of(circuit), files=files))
    deep(*INPUTS, texts=describe_runs((each, inputs()) for each in wrong))
    options = SimOptions(stalls=0.4, max_cycles=20_000)
    reports = [cosimulate_kernels([each], [inputs()], options)[0] for each in wrong]
    assert [report.match for report in reports] == [True, False]


def write(name: str, where: str, folder: Path) -> list[str]:
    """The files of a circuit, parts first, below the folder."""
    circuit = beside(name, where)
    return write_rtl(circuit.files(), circuit.top, folder)


@pytest.mark.parametrize(("name", "where"), CLEAN)
def test_slang_and_icarus_have_no_warning(name: str, where: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, where, tmp_path)]
    assert passes_slang(files, f"{name}_{where}")
    require_clean_in_icarus(files, f"{name}_{where}", tmp_path)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "where"), CLEAN)
def test_verilator_and_yosys_have_no_warning(
    name: str, where: str, tmp_path: Path, deep: Deep
) -> None:
    listed = write(name, where, tmp_path)
    deep(*INPUTS, texts=[(tmp_path / file).read_text() for file in listed])
    require_clean_in_verilator_and_yosys(listed, f"{name}_{where}", tmp_path)
