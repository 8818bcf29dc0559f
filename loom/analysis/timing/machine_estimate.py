"""Area and period of the machine of a static schedule, from the costs of units.

A unit of the table has a handshake, which a machine has not: its LUTs are taken off. Beside units a
machine has multiplexers, at registers of several updates and at ports of several accesses, and
gates. Paths are those from register to register, as placement out of context times them. Periods
are corrected to placed machines (`machines` in targets.json, docs/costs.md). RAMs and multipliers
stand in few rows of the device: in a large machine wires to and from them are longer (`blocks`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loom.analysis.timing.targets import Distances, Target
from loom.analysis.timing.unit_costs import (
    RAM,
    RAM_DEPTH,
    Area,
    Cost,
    cost_at,
    overhead,
    unit_cost,
)
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.memories import address_bits
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.partitions import Partition
from loom.netlist.fsmd.fsmd import (
    GO,
    Beyond,
    Choice,
    Constant,
    Fsmd,
    Gate,
    Operation,
    PipelinedUnit,
    Resized,
    Split,
    Wire,
)

NEAR = Distances()
"""Of a small machine."""
LUTS_OF_WAIT = 3
"""LUTs of the request, the answer and the bit in between of a port to an array behind channels."""
HANDSHAKE = 2
"""LUTs of the handshake of a unit without a register and with several operands."""
SELECT, COMPARE = CATALOGUE["arith.select"], CATALOGUE["arith.cmpi"]
ADD = CATALOGUE["arith.addi"]
OUTSIDE = float("-inf")
"""When signals arrive that come from no register of the machine: no path begins there [ns]."""


@dataclass(frozen=True, slots=True)
class MachineEstimate:
    """Cells of the target, the clock period [ns], and how far RAMs and multipliers are.

    By that the period is `longer` than without [ns].
    """

    area: Area
    period: float
    distances: Distances = NEAR
    longer: float = 0.0


@dataclass(frozen=True, slots=True)
class MachineSums:
    """What the units of a machine sum up to on an ECP5: area, and the longest path [ns]."""

    area: Area
    path: float


def estimate_machine(
    fsmd: Fsmd,
    inside: Mapping[str, tuple[int, int]],
    target: Target,
    controllers: Mapping[str, Cost] | None = None,
) -> MachineEstimate:
    """Area and period of a machine; `inside` are depth and width of the arrays in it, by name.

    `controllers` are the costs of those of the arrays behind channels, by name.
    """
    controllers = controllers or {}
    sums = _Machine(fsmd, inside, 0.0, OUTSIDE, controllers).sums()
    distances = target.blocks.at(sums.area.luts, sums.area.multipliers)
    near = target.machine_period(sums.path, sums.area.luts)
    if distances.is_far:
        sums = _Machine(fsmd, inside, 0.0, OUTSIDE, controllers, distances).sums()
    period = target.machine_period(sums.path, sums.area.luts)
    return MachineEstimate(target.area(sums.area), period, distances, period - near)


def sum_machine(
    fsmd: Fsmd,
    inside: Mapping[str, tuple[int, int]],
    registers: float = 0.0,
    outside: float = OUTSIDE,
    distances: Distances = NEAR,
) -> MachineSums:
    """The sums over the machine's units, multiplexers and registers, as they are measured alone.

    Paths begin in registers, or with `outside` at the inputs and words of memories [ns].
    """
    return _Machine(fsmd, inside, registers, outside, {}, distances).sums()


def arrivals(fsmd: Fsmd) -> Mapping[str, float]:
    """When the signals arrive that come from registers of the machine [ns]."""
    found = _Machine(fsmd, {}, 0.0, OUTSIDE, {})
    found.sums()
    return found.arrival


class _Machine:
    """The signals of one machine, with when they arrive [ns]."""

    def __init__(
        self,
        fsmd: Fsmd,
        inside: Mapping[str, tuple[int, int]],
        registers: float,
        outside: float,
        controllers: Mapping[str, Cost],
        distances: Distances = NEAR,
    ) -> None:
        self.fsmd, self.inside, self.controllers = fsmd, inside, controllers
        self.distances = distances
        self.registers, self.outside = registers, outside
        self.constants = {w.name: w.value for w in fsmd.wires if isinstance(w, Constant)}
        self.arrival: dict[str, float] = {}

    def sums(self) -> MachineSums:
        """All units of a result are one; registers, RAMs and ports come after the wires."""
        luts = multipliers = flip_flops = block_rams = 0.0
        longest = 2 * gate_delay(4)  # the handshake around the machine
        areas: list[Area] = []
        for unit in self.pipelined():
            cost = self.cost(unit)
            areas.append(cost.area)
            self.arrival[unit.name] = delay_of(cost, "register>data")
            longest = max(longest, delay_of(cost, "register>register"))
        for port in self.fsmd.reads:
            self.arrival[port.name] = self.word(port.memory)
        self.arrival.update((name, self.outside) for name, _ in (*self.fsmd.inputs, (GO, 1)))
        self.arrival.update((name, OUTSIDE) for name in self.constants)
        seen: set[object] = set()
        for wire in self.fsmd.wires:
            area, delay = self.wire(wire)
            key = identity(wire)
            if key not in seen:  # synthesis keeps one of what is alike
                areas.append(area)
            seen.add(key)
            begin = max((self.at(name) for name in read_by(wire)), default=OUTSIDE)
            self.arrival[wire.name] = begin + delay
        for register in self.fsmd.registers:
            # A constant is a set or reset of the flip-flops.
            cases = sum(value not in self.constants for _, value in register.updates)
            luts += register.width * max(0, cases - 1)
            flip_flops += register.width
            steps = select_delay(register.width) * levels(cases)
            taken = [each for update in register.updates for each in update if each]
            longest = max(longest, steps + max(map(self.at, taken), default=OUTSIDE))
        for unit in self.pipelined():
            cost = self.cost(unit)
            into = delay_of(cost, "data>register")
            into += self.distances.multiplier if cost.area.multipliers else 0.0
            longest = max(longest, into + max(map(self.at, unit.operands), default=0.0))
        for memory, ends in self.ports():
            if memory in self.inside:
                into = self.ram(memory, "data>register") + self.distances.memory
                longest = max(longest, into + max(map(self.at, ends)))
        for memory, (depth, width) in self.inside.items():
            ram = ram_cost(depth, width)
            block_rams += self.copies(memory) * ram.area.block_rams if ram else 0
        luts += sum(area.luts for area in areas)
        flip_flops += sum(area.flip_flops for area in areas)
        multipliers += sum(area.multipliers for area in areas)
        for cost in self.controllers.values():
            block_rams += cost.area.block_rams
        luts += sum(cost.area.luts for cost in self.controllers.values())
        flip_flops += sum(cost.area.flip_flops for cost in self.controllers.values())
        waiting, path = self.waits()
        luts, flip_flops = luts + waiting.luts, flip_flops + waiting.flip_flops
        longest = max(longest, path)
        area = Area(luts, flip_flops, multipliers, block_rams)
        return MachineSums(area, longest + overhead())

    def at(self, name: str) -> float:
        """When a signal arrives; what comes from a register is there."""
        return self.arrival.get(name.removeprefix("!"), self.registers)

    def word(self, memory: str) -> float:
        """When the word of a memory arrives [ns]."""
        if memory in self.controllers:
            return delay_of(self.controllers[memory], "register>data")
        if memory in self.inside:
            return self.ram(memory, "register>data") + self.distances.memory
        return self.outside

    def copies(self, memory: str) -> int:
        """The RAMs of an array inside: that of one which nobody writes has two read ports."""
        readers = sum(port.memory == memory for port in self.fsmd.reads)
        is_written = any(port.memory == memory for port in self.fsmd.writes)
        return readers if is_written else math.ceil(readers / 2)

    def waits(self) -> tuple[Area, float]:
        """What a machine has for the arrays behind channels, and the longest path there [ns].

        That is from an answer to the requests, and back to the enable of every register.
        """
        ports = [(port.memory, port.latency) for port in self.fsmd.reads]
        ports += [(port.memory, port.latency) for port in self.fsmd.writes]
        latencies = [latency for memory, latency in ports if memory in self.controllers]
        if not latencies:
            return luts_alone(0), 0.0
        path = delay_of_waits(len(latencies)) + max(map(delay_around, self.controllers.values()))
        return area_of_waits(latencies), path

    def pipelined(self) -> Iterable[PipelinedUnit]:
        """The units with registers, each once: several results are of one."""
        return {(u.operator.name, str(u.shape), u.operands): u for u in self.fsmd.units}.values()

    def ports(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Each port of a memory with the signals that enter it."""
        yield from ((p.memory, (p.enable, p.address)) for p in self.fsmd.reads)
        yield from ((p.memory, (p.enable, p.address, p.data)) for p in self.fsmd.writes)

    def ram(self, memory: str, path: str) -> float:
        """A delay of the RAM of an array inside [ns]."""
        depth, width = self.inside[memory]
        found = ram_cost(max(RAM_DEPTH, depth), width)
        return delay_of(found, path) if found else 0.0

    def cost(self, unit: Operation | PipelinedUnit) -> Cost:
        """The unit's cost, with its constant operands and without its handshake."""
        if unit.shape.constants:
            return bare_cost(unit.operator, unit.shape)
        places = {k: name for k, name in enumerate(unit.operands) if name in self.constants}
        constants = {k: self.constants[name] for k, name in places.items()}
        return bare_cost(unit.operator, replace(unit.shape, constants=constants))

    def wire(self, wire: Wire) -> tuple[Area, float]:
        """Area and delay of a wire [ns]."""
        match wire:
            case Constant() | Resized():
                return luts_alone(0), 0.0
            case Operation():
                cost = self.cost(wire)
                return cost.area, delay_of(cost, "data>data")
            case Gate():
                inputs = sum(map(len, wire.terms))
                return luts_alone(gate_luts(inputs)), gate_delay(inputs)
            case Choice():
                cases = len(wire.cases)
                steps = select_delay(wire.width) * levels(cases)
                return luts_alone(wire.width * (cases - 1)), steps
            case Beyond():
                width = wire.address_width
                upper = width - (wire.depth.bit_length() - 1)
                if wire.depth & (wire.depth - 1) == 0:
                    return luts_alone(gate_luts(upper)), gate_delay(upper)
                shape = Shape((width, width), (1,), {"predicate": "uge"}, {1: wire.depth})
                cost = bare_cost(COMPARE, shape)
                return cost.area, delay_of(cost, "data>data")
            case Split():
                return split_cost(wire.partition)


def split_cost(partition: Partition) -> tuple[Area, float]:
    """Area and delay of the bank, or the place, of an address [ns].

    Powers of two select bits. A division by another number is a product with its reciprocal, half
    of whose bits are 1: so many sums, in a tree.
    """
    inner = partition.axes[1:]
    divisors = [axis.size for axis in inner] + [axis.step for axis in partition.axes if axis.scheme]
    count = sum(divisor & (divisor - 1) != 0 for divisor in divisors)
    bits = address_bits(partition.depth)
    sums = bits // 2 + 1
    cost = bare_cost(ADD, Shape((bits, bits), (bits,), {}))
    steps = delay_of(cost, "data>data") * levels(sums)
    return luts_alone(cost.area.luts * sums * count), steps * count


def bare_cost(operator: Operator, shape: Shape) -> Cost:
    """The cost of a unit without its handshake; nothing of one that was not measured."""
    found = unit_cost(operator, shape)
    if found is None:
        return Cost(luts_alone(0), {})
    operands = len(shape.inputs) - len(shape.constants)
    luts = max(0.0, found.area.luts - (HANDSHAKE if operands > 1 else 1))
    if operator is COMPARE:  # few widths are measured
        bits = shape.inputs[0]
        equal = shape.text("predicate") in ("eq", "ne")
        luts = min(luts, gate_luts(bits * operands) if equal else bits + 1)
    return Cost(replace(found.area, luts=luts), found.delays)


def identity(wire: Wire) -> object:
    """What two wires have in common that are one signal."""
    match wire:
        case Operation():
            return wire.operator.name, str(wire.shape), wire.operands, wire.result
        case Gate():
            return frozenset(map(frozenset, wire.terms))
        case Choice():
            return wire.cases
        case Beyond():
            return wire.address, wire.depth
        case Split():
            return wire.address, wire.partition, wire.part
    return wire.name


def area_of_waits(latencies: Sequence[int]) -> Area:
    """What a machine has for its ports to arrays behind channels, of these latencies [cycles]."""
    count = len(latencies)
    luts = count * LUTS_OF_WAIT + gate_luts(2 * count) + gate_luts(3 * count + 1)
    return Area(luts, sum(latencies) + count, 0, 0)


def delay_of_waits(count: int) -> float:
    """From an answer to a request, and from its acceptance to the enable of registers [ns]."""
    return gate_delay(2 * count) + gate_delay(3 * count + 1)


def delay_around(controller: Cost) -> float:
    """What a controller of an array behind channels adds to that path [ns]."""
    ways = ("register>valid", "valid>ready", "ready>register")
    return sum(delay_of(controller, way) for way in ways)


def gate_luts(inputs: int) -> int:
    """LUTs of four inputs of a gate."""
    return max(0, math.ceil((inputs - 1) / 3))


def luts_alone(count: float) -> Area:
    """An area of LUTs."""
    return Area(count, 0, 0, 0)


def delay_of(cost: Cost, path: str) -> float:
    """A delay of a unit without the registers around it [ns]."""
    return max(0.0, cost.delays[path] - overhead()) if path in cost.delays else 0.0


def select_delay(width: int) -> float:
    """The delay of a choice between two values [ns]."""
    return delay_of(bare_cost(SELECT, Shape((1, width, width), (width,), {})), "data>data")


def gate_delay(inputs: int) -> float:
    """The delay of a gate of LUTs of four inputs [ns]."""
    return 0.0 if inputs < 2 else select_delay(1) * math.ceil(math.log(inputs, 4))


def levels(cases: int) -> int:
    """Choices in a row between so many values."""
    return math.ceil(math.log2(cases)) if cases > 1 else 0


def ram_cost(depth: int, width: int) -> Cost | None:
    """The cost of a memory of this size with one requester at each port."""
    axes = (("depth", depth), ("width", width), ("ports", 3), ("requesters", 1))
    return cost_at(RAM, (("sides", "loads"),), axes)


def read_by(wire: Wire) -> tuple[str, ...]:
    """The signals that a wire reads."""
    match wire:
        case Constant():
            return ()
        case Operation():
            return wire.operands
        case Gate():
            return tuple(each for term in wire.terms for each in term)
        case Choice():
            return tuple(each for case in wire.cases for each in case if each)
        case Resized():
            return (wire.source,)
        case Beyond() | Split():
            return (wire.address,)
