"""Static schedules as text: the machine of a function that `loom lower --style static` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.argument_names import argument_names
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import (
    PipelineOp,
    SeqOp,
    StageOp,
    StaticLogic,
)
from loom.emit.machine_memories import Inside
from loom.errors import LoomError, raise_all
from loom.front.circuit import signs_of
from loom.front.request import Request
from loom.front.static_circuit import emit_schedule, memories_of, unfit_memories
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module
from loom.lower.dataflow.choose_units import period_of
from loom.lower.static.machine_problems import machine_problems
from loom.netlist.fsmd.build import build_fsmd
from loom.netlist.fsmd.fsmd import Fsmd
from loom.netlist.fsmd.ports import netlist_of_ports
from loom.netlist.netlist import Netlist

if TYPE_CHECKING:
    from loom.emit.boundary import Boundary


@dataclass(frozen=True)
class GivenSchedule:
    """A schedule that was given: the function, its machine, and a netlist with its ports."""

    module: ModuleOp
    function: func.FuncOp
    fsmd: Fsmd
    inside: Sequence[Inside]
    netlist: Netlist
    notes: tuple[str, ...] = ()

    @cached_property
    def signs(self) -> dict[str, bool]:
        """Whether integers are signed, where the text says so."""
        return signs_of(self.function, self.netlist)

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """The SystemVerilog and its ports: relative path to text."""
        from loom.emit.boundary import DEFAULT_BOUNDARY
        from loom.emit.ports import port_files

        chosen = boundary or DEFAULT_BOUNDARY
        made = emit_schedule(self.module, self.fsmd, self.inside, self.netlist, chosen)
        return {**made, **port_files(self.netlist, chosen, self.signs)}


def load_schedule(request: Request) -> GivenSchedule | None:
    """The machine of a text with static schedules; None for other texts.

    Refused: schedules that break their rules, and those that no machine can follow
    (STATIC_MACHINE): it takes what `loom lower --style static` prints.
    """
    if request.source_language != "mlir" or request.is_netlist:
        return None
    if StaticLogic.name not in request.text:
        return None
    module = parse_module(request.text, request.file)
    if not any(isinstance(op, PipelineOp | StageOp | SeqOp) for op in module.walk()):
        return None
    function, width = top_function(module, request.top), request.options.index_width
    raise_all(list(machine_problems(module, function, request.options)))
    names, inside = memories_of(argument_names(function), module, function, width)
    fsmd = build_fsmd(function, names, width)
    netlist = netlist_of_ports(function, fsmd, width)
    clocks = {op.clock for op in function.walk() if isinstance(op, PipelineOp)}
    clocks = clocks or {period_of(request.options)}
    period = min((clock for clock in clocks if clock is not None), default=None)
    raise_all([
        LoomError(
            "STATIC_MACHINE", place_of(function), what, "RAMs of latency 1 and as many slots"
        )
        for what in unfit_memories(netlist)
    ])  # fmt: skip
    netlist = replace(netlist, target=request.options.target, clock_period=period)
    used = [each for each in inside if each.name in fsmd.memories]
    return GivenSchedule(module, function, fsmd, used, netlist)
