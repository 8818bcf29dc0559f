"""The loops of static loops in a dynamic circuit: their II is that of a schedule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loom.dialects.facts.loop_attributes import LOOPS
from loom.dialects.facts.places import place_of
from loom.dialects.operators.island_operator import ISLAND
from loom.dialects.ops.staticlogic import PipelineOp
from loom.errors import Place
from loom.model.limits.timestamps import LoopTotals
from loom.netlist.fsmd.island import function_of
from loom.netlist.netlist import Netlist, Unit

SCHEDULED = (PipelineOp, scf.ForOp, scf.WhileOp)
"""The loops of a schedule; all but pipelines are sequences without an II."""


@dataclass(frozen=True)
class StaticLoop:
    """A pipeline: the innermost loop of the program that it runs, its II and length [cycles].

    `is_known`: it is that loop; else the program does not tell it apart from others, and `place` is
    that of the static loop.
    """

    place: Place
    ii: int
    length: int
    is_known: bool

    def totals(self, by_place: Mapping[Place, LoopTotals]) -> LoopTotals | None:
        """The totals of the loop, if they are known."""
        alike = (t for p, t in by_place.items() if is_same_place(p, self.place))
        return next(alike, None) if self.is_known else None


def static_loops_of(netlist: Netlist, program: ModuleOp | None) -> list[StaticLoop]:
    """The pipelines of a netlist's static loops, of copies the one with the longest II, by place.

    A schedule has no places: its innermost loops are in the order of the `program`, which is in
    normal form. None: there is no program.
    """
    found: dict[Place, StaticLoop] = {}
    for unit in netlist.units:
        for loop in loops_of_unit(unit, program) if unit.operator is ISLAND else ():
            before = found.get(loop.place)
            if before is None or before.ii < loop.ii:
                found[loop.place] = loop
    return sorted(found.values(), key=lambda loop: (loop.place.line, loop.place.column))


def loops_of_unit(unit: Unit, program: ModuleOp | None) -> Iterator[StaticLoop]:
    """The pipelines of one static loop."""
    place = unit.place or Place(unit.name)
    scheduled = innermost(function_of(str(unit.attributes["schedule"])), SCHEDULED)
    written = [] if program is None else loops_at(program, place)
    is_known = len(written) == len(scheduled)
    places = written if is_known else [place] * len(scheduled)
    for loop, where in zip(scheduled, places, strict=True):
        if isinstance(loop, PipelineOp):
            yield StaticLoop(where, loop.ii, loop.depth, is_known)


def loops_at(program: ModuleOp, place: Place) -> list[Place]:
    """The places of the innermost loops in the loop at this place, or of that one."""
    here = (op for op in program.walk() if isinstance(op, LOOPS))
    loop = next((op for op in here if is_same_place(place_of(op), place)), None)
    return [] if loop is None else [place_of(each) for each in innermost(loop, LOOPS)]


def innermost(around: Operation, kinds: tuple[type[Operation], ...]) -> list[Operation]:
    """The loops of these kinds without others in them, in the order of the text."""
    return [
        op
        for op in around.walk()
        if isinstance(op, kinds)
        and not any(isinstance(each, kinds) for each in op.walk() if each is not op)
    ]


def is_same_place(first: Place, second: Place) -> bool:
    """True for the same line and column: a netlist keeps the file's name alone."""
    return (first.line, first.column) == (second.line, second.column)
