"""``loom package``: a circuit as the folder that another tool takes."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from loom.errors import LoomError, Place
from loom.front.verbs import (
    MATCH,
    graph_activations,
    print_notes,
    program_activations,
    read_boundary,
)
from loom.front.wrap_verb import read_streams

if TYPE_CHECKING:
    from loom.bus.streams import Streams
    from loom.emit.boundary import Boundary
    from loom.front.circuit import Circuit
    from loom.front.graphs import Graph
    from loom.front.request import Request
    from loom.front.static_circuit import StaticCircuit


def package(options: argparse.Namespace, request: Request) -> int:
    """``loom package``."""
    from loom.emit.files import write_files
    from loom.front.graphs import Graph
    from loom.front.load_circuit import behind_bus, emitter_of, load_circuit
    from loom.front.styles.styled import print_choice
    from loom.package.package import package_circuit, replays, require_flow

    require_flow(options.flow, options.wrap)
    replayed = replays(options.flow, options.wrap)
    if not replayed:
        refuse_inputs(options)
    boundary = read_boundary(options)
    streams = streams_of(options)
    found, styled = load_circuit(request, options.wrap, streams)
    chosen = request if isinstance(found, Graph) else behind_bus(request, options.wrap, streams)
    files = package_circuit(
        found.netlist, options.flow, found.signs, boundary, choices_of(chosen, boundary),
        vectors_of(options, request, found) if replayed else None, options.wrap,
        options.address_width, emitter_of(found), streams,
    )  # fmt: skip
    write_files(Path(options.output), files)
    print_choice(styled)
    print_notes(found)
    if options.json:
        print(json.dumps({"kernel": found.netlist.name, "flow": options.flow,
                          "files": sorted(files)}))  # fmt: skip
        return MATCH
    print(f"{found.netlist.name}: {len(files)} files for {options.flow} in {options.output}")
    return MATCH


def streams_of(options: argparse.Namespace) -> Streams:
    """The arrays that are streams; refused where there is no wrapper (PACKAGE_WRAP)."""
    if options.wrap is not None:
        return read_streams(options.wrap, options.stream)
    if options.stream:
        what = "--stream without --wrap"
        raise LoomError("PACKAGE_WRAP", Place("--stream"), what, "it with --wrap")
    return ()


def refuse_inputs(options: argparse.Namespace) -> None:
    """Return unless inputs are given to a flow that replays none (PACKAGE_INPUTS)."""
    from loom.package.flows import FLOWS

    given = {"--inputs": options.inputs, "--activations": options.activations}
    replaying = " and ".join(name for name, flow in FLOWS.items() if flow.replays)
    for name, value in given.items():
        if value is not None:
            what = f"{name} for {options.flow}"
            raise LoomError(
                "PACKAGE_INPUTS", Place(name), what, f"it for {replaying}, which replay them"
            )


def vectors_of(
    options: argparse.Namespace, request: Request, made: Circuit | Graph | StaticCircuit
) -> str:
    """The activations of the command line and what comes out, as a testbench replays them.

    Refused: activations that the models do not agree about (PACKAGE_INPUTS).
    """
    from loom.front.graphs import Graph
    from loom.front.static_circuit import StaticCircuit
    from loom.model.comparison import compare_models
    from loom.model.graph_run import run_graph
    from loom.package.vectors import Replayed, vectors_text

    limit, netlist = options.max_cycles, made.netlist
    if isinstance(made, Graph):
        given = graph_activations(options, made)
        report = run_graph(netlist, given, max_cycles=limit, seed=options.seed)
    else:
        program = made.dynamic if isinstance(made, StaticCircuit) else made
        given = program_activations(options, request, program)
        report = compare_models(
            program.source, program.top, program.netlist, given, max_cycles=limit
        )
    differences = [*report.differences]
    if isinstance(made, StaticCircuit):
        differences += made.differences(given, limit)
    if differences:
        what = f"activations whose outcome is not as expected: {differences[0]}"
        raise LoomError("PACKAGE_INPUTS", Place(request.file), what,
                        "activations that `loom model` takes without a difference")  # fmt: skip
    replayed = [Replayed(activation.inputs, outcome.results, outcome.memories)
                for activation, outcome in zip(given, report.outcomes, strict=True)]  # fmt: skip
    return vectors_text(netlist, replayed, limit)


def choices_of(request: Request, boundary: Boundary) -> dict[str, object]:
    """What the user chose, or left as it is, for the manifest; of templates of his the names."""
    chosen: dict[str, object] = dict(asdict(request.options))
    chosen["cores"] = sorted(request.options.cores)
    return {**chosen, "graph_buffers": request.graph_buffers, **asdict(boundary)}
