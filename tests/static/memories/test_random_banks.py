"""Random programs with arrays in banks as static schedules: in the model, and in RTL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from xdsl.dialects import memref

from loom.dialects.facts import arrays
from loom.errors import LoomError, LoomErrors
from loom.front.static_circuit import StaticCircuit, compile_static
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.static import body_problem
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.netlist.fsmd import build
from loom.netlist.fsmd.fsmd import Split
from tests.random_programs.grow_program import grow_program
from tests.random_programs.print_program import text_of
from tests.random_programs.statically import MOST_CYCLES, draw_partitions, judge_statically
from tests.random_programs.verdict import Choice, with_results
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "loom/lower/static")
FIRST, PROGRAMS, IN_RTL = 8000, 120, 20
LARGEST = 120
"""Wires of a machine that is simulated, at most [wires]."""
Run = tuple[StaticCircuit, Sequence[Activation]]


def run_of(seed: int) -> Run | None:
    """The static circuit of a seed's program and its inputs; None without an address in banks."""
    setting = Choice(3, False).setting(seed)
    module = read_mlir(text_of(grow_program(seed)).replace("@f(", f"@p{seed}("), "program.mlir")
    draw_partitions(module, seed)
    options = Options(index_width=setting.index_width)
    try:
        circuit = compile_static(module, top=None, options=options)
    except (LoomError, LoomErrors):
        return None
    signature = signature_of(top_function(module), setting.index_width)
    drawn = random_activations(signature, seed, setting.activations)
    given = with_results(module, signature.name, setting, drawn)
    is_split = any(isinstance(wire, Split) for wire in circuit.fsmd.wires)
    return (circuit, given) if is_split and given else None


@cache
def runs() -> Sequence[Run]:
    """Those of the first seeds, small ones."""

    def small() -> Iterator[Run]:
        for seed in range(FIRST, FIRST + 10 * PROGRAMS):
            found = run_of(seed)
            if found is not None and len(found[0].fsmd.wires) <= LARGEST:
                yield found

    found = small()
    return [next(found) for _ in range(IN_RTL)]


@pytest.mark.usefixtures("deep_on_sources")
def test_no_finding() -> None:
    for seed in range(FIRST, FIRST + PROGRAMS):
        verdict = judge_statically(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


@pytest.mark.usefixtures("deep_on_sources")
def test_a_bank_that_is_not_reserved_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: an access whose bank is not known takes the port of one bank alone."""

    def first(access: memref.LoadOp | memref.StoreOp) -> tuple[int, ...]:
        return arrays.banks_of_access(access)[:1]

    for room in (body_problem, build):
        monkeypatch.setattr(room, "banks_of_access", first)
    seeds = range(FIRST, FIRST + PROGRAMS)
    verdicts = (
        judge_statically(text_of(grow_program(seed)), Choice(3, False).setting(seed))
        for seed in seeds
    )
    assert any(verdict.finding is not None for verdict in verdicts)


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
