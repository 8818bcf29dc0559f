"""Lanes: the ports of RAMs behind a memory, and which of its accesses go through each.

A memory has a write lane for each bank and one or more read lanes, which are copies of the bank's
port. A lane serves an access a cycle. What goes to several banks has a lane in each of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from loom.dialects.operators.operator import Shape
from loom.dialects.operators.partitions import WHOLE, Partition

ANY = -1
"""In the place of a bank: that of the address, which is known when the access is made."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A port of a RAM: the bank, which copy of its port, and the accesses, in order."""

    bank: int
    copy: int
    accesses: tuple[int, ...]


@dataclass(frozen=True)
class Lanes:
    """The lanes of a memory. `registers`: every load has a port of its own at every bank."""

    partition: Partition | None
    load_banks: tuple[int, ...]
    store_banks: tuple[int, ...]
    loads: tuple[Lane, ...]
    stores: tuple[Lane, ...]
    registers: bool

    @property
    def plain(self) -> bool:
        """True of a memory in one piece with a read and a write port."""
        return self.partition is None and all(lane.copy == 0 for lane in self.loads)

    def is_alone(self, load: int) -> bool:
        """True of a load that no other one shares a port of a RAM with."""
        return not any(load in lane.accesses and len(lane.accesses) > 1 for lane in self.loads)


def lanes_of(shape: Shape, *, registers: bool) -> Lanes:
    """The lanes of an instance of a memory; with `registers`, banks of one element are such."""
    partition = partition_of(shape)
    banks = partition.banks if partition else 1
    loads = banks_said(shape, "load_banks", shape.integer("loads"), banks)
    stores = banks_said(shape, "store_banks", shape.integer("stores"), banks)
    registers = registers and partition is not None and partition.places == 1
    said = shape.attributes.get("ports")
    ports = said if isinstance(said, int) else 1
    copies = tuple(range(len(loads))) if registers else copies_of(loads, ports)
    return Lanes(
        partition,
        loads,
        stores,
        lanes_among(loads, banks, copies),
        lanes_among(stores, banks, (0,) * len(stores)),
        registers,
    )


def copies_of(wanted: Sequence[int], copies: int) -> tuple[int, ...]:
    """Which copy of a bank's port each of the accesses takes: those that may meet take turns."""
    before: Counter[int] = Counter()
    found: list[int] = []
    for bank in wanted:
        known = max(before.values(), default=0) if bank == ANY else before[bank]
        found.append((known + (before[ANY] if bank != ANY else 0)) % copies)
        before[bank] += 1
    return tuple(found)


def lanes_among(wanted: Sequence[int], banks: int, copies: Sequence[int]) -> tuple[Lane, ...]:
    """The lanes of accesses that want these banks, and these copies of their ports."""
    found: list[Lane] = []
    for bank in range(banks):
        for copy in sorted(set(copies)):
            accesses = tuple(
                number
                for number, (each, own) in enumerate(zip(wanted, copies, strict=True))
                if each in (bank, ANY) and own == copy
            )
            if accesses:
                found.append(Lane(bank, copy, accesses))
    return tuple(found)


def banks_said(shape: Shape, name: str, count: int, banks: int) -> tuple[int, ...]:
    """The bank of each of `count` accesses, `ANY` where the instance says none."""
    said = shape.attributes.get(name, ())
    if banks == 1:
        return (0,) * count
    fits = isinstance(said, tuple) and len(said) == count
    return said if isinstance(said, tuple) and fits else (ANY,) * count


def requesters_of(shape: Shape, name: str) -> tuple[int, ...]:
    """The requester of each access of a memory in one piece; `name` is load or store.

    Accesses of one requester are never requested in one cycle. Where the instance says nothing,
    each is one of its own.
    """
    count = shape.integer(f"{name}s")
    said = shape.attributes.get(f"{name}_requesters", ())
    return said if isinstance(said, tuple) and said else tuple(range(count))


def partition_of(shape: Shape) -> Partition | None:
    """The partition of an instance's array, None where it lies in one piece."""
    found = shape.attributes.get("partition", WHOLE)
    assert isinstance(found, Partition)
    return None if found == WHOLE else found


def least_cycles(lanes: Sequence[Lane], wanted: Sequence[int]) -> int:
    """The least cycles in which each of the accesses is served once [cycles].

    Those whose bank is not known may all find the lane that has least to do.
    """
    known = [sum(wanted[access] != ANY for access in lane.accesses) for lane in lanes]
    return max(*known, -(-len(wanted) // max(1, len(lanes))), 0) if known else 0


def banks_misfit(shape: Shape) -> tuple[str, str] | None:
    """What is wrong with the banks that an instance says, if anything."""
    partition = partition_of(shape)
    banks = partition.banks if partition else 1
    for name, count in (("load_banks", "loads"), ("store_banks", "stores")):
        said = shape.attributes.get(name, ())
        assert isinstance(said, tuple)
        if said and len(said) != shape.integer(count):
            return f"{len(said)} {name}", f"one for each of {shape.integer(count)} {count}"
        if any(not ANY <= bank < banks for bank in said):
            return f"{name} {list(said)}", f"banks below {banks}, or {ANY} for any"
    return requesters_misfit(shape)


def requesters_misfit(shape: Shape) -> tuple[str, str] | None:
    """What is wrong with the requesters that an instance says, if anything."""
    for side in ("load", "store"):
        name, count = f"{side}_requesters", shape.integer(f"{side}s")
        said = shape.attributes.get(name, ())
        assert isinstance(said, tuple)
        if said and len(said) != count:
            return f"{len(said)} {name}", f"one for each of {count} {side}s"
        if sorted(set(said)) != list(range(len(set(said)))):
            return f"{name} {list(said)}", "numbers from 0 on, none left out"
        if said and not lanes_of(shape, registers=False).plain:
            return f"{name} of a memory in banks", "those of a memory in one piece"
    return None
