"""The modulo scheduling problem of the operations of one block, from their uses and accesses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, prod

from xdsl.dialects import func, memref
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from loom.analysis.modulo.chaining import with_chaining
from loom.analysis.modulo.problem import ISSUE, Dependence, Problem
from loom.analysis.modulo.problem import Operation as Scheduled
from loom.analysis.program.memory_accesses import Access, Accesses, Root, element_of, name_of
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.timing.machine_estimate import gate_delay, split_cost
from loom.analysis.timing.static_chains import is_outside
from loom.analysis.timing.unit_costs import ram_delay
from loom.dialects.facts.arrays import (
    banks_of_access,
    is_behind_channel,
    partition_of_access,
    ports_of_access,
)
from loom.dialects.facts.loop_attributes import ENTRY_BEGIN, ENTRY_END
from loom.dialects.operators.memories import address_bits
from loom.dialects.ops.staticlogic import latency_of
from loom.graph_algorithms import on_cycles
from loom.lower.static.predicate_ifs import Predicates
from loom.lower.static.share_units import Slots
from loom.lower.static.units import Units, choice_delay


@dataclass(frozen=True)
class Body:
    """Operations of a block in their order, and what is read of the iteration before.

    `carried` are the block's arguments that the next iteration gets, with the values it gets.
    `at_issue` are the values that are read as the iteration issues. `trip_counts` are those of the
    loops of a nest inside the outermost one, None of operations that run once: the iterations of a
    nest are those of its innermost loop. `outside` is the number of loops around the nest.
    `iterations` are so many at least, if there is one. With `has_exact_trips` all loops inside the
    outermost one have their trip counts in each entry, not only at least these.
    """

    operations: Sequence[Operation]
    predicates: Predicates
    carried: Mapping[BlockArgument, SSAValue]
    at_issue: frozenset[BlockArgument] = frozenset()
    trip_counts: tuple[int, ...] | None = ()
    outside: int = 0
    iterations: int = 1
    has_exact_trips: bool = False


class MemoryOrder:
    """Which accesses depend on which, asked of the loops as they were written."""

    def __init__(self, accesses: Accesses, known: Dependences, function: func.FuncOp) -> None:
        self.accesses, self.known = accesses, known
        self.requesters = Counter(
            port
            for operation in function.walk()
            if isinstance(operation, memref.LoadOp | memref.StoreOp)
            for port in ports_of(operation)
        )

    def between(
        self, first: Operation, second: Operation, body: Body
    ) -> Iterator[tuple[bool, int]]:
        """Dependences of two accesses of one memory, `first` before `second` in the text.

        Of each whether it is from `first` to `second`, and its distance [iterations].
        """
        interleaved = ENTRY_BEGIN.of(first) if ENTRY_END.is_on(second) else None
        for one, other in product(self.accesses.made_by(first), self.accesses.made_by(second)):
            if self.known.may_conflict(one, other, min(len(one.loops), len(other.loops))):
                yield True, 0
            for is_forward, pair in ((True, (one, other)), (False, (other, one))):
                free = 0 if is_forward else interleaved or 0
                distance = self.carried(*pair, body, free)
                if distance is not None:
                    yield is_forward, distance

    def own(self, operation: Operation, body: Body) -> int | None:
        """Iterations after which a store may write its element again."""
        access = self.access(operation)
        return self.carried(access, access, body)

    def carried(self, first: Access, second: Access, body: Body, free: int = 0) -> int | None:
        """The least distance of a dependence over iterations; None if there is none.

        There is none over those of the `free` innermost loops.
        """
        if body.trip_counts is None:
            return None
        found: list[int] = []
        for level in range(body.outside, min(len(first.loops), len(second.loops)) - free):
            distance = self.known.distance(first, second, level)
            if distance is None:
                continue
            inside = body.trip_counts[level - body.outside :]
            if not inside:
                is_counted = first.loops[level].iteration is not None
                if is_counted and level + 1 == len(first.loops) == len(second.loops):
                    least = self.known.nest_distance(first, second, level, ())
                    distance = max(distance, least)
                found.append(distance)
            elif self.is_same_in_nest(first, second, level):
                found.append(distance * prod(inside))
            else:
                through = len(second.loops) - level <= second.forwarded_loops
                nearest = 1 + (second.forwarded if first.stores and through else 0)
                is_inside = all(
                    len(each.loops) - level == len(inside) + 1 for each in (first, second)
                )
                if body.has_exact_trips and is_inside:
                    nearest = max(nearest, self.known.nest_distance(first, second, level, inside))
                found.append(nearest)
        return min(found, default=None)

    def is_same_in_nest(self, first: Access, second: Access, level: int) -> bool:
        """Whether two accesses meet in equal iterations of all loops inside a level alone.

        Their addresses are one number made of the innermost loop's iterations, and of nothing else
        that changes in the nest.
        """
        if element_of(first) != element_of(second) or len(first.loops) != len(second.loops):
            return False
        inner = first.loops[level + 1 :]
        terms = first.address.terms
        own = [loop.iteration for loop in inner]
        if len(own) != 1 or own[0] is None or own[0] not in terms:
            return False
        return all(
            variable == own[0] or self.accesses.depth[variable] <= level for variable in terms
        )

    def requesters_of(self, operation: memref.LoadOp | memref.StoreOp) -> int:
        """How many accesses of the function take the port of an access, of several the busiest."""
        most = max(self.requesters[port] for port in ports_of(operation))
        return max(1, ceil(most / ports_of_access(operation)))

    def apart(self) -> MemoryOrder:
        """The same, whose ports may be given other accesses."""
        found = copy(self)
        found.requesters = Counter(self.requesters)
        return found

    def add_copy(self, operation: Operation, copied: memref.LoadOp | memref.StoreOp) -> None:
        """A further access, of which is known what is known of another one."""
        self.accesses.add_copy(operation, copied)
        self.requesters.update(ports_of(copied))

    def add_merged(self, merged: memref.LoadOp, load: memref.LoadOp, other: memref.LoadOp) -> None:
        """One load makes the accesses of two, in one iteration one of them."""
        self.accesses.add_merged(merged, load, other)
        self.requesters.update(ports_of(merged))

    def drop(self, operation: memref.LoadOp | memref.StoreOp) -> None:
        """An access that is gone takes no port."""
        self.requesters.subtract(ports_of(operation))

    def root(self, operation: Operation) -> Root:
        """The memory of an access."""
        return self.access(operation).root

    def access(self, operation: Operation) -> Access:
        """The access that an operation is."""
        found = self.accesses.access_of(operation)
        assert found is not None
        return found


def problem_of(body: Body, order: MemoryOrder, units: Units, slots: Slots) -> Problem:
    """The problem whose operation k + 1 is the k-th of the body.

    What shares a unit starts a cycle after the issue at least, so that a register selects it.
    """
    numbers = {op: place for place, op in enumerate(body.operations, 1)}
    capacity = {**slots.units, **port_counts(body.operations)}
    scheduled = [Scheduled("issue")]
    for operation in body.operations:
        each = units.scheduled(operation, latency_of(operation))
        if isinstance(operation, memref.LoadOp | memref.StoreOp):
            entry = each.entry + choice_delay(order.requesters_of(operation))
            each = in_banks(replace(each, entry=entry, resources=ports_of(operation)), operation)
        if kind := slots.kinds.get(operation):
            each = replace(each, entry=each.entry + slots.delays[kind], resources=(kind,))
        scheduled.append(each)
    carried = list(carried_dependences(body, numbers))
    dependences = [
        *data_dependences(body, numbers),
        *carried,
        *memory_dependences(body, numbers, order),
        *(Dependence(ISSUE, numbers[operation], 1) for operation in slots.kinds),
    ]
    for place in words_off_cycles(body.operations, dependences):
        scheduled[place] = replace(scheduled[place], exit=scheduled[place].exit + ram_delay())
        dependences += [
            replace(each, separation=each.separation + 1)
            for each in carried
            if each.source == place and not fits(scheduled, each, units.period)
        ]
    return with_chaining(Problem(scheduled, dependences, units.period, capacity))


def fits(scheduled: Sequence[Scheduled], carried: Dependence, period: float | None) -> bool:
    """Whether the next iteration may read a value as it comes, not from its register."""
    delay = scheduled[carried.source].exit + scheduled[carried.target].entry
    return period is None or delay <= period


def words_off_cycles(
    operations: Sequence[Operation], dependences: Sequence[Dependence]
) -> Iterator[int]:
    """The numbers of loads from RAMs outside, without a register behind them, on no recurrence.

    A register behind such a word makes an iteration longer, and no II.
    """
    begins = [Dependence(ISSUE, place, 0) for place in range(1, len(operations) + 1)]
    cycles = on_cycles([*dependences, *begins])
    recurrent = {end for each in cycles for end in (each.source, each.target)}
    for place, operation in enumerate(operations, 1):
        is_word = isinstance(operation, memref.LoadOp) and is_outside(operation)
        if is_word and latency_of(operation) == 1 and place not in recurrent:
            yield place


def in_banks(each: Scheduled, operation: memref.LoadOp | memref.StoreOp) -> Scheduled:
    """An access with the delays of its bank: from its address, and to its word."""
    partition, banks = partition_of_access(operation), banks_of_access(operation)
    if partition is None:
        return each
    into = split_cost(partition)[1]
    if len(banks) == 1:
        return replace(each, entry=each.entry + into)
    into += gate_delay(address_bits(partition.banks) + 1)
    return replace(each, entry=each.entry + into, exit=each.exit + choice_delay(len(banks)))


def ports_of(operation: memref.LoadOp | memref.StoreOp) -> tuple[str, ...]:
    """The ports that an access takes for a cycle, one of each bank that it may go to."""
    name = port_name(operation)
    if partition_of_access(operation) is None:
        return (name,)
    return tuple(f"{name}, bank {bank}" for bank in banks_of_access(operation))


def port_counts(operations: Iterable[Operation]) -> dict[str, int]:
    """By the name of the ports of one kind of each bank that is accessed: how many there are."""
    return {
        port: ports_of_access(operation)
        for operation in operations
        if isinstance(operation, memref.LoadOp | memref.StoreOp)
        for port in ports_of(operation)
    }


def cycles_of_ports(operations: Iterable[Operation]) -> int:
    """The cycles in which the busiest ports serve each of their accesses once [cycles]."""
    taken: Counter[tuple[str, int]] = Counter()
    for operation in operations:
        if isinstance(operation, memref.LoadOp | memref.StoreOp):
            taken.update((port, ports_of_access(operation)) for port in ports_of(operation))
    return max((ceil(number / count) for (_, count), number in taken.items()), default=0)


def port_name(operation: memref.LoadOp | memref.StoreOp) -> str:
    """The name of the ports that an access may take, without its bank."""
    memory = operation.memref
    owner = memory.owner
    if isinstance(owner, memref.GetGlobalOp):
        name = owner.name_.string_value()
    elif isinstance(memory, BlockArgument):
        name = f"{memory.name_hint or memory.index}@{memory.index}"  # a global may have its name
    else:
        name = f"{name_of(memory)}@{id(memory)}"  # arrays of inlined calls have one name
    return f"{'write' if isinstance(operation, memref.StoreOp) else 'read'} port of {name}"


def data_dependences(body: Body, numbers: Mapping[Operation, int]) -> Iterator[Dependence]:
    """A value is used when it is there: in the same cycle, if nothing is registered.

    An access under a predicate is a stage of its own, so what it uses comes from a register.
    """
    for operation, target in numbers.items():
        predicate = body.predicates.get(operation)
        used = [*operation.operands, *([predicate] if predicate is not None else [])]
        for value in used:
            source = numbers.get(value.op) if isinstance(value, OpResult) else None
            if source is not None and isinstance(value, OpResult):
                latency = latency_of(value.op)
                if predicate is not None:
                    yield Dependence(source, target, max(1, latency))
                else:
                    yield Dependence(source, target, latency, is_data=True)


def carried_dependences(body: Body, numbers: Mapping[Operation, int]) -> Iterator[Dependence]:
    """What the next iteration reads is in a register by then."""
    for argument, value in body.carried.items():
        source = numbers.get(value.op) if isinstance(value, OpResult) else None
        if source is None or not isinstance(value, OpResult):
            continue
        separation = max(1, latency_of(value.op))
        readers = {numbers[use.operation] for use in argument.uses if use.operation in numbers}
        readers |= {numbers[op] for op, each in body.predicates.items() if each is argument}
        for reader in sorted(readers):
            yield Dependence(source, reader, separation, 1)
        if argument in body.at_issue:  # which reads the register, not what comes from its wire
            yield Dependence(source, ISSUE, latency_of(value.op) + 1, 1)


def memory_dependences(
    body: Body, numbers: Mapping[Operation, int], order: MemoryOrder
) -> Iterator[Dependence]:
    """An access follows one that it may meet a cycle later at least, and later behind a channel."""
    accesses = [op for op in numbers if isinstance(op, memref.LoadOp | memref.StoreOp)]
    for place, first in enumerate(accesses):
        if isinstance(first, memref.StoreOp):
            distance = order.own(first, body)
            if distance is not None:
                yield Dependence(numbers[first], numbers[first], 1, distance)
        for second in accesses[place + 1 :]:
            if order.root(first) != order.root(second):
                continue
            for is_forward, distance in order.between(first, second, body):
                source, target = (first, second) if is_forward else (second, first)
                yield Dependence(
                    numbers[source], numbers[target], separation(source, target), distance
                )


def separation(source: Operation, target: Operation) -> int:
    """How long after an access one that depends on it may be made [cycles].

    What a RAM gives where a load meets a store in its cycle is open. Behind a channel a load
    follows the response of a store, and a store that of a load.
    """
    assert isinstance(source, memref.LoadOp | memref.StoreOp)
    is_other = isinstance(source, memref.StoreOp) != isinstance(target, memref.StoreOp)
    return latency_of(source) if is_other and is_behind_channel(source.memref) else 1
