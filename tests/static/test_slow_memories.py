"""Static schedules of RAMs that answer after one to three cycles, in the model and in RTL."""

from __future__ import annotations

from dataclasses import replace

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.emit.boundary import Boundary
from loom.errors import LoomError
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.static.test_machines import CYCLES, MOST, NAMES, example, static
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import describe_runs

LATENCIES = (1, 2, 3)
IN_RTL = ("fir", "matvec", "histogram", "spmv", "bfs", "insertion_sort", "linear_search")
"""Pipelines, a recurrence through a memory, loops whose bounds are loaded, RAMs inside."""
REGISTERED = ("fir", "matvec", "matmul", "stencil_2d", "threshold", "bicg")
"""At latency 1 the word passes a register, as it comes late; at latency 2 the RAM has it."""
RECURRENT = ("histogram",)
"""A store decides the next load: in the order of tokens the II grows with the latency. Registers
keep it 1, and an iteration has two loads in a row."""


def slow(
    name: str, latency: int, order: MemoryOrder = "auto"
) -> tuple[StaticCircuit, list[Activation]]:
    """An example whose arrays outside are RAMs of a latency [cycles], and its activations."""
    options = Options(memories=(("*", f"ram,latency={latency}"),), memory_order=order)
    return static((EXAMPLES / f"{name}.mlir").read_text(), options), example(name)[1]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("latency", LATENCIES)
@pytest.mark.parametrize("name", NAMES)
def test_every_example_does_what_the_program_does(name: str, latency: int) -> None:
    """It takes a cycle more for each register behind a RAM that no recurrence loads from."""
    circuit, given = slow(name, latency)
    assert list(circuit.differences(given, MOST)) == []
    if name in CYCLES and name not in RECURRENT:
        more = max(0, latency - 2) if name in REGISTERED else latency - 1
        assert set(circuit.cycles(given, MOST)) == {CYCLES[name] + more}
    if name in RECURRENT:
        assert set(circuit.cycles(given, MOST)) == {CYCLES[name] + 2 * (latency - 1)}
        waiting, _ = slow(name, latency, "tokens")
        assert [loop.ii for loop in waiting.pipelines] == [1 + latency]
        assert list(waiting.differences(given, MOST)) == []


def test_a_latency_may_be_of_one_array_alone_and_stand_in_the_program() -> None:
    text = (EXAMPLES / "fir.mlir").read_text()
    said = text.replace(
        "%taps: memref<100xi32>", '%taps: memref<100xi32> {loom.memory = "ram,latency=3"}'
    )
    by_option = static(text, Options(memories=(("taps", "ram,latency=3"),)))
    assert static(said).rtl == by_option.rtl
    latencies = {port.memory: port.latency for port in by_option.fsmd.reads}
    assert latencies["taps"] == 3 and set(latencies.values()) == {1, 3}


def test_an_answer_that_comes_later_is_seen() -> None:
    """The machine of a schedule for latency 1, at a RAM of latency 2."""
    circuit, given = example("fir")
    reads = tuple(replace(port, latency=2) for port in circuit.fsmd.reads)
    late = replace(circuit, fsmd=replace(circuit.fsmd, reads=reads))
    assert list(late.differences(given, MOST))


def kernel_of(circuit: StaticCircuit) -> Kernel:
    """The circuit as a black box, whose memories outside have the latency of its netlist."""
    dynamic = circuit.dynamic
    return Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)


@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_cycles_in_rtl_are_those_of_the_machine(stalls: float, deep: Deep) -> None:
    pairs = [slow(name, latency) for name in IN_RTL for latency in LATENCIES]
    loaded = [(kernel_of(circuit), given) for circuit, given in pairs]
    deep(*INPUTS, "loom/netlist/fsmd", texts=describe_runs(loaded))
    kernels, given = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


@pytest.mark.sim
@pytest.mark.parametrize("latency", [1, 3])
def test_a_ram_of_another_latency_is_seen_in_rtl(latency: int, deep: Deep) -> None:
    circuit, given = slow("fir", 2)
    wrong = replace(kernel_of(slow("fir", latency)[0]), files=circuit.rtl)
    deep(*INPUTS, "loom/netlist/fsmd", texts=describe_runs([(wrong, given)]))
    (report,) = cosimulate_kernels([wrong], [given], SimOptions(max_cycles=2000))
    assert not report.match


def test_a_slow_ram_has_no_clock_enable() -> None:
    """EMIT_CLOCK_ENABLE: the RAM goes on while the circuit stands still."""
    with pytest.raises(LoomError, match=r"EMIT_CLOCK_ENABLE.*a RAM outside of latency 2"):
        slow("fir", 2)[0].files(Boundary(clock_enable=True))
