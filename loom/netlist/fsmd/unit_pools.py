"""Pipelined units that several operations take, each in cycles of its own.

Two operations of one loop take a unit in cycles that differ modulo its II; those of steps that run
one after the other never take it in one cycle, as a step ends after it gave its last operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from loom.dialects.operators.operator import Operator, Shape
from loom.netlist.fsmd.fsmd import PipelinedUnit
from loom.netlist.fsmd.signals import Signals
from loom.netlist.fsmd.timeline import Timeline


@dataclass
class _Unit:
    """A unit, the cycles in which it is taken, and in which of them from which operands.

    `results` are the signals of those results that are used, by their places.
    """

    name: str
    operator: Operator
    shape: Shape
    results: dict[int, str] = field(default_factory=dict)
    taken: set[tuple[str, int]] = field(default_factory=set)
    cases: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)


class UnitPools:
    """The shared units of a machine, by operator and shape."""

    def __init__(self, signals: Signals) -> None:
        self.signals = signals
        self.units: dict[str, list[_Unit]] = {}

    def take(
        self,
        operator: Operator,
        shape: Shape,
        operands: tuple[str, ...],
        timeline: Timeline,
        cycle: int,
        sharers: int,
        used: Sequence[int] = (0,),
    ) -> list[str]:
        """The signals of the `used` results, a unit's latency after this cycle of the timeline.

        At most so many operations share the unit.
        """
        slot = timeline.name, cycle % timeline.ii if timeline.ii else cycle
        pool = self.units.setdefault(f"{operator.name} {shape}", [])
        free = (u for u in pool if slot not in u.taken and len(u.cases) < sharers)
        found = next(free, None)
        if found is None:
            found = _Unit(f"shared_{operator.name.rpartition('.')[2]}", operator, shape)
            pool.append(found)
        for place in used:
            if place not in found.results:
                found.results[place] = self.signals.name(found.name, shape.outputs[place])
        found.taken.add(slot)
        found.cases.append((timeline.valid(cycle), operands))
        return [found.results[place] for place in used]

    def finish(self) -> None:
        """The units have all their operands: a multiplexer in front of each chooses."""
        for unit in (unit for pool in self.units.values() for unit in pool):
            name = next(iter(unit.results.values()))
            operands = [
                self.signals.choice(
                    f"{name}_operand{place}",
                    [(when, each[place]) for when, each in unit.cases],
                )
                for place in range(len(unit.shape.inputs) - len(unit.shape.constants))
            ]
            for place, result in unit.results.items():
                width = unit.shape.outputs[place]
                self.signals.units.append(
                    PipelinedUnit(result, width, unit.operator, unit.shape, tuple(operands), place)
                )
