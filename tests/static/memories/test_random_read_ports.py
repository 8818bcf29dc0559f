"""Random programs over arrays inside with two read ports: static schedules and static loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from xdsl.dialects.builtin import ModuleOp

from loom.front.static_circuit import StaticCircuit, compile_static
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from tests.random_programs import islands, statically
from tests.random_programs.grow_program import grow_program
from tests.random_programs.islands import judge_with_islands
from tests.random_programs.print_program import text_of
from tests.random_programs.statically import (
    MOST_CYCLES,
    draw_partitions,
    draw_ports,
    judge_statically,
    move_inside,
)
from tests.random_programs.verdict import Choice, Verdict, with_results
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "loom/lower/static")
FIRST, PROGRAMS = 8800, 40
IN_RTL = (8801, 8808, 8811, 8814, 8820, 8824, 8827, 8830, 8834, 8836, 8856, 8873, 8879, 8892, 8898)
"""Programs with small machines, six of which load twice from an array in one cycle."""
Run = tuple[StaticCircuit, Sequence[Activation]]


@pytest.fixture
def arrays_inside(monkeypatch: pytest.MonkeyPatch) -> None:
    """All programs have their arrays inside."""

    def read(text: str, file: str) -> ModuleOp:
        module = read_mlir(text, file)
        move_inside(module)
        return module

    for room in (statically, islands):
        monkeypatch.setattr(room, "read_mlir", read)


def verdicts() -> Iterator[tuple[int, Verdict]]:
    """Those on a static schedule and on static loops, by seed."""
    for seed in range(FIRST, FIRST + PROGRAMS):
        for judge in (judge_statically, judge_with_islands):
            yield seed, judge(text_of(grow_program(seed)), Choice(3, False).setting(seed))


@pytest.mark.usefixtures("deep_on_sources", "arrays_inside")
def test_no_finding() -> None:
    for seed, verdict in verdicts():
        assert verdict.finding is None, (seed, verdict.finding)


def run_of(seed: int) -> Run:
    """The static circuit of a seed's program, and its inputs."""
    setting = Choice(3, False).setting(seed)
    module = read_mlir(text_of(grow_program(seed)).replace("@f(", f"@q{seed}("), "program.mlir")
    move_inside(module)
    draw_partitions(module, seed)
    draw_ports(module, seed)
    circuit = compile_static(module, top=None, options=Options(index_width=setting.index_width))
    signature = signature_of(top_function(module), setting.index_width)
    drawn = random_activations(signature, seed, setting.activations)
    given = with_results(module, signature.name, setting, drawn)
    assert given
    return circuit, given


@cache
def runs() -> Sequence[Run]:
    """Those that are simulated: two ports read an array of each."""
    found = [run_of(seed) for seed in IN_RTL]
    for circuit, _ in found:
        readers = [port.memory for port in circuit.fsmd.reads]
        assert len(set(readers)) < len(readers)
    return found


@pytest.mark.usefixtures("deep_on_sources")
def test_ports_with_one_address_are_found() -> None:
    """The fault: all ports of an array have the address of the first."""

    def wrong(circuit: StaticCircuit) -> StaticCircuit:
        first = {port.memory: port.address for port in reversed(circuit.fsmd.reads)}
        reads = [replace(port, address=first[port.memory]) for port in circuit.fsmd.reads]
        return replace(circuit, fsmd=replace(circuit.fsmd, reads=tuple(reads)))

    assert any(list(wrong(circuit).differences(given, MOST_CYCLES)) for circuit, given in runs())


@pytest.mark.from_sources
@pytest.mark.sim
def test_in_rtl(deep: Deep) -> None:
    kernels = [
        Kernel(c.dynamic.source, c.top, c.dynamic.netlist, c.rtl, True, c.cycles) for c, _ in runs()
    ]
    given = [activations for _, activations in runs()]
    deep(*INPUTS, texts=describe_runs(zip(kernels, given, strict=True)))
    for stalls in (0.0, 0.4):
        options = SimOptions(stalls=stalls, max_cycles=MOST_CYCLES)
        reports = cosimulate_kernels(kernels, given, options)
        assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
        if not stalls:
            for report in reports:
                assert [run.cycles for run in report.rtl.runs] == report.predicted
