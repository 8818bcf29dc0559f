"""Static schedules of arrays behind channels: the machine waits for answers and for acceptance."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import cycle, islice
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.emit.boundary import Boundary
from loom.errors import LoomError, LoomErrors
from loom.front.cli import main
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.lower.static import body_problem, predicate_ifs
from loom.lower.static.nests import find_nest
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from tests.emit.test_boundary import EDGES
from tests.emit.test_clock_enable import EDGE, Miter, bench, sources
from tests.emit.test_verilog_2005 import EDGED, PLAIN, READERS, read_by
from tests.golden.bench import run_bench
from tests.sim.memory.test_channels_in_rtl import BYTES, CHASE, SCATTER
from tests.static.test_machines import NAMES, static
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.rtl.clean import (
    passes_slang,
    require_clean_in_icarus,
    require_clean_in_verilator_and_yosys,
    write_rtl,
)

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "rtl_templates/memory",
          "loom/lower/static")  # fmt: skip
BENCH = "tests/emit/test_clock_enable.py"
MOST = 200_000
"""Longer than any activation here [cycles]."""
# What is under a branch asks for nothing where the branch is not taken, also at a proved address;
# what stands before an inner loop asks once.
BRANCHES = """func.func @branches(%x: memref<16xi32>, %y: memref<16xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %z) -> i32 {
    %a = memref.load %x[%i] : memref<16xi32>
    %t = arith.cmpi slt, %a, %z : i32
    %v = scf.if %t -> i32 {
      %b = memref.load %y[%i] : memref<16xi32>
      memref.store %a, %y[%i] : memref<16xi32>
      scf.yield %b : i32
    } else {
      scf.yield %a : i32
    }
    %u = arith.addi %s, %v : i32
    scf.yield %u : i32
  }
  %q = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %r) -> i32 {
    %a = memref.load %x[%i] : memref<16xi32>
    %w = scf.for %j = %c0 to %c3 step %c1 iter_args(%p = %a) -> i32 {
      %d = arith.xori %p, %s : i32
      scf.yield %d : i32
    }
    %g = arith.addi %s, %w : i32
    scf.yield %g : i32
  }
  return %q : i32
}"""
TEXTS = {"branches": BRANCHES, "chase": CHASE, "bytes": BYTES, "scatter": SCATTER}
EVERY = (*NAMES, *TEXTS)
IN_RTL = ("fir", "matvec", "spmv", "histogram", "insertion_sort", "linear_search", "bfs",
          "memory_patterns", "smooth_f16", "window", *TEXTS)  # fmt: skip
CLEAN = ("fir", "histogram", "smooth_f16", "bytes")
"""Loads alone, loads and stores, units with modules of their own, elements of a byte."""


@cache
def channelled(
    name: str, memory: str = "channel,latency=4"
) -> tuple[StaticCircuit, list[Activation]]:
    """The static circuit with all arrays outside behind such channels, and some activations."""
    text = TEXTS.get(name) or (EXAMPLES / f"{name}.mlir").read_text()
    circuit = static(text, Options(memories=(("*", memory),)))
    signature = signature_of(top_function(circuit.dynamic.source))
    if name in TEXTS:
        source, width = circuit.dynamic.source, 64
        reference = compile_reference(source, circuit.top, width)
        return circuit, accepted_activations(reference, signature, 3, 3)
    bundle = read_bundle((EXAMPLES / f"{name}.json").read_text(), f"{name}.json", signature)
    return circuit, list(islice(cycle(bundle), max(3, len(bundle))))


@pytest.mark.parametrize("latency", [1, 9])
@pytest.mark.parametrize("name", EVERY)
def test_the_machine_does_what_the_program_does(name: str, latency: int) -> None:
    circuit, given = channelled(name, f"channel,latency={latency}")
    assert list(circuit.differences(given, MOST)) == []


def test_an_access_that_does_not_wait_for_the_response_before_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a store the next load, and of a load the next store."""
    early = {
        "loads": lambda source, target: int(source.name == "memref.store"),
        "stores": lambda source, target: (
            body_problem.latency_of(source) if source.name == "memref.store" else 0
        ),
    }
    for texts, fault in (("histogram", early["loads"]), ("swap", early["stores"])):
        text = SWAP if texts == "swap" else (EXAMPLES / f"{texts}.mlir").read_text()
        with monkeypatch.context() as patch:
            patch.setattr(body_problem, "separation", fault)
            circuit = static(text, Options(memories=(("*", "channel,latency=4"),)))
            reference = compile_reference(circuit.dynamic.source, circuit.top, 64)
            signature = signature_of(top_function(circuit.dynamic.source))
            given = accepted_activations(reference, signature, 3, 2)
            assert list(circuit.differences(given, MOST)) != []


SWAP = """func.func @swap(%x: memref<16xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c15 step %c1 {
    %j = arith.addi %i, %c1 : index
    %a = memref.load %x[%j] : memref<16xi32>
    %z = arith.index_cast %i : index to i32
    memref.store %z, %x[%j] : memref<16xi32>
    %b = arith.addi %a, %z : i32
    memref.store %b, %x[%i] : memref<16xi32>
  }
  return
}"""
"""A store whose datum needs no load follows a load of the same element."""


def requests(circuit: StaticCircuit, given: Activation) -> dict[str, tuple[int, int]]:
    """How many loads and stores an activation asks for, by array."""
    found: dict[str, list[int]] = {port.memory: [0, 0] for port in
                                   (*circuit.fsmd.reads, *circuit.fsmd.writes)}  # fmt: skip

    def see(_: int, values: dict[str, int]) -> None:
        for place, ports in enumerate((circuit.fsmd.reads, circuit.fsmd.writes)):
            for port in ports:
                found[port.memory][place] += values[port.enable]

    list(circuit.runs([given], MOST, see))
    return {name: (loads, stores) for name, (loads, stores) in found.items()}


ASKING = ("branches", "fir", "matvec", "spmv", "histogram", "threshold", "linear_search",
          "insertion_sort", "bfs", "chase", "bytes", "scatter")  # fmt: skip


@pytest.mark.parametrize("name", ASKING)
def test_it_asks_for_no_more_than_the_program_loads_and_stores(name: str) -> None:
    circuit, given = channelled(name)
    reference = compile_reference(circuit.dynamic.source, circuit.top, 64)
    for each in given:
        inputs = [list(v) if isinstance(v, list) else v for v in each.inputs.values()]
        accesses = reference.run(inputs).accesses
        for array, (loads, stores) in requests(circuit, each).items():
            wanted = accesses.get(array, (0, 0))
            assert loads <= wanted[0] and stores <= wanted[1], (array, loads, stores, wanted)


@pytest.mark.parametrize("fault", ["branches", "nests"])
def test_a_request_that_the_program_does_not_make_is_seen(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = {"branches": predicate_ifs, "nests": find_nest}[fault]
    monkeypatch.setattr(room, "is_behind_channel", lambda _: False)
    circuit = static(BRANCHES, Options(memories=(("*", "channel"),)))
    reference = compile_reference(circuit.dynamic.source, circuit.top, 64)
    signature = signature_of(top_function(circuit.dynamic.source))
    (given,) = accepted_activations(reference, signature, 3, 1)
    accesses = reference.run(
        [list(v) if isinstance(v, list) else v for v in given.inputs.values()]
    ).accesses
    asked = requests(circuit, given)
    assert any(asked[array][0] > accesses[array][0] for array in asked)


def kernel_of(name: str, memory: str) -> tuple[Kernel, list[Activation]]:
    """A static circuit as a black box with the ports of the dynamic one."""
    circuit, given = channelled(name, memory)
    dynamic = circuit.dynamic
    box = Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)
    return box, given


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.3])
def test_in_rtl(stalls: float, deep: Deep) -> None:
    """Cycles are those of the model at the declared latency; else answers come in any cycle."""
    loaded = [kernel_of(name, "channel,latency=4") for name in IN_RTL]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    arrays = {memory.name for kernel in kernels for memory in kernel.netlist.memories_outside}
    answers = dict.fromkeys(arrays, (1, 12)) if stalls else {}
    options = SimOptions(stalls=stalls, max_cycles=MOST, answers=answers)
    reports = cosimulate_kernels(kernels, given, options)
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("memory", ["channel,latency=7,outstanding=40", "channel,pack=64"])
def test_more_slots_and_packed_words_in_rtl(memory: str, deep: Deep) -> None:
    """More answers are kept than the schedule has under way; elements share a word."""
    loaded = [kernel_of(name, memory) for name in ("fir", "histogram", "bytes")]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, given, SimOptions(stalls=0.2, max_cycles=MOST))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []


Fault = Callable[[str], str]
FAULTS: dict[str, Fault] = {
    "it goes on without an answer": lambda text: re.sub(
        r"assign answered = ([^;]*);", r"assign answered = (\1) | 1'b1;", text
    ),
    "it goes on without acceptance": lambda text: re.sub(
        r"assign advance = answered\s*& ([^;]*);",
        r"assign advance = answered | (1'b0 & \1);",
        text,
    ),
    "a request is made once more": lambda text: re.sub(
        r"(samples_rd_sent_q <= )([^;]*);", r"\g<1>1'b0 & (\2);", text
    ),
    "a register goes on": lambda text: text.replace("if (advance) begin : go_on", "begin : go_on"),
}
"""In `fir`, which asks for two elements in every cycle."""


@pytest.mark.sim
def test_a_fault_in_the_text_is_seen(deep: Deep) -> None:
    kernel, given = kernel_of("fir", "channel,latency=4")
    top, wrong = "rtl/fir.sv", []
    for fault in FAULTS.values():
        text = fault(kernel.files[top])
        assert text != kernel.files[top]
        text = re.sub(r"`ifdef SIMULATION\n.*?`endif\n", "", text, flags=re.DOTALL)
        wrong.append(replace(kernel, files={**kernel.files, top: text}))
    deep(*INPUTS, texts=describe_runs((each, given) for each in wrong))
    for each in wrong:
        (report,) = cosimulate_kernels([each], [given], SimOptions(stalls=0.4, max_cycles=20_000))
        assert not report.match


def write(name: str, edge: Boundary, folder: Path) -> list[str]:
    """The files of a static circuit, parts first, below the folder."""
    circuit, _ = channelled(name)
    return write_rtl(circuit.emit(circuit.netlist, edge), name, folder)


CASES = [(name, edge) for name in CLEAN for edge in ("default", "async enable")]


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_slang_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    assert passes_slang(files, name)


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_icarus_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    require_clean_in_icarus(files, name, tmp_path)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "edge"), CASES)
def test_verilator_and_yosys_have_no_warning(
    name: str, edge: str, tmp_path: Path, deep: Deep
) -> None:
    listed = write(name, EDGES[edge], tmp_path)
    deep(*INPUTS, texts=[(tmp_path / file).read_text() for file in listed])
    require_clean_in_verilator_and_yosys(listed, name, tmp_path)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("reader", READERS)
def test_readers_of_verilog_2005_take_it(reader: str, tmp_path: Path) -> None:
    for edge in (PLAIN, EDGED):
        files = write("histogram", edge, tmp_path)
        assert read_by(reader, "histogram", tmp_path, files) == ""


GATES: dict[str, Fault] = {
    "a register is not held": lambda text: text.replace(
        "begin : waiting\n    if (!rst_ni) begin : waiting_reset",
        "begin : waiting\n    if (!rst_ni | ~clk_en_i) begin : waiting_reset",
    ),
    "a request leaves while the circuit stands still": lambda text: text.replace(
        "assign bins_ar_valid_o = bins_ar_valid_inside & clk_en_i",
        "assign bins_ar_valid_o = bins_ar_valid_inside",
    ),
}
"""What a clock enable holds, in `histogram`."""


@pytest.mark.sim
def test_enabled_cycles_are_those_of_a_clock_that_stands_still(tmp_path: Path, deep: Deep) -> None:
    """Two enables, that of the circuit and that of its memories; each planted fault is seen."""
    circuit, _ = channelled("histogram")
    netlist = circuit.netlist
    others: dict[str, Fault] = {"en_histogram": str}
    others |= {f"fault{k}_histogram": fault for k, fault in enumerate(GATES.values())}
    texts = [sources(netlist, "own_histogram", Boundary(), emitter=circuit.emit)]
    for prefix, fault in others.items():
        texts.append(sources(netlist, prefix, EDGE, fault, circuit.emit))
        same = sources(netlist, prefix, EDGE, lambda text: text, circuit.emit)
        assert fault is str or texts[-1] != same, prefix
    deep(*INPUTS, BENCH, texts=texts)
    file = tmp_path / "bench.sv"
    file.write_text("".join(texts) + bench([Miter(netlist, list(others))]))
    lines = [line.split() for line in run_bench([str(file)], tmp_path).splitlines()]
    told = {each[0]: (int(each[1]), int(each[2])) for each in lines if len(each) == 3}
    assert told["en_histogram"][0] == 0 and told["en_histogram"][1] > 1, told
    assert all(told[f"fault{k}_histogram"][0] > 0 for k in range(len(GATES))), told


def test_a_slow_ram_beside_them_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Its word comes while the machine stands still; STATIC_MACHINE where a text says so."""
    said = "found samples, a RAM of latency 2, beside arrays behind channels"
    choices = ["--memory", "taps:channel", "--memory", "samples:ram,latency=2"]
    command = ["compile", *choices, str(EXAMPLES / "fir.mlir"), "-o", str(tmp_path / "out")]
    assert main([*command, "--style", "static"]) == 2
    assert f"error[STATIC_OPTION]: {said}" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert main(command) == 0  # `auto` takes the dynamic circuit
    circuit, _ = channelled("fir")
    slow = circuit.text.replace('"channel,latency=4"', '"ram,latency=2"', 1)
    slow = slow.replace("{lat = 5}", "{lat = 2}", 1)
    with pytest.raises((LoomError, LoomErrors), match="STATIC_MACHINE"):
        load_schedule(Request(slow, "k.mlir"))


def test_a_given_text_keeps_its_channels() -> None:
    """Its machine has their ports; another latency of a store or load is refused."""
    circuit, given = channelled("histogram")
    made = load_schedule(Request(circuit.text, "k.mlir"))
    assert made is not None
    assert replace(made.fsmd, spans=()) == replace(circuit.fsmd, spans=())
    assert list(replace(circuit, fsmd=made.fsmd).differences(given, MOST)) == []
    assert made.files()["rtl/histogram.sv"] == circuit.rtl["rtl/histogram.sv"]
    wrong = re.sub(r"(memref\.store .*)\{lat = 5\}", r"\1{lat = 1}", circuit.text)
    assert wrong != circuit.text
    with pytest.raises((LoomError, LoomErrors), match=r"memref\.store of latency 1"):
        load_schedule(Request(wrong, "k.mlir"))
