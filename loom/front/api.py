"""The library's front door: a request in, a circuit, its files or a verdict out.

Every function raises `LoomError` or `LoomErrors` for input it does not accept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike, fspath
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.balance.invariants import Invariants
from loom.analysis.schedule.check_ii import check_ii
from loom.analysis.schedule.loop_members import loops_of_units
from loom.analysis.timing.area_estimate import CircuitEstimate, estimate_circuit
from loom.dialects.facts.loop_attributes import STYLE
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import (
    BITS_SAVED,
    CLOCK_PERIOD,
    INTERFACE_NOTE,
    ORDER_NOTE,
    PERIOD_NOTE,
    REASSOCIATED,
)
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.cores import Cores
from loom.dialects.operators.operator import Port
from loom.errors import LoomError, Place, raise_all
from loom.front.circuit import Circuit, handshake_function
from loom.front.graphs import (
    Graph,
    graph_of_module,
    graph_of_netlist,
    refuse_arrays,
    require_schedules,
    with_clock,
)
from loom.front.request import DEFAULTS, Request
from loom.front.schedules import CheckedSchedules, check_schedules
from loom.frontend.functions import top_function
from loom.frontend.graph_functions import is_graph
from loom.frontend.mlir.read import check_module, parse_module, read_mlir
from loom.input_files import read_text
from loom.lower.loops.loop_directives import apply_unroll_options
from loom.lower.loops.partial_sums import split_sums
from loom.lower.options import Options
from loom.lower.pipeline import lower
from loom.model.reference.meaning_of_program import meaning_of_program
from loom.netlist.checks import problems
from loom.netlist.from_dfg import netlist_of
from loom.netlist.json_text import from_json
from loom.netlist.netlist import Netlist
from loom.netlist.with_cores import with_cores


def compile_text(
    text: str, file: str = "<text>", *, top: str | None = None, options: Options = DEFAULTS
) -> Circuit:
    """The circuit of the function `top` in MLIR text; in C or Python if the file is called so."""
    return compile_request(Request(text, file, top, options))


def compile_file(
    file: str | PathLike[str], *, top: str | None = None, options: Options = DEFAULTS
) -> Circuit:
    """The circuit of the function `top` in a file of MLIR, C or Python."""
    name = fspath(file)
    return compile_request(Request(read_text(name), name, top, options))


def compile_request(request: Request) -> Circuit:
    """The circuit of a program."""
    return compile_module(read_program(request), top=request.top, options=request.options)


def read_cores_and_models(folder: Path, index_width: int) -> Cores:
    """The cores of a folder; those of external functions with the program that says their meaning.

    That is NAME.mlir, NAME.c or NAME.py beside NAME.sv.j2, which the reference runs. Refused: what
    `read_cores` refuses, a program that LOOM does not read, and one with arrays (EMIT_CORE).
    """
    from loom.emit.cores import read_cores

    found = dict(read_cores(folder))
    for name, core in found.items():
        paths = (folder / f"{name}{end}" for end in (".mlir", ".c", ".py"))
        file = next((str(path) for path in paths if path.is_file()), None)
        if file is not None and name not in CATALOGUE:
            options = Options(index_width=index_width)
            source = read_program(Request(read_text(file), file, name, options))
            meaning = meaning_of_program(source, top_function(source, name), index_width)
            found[name] = replace(core, meaning=meaning)
    return found


def require_utf8_name(file: str) -> None:
    """Return if the C compiler can be told the name of the file."""
    try:
        file.encode()
    except UnicodeEncodeError:
        what, accepted = "a file name that is no UTF-8", "C files with names in UTF-8"
        raise LoomError("INPUT_UNREADABLE", Place(file), what, accepted) from None


def read_program(request: Request) -> ModuleOp:
    """The program as written, from MLIR, C or Python, but for partial sums that it allows."""
    text, file, top, fill = request.text, request.file, request.top, request.options.fill
    match request.source_language:
        case "c":
            from loom.frontend.c.read import read_c

            require_utf8_name(file)
            chosen = replace(request.c, fill=fill)
            module = read_c(text, file, top=top, options=chosen).module
            check_module(module)
        case "python":
            from loom.frontend.python.read import read_python

            module = read_python(text, file, top=top, fill=fill).module
            check_module(module)
        case "mlir":
            if request.is_netlist:
                what = "JSON text: a netlist or a bundle"
                accepted = "a program here; netlists by emit, check, model and sim"
                raise LoomError("INPUT_KIND", Place(file, 1, 1), what, accepted)
            module = read_mlir(text, file, top=top, sizes=dict(request.sizes),
                               shapes=dict(request.shapes), fill=fill)  # fmt: skip
    split_requested_sums(module, request.options)
    return module


def split_requested_sums(module: ModuleOp, options: Options) -> None:
    """Sums whose terms may be added in another order are partial sums.

    Flags alone change no program whose arrays must be accessed in order, as streams.
    """
    split_sums(
        module,
        options.partial_sums,
        by_flags=not options.streams,
        lines=frozenset(line for line, _ in options.unroll),
    )


def compile_module(
    source: ModuleOp, *, top: str | None = None, options: Options = DEFAULTS
) -> Circuit:
    """The circuit of the function `top` in a module that `read_program` gave.

    The module is left as it is, but for the directives that the options give its loops.
    """
    apply_unroll_options(source, options)
    graph = source.clone()
    interface, reassociated = INTERFACE_NOTE.take(graph), REASSOCIATED.take(graph)
    name = top_function(source, top).sym_name.data
    place = place_of(top_function(source, top))
    refuse_schedule(options, place)
    try:
        lower(graph, options)
    except RecursionError:
        # Blocks in a row become branches in each other, which no bracket of the text shows.
        raise LoomError(
            "LOWER_TOO_DEEP",
            place,
            "branches that nest too deep once blocks are branches",
            "some hundreds of early ends in a row",
        ) from None
    bits_saved = BITS_SAVED.take(graph) or 0
    note, period = PERIOD_NOTE.take(graph), CLOCK_PERIOD.take(graph)
    order = ORDER_NOTE.take(graph)
    function = handshake_function(graph)
    netlist = netlist_of(function, options.index_width, loops_of_units(function.body.block))
    netlist = with_clock(with_cores(netlist, options.cores), options, period)
    found = problems(netlist, place.file)
    # The function's arguments give the names.
    named = [each for each in found if each.code == "NETLIST_NAME"]
    raise_all([LoomError(each.code, place, each.what, each.accepted) for each in named])
    if options.passes:
        raise_all(found)
    assert not found, f"the lowering made a netlist with problems: {found[0]}"
    circuit = Circuit(
        source,
        name,
        graph,
        netlist,
        options.cores,
        bits_saved,
        ((note,) if note else ())
        + tuple(style_notes(top_function(source, top), options))
        + tuple((order or "").splitlines())
        + tuple((reassociated or "").splitlines())
        + tuple((interface or "").splitlines()),
    )
    check_ii(source, lambda: circuit.loops)
    return circuit


def refuse_schedule(options: Options, place: Place) -> None:
    """Return unless a dynamic circuit is to have exact schedules (STATIC_OPTION)."""
    if options.schedule != "iterative":
        what = f"--schedule {options.schedule} with a dynamic circuit"
        raise LoomError("STATIC_OPTION", place, what, "--style static or auto")


def style_notes(function: FuncOp, options: Options) -> Iterator[str]:
    """That the circuit is dynamic, where another style is requested."""
    style = options.style or STYLE.of(function) or "dynamic"
    if style != "dynamic":
        yield (
            f"style {style} is requested, this is the dynamic circuit: compile, lower, sim, wrap, "
            "package and report follow the style"
        )


def netlist_from_text(text: str, file: str = "<netlist>") -> Netlist:
    """A netlist from JSON, with every check passed."""
    netlist = from_json(text, file)
    raise_all(problems(netlist, file))
    require_schedules(netlist, DEFAULTS)
    return netlist


def load_graph(request: Request) -> Graph | None:
    """The circuit of a netlist or of a graph; None for a program."""
    if request.source_language != "mlir":
        return None
    if request.is_netlist:
        refuse_arrays(request.options)
        return graph_of_netlist(request.text, request.file, request.options)
    module = parse_module(request.text, request.file)
    if not is_graph(module):
        return None
    refuse_arrays(request.options)
    return graph_of_module(module, request)


def require_graph(request: Request) -> Graph:
    """The circuit of a netlist or a graph; a program is refused (DFG_FUNCTIONS)."""
    graph = load_graph(request)
    if graph is None:
        raise LoomError(
            "DFG_FUNCTIONS",
            Place(request.file),
            "no handshake.func",
            "a graph or a netlist; `loom compile` takes programs",
        )
    return graph


@dataclass(frozen=True)
class Checked:
    """What passed every check before the invariants: `kind` is program, graph or netlist.

    Of a program `invariants` are those of the graph before its idle logic left, `lean` those of the
    circuit, if it is another.
    """

    kind: str
    netlist: Netlist
    invariants: Invariants
    notes: tuple[str, ...] = ()
    lean: Invariants | None = None

    def problems(self, file: str) -> list[LoomError]:
        """Every broken invariant as a refusal, each once."""
        graphs = [self.invariants, *([self.lean] if self.lean else [])]
        return list({str(each): each for graph in graphs for each in graph.problems(file)}.values())

    @cached_property
    def cost(self) -> CircuitEstimate:
        """Area and clock period of the circuit on its target, from the costs of its units."""
        return estimate_circuit(self.netlist)

    def __str__(self) -> str:
        units, balance = len(self.netlist.units), self.invariants.balance
        found = f"{self.kind} {self.netlist.name}: {units} units, balanced: {balance}, no problem"
        return "\n".join([found, *(f"note: {note}" for note in self.notes)])


def inspect_request(request: Request) -> Checked | CheckedSchedules:
    """The verdict of the invariants on a text in which nothing else is wrong.

    Text that begins as JSON, or whose file ends in ``.json``, is a netlist; MLIR is either a
    program, which is compiled, or a graph of handshake functions, whose units and netlist are
    verified. The invariants of a program are those of its graph with all its idle logic, and those
    of the circuit. They say how many tokens there are, not when: the graph with idle logic gets the
    buffers that it needs without a clock. Of a text with static schedules the schedules are
    verified.
    """
    from loom.analysis.balance.invariants import check_invariants

    schedules = check_schedules(request)
    if schedules is not None:
        return schedules
    graph = load_graph(request)
    if graph is None:
        source = read_program(request)
        circuit = compile_module(source, top=request.top, options=request.options)
        netlist, notes = circuit.netlist, circuit.notes
        if request.options.lean == "off":
            return Checked("program", netlist, check_invariants(netlist, lean=False), notes)
        options = replace(request.options, lean="off", clock_period=None, buffers="fast")
        before = compile_module(source, top=request.top, options=options).netlist
        lean = check_invariants(netlist)
        return Checked("program", netlist, check_invariants(before, lean=False), notes, lean)
    kind = "netlist" if request.is_netlist else "graph"
    return Checked(kind, graph.netlist, check_invariants(graph.netlist), graph.notes)


def check_request(request: Request) -> Checked | CheckedSchedules:
    """What was checked; every problem is raised, broken invariants too."""
    checked = inspect_request(request)
    raise_all(checked.problems(request.file))
    return checked


def catalogue_rows() -> Sequence[tuple[str, str, str]]:
    """Every operator: name, ports, what it does."""
    from loom.dialects.operators.catalogue import CATALOGUE

    def listed(ports: Sequence[Port]) -> str:
        return " ".join(f"{port.name}{'*' * port.many}:{port.type}" for port in ports)

    return [
        (name, f"{listed(row.signature.inputs)} -> {listed(row.signature.outputs)}", row.summary)
        for name, row in CATALOGUE.items()
    ]
