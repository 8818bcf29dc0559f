"""The library's front door: text in, a circuit, its files or a verdict out.

Every function raises `LoomError` or `LoomErrors` for input it does not accept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, OpResult

from loom.analysis.balance.invariants import Invariants
from loom.analysis.schedule.check_ii import check_ii
from loom.analysis.schedule.initiation_intervals import LoopII, initiation_intervals
from loom.analysis.schedule.loops_of_units import loops_of_units
from loom.analysis.timing.area_estimate import CircuitEstimate, estimate_circuit
from loom.dialects.facts.places import place_of
from loom.dialects.operators.cores import Cores
from loom.dialects.operators.operator import Port
from loom.dialects.ops.handshake_function import FuncOp as HandshakeFuncOp
from loom.errors import LoomError, Place, raise_all
from loom.front.graphs import Buffers, Graph, graph_of_module, graph_of_netlist, refuse_arrays
from loom.frontend.functions import top_function
from loom.frontend.graph_functions import is_graph
from loom.frontend.languages import is_c, is_python, is_source
from loom.frontend.mlir.read import check_module, parse_module, read_mlir
from loom.lower.loops.loop_directives import apply_unroll_options
from loom.lower.options import Options
from loom.lower.pipeline import lower
from loom.lower.scalar.narrow_widths import SAVED
from loom.netlist.checks import problems
from loom.netlist.from_dfg import netlist_of
from loom.netlist.json_text import from_json, to_json
from loom.netlist.netlist import Channel, Netlist
from loom.netlist.with_cores import with_cores

DEFAULTS = Options()


@dataclass(frozen=True)
class Circuit:
    """A compiled kernel: the program as written, the graph it became, and the netlist."""

    source: ModuleOp
    top: str
    graph: ModuleOp
    netlist: Netlist
    cores: Cores = field(default_factory=dict)
    bits_saved: int = 0
    """Bits by which integer values are narrower than their types say [bits]."""

    @cached_property
    def dfg_text(self) -> str:
        """The graph as handshake and dataflow MLIR that parses back."""
        return str(self.graph) + "\n"  # a format string would print a debugging form

    @cached_property
    def netlist_text(self) -> str:
        """The netlist as JSON."""
        return to_json(self.netlist)

    @cached_property
    def cost(self) -> CircuitEstimate:
        """What the circuit costs on an ECP5, from the costs of its units."""
        return estimate_circuit(self.netlist)

    @cached_property
    def loops(self) -> list[LoopII]:
        """The loops and the cycles between their iterations, as the text has them."""
        return initiation_intervals(self.body, self.netlist.index_width, self.cores)

    def units_of(self, loop: LoopII) -> tuple[str, ...]:
        """The names of the units that bind a loop of `loops`, a cycle in its order."""
        numbers = {operation: number for number, operation in enumerate(self.body.ops)}
        return tuple(self.netlist.units[numbers[operation]].name for operation in loop.units)

    @property
    def body(self) -> Block:
        """The units and buffers of the graph."""
        return handshake_function(self.graph, self.netlist.name).body.block

    def channel_of(self, value: OpResult) -> Channel:
        """The channel of a value that a unit of `body` makes."""
        number = next(n for n, op in enumerate(self.body.ops) if op is value.op)
        return self.netlist.outputs_of(self.netlist.units[number])[value.index]

    def files(self) -> dict[str, str]:
        """What `loom compile` writes: relative path to text."""
        from loom.emit import emit

        name = self.netlist.name
        return {
            **emit(self.netlist),
            f"{name}.netlist.json": self.netlist_text,
            f"{name}.dfg.mlir": self.dfg_text,
        }


def compile_text(
    text: str, file: str = "<text>", *, top: str | None = None, options: Options = DEFAULTS
) -> Circuit:
    """The circuit of the function `top` in MLIR text; in C or Python if the file is called so."""
    return circuit_of(read_program(text, file, top), file, top=top, options=options)


def read_program(text: str, file: str, top: str | None = None) -> ModuleOp:
    """The program as written, from MLIR, C or Python."""
    if is_c(file):
        from loom.frontend.c.read import read_c

        module = read_c(text, file, top=top).module
    elif is_python(file):
        from loom.frontend.python.read import read_python

        module = read_python(text, file, top=top).module
    else:
        return read_mlir(text, file, top=top)
    check_module(module)
    return module


def circuit_of(
    source: ModuleOp, file: str = "<text>", *, top: str | None = None, options: Options = DEFAULTS
) -> Circuit:
    """The circuit of the function `top` in a module that `read_mlir` gave.

    The module is left as it is, but for what the options ask of its loops.
    """
    apply_unroll_options(source, options)
    graph = source.clone()
    name = top_function(source, top).sym_name.data
    try:
        lower(graph, options)
    except RecursionError:
        # Blocks in a row become branches in each other, which no bracket of the text shows.
        raise LoomError(
            "LOWER_TOO_DEEP",
            place_of(top_function(source, top)),
            "branches that nest too deep once blocks are branches",
            "some hundreds of early ends in a row",
        ) from None
    saved = graph.attributes.pop(SAVED, None)
    function = handshake_function(graph, file)
    netlist = netlist_of(function, options.index_width, loops_of_units(function.body.block))
    netlist = with_cores(netlist, options.cores)
    found = problems(netlist, file)
    place = place_of(top_function(source, top))  # whose arguments give the names
    named = [each for each in found if each.code == "NETLIST_NAME"]
    raise_all([LoomError(each.code, place, each.what, each.accepted) for each in named])
    assert not found, f"the lowering made a netlist with problems: {found[0]}"
    bits_saved = int(saved.value.data) if isinstance(saved, IntegerAttr) else 0
    circuit = Circuit(source, name, graph, netlist, options.cores, bits_saved)
    check_ii(source, lambda: circuit.loops)
    return circuit


def handshake_function(module: ModuleOp, file: str) -> HandshakeFuncOp:
    """The one handshake function of a module that LOOM made."""
    (found,) = (op for op in module.ops if isinstance(op, HandshakeFuncOp))
    return found


def lower_text(
    text: str, file: str = "<text>", *, top: str | None = None, options: Options = DEFAULTS
) -> str:
    """The kernel as handshake and dataflow MLIR that parses back."""
    return compile_text(text, file, top=top, options=options).dfg_text


def netlist_from_text(text: str, file: str = "<netlist>") -> Netlist:
    """A netlist from JSON, with every check passed."""
    netlist = from_json(text, file)
    raise_all(problems(netlist, file))
    return netlist


def is_netlist(text: str, file: str) -> bool:
    """True of a file that ends in ``.json``, or of text that begins as JSON objects do."""
    begin = text.lstrip()[:3]
    return file.endswith(".json") or (begin[:1] == "{" and begin != "{-#")


@dataclass(frozen=True)
class Checked:
    """What passed every check before the invariants: `kind` is program, graph or netlist."""

    kind: str
    netlist: Netlist
    invariants: Invariants
    notes: tuple[str, ...] = ()

    @cached_property
    def cost(self) -> CircuitEstimate:
        """What the circuit costs on an ECP5, from the costs of its units."""
        return estimate_circuit(self.netlist)

    def __str__(self) -> str:
        units, balance = len(self.netlist.units), self.invariants.balance
        found = f"{self.kind} {self.netlist.name}: {units} units, balanced: {balance}, no problem"
        return "\n".join([found, *(f"note: {note}" for note in self.notes)])


def graph_from_text(
    text: str,
    file: str = "<text>",
    *,
    top: str | None = None,
    options: Options = DEFAULTS,
    buffers: Buffers = "auto",
) -> Graph | None:
    """The circuit of a netlist or of a graph; None for a program."""
    if is_source(file):
        return None
    if is_netlist(text, file):
        refuse_arrays(options)
        return graph_of_netlist(text, file, options.cores)
    module = parse_module(text, file)
    if not is_graph(module):
        return None
    refuse_arrays(options)
    return graph_of_module(module, file, top=top, options=options, buffers=buffers)


def emit_text(
    text: str,
    file: str = "<netlist>.json",
    *,
    top: str | None = None,
    options: Options = DEFAULTS,
    buffers: Buffers = "auto",
) -> dict[str, str]:
    """The SystemVerilog of a netlist given as JSON, or of a graph: relative path to text."""
    return require_graph(text, file, top=top, options=options, buffers=buffers).files()


def require_graph(
    text: str, file: str, *, top: str | None, options: Options, buffers: Buffers
) -> Graph:
    """The circuit of a netlist or a graph; a program is refused (DFG_FUNCTIONS)."""
    graph = graph_from_text(text, file, top=top, options=options, buffers=buffers)
    if graph is None:
        raise LoomError(
            "DFG_FUNCTIONS",
            Place(file),
            "no handshake.func",
            "a graph or a netlist; `loom compile` takes programs",
        )
    return graph


def check_text(
    text: str,
    file: str,
    *,
    top: str | None = None,
    options: Options = DEFAULTS,
    buffers: Buffers = "auto",
) -> Checked:
    """What was checked; every problem is raised, broken invariants too."""
    checked = inspect_text(text, file, top=top, options=options, buffers=buffers)
    raise_all(checked.invariants.problems(file))
    return checked


def inspect_text(
    text: str,
    file: str,
    *,
    top: str | None = None,
    options: Options = DEFAULTS,
    buffers: Buffers = "auto",
) -> Checked:
    """What the invariants say of a file in which nothing else is wrong.

    A file that ends in ``.json``, or begins as JSON, is a netlist; MLIR is either a program, which
    is compiled, or a graph of handshake functions, whose units and netlist are verified.
    """
    from loom.analysis.balance.invariants import check_invariants

    graph = graph_from_text(text, file, top=top, options=options, buffers=buffers)
    if graph is None:
        netlist = compile_text(text, file, top=top, options=options).netlist
        return Checked("program", netlist, check_invariants(netlist))
    kind = "netlist" if is_netlist(text, file) else "graph"
    return Checked(kind, graph.netlist, check_invariants(graph.netlist), graph.notes)


def catalogue_rows() -> Sequence[tuple[str, str, str]]:
    """Every operator: name, ports, what it does."""
    from loom.dialects.operators.catalogue import CATALOGUE

    def listed(ports: Sequence[Port]) -> str:
        return " ".join(f"{port.name}{'*' * port.many}:{port.type}" for port in ports)

    return [
        (name, f"{listed(row.signature.inputs)} -> {listed(row.signature.outputs)}", row.summary)
        for name, row in CATALOGUE.items()
    ]
