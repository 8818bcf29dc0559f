"""Area and Fmax of a circuit on its target, from the measured costs of its units."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from loom.analysis.timing.island_cost import cost_of_unit
from loom.analysis.timing.static_timing import Path, Stage, Timing, input_pins, output_pins
from loom.analysis.timing.targets import Target, find_target
from loom.analysis.timing.unit_costs import Area, Array, Cost, overhead, unit_cost
from loom.dialects.operators.memories import SMALL_DEPTH
from loom.netlist.netlist import Netlist, Unit

SHORT = {"MULT18X18D": "MULT18", "DP16KD": "DP16K"}
"""What cells are called in texts."""


@dataclass(frozen=True, slots=True)
class CircuitEstimate:
    """The sum of the areas of all units, and the longest path from register to register.

    `unmeasured` are operators that the table does not have, `untimed` those without delays in it:
    both count nothing. Wires, their congestion and cells that units could share are not seen.
    """

    area: Area
    path: Path | None
    unmeasured: tuple[str, ...]
    untimed: tuple[str, ...]
    target: Target = field(default_factory=lambda: find_target("ecp5"))

    @property
    def fmax(self) -> float | None:
        """The highest clock frequency of the longest path [MHz]; None without a path."""
        return 1000 / self.path.delay if self.path is not None and self.path.delay > 0 else None

    @property
    def counts(self) -> tuple[int, ...]:
        """LUTs, flip-flops, multipliers and block RAMs, rounded."""
        area = self.area
        return tuple(
            round(each) for each in (area.luts, area.flip_flops, area.multipliers, area.block_rams)
        )

    def format_area(self) -> str:
        """The cells of the target and their numbers."""
        names = (SHORT.get(name, name) for name in self.target.cells)
        return ", ".join(f"{n} {name}" for n, name in zip(self.counts, names, strict=True))

    def to_json(self) -> dict[str, object]:
        """As ``loom check --json`` prints it; `clock_period` [ns], `fmax` [MHz]."""
        return {
            "device": self.target.device,
            **{
                name.lower(): count
                for name, count in zip(self.target.cells, self.counts, strict=True)
            },
            "clock_period": None if self.path is None else round(self.path.delay, 2),
            "fmax": None if self.fmax is None else round(self.fmax, 1),
            "path": [] if self.path is None else list(self.path.units),
            "unmeasured": list(self.unmeasured),
            "untimed": list(self.untimed),
        }

    def __str__(self) -> str:
        text = f"estimate for an {self.target.title}: {self.format_area()}"
        if self.path is not None and self.fmax is not None:
            clock = f"clock period {self.path.delay:.1f} ns (Fmax {self.fmax:.0f} MHz)"
            text += f", {clock}"
            text += f" through {self.path.units[-1]}" if self.path.units else ""
        for word, names in (("unmeasured", self.unmeasured), ("untimed", self.untimed)):
            text += f"; {word}: {', '.join(names)}" if names else ""
        return text


def estimate_circuit(netlist: Netlist) -> CircuitEstimate:
    """The cost of a netlist that has passed its checks."""
    target = find_target(netlist.target)
    area, path, unmeasured, untimed = sum_units(netlist)
    if path is not None:
        clocked = netlist.clock_period is not None
        period = target.circuit_period(path.delay, area.luts, clocked=clocked)
        path = replace(path, delay=period)
    return CircuitEstimate(target.area(area), path, unmeasured, untimed, target)


def sum_units(netlist: Netlist) -> tuple[Area, Path | None, tuple[str, ...], tuple[str, ...]]:
    """The cells of an ECP5, the longest path by the measured units, and what they lack.

    That is the operators without an entry, and those without delays.
    """
    area = Area(0, 0, 0, 0)
    stages: list[Stage] = []
    unmeasured: dict[str, None] = {}
    untimed: dict[str, None] = {}
    for unit in netlist.units:
        name = unit.operator.name
        cost = cost_of_unit(
            unit.operator, netlist.shape_by_unit[unit.name], array_of(netlist, unit)
        )
        if cost is None:
            unmeasured[name] = None
            continue
        area += add_banks(netlist, unit, cost.area)
        stages.append(stage_of(netlist, unit, cost))
        if not cost.delays and unit.operator.signature.inputs and unit.operator.signature.outputs:
            untimed[name] = None
    return area, Timing(stages, overhead()).longest(), tuple(unmeasured), tuple(untimed)


def add_banks(netlist: Netlist, unit: Unit, area: Area) -> Area:
    """The area with the RAMs or registers of all banks; the rest is that of one controller."""
    shape = netlist.shape_by_unit[unit.name]
    kind = unit.operator.hardware.memory_kind
    if kind is None or kind.is_outside:
        return area
    lanes, memory = kind.lanes_of(shape), netlist.memory_by_name[shape.text("memory")]
    if lanes.plain:
        return area
    words = max(lanes.partition.places, SMALL_DEPTH + 1) if lanes.partition else memory.depth
    read = {lane.bank for lane in lanes.loads}
    if lanes.registers:
        return replace(area, flip_flops=area.flip_flops + len(read) * memory.width, block_rams=0)
    one = unit_cost(unit.operator, shape, (words, memory.width))
    table = not shape.integer("stores")  # both ports of its RAMs read
    rams = len(read) if table else len(lanes.loads)
    return replace(area, block_rams=rams * (one.area.block_rams if one else 0))


def array_of(netlist: Netlist, unit: Unit) -> Array | None:
    """The array that the unit serves."""
    if not unit.operator.hardware.memory_kind:
        return None
    memory = netlist.memory_by_name[str(unit.attributes["memory"])]
    return memory.depth, memory.width


def stage_of(netlist: Netlist, unit: Unit, cost: Cost) -> Stage:
    """The unit between its channels."""
    shape = netlist.shape_by_unit[unit.name]
    _, outputs = netlist.ports_of(unit)
    taken = [channel.name for channel in netlist.inputs_of(unit)]
    given = [channel.name for channel in netlist.outputs_of(unit)]
    return Stage(
        unit.name,
        cost.delays,
        input_pins(unit.operator, shape, array_of(netlist, unit), taken),
        output_pins(unit.operator, shape, outputs, given),
    )
