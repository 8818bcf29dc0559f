"""Graphs and netlists from elsewhere: text in, a circuit without a source program out.

Every function raises `LoomError` or `LoomErrors` for input it does not accept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp, StringAttr

from loom.analysis.balance.control_roots import control_problems
from loom.analysis.schedule.loop_members import loops_of_units
from loom.dialects.facts.program_facts import CLOCK_PERIOD, INTERFACE_NOTE, PERIOD_NOTE
from loom.dialects.operators.island_operator import ISLAND, ports_of_island
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.types import width_of
from loom.errors import LoomError, Place, raise_all
from loom.front.request import Request
from loom.frontend.graph_functions import top_graph
from loom.frontend.mlir.read import parse_module
from loom.lower.dataflow.choose_units import (
    check_units,
    choose_units,
    find_open_latencies,
    period_of,
    set_latencies,
)
from loom.lower.dataflow.complete_graph import complete_graph
from loom.lower.dataflow.place_buffers import place_buffers
from loom.lower.lean.share_fork_registers import restore_forks, share_registers
from loom.lower.options import Options
from loom.lower.static.machine_problems import machine_problems
from loom.netlist.checks import problems
from loom.netlist.cycles import uncut_cycles
from loom.netlist.from_dfg import netlist_of
from loom.netlist.fsmd.island import (
    array_names,
    machine_of,
    memories_of,
    ports_behind_channels,
    said_of,
)
from loom.netlist.html_table import count
from loom.netlist.json_text import from_json, to_json
from loom.netlist.names import Names
from loom.netlist.netlist import Endpoint, Netlist, Unit
from loom.netlist.with_cores import with_cores

if TYPE_CHECKING:
    from loom.emit.boundary import Boundary


@dataclass(frozen=True)
class Graph:
    """A circuit that was given as a graph or a netlist.

    `arguments` are its inputs with data and its outside memories in the order of the text, `notes`
    what was done to it in words.
    """

    netlist: Netlist
    arguments: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        netlist = self.netlist
        units, channels = count(len(netlist.units), "unit"), count(len(netlist.channels), "channel")
        return f"<Graph {netlist.name}: {units}, {channels}>"

    @property
    def signs(self) -> dict[str, bool]:
        """No integer of a graph says whether it is signed."""
        return {}

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """The SystemVerilog, its ports and the netlist: relative path to text."""
        from loom.emit import emit
        from loom.emit.boundary import DEFAULT_BOUNDARY
        from loom.emit.ports import port_files

        name, chosen = self.netlist.name, boundary or DEFAULT_BOUNDARY
        made = {**emit(self.netlist, chosen), **port_files(self.netlist, chosen)}
        return {**made, f"{name}.netlist.json": to_json(self.netlist)}


def graph_of_netlist(text: str, file: str, options: Options) -> Graph:
    """A netlist from JSON, with every check passed."""
    netlist = with_cores(from_json(text, file), options.cores)
    raise_all(problems(netlist, file))
    require_schedules(netlist, options)
    return Graph(netlist, arguments_of(netlist, ()))


def graph_of_module(module: ModuleOp, request: Request) -> Graph:
    """The circuit of the requested handshake function; the module is used up.

    Instances are put in place, values get one reader each, units have the hardware that they or
    the options ask for, and buffers are placed as `graph_buffers` says. Refused: what `top_graph`
    refuses, unknown hardware, control tokens of other memories, every problem of the netlist.
    """
    file, options, buffers = request.file, request.options, request.graph_buffers
    function = top_graph(module, file, request.top)
    complete_graph(module, function, options)
    check_units(module, options)
    choose_units(module, options)
    set_latencies(find_open_latencies(function.walk(), options), options, period_of(options))
    if not from_another_compiler(function):
        raise_all(control_problems(function))
    netlist = with_cores(
        netlist_of(function, options.index_width, loops_of_units(function.body.block)),
        options.cores,
    )
    notes = (INTERFACE_NOTE.take(module) or "").splitlines()
    clocked = options.clock_period not in (None, "default")
    if buffers == "place" or (buffers == "auto" and (clocked or needs_buffers(netlist, file))):
        before = count_buffers(function)
        forks = restore_forks(function)
        place_buffers(module, options)
        share_registers(function, options, forks)
        netlist = with_cores(
            netlist_of(function, options.index_width, loops_of_units(function.body.block)),
            options.cores,
        )
        added = count_buffers(function) - before
        notes.append(f"{added} buffers placed; --graph-buffers=keep takes the graph as it is")
        if note := PERIOD_NOTE.take(module):
            notes.append(note)
    netlist = with_clock(netlist, options, CLOCK_PERIOD.take(module))
    raise_all(problems(netlist, file))
    require_schedules(netlist, options)
    order = [name.data for name in function.arg_names if isinstance(name, StringAttr)]
    return Graph(netlist, arguments_of(netlist, order), tuple(notes))


def with_clock(netlist: Netlist, options: Options, period: str | None) -> Netlist:
    """The netlist with its target, and the clock period that its buffers were placed for [ns]."""
    placed = None if period is None else float(period)
    return replace(netlist, target=options.target, clock_period=placed)


def refuse_arrays(options: Options) -> None:
    """Return unless the options name arrays, their order or passes, which only a program has.

    Refused: LOWER_ARRAY, LOWER_PASS_PLACE.
    """
    if options.passes:
        what = "--pass for a graph or a netlist"
        raise LoomError("LOWER_PASS_PLACE", Place("--pass"), what, "it for a program")
    of_memories = "it for a program; the memories of a graph say loom.partition and loom.ports"
    in_order = "it for a program; a graph has its order"
    for name, given, accepted in (
        ("--partition", options.partitions, of_memories),
        ("--ports", options.ports, of_memories),
        (
            "--memory",
            options.memories,
            "it for a program; a graph has handshake.chanmemory {loom.latency = N}",
        ),
        ("--array-order", options.array_orders, in_order),
        ("--memory-order", options.memory_order != "auto", in_order),
        ("--order-depth", options.order_depth, in_order),
    ):
        if given:
            what = f"{name} for a graph or a netlist"
            raise LoomError("LOWER_ARRAY", Place(name), what, accepted)


def from_another_compiler(function: FuncOp) -> bool:
    """True if memories have numbers, which LOOM's own have not."""
    return any(
        "id" in operation.attributes
        for operation in function.body.block.ops
        if isinstance(operation, MemoryInterface)
    )


def needs_buffers(netlist: Netlist, file: str) -> bool:
    """True if a cycle is all that is wrong with the netlist."""
    if all(problem.code == "NETLIST_CYCLE" for problem in problems(netlist, file)):
        return next(uncut_cycles(netlist), None) is not None
    return False


def count_buffers(function: FuncOp) -> int:
    """The buffers of a graph."""
    return sum(isinstance(operation, BufferOp) for operation in function.body.block.ops)


def arguments_of(netlist: Netlist, order: Sequence[str]) -> tuple[str, ...]:
    """Inputs with data and outside memories, those of the function's arguments in their order."""
    given = [port.name for port in netlist.ports if port.direction == "input" and port.width]
    given += [memory.name for memory in netlist.memories_outside]
    names = Names()
    ordered = [names.new(name) for name in order]
    return tuple(sorted(given, key=lambda n: ordered.index(n) if n in ordered else len(ordered)))


def require_schedules(netlist: Netlist, options: Options) -> None:
    """Return if each static loop has a schedule that fits its ports.

    Refused: text that is no MLIR, schedules that break their rules or that no machine follows
    (STATIC_MACHINE), and those of other ports than the unit's (NETLIST_ISLAND).
    """
    for unit in netlist.units:
        if unit.operator is ISLAND:
            raise_all(list(schedule_problems(netlist, unit, options)))


def schedule_problems(netlist: Netlist, unit: Unit, options: Options) -> Iterator[LoomError]:
    """What is wrong with the schedule of a unit."""
    shape = netlist.shape_by_unit[unit.name]
    ports, place = ports_of_island(shape), unit.place or Place(netlist.name)
    module = parse_module(shape.text("schedule"), f"{unit.name}.schedule")
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    if len(functions) != 1 or len(list(module.ops)) != 1:
        what, accepted = "a schedule that is not one function", "one func.func"
        yield LoomError("NETLIST_ISLAND", place, f"{what} in unit {unit.name!r}", accepted)
        return
    (function,) = functions
    widths = replace(options, index_width=ports.index_width)
    found = list(machine_problems(module, function, widths, is_island=True))
    yield from found
    if found:
        return
    fsmd = machine_of(shape)
    signals = {each.name: each.width for each in (*fsmd.wires, *fsmd.registers, *fsmd.units)}
    signals |= {**dict(fsmd.inputs), **{port.name: port.width for port in fsmd.reads}}
    first, last = 1 + ports.values, 1 + ports.results
    results = [signals[name] for _, name in fsmd.results]
    said = (
        tuple(width for _, width in fsmd.inputs), tuple(results),
        tuple(port.latency for port in fsmd.reads), len(fsmd.writes), netlist.index_width,
        ports_behind_channels(shape.text("schedule"), fsmd),
    )  # fmt: skip
    wanted = (
        shape.inputs[1:first], shape.outputs[1:last],
        ports.latencies, ports.stores, ports.index_width, ports.channels,
    )  # fmt: skip
    if said != wanted:
        what = f"a schedule of other ports than those of unit {unit.name!r}"
        yield LoomError("NETLIST_ISLAND", place, what, "values, results and accesses of the unit")
        return
    arrays = [each for each in function.args if isinstance(each.type, MemRefType)]
    memories = memories_of(function)
    names = [(f"ld_address{k}", port.memory) for k, port in enumerate(fsmd.reads)]
    names += [(f"st_address{k}", port.memory) for k, port in enumerate(fsmd.writes)]
    for port_name, name in names:
        number, bank = memories[name]
        array, type_ = array_names(function)[number], arrays[number].type
        assert isinstance(type_, MemRefType)
        target = netlist.channel_by_source[Endpoint(unit.name, port_name)].target
        served = netlist.shape_by_unit[target.unit]
        memory = netlist.memory_by_name[served.text("memory")]
        size = type_.get_shape()[0], width_of(type_.element_type, ports.index_width)
        if size != (memory.depth, memory.width):
            what = f"array {array} of {size[0]} x {size[1]} bits in the schedule of {unit.name!r}"
            accepted = f"{memory.depth} x {memory.width} bits, as memory {memory.name!r} has"
            yield LoomError("NETLIST_ISLAND", place, what, accepted)
        lanes = memory.kind.lanes_of(served)
        banks = lanes.store_banks if port_name.startswith("st") else lanes.load_banks
        own = banks[int(target.port.removeprefix(port_name.rstrip("0123456789")))]
        if (said_of(arrays[number]), bank) != (lanes.partition, own):
            what = f"bank {bank} of array {array} in the schedule of {unit.name!r}"
            accepted = f"bank {own}, as {target.port} of {target.unit!r} has"
            yield LoomError("NETLIST_ISLAND", place, what, accepted)
