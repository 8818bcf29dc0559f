"""A compiled kernel: the program as written, the graph it became, the netlist, and its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult

from loom.analysis.schedule.initiation_intervals import LoopII, initiation_intervals
from loom.analysis.timing.area_estimate import CircuitEstimate, estimate_circuit
from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import SIGNS
from loom.dialects.operators.cores import Cores
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.staticlogic import PipelineOp
from loom.dialects.ops.staticlogic.island import IslandOp
from loom.errors import LoomError, LoomErrors, Place
from loom.frontend.functions import top_function
from loom.netlist.fsmd.island import function_of
from loom.netlist.html_table import count, html_table
from loom.netlist.json_text import to_json
from loom.netlist.names import port_names
from loom.netlist.netlist import Channel, Netlist

if TYPE_CHECKING:
    from loom.emit.boundary import Boundary


@dataclass(frozen=True)
class ScheduledLoop:
    """A pipelined loop of a static loop, which stands at a place in a dynamic circuit."""

    place: Place
    ii: int
    length: int
    """From the start of an iteration to its end [cycles]."""

    def __str__(self) -> str:
        return f"{self.place}: static, II = {self.ii}, length {self.length} cycles"

    def to_json(self) -> dict[str, int]:
        """As ``loom compile --json`` prints it."""
        place = self.place
        return {"line": place.line, "column": place.column, "ii": self.ii, "length": self.length}


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
    notes: tuple[str, ...] = ()
    """What the user did not choose and should know, such as a clock period that is not met."""
    refusal: LoomError | LoomErrors | None = None
    """Why there is none with these options; None: it is no circuit for its ports alone."""

    def __repr__(self) -> str:
        netlist = self.netlist
        units, channels = count(len(netlist.units), "unit"), count(len(netlist.channels), "channel")
        return f"<Circuit {netlist.name}: {units}, {channels}>"

    def _repr_html_(self) -> str:
        return html_table(f"circuit {self.netlist.name}", self._rows())

    def _rows(self) -> Iterator[tuple[str, str]]:
        """What a notebook shows of the circuit: a name and a text a row."""
        yield from self.netlist.summary()
        path = self.cost.path
        yield (
            f"area ({self.cost.target.title}, estimate)",
            (self.cost.format_area()),
        )
        if path is not None and path.delay > 0:
            yield "clock period", f"{path.delay:.1f} ns"
            yield "Fmax", f"{1000 / path.delay:.0f} MHz"
        for loop in self.loops:
            yield f"loop at line {loop.place.line}", f"II = {loop.ii}: {loop.limited_by}"

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
        """Area and clock period of the circuit on its target, from the costs of its units."""
        return estimate_circuit(self.netlist)

    @cached_property
    def loops(self) -> list[LoopII]:
        """The loops and their II, in the order of the text."""
        return initiation_intervals(self.body, self.netlist.index_width, self.cores)

    @property
    def scheduled_loops(self) -> list[ScheduledLoop]:
        """The pipelined loops of static loops, in the order of the text."""
        found = [
            ScheduledLoop(place_of(island), loop.ii, loop.depth)
            for island in self.body.ops
            if isinstance(island, IslandOp)
            for loop in function_of(island.schedule.data).walk()
            if isinstance(loop, PipelineOp)
        ]
        return sorted(found, key=lambda each: (each.place.line, each.place.column))

    def loops_to_json(self) -> dict[str, object]:
        """All loops as ``loom compile --json`` prints them."""
        return {
            "loops": [loop.to_json() for loop in self.loops],
            "static_loops": [loop.to_json() for loop in self.scheduled_loops],
        }

    def units_of(self, loop: LoopII) -> tuple[str, ...]:
        """The names of the units that limit a loop of `loops`, a cycle in its order."""
        numbers = {operation: number for number, operation in enumerate(self.unit_operations)}
        return tuple(self.netlist.units[numbers[operation]].name for operation in loop.units)

    @property
    def body(self) -> Block:
        """The units and buffers of the graph."""
        return handshake_function(self.graph).body.block

    @property
    def unit_operations(self) -> list[Operation]:
        """The operations of `body` that are units: all but constants that are parameters."""
        return [operation for operation in self.body.ops if not isinstance(operation, ConstantOp)]

    def channel_of(self, value: OpResult) -> Channel:
        """The channel of a value that a unit of `body` makes."""
        number = next(n for n, op in enumerate(self.unit_operations) if op is value.op)
        return self.netlist.outputs_of(self.netlist.units[number])[value.index]

    @cached_property
    def signs(self) -> dict[str, bool]:
        """Whether integers are signed, by the name of the channel or array, where that is known."""
        return signs_of(top_function(self.source, self.top), self.netlist)

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """What `loom compile` writes: relative path to text."""
        from loom.emit import emit
        from loom.emit.boundary import DEFAULT_BOUNDARY
        from loom.emit.ports import port_files

        name, chosen = self.netlist.name, boundary or DEFAULT_BOUNDARY
        return {
            **emit(self.netlist, chosen),
            **port_files(self.netlist, chosen, self.signs),
            f"{name}.netlist.json": self.netlist_text,
            f"{name}.dfg.mlir": self.dfg_text,
        }


def signs_of(function: func.FuncOp, netlist: Netlist) -> dict[str, bool]:
    """Whether integers are signed, by the name of the channel or array, where that is known."""
    letters = SIGNS.of(function) or ""
    arguments = port_names(argument_names(function)).values()
    results = [port.name for port in netlist.ports if port.direction == "output" and port.width]
    named = zip([*arguments, *results], letters, strict=False)
    return {name: letter == "s" for name, letter in named if letter in "su"}


def handshake_function(module: ModuleOp) -> FuncOp:
    """The one handshake function of a lowered module."""
    (found,) = (op for op in module.ops if isinstance(op, FuncOp))
    return found
