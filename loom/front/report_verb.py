"""``loom report``: how fast a circuit is, and what keeps it from being faster."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from loom.front.verbs import (
    MATCH,
    MISMATCH,
    kernel_of,
    refuse_cores,
    require_simulation,
    style_subject,
    subject_of,
)

if TYPE_CHECKING:
    from loom.front.request import Request


def report(options: argparse.Namespace, request: Request) -> int:
    """``loom report``."""
    from loom.explore.advice import advise
    from loom.front.static_circuit import StaticCircuit
    from loom.front.static_report import report as report_statically
    from loom.front.styles.choose import without_schedule
    from loom.front.styles.styled import print_choice

    plain = replace(request, options=without_schedule(request.options))
    given = subject_of(options, plain, request.options)
    styled, given = style_subject(options, given, request.options)
    advice = advise(options, request) if options.advice else None
    if styled is not None and isinstance(styled.circuit, StaticCircuit):
        print_choice(styled)
        return report_statically(
            options, styled.circuit, given.activations, styled.choice, advice, request.text
        )
    require_simulation()
    from loom_sim.jobs import SimOptions
    from loom_sim.performance import describe
    from loom_sim.performance.layout_engine import read_layout_engine
    from loom_sim.performance.measure import Subject, measure_performance
    from loom_sim.performance.page import page
    from loom_sim.placement.place_circuit import place_circuit
    from loom_sim.report import show_progress

    from loom.emit.files import write_files
    from loom.lower.explain_order import explain_order

    if options.html is not None:
        read_layout_engine()
    refuse_cores(options)
    program, taken = given.program, given.request.options
    loops = [] if program is None else program.loops
    subject = Subject(
        request.file, request.text, kernel_of(given), given.activations, taken,
        {loop.place: program.units_of(loop) for loop in loops if program and loop.innermost},
        {loop.place: outer for loop in loops if (outer := loop.outer) is not None},
    )  # fmt: skip
    settings = SimOptions(
        stalls=options.stalls, seed=options.seed, max_cycles=options.max_cycles,
        answers=dict(options.answers),
        progress=show_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    placed = place_circuit(given.netlist) if options.place else None
    found = measure_performance(subject, settings, placed)
    print_choice(styled)
    if options.html is not None:
        output = Path(options.html)
        write_files(output.parent, {output.name: page(found)})
    order = None
    if program is not None:
        order = explain_order(program.source, program.graph, taken)
    if options.json:
        explained = {"order": None if order is None else order.to_json()}
        advised = {} if advice is None else {"advice": advice.to_json()}
        print(json.dumps({**describe.to_json(found), **explained, **advised}))
    else:
        print("\n".join([*describe.lines(found), *([] if advice is None else advice.lines())]))
        if order is not None and order.spots:
            print("\norder of accesses:", *order.lines(), sep="\n  ")
    return MATCH if found.run.match else MISMATCH
