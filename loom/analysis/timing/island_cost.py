"""Area and delays of a unit that runs a schedule: those of its machine; of any other the measured.

Paths that begin at its channels are found apart from those that begin in its registers. Around the
machine are a register for each result and one for the whole. One that waits for arrays behind
channels has the path through their controllers within, and keeps the words of its RAMs.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from functools import lru_cache

from loom.analysis.timing.machine_estimate import (
    OUTSIDE,
    area_of_waits,
    arrivals,
    delay_around,
    delay_of_waits,
    gate_delay,
    gate_luts,
    luts_alone,
    select_delay,
    sum_machine,
)
from loom.analysis.timing.unit_costs import RAM_DEPTH, Area, Array, Cost, overhead, unit_cost
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.island_operator import ISLAND, IslandPorts, ports_of_island
from loom.dialects.operators.memories import CHANNEL_REGISTER, address_bits
from loom.dialects.operators.operator import Operator, Shape
from loom.netlist.fsmd.fsmd import Fsmd, ReadPort, WritePort
from loom.netlist.fsmd.island import island_machine, waiting_memories

WORD = 32
"""The width of what is stored, for the delay of a controller: it has no path of data [bits]."""
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
    cost = Cost(inside.area + around, delays)
    return that_waits(cost, fsmd, ports) if ports.channels else cost


def that_waits(cost: Cost, fsmd: Fsmd, ports: IslandPorts) -> Cost:
    """The cost of a machine that waits for arrays behind channels.

    The path from an answer to a request, through the controller and back to the enable of all
    registers is one within the unit: it ends nowhere else.
    """
    behind = waiting_memories(fsmd, ports)
    latencies = [latency for _, latency in ports.channels]
    rams = [port.width for port in fsmd.reads if port.memory not in behind]
    kept = Area(sum(rams), sum(width + 1 for width in rams), 0, 0)
    count = len(latencies)
    through = delay_of_waits(count) + max(map(delay_around, controllers_of(fsmd, behind)))
    answered, enabled = gate_delay(2 * count), gate_delay(3 * count + 1)
    mux = max(map(select_delay, rams), default=0.0)
    given, sent = cost.delays, gate_delay(3)
    delays = {
        "register>register": max(given["register>register"], through + overhead()),
        "data>register": given["data>register"] + mux,
        "valid>register": max(given["valid>register"], answered + enabled + overhead()),
        "ready>register": given["ready>register"] + enabled,
        "register>data": given["register>data"],
        "register>valid": sent + max(given["register>valid"], answered + overhead()),
        "register>ready": max(given["register>ready"], through + overhead()),
    }
    return Cost(cost.area + area_of_waits(latencies) + kept, delays)


def controllers_of(fsmd: Fsmd, behind: Container[str]) -> Iterator[Cost]:
    """The costs of controllers of single ports to such arrays, which show the path through them."""
    rows = ((row, row.hardware.memory_kind) for row in CATALOGUE.values())
    row = next(row for row, kind in rows if kind is not None and kind.answers)
    ports: list[ReadPort | WritePort] = [*fsmd.reads, *fsmd.writes]
    for port in ports:
        if port.memory not in behind:
            continue
        said = {"latency": port.latency - CHANNEL_REGISTER, "in_range": True}
        place, width = address_bits(RAM_DEPTH), WORD
        if isinstance(port, ReadPort):
            width = port.width
            shape = Shape((place,), (width, 0), {"loads": 1, "stores": 0, **said})
        else:
            shape = Shape((width, place), (0,), {"loads": 0, "stores": 1, **said})
        cost = unit_cost(row, shape, (RAM_DEPTH, width))
        assert cost is not None
        yield cost
