"""One kernel compiled and run in all its ways: a row, of which all that is wrong is a part."""

from __future__ import annotations

import argparse
import io
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors
from loom.front import verbs
from loom.regress.case import Case, Mode
from loom.regress.row import (
    CRASHED,
    DIFFERS,
    MATCH,
    REFUSED,
    Problem,
    Row,
    failed_row,
    problem_of,
)

if TYPE_CHECKING:
    from loom.front.request import Request
    from loom.front.styles.styled import Styled
    from loom.model.bundles.activation import Activation
    from loom.model.comparison import ModelReport

FRAMES = 8000
"""Python's recursion limit while a kernel is judged, as in the command."""


def judge(case: Case, mode: Mode) -> Row:
    """The row of the kernel; it has measured cycles in a simulation alone.

    In a placement its sizes and period are those of the tools, and nothing of it is run.
    """
    with frames(), redirect_stderr(io.StringIO()):
        try:
            return placed_row(case) if mode == "placement" else row_of(case, mode)
        except LoomError as error:
            problems = [problem_of(error, str(case.file))]
        except LoomErrors as errors:
            problems = [problem_of(error, str(case.file)) for error in errors.problems]
        except Exception as error:  # a mistake of ours is a row: the others go on
            what = [Problem(f"{type(error).__name__}: {error}")]
            return failed_row(case.name, case.place, CRASHED, case.expect, what)
    return failed_row(case.name, case.place, REFUSED, case.expect, problems)


@contextmanager
def frames() -> Iterator[None]:
    """Python's recursion limit is that of the command."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, FRAMES))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@dataclass(frozen=True)
class Compiled:
    """A kernel with its activations; `styled` is None of a dynamic circuit or a graph."""

    subject: verbs.Subject
    styled: Styled | None
    seconds: float
    """Of the compiler alone [s]."""


def compile_case(options: argparse.Namespace) -> Compiled:
    """The circuit of the options in its style, and the activations of the options."""
    from loom.front.styles.choose import without_schedule

    began = time.monotonic()
    request = verbs.read_request(options)
    plain = replace(request, options=without_schedule(request.options))
    compiled, given, took = compile_plainly(options, plain, request)
    subject = replace(compiled, activations=given)
    styled, subject = verbs.style_subject(options, subject, request.options)
    return Compiled(subject, styled, time.monotonic() - began - took)


def compile_plainly(
    options: argparse.Namespace, request: Request, styled: Request
) -> tuple[verbs.Subject, list[Activation], float]:
    """The dynamic circuit for a style, the activations, and what it took to find these [s]."""
    from loom.front.api import load_graph
    from loom.front.styles.choose import compile_dynamic

    graph = load_graph(request)
    if graph is not None:
        began = time.monotonic()
        given = verbs.graph_activations(options, graph)
        subject = verbs.Subject(request, None, graph.netlist, graph.files, [])
    else:
        circuit = compile_dynamic(request, styled.options)
        began = time.monotonic()
        given = verbs.program_activations(options, request, circuit)
        subject = verbs.Subject(request, circuit, circuit.netlist, circuit.files, [])
    return subject, given, time.monotonic() - began


def row_of(case: Case, mode: Mode) -> Row:
    """The row of a kernel that is compiled and run."""
    options = case.options
    if mode == "simulation":
        verbs.require_simulation()
        verbs.refuse_cores(options)
    began = time.monotonic()
    compiled = compile_case(options)
    found = (run_models if mode == "model" else run_all)(options, compiled)
    took = round(compiled.seconds, 2)
    rest = round(time.monotonic() - began - compiled.seconds, 2)
    luts, flip_flops, period = sizes_of(compiled)
    status = DIFFERS if found.differences else MATCH
    return Row(
        case.name, case.place, status, case.expect, len(compiled.subject.netlist.units),
        len(compiled.subject.activations), found.cycles, found.predicted, found.bound,
        found.tokens, luts, flip_flops, period, took, rest,
        tuple(Problem(text) for text in found.differences),
    )  # fmt: skip


def placed_row(case: Case) -> Row:
    """The row of a kernel that is synthesized, placed and routed on an ECP5."""
    from loom_sim.placement.place_circuit import place_verilog

    began = time.monotonic()
    compiled = compile_case(case.options)
    subject, styled = compiled.subject, compiled.styled
    files = subject.files() if styled is None else styled.files()
    texts = [text for name, text in files.items() if name.endswith(".sv")]
    placed = place_verilog(texts, subject.netlist.name if styled is None else styled.name)
    problems = (Problem(placed.failed),) if placed.failed else ()
    rest = round(time.monotonic() - began - compiled.seconds, 2)
    row = failed_row(case.name, case.place, CRASHED if placed.area is None else MATCH, case.expect,
                     problems)  # fmt: skip
    area = placed.area
    luts, flip_flops = (None, None) if area is None else (round(area.luts), round(area.flip_flops))
    return replace(
        row, units=len(subject.netlist.units), luts=luts, flip_flops=flip_flops,
        period=placed.period, compile_seconds=round(compiled.seconds, 2), run_seconds=rest,
    )  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What the runs of a kernel gave; None is not known."""

    differences: tuple[str, ...]
    cycles: int | None
    predicted: int | None
    bound: int | None
    tokens: int | None


def run_models(options: argparse.Namespace, compiled: Compiled) -> Found:
    """Source reference, token model and timed model, or the machine of a static schedule."""
    from loom.front.static_circuit import StaticCircuit
    from loom.model.comparison import compare_models
    from loom.model.graph_run import run_graph
    from loom.model.timed.simulate import predicted

    subject, given, most = compiled.subject, compiled.subject.activations, options.max_cycles
    program, netlist = subject.program, subject.netlist
    if program is None:
        report = run_graph(netlist, given, max_cycles=most, seed=options.seed)
    else:
        report = compare_models(
            program.source, program.top, netlist, given, max_cycles=most, seed=options.seed
        )
    circuit = compiled.styled.circuit if compiled.styled else None
    differences, tokens = report.differences, count_tokens(report)
    if isinstance(circuit, StaticCircuit):
        cycles: int | None = sum(circuit.cycles(given, most))
        differences += tuple(circuit.differences(given, most))
        return Found(differences, None, cycles, bound_of(report), None)
    runs = predicted(netlist, given, report.tokens)
    cycles = None if runs is None else sum(run.cycles for run in runs)
    return Found(differences, None, cycles, bound_of(report), tokens)


def run_all(options: argparse.Namespace, compiled: Compiled) -> Found:
    """The models and the RTL."""
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import cosimulate_kernels

    settings = SimOptions(
        stalls=options.stalls, seed=options.seed, max_cycles=options.max_cycles,
        answers=dict(options.answers),
    )  # fmt: skip
    subject, styled = compiled.subject, compiled.styled
    kernel = verbs.kernel_of(subject) if styled is None else styled.simulated()
    report = cosimulate_kernels([kernel], [subject.activations], settings)[0]
    report.refuse_cut_off(options.max_cycles)
    cycles = None if report.predicted is None else sum(report.predicted)
    return Found(report.differences, report.cycles, cycles, bound_of(report.model), report.tokens)


def bound_of(report: ModelReport) -> int | None:
    """The lower bound of all activations together, where a program tells it [cycles]."""
    return sum(outcome.bound for outcome in report.outcomes) if report.has_program else None


def count_tokens(report: ModelReport) -> int:
    """The tokens of all channels in the token model."""
    return sum(sum(run.tokens.values()) for run in report.tokens.activations)


def sizes_of(compiled: Compiled) -> tuple[int, int, float | None]:
    """The estimates: LUTs, flip-flops and the clock period [ns]."""
    from loom.analysis.timing.area_estimate import estimate_circuit
    from loom.front.static_circuit import StaticCircuit

    circuit = compiled.styled.circuit if compiled.styled else None
    if isinstance(circuit, StaticCircuit):
        area = circuit.estimate.area
        return round(area.luts), round(area.flip_flops), round(circuit.estimate.period, 2)
    cost = estimate_circuit(compiled.subject.netlist if circuit is None else circuit.netlist)
    luts, flip_flops = cost.counts[:2]
    return luts, flip_flops, None if cost.path is None else round(cost.path.delay, 2)


def problems_of(rows: Sequence[Row]) -> Iterator[str]:
    """A line for each problem of the rows that are not as expected."""
    for row in rows:
        if not row.is_expected:
            for problem in row.problems:
                yield f"{row.kernel}: {problem.at(row.file)}"
