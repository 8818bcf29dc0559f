"""``loom graph``: a kernel at a stage of its lowering, a graph or a netlist, as a drawing."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import get_args

from xdsl.dialects.builtin import ModuleOp

from loom.draw.formats import FORMATS
from loom.draw.of_module import picture_of_module
from loom.draw.of_netlist import picture_of_netlist
from loom.draw.picture import Picture
from loom.emit.files import write_files
from loom.errors import LoomError, Place, nearest
from loom.front.api import load_graph, read_program
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.choose import compile_in_style, requested_style
from loom.front.styles.styled import print_choice
from loom.front.verbs import MATCH, print_notes, write_stdout
from loom.frontend.functions import top_function
from loom.lower.options import PassRun, Watch
from loom.lower.pipeline import PASSES
from loom.lower.run_passes import Stage, insert_passes, places

SOURCE, NETLIST = "source", "netlist"
"""Stages before the first pass, and behind the last one."""


def graph(options: argparse.Namespace, request: Request) -> int:
    """``loom graph``."""
    text = FORMATS[options.format](draw(request, options.stage))
    if options.output is None:
        write_stdout(text)
    else:
        output = Path(options.output)
        write_files(output.parent, {output.name: text})
    return MATCH


def draw(request: Request, stage: str) -> Picture:
    """The picture of a text at a stage; of a static circuit the last one is its schedule.

    Refused (LOWER_PASS_PLACE): what is no stage, a pass that does not run, and any stage but the
    netlist of a graph, a netlist or a schedule.
    """
    schedule = load_schedule(request)
    if schedule is not None:
        if stage != NETLIST:
            raise no_stage(stage, "netlist, which draws it: a schedule has no other stage")
        print_notes(schedule)
        return picture_of_module(schedule.module, schedule.netlist.name)
    found = load_graph(request)
    if found is not None:
        if stage != NETLIST:
            raise no_stage(stage, "netlist: a graph or a netlist has no other stage")
        print_notes(found)
        return picture_of_netlist(found.netlist)
    source = read_program(request)
    name = top_function(source, request.top).sym_name.data
    if stage == SOURCE:
        return picture_of_module(source, name)
    style = requested_style(source, request.top, request.options, "dynamic")
    steps = [
        step
        for step in insert_passes(PASSES, request.options.passes)
        if style != "static" or step.is_in_static_flow
    ]
    stages = {step.stage for step in steps}
    at = (place for place in places(steps) if place in stages or place not in get_args(Stage))
    known = (SOURCE, *at, NETLIST)
    if stage not in known:
        raise no_stage(stage, nearest(stage, known) or f"a stage or a pass: {', '.join(known)}")
    seen: dict[str, ModuleOp] = {}

    def keep(run: PassRun, module: ModuleOp) -> None:
        if stage in (run.name, run.stage):
            seen[stage] = module.clone()

    watched = replace(request.options, watch=Watch(keep))
    styled = compile_in_style(replace(request, options=watched), default="dynamic")
    circuit = styled.circuit
    print_choice(styled)
    print_notes(circuit)
    if stage == NETLIST and isinstance(circuit, StaticCircuit):
        return picture_of_module(circuit.module, name)
    if stage == NETLIST:
        return picture_of_netlist(circuit.netlist)
    if stage not in seen:
        raise no_stage(stage, "a pass that runs: this one is left out by --lean off")
    return picture_of_module(seen[stage], name)


def no_stage(stage: str, accepted: str) -> LoomError:
    """The refusal of a stage."""
    return LoomError("LOWER_PASS_PLACE", Place("--stage"), f"the stage {stage!r}", accepted)
