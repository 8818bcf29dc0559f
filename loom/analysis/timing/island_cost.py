"""Area and delays of a unit that runs a schedule: those of its machine; of any other the measured.

Paths that begin at its channels are found apart from those that begin in its registers. Around the
machine are a register for each result and one for the whole.
"""

from __future__ import annotations

from functools import lru_cache

from loom.analysis.timing.machine_estimate import (
    OUTSIDE,
    arrivals,
    gate_delay,
    gate_luts,
    luts_alone,
    sum_machine,
)
from loom.analysis.timing.unit_costs import Area, Array, Cost, overhead, unit_cost
from loom.dialects.operators.island_operator import ISLAND, IslandPorts, ports_of_island
from loom.dialects.operators.operator import Operator, Shape
from loom.netlist.fsmd.island import island_machine

LUTS_OF_RESULT = 2
"""What says whether a result waits, and what takes it [LUT4]."""


def cost_of_unit(operator: Operator, shape: Shape, array: Array | None = None) -> Cost | None:
    """The cost of an instance, or None for an operator that was not measured."""
    if operator is ISLAND:
        return cost_of_schedule(shape.text("schedule"), ports_of_island(shape))
    return unit_cost(operator, shape, array)


@lru_cache(maxsize=64)
def cost_of_schedule(schedule: str, ports: IslandPorts) -> Cost:
    """The cost of the unit that runs a schedule."""
    fsmd = island_machine(schedule, ports.index_width)
    inside = sum_machine(fsmd, {})
    entering = sum_machine(fsmd, {}, registers=OUTSIDE, outside=0.0)
    there = arrivals(fsmd)
    requests = [name for port in fsmd.reads for name in (port.enable, port.address)]
    requests += [each for port in fsmd.writes for each in (port.enable, port.address, port.data)]
    given = [*requests, *(signal for _, signal in fsmd.results), fsmd.finish]
    latest = max((there.get(name.removeprefix("!"), 0.0) for name in given), default=0.0)
    results = ports.results + 1
    own = luts_alone(LUTS_OF_RESULT * results + gate_luts(ports.values + 2))
    around = own + Area(0, results + 1, 0, 0)
    leaving, hand = max(0.0, latest) + overhead(), gate_delay(4) + overhead()
    delays = {
        "register>register": inside.path,
        "data>register": entering.path,
        "valid>register": entering.path,
        "ready>register": hand,
        "register>data": leaving,
        "register>valid": leaving,
        "register>ready": hand,
    }
    return Cost(inside.area + around, delays)
