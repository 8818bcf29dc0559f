"""What each verb of the ``loom`` command does: read, call the library, print or write.

What a verb needs is imported when it runs, so that every verb starts fast.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place
from loom.front.excerpts import format_error
from loom.front.standard_streams import STDOUT
from loom.input_files import name_in_places, read_text, require_kind

if TYPE_CHECKING:
    from loom_sim.kernel import Kernel

    from loom.analysis.order.explained_order import ExplainedOrder
    from loom.emit.boundary import Boundary
    from loom.front.circuit import Circuit
    from loom.front.given_schedules import GivenSchedule
    from loom.front.graphs import Graph
    from loom.front.passes import PassLog
    from loom.front.request import Request
    from loom.front.static_circuit import StaticCircuit
    from loom.front.styles.styled import Styled
    from loom.frontend.c.c_options import COptions
    from loom.lower.options import Options, Style
    from loom.model.bundles.activation import Activation
    from loom.model.bundles.signature import Signature
    from loom.native.run_options import RunOptions
    from loom.netlist.netlist import Netlist

MATCH, MISMATCH, BAD_INPUT = 0, 1, 2


@dataclass(frozen=True)
class Subject:
    """What is run, and the request for it; a graph or a netlist has no program behind it."""

    request: Request
    program: Circuit | None
    netlist: Netlist
    files: Callable[[], Mapping[str, str]]  # the SystemVerilog, which not every verb needs
    activations: list[Activation]


def read_options(options: argparse.Namespace) -> Options:
    """The choices of the command line about the circuit."""
    from loom.lower.options import Options

    found = Options(
        style=getattr(options, "style", None),
        schedule=getattr(options, "schedule", "iterative"),
        index_width=options.index_width,
        zero_trip=options.zero_trip,
        latencies=tuple(options.latency),
        partitions=tuple(options.partition),
        ports=tuple(options.ports),
        memories=tuple(options.memory),
        widths=options.widths,
        divider=options.divider,
        memory_order=options.memory_order,
        array_orders=tuple(options.array_order),
        fill=options.fill,
        order_depth=options.order_depth,
        lean=options.lean,
        share=options.share,
        dsp=options.dsp,
        buffers=options.buffers,
        target=options.target,
        clock_period=options.clock_period,
        unroll=tuple(options.unroll),
        unroll_below=options.unroll_below,
        interleave=options.interleave,
        partial_sums=options.partial_sums,
    )
    if sys.stderr is not None and sys.stderr.isatty():
        from loom.front.passes import Progress
        from loom.lower.options import Watch

        found = replace(found, watch=Watch(begin=Progress(sys.stderr).begin))
    if given := getattr(options, "passes", []):
        from loom.front.passes import find_passes

        found = replace(found, passes=find_passes(given))
    if options.cores is None:
        return found
    from loom.emit.cores import find_cores
    from loom.front.api import read_cores_and_models

    cores = read_cores_and_models(find_cores(options.cores), options.index_width)
    return replace(found, cores=cores)


def read_boundary(options: argparse.Namespace) -> Boundary:
    """The choices of the command line about the circuit's ports."""
    from loom.emit.boundary import Boundary

    asynchronous, active_high = options.reset
    return Boundary(asynchronous, active_high, options.clock_name, options.reset_name,
                    options.error_clear, options.flat, options.clock_enable,
                    options.verilog_2005)  # fmt: skip


def read_request(options: argparse.Namespace) -> Request:
    """The text of the command line, with everything that was chosen about it."""
    from loom.front.request import Request

    require_kind(options.file, options.language)
    text = read_text(options.file, options.max_input)
    file = name_in_places(options.file)
    found = Request(text, file, options.top, read_options(options), options.language,
                    c=read_c_options(options), sizes=tuple(options.size))  # fmt: skip
    refuse_c_options(found)
    if found.sizes and found.source_language != "mlir":
        what = "--size with a file that is no MLIR"
        raise LoomError("MLIR_SIZE", Place(file), what, "sizes in the types of C and Python")
    if found.source_language == "mlir" and "memref<?" in text:
        found = replace(found, shapes=tuple(shapes_of_inputs(options).items()))
    return replace(found, graph_buffers=getattr(options, "graph_buffers", found.graph_buffers))


def shapes_of_inputs(options: argparse.Namespace) -> dict[str, tuple[int, ...]]:
    """The sizes of the arrays in --inputs, if there are inputs."""
    from loom.model.bundles.shapes import shapes_of_arrays

    inputs = getattr(options, "inputs", None)
    return {} if inputs is None else shapes_of_arrays(read_text(inputs, options.max_input))


def read_c_options(options: argparse.Namespace) -> COptions:
    """The choices of the command line about C."""
    from loom.frontend.c.c_options import COptions

    return COptions(
        tuple(options.headers), tuple(options.macros), tuple(options.included), options.std,
        tuple(options.files), options.console, options.fill,
    )  # fmt: skip


def refuse_c_options(request: Request) -> None:
    """Return unless there are options of C for a text of another language (C_BUILD)."""
    if request.source_language != "c" and not request.c.is_default:
        what = "options of C, or several files, with a file that is no C"
        raise LoomError("C_BUILD", Place(request.file), what, "C, or --language c")


def compile_(options: argparse.Namespace, request: Request) -> int:
    """``loom compile``."""
    from loom.emit.files import write_files
    from loom.front.passes import trace_json
    from loom.front.static_circuit import StaticCircuit
    from loom.front.styles.styled import print_choice

    boundary = read_boundary(options)
    request, log = watch_request(options, request)
    styled = style_request(options, request)
    write_files(Path(options.output), styled.files(boundary))
    circuit = styled.circuit
    found: dict[str, object] = {"kernel": styled.name}
    if styled.choice is not None:
        found |= {"reason": styled.choice.reason}
    traced = {"trace": trace_json(log.runs)} if options.trace else {}
    if not options.json:
        print_choice(styled)
        print_trace(options, log)
    print_notes(circuit)
    if isinstance(circuit, StaticCircuit):
        return print_static(options, circuit, found | traced)
    netlist = circuit.netlist
    units, channels = len(netlist.units), len(netlist.channels)
    if options.json:
        if styled.choice is not None:
            found["style"] = "dynamic"
        counts = {"units": units, "channels": channels, "bit_width_reduction": circuit.bits_saved}
        rest: dict[str, object] = {"notes": list(circuit.notes), "cost": circuit.cost.to_json()}
        rest |= circuit.loops_to_json()
        print(json.dumps({**found, **counts, **rest, **traced}))
        return MATCH
    print(f"{netlist.name}: {units} units, {channels} channels in {options.output}")
    if circuit.bits_saved:
        print(f"bit-width reduction: {circuit.bits_saved} bits")
    print(circuit.cost)
    for loop in (*circuit.loops, *circuit.scheduled_loops):
        print(loop)
    return MATCH


def print_static(
    options: argparse.Namespace, circuit: StaticCircuit, found: dict[str, object]
) -> int:
    """What ``loom compile`` prints of a static schedule."""
    from loom.netlist.html_table import count

    loops = list(circuit.pipelines)
    if options.json:
        rows = [{"ii": loop.ii, "length": loop.depth} for loop in loops]
        cost = circuit.cost.to_json()
        rest = {"notes": list(circuit.notes), "cost": cost, "loops": rows}
        print(json.dumps({**found, "style": "static", **rest}))
        return MATCH
    name, pipelines = found["kernel"], count(len(loops), "pipelined loop")
    print(f"{name}: a static schedule, {pipelines} in {options.output}")
    for line in circuit.lines():
        print(line)
    return MATCH


def style_request(options: argparse.Namespace, request: Request, default: Style = "auto") -> Styled:
    """The circuit in its style; `auto` runs the models on the bundle, or on drawn inputs.

    Refused (STATIC_OPTION): a bundle where no style is to be chosen.
    """
    from loom.front.styles.choose import bundle_inputs, compile_in_style

    file = options.inputs
    if file is None:
        return compile_in_style(request, default=default)
    styled = compile_in_style(request, bundle_inputs(file, options.max_input), default)
    if styled.choice is None:
        what = f"--inputs with --style {styled.style}"
        raise LoomError("STATIC_OPTION", Place(file), what, "inputs of a choice of style")
    return styled


def watch_request(options: argparse.Namespace, request: Request) -> tuple[Request, PassLog]:
    """The request, in view of a log where the command line asks for what passes do."""
    from loom.front.passes import watch_passes

    added = request.options.passes
    log, watch = watch_passes(options.print_after, options.verify_each, added)
    if not (options.trace or options.print_after or options.verify_each):
        return request, log
    return replace(request, options=replace(request.options, watch=watch)), log


def print_trace(options: argparse.Namespace, log: PassLog) -> None:
    """What the passes did, and which did not run, stands on standard error."""
    from loom.front.passes import trace_lines

    for name in log.unseen():
        print(f"note: the pass {name} did not run", file=sys.stderr)
    if options.trace:
        print("\n".join(trace_lines(log.runs)), file=sys.stderr)


def lower(options: argparse.Namespace, request: Request) -> int:
    """``loom lower``."""
    from loom.emit.files import write_files
    from loom.front.passes import trace_json
    from loom.front.static_circuit import StaticCircuit
    from loom.front.styles.styled import print_choice

    request, log = watch_request(options, request)
    styled = style_request(options, request, "dynamic")
    circuit = styled.circuit
    text = circuit.text if isinstance(circuit, StaticCircuit) else circuit.dfg_text
    if options.output is not None:
        output = Path(options.output)
        write_files(output.parent, {output.name: text})
    if options.json:
        found: dict[str, object] = {"kernel": styled.name, "style": styled.style}
        found |= {"notes": list(circuit.notes), "text": text}
        write_stdout(json.dumps(found | ({"trace": trace_json(log.runs)} if options.trace else {})))
        return MATCH
    print_choice(styled)
    print_trace(options, log)
    print_notes(circuit)
    if options.output is None:
        write_stdout(text)
    return MATCH


def write_stdout(text: str) -> None:
    """The text stands on standard output as it would in a file: as UTF-8."""
    if sys.stdout is None:
        accepted = "an open one, or -o F"
        raise LoomError(
            "EMIT_UNWRITABLE", Place(STDOUT), "standard output that is closed", accepted
        )
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(text)


def emit(options: argparse.Namespace, request: Request) -> int:
    """``loom emit``."""
    from loom.emit.files import write_files
    from loom.front.api import require_graph
    from loom.front.given_schedules import load_schedule

    graph = load_schedule(request) or require_graph(request)
    files = graph.files(read_boundary(options))
    write_files(Path(options.output), files)
    print_notes(graph)
    print(f"{len(files)} files in {options.output}")
    return MATCH


def print_notes(circuit: Circuit | Graph | StaticCircuit | GivenSchedule) -> None:
    """The notes on the circuit stand on standard error."""
    for note in circuit.notes:
        print(f"{circuit.netlist.name}: note: {note}", file=sys.stderr)


def check(options: argparse.Namespace, request: Request) -> int:
    """``loom check``."""
    from loom.front.api import Checked, inspect_request

    problems: tuple[LoomError, ...] = ()
    summary, invariants = "", list[dict[str, object]]()
    cost: dict[str, object] | None = None
    notes: list[str] = []
    try:
        found = inspect_request(request)
        problems = tuple(found.problems(request.file))
        summary, notes = str(found), list(found.notes)
        if isinstance(found, Checked):
            invariants, cost = found.invariants.to_json(), found.cost.to_json()
    except LoomError as error:
        problems = (error,)
    except LoomErrors as errors:
        problems = errors.problems
    order = explained_order(request) if options.order and not problems else None
    if options.json:
        rows = [
            {"code": p.code, "file": p.where.file, "line": p.where.line, "column": p.where.column,
             "found": p.what, "accepted": p.accepted}
            for p in problems
        ]  # fmt: skip
        found_json = {"file": request.file, "problems": rows, "invariants": invariants}
        explained = {} if order is None else {"order": order.to_json()}
        print(json.dumps({**found_json, "cost": cost, "notes": notes, **explained}))
    elif problems:
        print(format_error(LoomErrors(problems), request), file=sys.stderr)
    else:
        print(summary)
        if options.order:
            none = ["no program: the tokens of a graph are its order"]
            print("\n".join(none if order is None else order.lines()))
    return BAD_INPUT if problems else MATCH


def explained_order(request: Request) -> ExplainedOrder | None:
    """What orders the accesses of a program; nothing of a graph, a netlist or static schedules."""
    from loom.front.api import compile_request, load_graph
    from loom.front.schedules import check_schedules
    from loom.lower.explain_order import explain_order

    if check_schedules(request) is not None or load_graph(request) is not None:
        return None
    circuit = compile_request(request)
    return explain_order(circuit.source, circuit.graph, request.options)


def subject_of(options: argparse.Namespace, request: Request, styled: Options) -> Subject:
    """The circuit to run, for its style, and the activations of the command line, the bundle's,
    repeated up to --activations, or random ones; of a graph the notes are shown."""
    from loom.front.api import load_graph
    from loom.front.styles.choose import compile_dynamic

    graph = load_graph(request)
    if graph is not None:
        print_notes(graph)
        given = graph_activations(options, graph)
        return Subject(request, None, graph.netlist, graph.files, given)
    circuit = compile_dynamic(request, styled)
    given = program_activations(options, request, circuit)
    return Subject(request, circuit, circuit.netlist, circuit.files, given)


def program_activations(
    options: argparse.Namespace, request: Request, circuit: Circuit
) -> list[Activation]:
    """The activations of a program; random ones are such that it accepts."""
    from loom.dialects.facts.program_facts import REASSOCIATED
    from loom.frontend.functions import top_function
    from loom.model.bundles.draw import accepted_activations
    from loom.model.bundles.signature import signature_of
    from loom.model.reference.reference import compile_reference

    function = top_function(circuit.source, circuit.top)
    signature = signature_of(function, options.index_width)
    if options.inputs is not None:
        return bundle_activations(options, signature)
    recorded = recorded_activations(options, request)
    if recorded and REASSOCIATED.is_on(circuit.source):
        note = "what the run of the program gave is not compared: sums are in another order"
        print(f"{circuit.top}: note: {note}", file=sys.stderr)
    if recorded:
        return recorded
    reference = compile_reference(circuit.source, circuit.top, options.index_width)
    return accepted_activations(
        reference, signature, options.seed, options.activations or 1, options.draw_budget,
        "a larger --draw-budget, or --inputs",
    )  # fmt: skip


def recorded_activations(options: argparse.Namespace, request: Request) -> list[Activation]:
    """The calls that a C or Python program makes, up to --activations; none if it makes none."""
    if request.source_language == "mlir":
        return []
    from loom.native.programs import record_program

    found = record_program(
        request.text, request.file, request.top, options.activations, request.source_language,
        read_run_options(options), request.c,
    )  # fmt: skip
    if found is None:
        return []
    for note in found.notes:
        print(f"{found.kernel}: note: {note}", file=sys.stderr)
    return [*found.activations]


def read_run_options(options: argparse.Namespace) -> RunOptions:
    """The choices of the command line about runs of the user's program."""
    from loom.native.run_options import RunOptions

    return RunOptions(options.no_run, options.run_time, options.run_memory)


def graph_activations(options: argparse.Namespace, graph: Graph) -> list[Activation]:
    """The activations of a graph; random ones are such that it comes to rest."""
    from loom.model.graph_run import draw_settling_activations, signature_of_netlist

    signature = signature_of_netlist(graph.netlist, graph.arguments)
    if options.inputs is not None:
        return bundle_activations(options, signature)
    count = options.activations or 1
    return draw_settling_activations(graph.netlist, signature, options.seed, count)


def bundle_activations(options: argparse.Namespace, signature: Signature) -> list[Activation]:
    """The activations of the bundle, repeated up to --activations."""
    from itertools import cycle, islice

    from loom.model.bundles.bundle import read_bundle

    bundle = read_bundle(read_text(options.inputs, options.max_input), options.inputs, signature)
    return list(islice(cycle(bundle), options.activations or len(bundle)))


def model(options: argparse.Namespace, request: Request) -> int:
    """``loom model``."""
    from loom.front.styles.choose import without_schedule
    from loom.model.comparison import compare_models
    from loom.model.graph_run import run_graph
    from loom.model.report import model_json, model_lines
    from loom.model.timed.simulate import predicted

    subject = subject_of(options, request, without_schedule(request.options))
    if subject.program is not None:
        print_notes(subject.program)
    limits = {"max_cycles": options.max_cycles, "seed": options.seed}
    netlist, program = subject.netlist, subject.program
    if program is None:
        report = run_graph(netlist, subject.activations, **limits)
    else:
        report = compare_models(program.source, program.top, netlist, subject.activations, **limits)
    timed = predicted(netlist, subject.activations, report.tokens)
    if options.json:
        print(json.dumps(model_json(netlist, report, timed)))
    else:
        print("\n".join(model_lines(netlist, report, timed)))
    return MISMATCH if report.differences else MATCH


def sim(options: argparse.Namespace, request: Request) -> int:
    """``loom sim``."""
    require_simulation()
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import cosimulate_kernels
    from loom_sim.report import kernel_lines, show_progress
    from loom_sim.wave_layout import gtkwave_layout, surfer_layout

    from loom.emit.files import write_files
    from loom.front.styles.choose import without_schedule
    from loom.front.styles.styled import print_choice

    refuse_cores(options)
    plain = replace(request, options=without_schedule(request.options))
    subject = subject_of(options, plain, request.options)
    styled, subject = style_subject(options, subject, request.options)
    kernel = kernel_of(subject) if styled is None else styled.simulated()
    settings = SimOptions(
        stalls=options.stalls, seed=options.seed, max_cycles=options.max_cycles,
        answers=dict(options.answers),
        wave=options.wave, progress=show_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    report = cosimulate_kernels([kernel], [subject.activations], settings)[0]
    report.refuse_cut_off(options.max_cycles)
    print_choice(styled)
    if options.wave is not None and not kernel.black_box:
        name, netlist = options.wave.name, kernel.netlist
        layouts = {"gtkw": gtkwave_layout(netlist), "sucl": surfer_layout(netlist)}
        files = {f"{name}.{end}": text for end, text in layouts.items()}
        write_files(options.wave.parent, files)
    print(json.dumps(report.to_json()) if options.json else "\n".join(kernel_lines(report)))
    return MATCH if report.match else MISMATCH


def refuse_cores(options: argparse.Namespace) -> None:
    """Return unless templates of the user's would be simulated where nothing of his is run.

    SystemVerilog can start programs and read and write files: $system, $fopen, import "DPI-C".
    """
    from loom.native.run_options import refuse_run

    if options.cores is not None:
        what = "templates of your own"
        refuse_run(read_run_options(options), options.cores, "SIM_NO_RUN", what,
                   "`loom model`, which has no use for them")  # fmt: skip


def require_simulation() -> None:
    """Refused: SIM_NOT_INSTALLED where the simulation's packages are missing."""
    try:
        import loom_sim.jobs  # noqa: F401 (asks whether it is there)
    except ModuleNotFoundError as error:
        raise LoomError(
            "SIM_NOT_INSTALLED", Place("loom"), f"no module {error.name}",
            "an installation with the extra `sim`: pip install 'loom-hls[sim]'",
        ) from None  # fmt: skip


def kernel_of(subject: Subject) -> Kernel:
    """What is simulated."""
    from loom_sim.kernel import Kernel

    program = subject.program
    source = None if program is None else program.source
    top = subject.netlist.name if program is None else program.top
    return Kernel(source, top, subject.netlist, subject.files())


def style_subject(
    arguments: argparse.Namespace, subject: Subject, options: Options
) -> tuple[Styled | None, Subject]:
    """The circuit in its style, that of `loom compile`, None: as the subject has it; the subject
    with the dynamic circuit of that style, whose accesses may be ordered otherwise.

    `auto` chooses on the bundle, else on drawn inputs, also where the activations are others.
    Its notes stand on standard error. Refused (STATIC_OPTION): a static schedule of a graph.
    """
    from loom.dialects.facts.places import place_of
    from loom.front.api import refuse_schedule
    from loom.front.static_circuit import compile_static
    from loom.front.styles.choose import bundle_inputs, choose_style, requested_style
    from loom.front.styles.orders import with_order
    from loom.front.styles.styled import Styled
    from loom.frontend.functions import top_function

    program = subject.program
    if program is None:
        if options.style == "static":
            where = Place(subject.request.file)
            raise LoomError("STATIC_OPTION", where, "a graph with --style static", "a program")
        refuse_schedule(options, Place(subject.request.file))
        return None, subject
    style = requested_style(program.source, program.top, options)
    if style == "dynamic":
        refuse_schedule(options, place_of(top_function(program.source, program.top)))
        print_notes(program)
        return None, subject
    if style == "auto":
        file = arguments.inputs
        given = () if file is None else bundle_inputs(file, arguments.max_input)
        styled = choose_style(program, options, given)
    else:
        found = compile_static(program.source, top=program.top, options=options, dynamic=program)
        styled = Styled(found)
    print_notes(styled.circuit)
    ordered = with_order(subject.request.options, styled.choice)
    request, taken = replace(subject.request, options=ordered), styled.dynamic
    return styled, Subject(request, taken, taken.netlist, taken.files, subject.activations)


def ops(options: argparse.Namespace) -> int:
    """``loom ops``."""
    from loom.front.api import catalogue_rows

    rows = catalogue_rows()
    if options.json:
        print(
            json.dumps([dict(zip(("name", "ports", "summary"), row, strict=True)) for row in rows])
        )
        return MATCH
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    for name, ports, summary in rows:
        print(f"{name:{widths[0]}}  {ports:{widths[1]}}  {summary}")
    return MATCH
