"""Arguments behind channels: source reference = token model = RTL, at any latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.errors import LoomError
from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from tests.sim.test_partitions_in_rtl import SWAPS, given
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.reread import differences

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

# A walk over a list: the address of each element is what the one before holds.
CHASE = """func.func @chase(%next: memref<64xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %m = arith.constant 63 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %z) -> i32 {
    %l = arith.andi %p, %m : i32
    %a = arith.index_castui %l : i32 to index
    %q = memref.load %next[%a] : memref<64xi32>
    scf.yield %q : i32
  }
  return %r : i32
}"""
# Bytes and halfwords, written one beside the other, and past the end of the arrays.
BYTES = """func.func @bytes(%a: memref<21xi8>, %b: memref<19xi16>, %n: index) -> i8 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i8
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> i8 {
    %x = memref.load %a[%i] : memref<21xi8>
    %y = memref.load %b[%i] : memref<19xi16>
    %w = arith.extui %x : i8 to i16
    %v = arith.addi %w, %y : i16
    memref.store %v, %b[%i] : memref<19xi16>
    %t = arith.addi %x, %s : i8
    memref.store %t, %a[%i] : memref<21xi8>
    scf.yield %t : i8
  }
  return %r : i8
}"""
# Two stores of an iteration that may meet: each begins once the one before is accepted.
SCATTER = """func.func @scatter(%x: memref<16xi32>, %h: memref<12xi16>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<16xi32>
    %m = arith.muli %v, %v : i32
    %t = arith.trunci %m : i32 to i16
    %f = arith.constant 15 : i32
    %k = arith.andi %v, %f : i32
    %a = arith.index_castui %k : i32 to index
    memref.store %t, %h[%a] : memref<12xi16>
    %j = arith.index_cast %i : index to i16
    memref.store %j, %h[%i] : memref<12xi16>
  }
  return
}"""
TEXTS = {
    "scatter": SCATTER,
    "swaps": SWAPS.replace("@f(", "@swaps("),
    "chase": CHASE,
    "bytes": BYTES,
    "wide_bytes": BYTES.replace("@bytes", "@wide_bytes"),
}
NAMES = (
    "fir", "matvec", "matmul", "spmv", "histogram", "insertion_sort", "linear_search", "bfs",
    "memory_patterns", "smooth_f16", "swaps", "chase", "scatter",
)  # fmt: skip


@cache
def kernels(
    choice: str,
    names: tuple[str, ...] = NAMES,
    partitions: tuple[tuple[str, str], ...] = (),
) -> tuple[list[Kernel], list[list[Activation]]]:
    """The circuits with all arguments behind such channels, and what they run on."""
    found: list[Kernel] = []
    activations: list[list[Activation]] = []
    for name in names:
        text = TEXTS.get(name) or (EXAMPLES / f"{name}.mlir").read_text()
        plain = compile_text(text, f"{name}.mlir", options=Options(clock_period=None))
        arrays = [memory.name for memory in plain.netlist.memories_outside]
        chosen = tuple((each, choice) for each in arrays)
        options = Options(clock_period=None, memories=chosen, partitions=partitions)
        circuit = compile_text(text, f"{name}.mlir", options=options)
        netlist, files = circuit.netlist, circuit.files()
        assert all(memory.kind.word in choice for memory in netlist.memories_outside)
        assert differences(netlist, files[f"rtl/{netlist.name}.sv"]) == []
        found.append(Kernel(circuit.source, circuit.top, netlist, files))
        signature = signature_of(top_function(circuit.source, circuit.top))
        reference = compile_reference(circuit.source, circuit.top)
        drawn = accepted_activations(reference, signature, 1, 2)
        activations.append([*given(SWAPS)] if name == "swaps" else drawn)
    return found, activations


def every_memory(found: Sequence[Kernel], least: int, most: int) -> dict[str, tuple[int, int]]:
    """All memories of the circuits answer after so many cycles."""
    names = [memory.name for kernel in found for memory in kernel.netlist.memories_outside]
    return dict.fromkeys(names, (least, most))


def test_any_latency_in_all_three_ways(deep: Deep) -> None:
    found, activations = kernels("channel,latency=6")
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
    for least, most, stalls in ((6, 6, 0.0), (1, 1, 0.3), (5, 40, 0.3), (128, 128, 0.0)):
        options = SimOptions(stalls=stalls, answers=every_memory(found, least, most))
        for report in cosimulate_kernels(found, activations, options):
            assert report.match, (report.kernel.top, least, most, report.differences[:3])
            assert all(run.residual == () for run in report.rtl.runs)
            if (least, most, stalls) == (6, 6, 0.0):
                assert [run.cycles for run in report.rtl.runs] == report.predicted


def test_a_word_is_read_once_for_its_elements_in_order(deep: Deep) -> None:
    """Two of 32 bits a word: half the requests, of arrays that are only loaded."""
    found, activations = kernels("channel,latency=6,pack=64", ("fir", "matvec", "spmv"))
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
    for least, most, stalls in ((6, 6, 0.0), (1, 1, 0.0), (1, 40, 0.3)):
        options = SimOptions(stalls=stalls, answers=every_memory(found, least, most))
        reports = cosimulate_kernels(found, activations, options)
        for report in reports:
            assert report.match, (report.kernel.top, least, most, report.differences[:3])
            assert all(run.residual == () for run in report.rtl.runs)
        if (least, most) == (6, 6):
            for report in reports:
                assert [run.cycles for run in report.rtl.runs] == report.predicted
            fir, matvec, _ = ([run.accesses for run in report.rtl.runs] for report in reports)
            assert {name: loads for name, (loads, _) in fir[0].items()} == {
                "samples": 50, "taps": 50
            }  # fmt: skip
            assert matvec[0]["m"] == (200, 0)


WORD_FAULTS = {
    "any word is the last one": ("some & (ask_addr_i == last_q)", "some & (last_q == last_q)"),
    "another word is kept": ("again ? word_q", "again ? ~word_q"),
}  # fmt: skip


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("fault", WORD_FAULTS)
def test_a_wrong_word_is_reported(fault: str) -> None:
    (kernel,), activations = kernels("channel,latency=6,pack=64", ("fir",))
    old, new = WORD_FAULTS[fault]
    files = dict(kernel.files or {})
    assert old in files["rtl/loom_memory_words.sv"]
    files["rtl/loom_memory_words.sv"] = files["rtl/loom_memory_words.sv"].replace(old, new)
    (report,) = cosimulate_kernels([replace(kernel, files=files)], activations, SimOptions())
    assert not report.match


def test_elements_in_wider_words(deep: Deep) -> None:
    found, activations = kernels("channel,latency=6,pack=32", ("bytes", "smooth_f16"))
    wide, given = kernels("channel,latency=6,pack=128", ("wide_bytes", "swaps", "chase"))
    found, activations = [*found, *wide], [*activations, *given]
    deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
    for least, most, stalls in ((6, 6, 0.0), (1, 40, 0.3)):
        options = SimOptions(stalls=stalls, answers=every_memory(found, least, most))
        for report in cosimulate_kernels(found, activations, options):
            assert report.match, (report.kernel.top, least, most, report.differences[:3])
            if not stalls:
                assert [run.cycles for run in report.rtl.runs] == report.predicted


def test_few_outstanding_requests_are_right_and_predicted(deep: Deep) -> None:
    names = ("matvec", "swaps")
    for choice in ("channel,latency=4,outstanding=1", "channel,latency=9,outstanding=3"):
        found, activations = kernels(choice, names)
        deep(*RTL_INPUTS, texts=describe_runs(zip(found, activations, strict=True)))
        for report in cosimulate_kernels(found, activations, SimOptions()):
            assert report.match, (report.kernel.top, choice, report.differences[:3])
            assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(("name", "array"), [("fir", "taps"), ("matvec", "out")])
def test_an_error_response_has_a_code_of_its_own(name: str, array: str) -> None:
    found, activations = kernels("channel,latency=6", (name,))
    options = SimOptions(refusals={array: 3})
    (report,) = cosimulate_kernels(found, activations, options)
    code = RUNTIME_ERRORS.index("RT_MEMORY_ERROR_RESPONSE")
    assert {run.error_code for run in report.rtl.runs} == {code}
    assert "activation 0: the RTL raises RT_MEMORY_ERROR_RESPONSE" in report.differences


USUAL = "channel,latency=6", "swaps"
FAULTS = {
    # An access is done before its answer: a load that waits for a store reads too early.
    "early": ("loom_memory_order", "pop = some_q & (outside | answer_valid_i)", "pop = some_q"),
    # A datum is lost where its reader waits.
    "lost": ("loom_memory_slots", "push = arrives_i & (some_q | ~data_ready_i)", "push = 1'b0"),
    # Answers find no slot.
    "no credit": ("loom_memory_slots", "room_o = ~full_q", "room_o = 1'b1"),
    # A request is withdrawn where the memory does not take it.
    "withdrawn": ("loom_memory_request", "send_i | (valid_q & ~ready_i)", "send_i"),
    # A byte of each element is not written.
    "strobe": ("loom_chanmemory", "aw_strb_o = '1", "aw_strb_o = 4'he"),
    # All elements of a word are written; another one than was asked for is taken.
    "packed store": ("loom_chanmemory", "lane_t'(st_place) == lane_t'(k)", "1'b1"),
    "packed load": ("loom_memory_lanes", "lane_o = lane_q", "lane_o = ~lane_q"),
}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("fault", FAULTS)
def test_planted_faults_are_found(fault: str) -> None:
    module, old, new = FAULTS[fault]
    choice, name = ("channel,outstanding=2", "matvec") if fault == "no credit" else USUAL
    choice += ",pack=128" * fault.startswith("packed")
    (kernel,), activations = kernels(choice, (name,))
    changed = {
        path: text.replace(old, new) if f"/{module}" in path else text
        for path, text in kernel.files.items()
    }
    assert changed != kernel.files
    options = SimOptions(stalls=0.3, answers=every_memory([kernel], 5, 40), max_cycles=20_000)
    (report,) = cosimulate_kernels([replace(kernel, files=changed)], activations, options)
    assert not report.match


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            SimOptions(answers={"x": (1, 2)}),
            "--answers: error[SIM_OPTION]: found the memory 'x'; LOOM accepts the memories behind "
            "channels: samples, taps",
        ),
        (
            SimOptions(answers={"taps": (9, 2)}),
            "--answers: error[SIM_OPTION]: found answers of taps after 9 to 2 cycles; LOOM accepts "
            "1 to 1024 cycles, the least first",
        ),
    ],
)
def test_latencies_that_no_memory_has_are_refused(options: SimOptions, message: str) -> None:
    found, activations = kernels("channel,latency=6", ("fir",))
    with pytest.raises(LoomError) as caught:
        cosimulate_kernels(found, activations, options)
    assert str(caught.value) == message
