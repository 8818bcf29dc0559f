"""``loom report``: how fast a circuit is, and what keeps it from being faster."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from loom.front.verbs import (
    MATCH,
    MISMATCH,
    kernel_of,
    refuse_cores,
    require_simulation,
    subject_of,
)

if TYPE_CHECKING:
    from loom.front.request import Request


def is_static(request: Request) -> bool:
    """Whether the circuit is a static schedule: asked for, by the program, or chosen by `auto`."""
    from loom.front.api import load_graph, read_program
    from loom.front.styles import compile_in_style, requested_style

    if request.options.style == "static":
        return True
    if load_graph(request) is not None:
        return False
    style = requested_style(read_program(request), request.top, request.options)
    return style == "static" or (style == "auto" and compile_in_style(request).style == "static")


def report(options: argparse.Namespace, request: Request) -> int:
    """``loom report``."""
    if is_static(request):
        from loom.front.static_report import report as report_statically

        return report_statically(options, request)
    require_simulation()
    from loom_sim.jobs import SimOptions
    from loom_sim.performance import describe
    from loom_sim.performance.drawing import require_layout
    from loom_sim.performance.measure import Subject, measure_performance
    from loom_sim.performance.page import page
    from loom_sim.placement.place_circuit import place_circuit
    from loom_sim.report import show_progress

    from loom.emit.files import write_files

    if options.html is not None:
        require_layout()
    refuse_cores(options)
    given = subject_of(options, request)
    program = given.program
    loops = [] if program is None else [loop for loop in program.loops if loop.innermost]
    binding = {loop.place: program.units_of(loop) for loop in loops if program is not None}
    subject = Subject(
        request.file, request.text, kernel_of(given), given.activations, request.options, binding
    )
    settings = SimOptions(
        stalls=options.stalls, seed=options.seed, max_cycles=options.max_cycles,
        answers=dict(options.answers),
        progress=show_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    placed = place_circuit(given.netlist) if options.place else None
    found = measure_performance(subject, settings, placed)
    if options.html is not None:
        output = Path(options.html)
        write_files(output.parent, {output.name: page(found)})
    if options.json:
        print(json.dumps(describe.to_json(found)))
    else:
        print("\n".join(describe.lines(found)))
    return MATCH if found.run.match else MISMATCH
