"""No cycle asks for more than there is, and memory is accessed in order: rules 10 and 11."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.arrays import banks_of_access, identity_of, partition_of_access
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import find
from loom.dialects.ops.staticlogic import Access, Dependence, PipelineOp, Ports, latency_of
from loom.dialects.ops.types import DEFAULT_INDEX_WIDTH
from loom.dialects.schedules.findings import broken, name_of
from loom.errors import LoomError


def resource_problems(op: PipelineOp) -> Iterator[LoomError]:
    """Ports and units that are used twice in one cycle, and dependences that are broken."""
    starts = {inner: start for start, inner in op.scheduled}
    for memory, ports in op.ports.items():
        yield from port_problems(op, memory, ports, starts)
    for name, count in op.units.items():
        yield from unit_problems(op, name, count, starts)
    accesses = op.accesses
    for dependence in op.dependences:
        yield from dependence_problems(op, dependence, accesses, starts)


def port_problems(
    op: PipelineOp, memory: SSAValue, ports: Ports, starts: dict[Operation, int]
) -> Iterator[LoomError]:
    """Accesses of a memory, or of a bank of it, that meet in one cycle modulo II."""
    own = identity_of(memory)
    accesses = [access for access in op.accesses if identity_of(access.memref) == own]
    by_bank: dict[int, list[Access]] = {}
    for access in accesses:
        for bank in banks_of_access(access):
            by_bank.setdefault(bank, []).append(access)
    is_whole = all(partition_of_access(access) is None for access in accesses)
    for bank, found in sorted(by_bank.items()):
        name = f"memref '{name_of(memory)}'" if is_whole else f"bank {bank} of '{name_of(memory)}'"
        problems = list(bank_problems(op, name, found, ports, starts))
        yield from problems
        if problems:
            return


def bank_problems(
    op: PipelineOp, name: str, accesses: list[Access], ports: Ports, starts: dict[Operation, int]
) -> Iterator[LoomError]:
    """Accesses of one bank that meet in one cycle modulo II."""
    loads = [access for access in accesses if isinstance(access, memref.LoadOp)]
    stores = [access for access in accesses if isinstance(access, memref.StoreOp)]
    groups: list[tuple[str, int, list[Access]]] = [
        ("read", ports.reads, [*loads]),
        ("write", ports.writes, [*stores]),
    ]
    if ports.shared:
        groups = [("read and write", ports.shared, accesses)]
    for word, count, members in groups:
        for cycle, together in by_cycle(op, members, starts):
            if len(together) > count:
                what = (
                    f"{name} has {len(together)} accesses in cycle {cycle} "
                    f"mod II {op.ii} but {count} {word} port{'' if count == 1 else 's'}"
                )
                accepted = "accesses in other cycles modulo II, or more ports"
                yield broken(together[count], "STATIC_PORTS", what, accepted)


def by_cycle(
    op: PipelineOp, members: list[Access], starts: dict[Operation, int]
) -> Iterator[tuple[int, list[Operation]]]:
    """The operations that start in each cycle modulo II."""
    groups: dict[int, list[Operation]] = {}
    for member in members:
        groups.setdefault(starts[member] % op.ii, []).append(member)
    yield from sorted(groups.items())


def unit_problems(
    op: PipelineOp, name: str, count: int, starts: dict[Operation, int]
) -> Iterator[LoomError]:
    """Operations of one kind that ask for more units than there are, in one cycle modulo II."""
    row = find(name)
    if row is None:
        what = f"'res' of {name}, which is no operator"
        yield broken(op, "STATIC_LIMITS", what, "names of operators, such as arith.muli")
        return
    # A unit that is not pipelined takes an operation every so many cycles.
    slots: dict[int, list[Operation]] = {}
    for inner in (each for each in starts if each.name == name):
        interval = row.hardware.interval_of(shape_of(inner, row, DEFAULT_INDEX_WIDTH))
        for busy in range(interval):
            slots.setdefault((starts[inner] + busy) % op.ii, []).append(inner)
    for cycle, together in sorted(slots.items()):
        if len(together) > count:
            what = (
                f"operator '{name}' has {len(together)} operations in cycle {cycle} mod II "
                f"{op.ii} but {count} unit{'' if count == 1 else 's'}"
            )
            accepted = "operations in other cycles modulo II, or more units"
            yield broken(together[count], "STATIC_UNITS", what, accepted)


def dependence_problems(
    op: PipelineOp, given: Dependence, accesses: list[Access], starts: dict[Operation, int]
) -> Iterator[LoomError]:
    """The second access comes a cycle after the first; a store is seen when it has its latency."""
    ends = [(given.source_kind, given.source), (given.target_kind, given.target)]
    for kind, number in ends:
        found = "there is none"
        if number < len(accesses):
            found = f"access {number} is a {kind_of(accesses[number])}"
        if found != f"access {number} is a {kind}":
            what = f"'memdep' names {kind} {number}, but {found}"
            accepted = "numbers of the accesses in the order of the text, from 0"
            yield broken(op, "STATIC_DEPENDENCE", what, accepted)
            return
    first, second = accesses[given.source], accesses[given.target]
    before, after = starts[first], starts[second]
    # What a load gives in the cycle of a store to its element is open.
    apart = max(1, latency_of(first)) if isinstance(first, memref.StoreOp) else 1
    if isinstance(first, memref.LoadOp) and isinstance(second, memref.LoadOp):
        return
    if before + apart > after + given.distance * op.ii:
        what = (
            f"{accessed(first)} at cycle {before} and {kind_of(second)} at cycle {after} of the "
            f"iteration {given.distance} later need {before + apart} <= "
            f"{after} + {given.distance}*II({op.ii})"
        )
        accepted = "schedules that keep the order of the accesses"
        yield broken(second, "STATIC_DEPENDENCE", what, accepted)


def kind_of(access: Access) -> str:
    """``load`` or ``store``."""
    return "load" if isinstance(access, memref.LoadOp) else "store"


def accessed(access: Access) -> str:
    """``store to 'A'`` or ``load of 'A'``."""
    word = "of" if isinstance(access, memref.LoadOp) else "to"
    return f"{kind_of(access)} {word} '{name_of(access.memref)}'"
