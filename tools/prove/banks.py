"""What a proof knows of a memory in banks: its lanes, tables of addresses, where words stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from loom.dialects.operators.lanes import ANY, Lane
from loom.dialects.operators.partitions import Axis, Partition
from loom.emit.banks import Banked, bits_for
from tools.prove.units import ProofUnit


@dataclass(frozen=True)
class ProofLane:
    """A lane: the name of its nets outside, when each of its accesses is taken, their addresses.

    `arbiter` is the register of the arbiter, empty where there is none.
    """

    name: str
    takes: tuple[str, ...]
    nets: tuple[str, ...]
    arbiter: str


@dataclass(frozen=True)
class ProofBanks:
    """The banks of the memory of a unit."""

    unit: ProofUnit
    banked: Banked

    @property
    def depth(self) -> int:
        """Words of the array [words]."""
        return self.banked.depth

    @cached_property
    def partition(self) -> Partition:
        """The partition of the array; one bank where there is none."""
        return self.banked.partition or Partition((Axis(self.depth),))

    @property
    def stores(self) -> int:
        """Stores that the unit serves."""
        return len(self.banked.lanes.store_banks)

    @property
    def bits(self) -> int:
        """Of a bank's number [bits]."""
        return self.banked.bank_bits

    @property
    def place_bits(self) -> int:
        """Of a place in a bank [bits]."""
        return self.banked.place_bits

    @property
    def splits(self) -> list[tuple[int, int]]:
        """Bank and place of every number that an address can be; of one outside the first."""
        addresses = range(1 << self.unit.module.widths["A_WIDTH"])
        return [self.partition.split(a) if a < self.depth else (0, 0) for a in addresses]

    @property
    def table_bits(self) -> int:
        """Bits of the table of banks [bits]."""
        return len(self.splits) * self.bits

    @property
    def place_table_bits(self) -> int:
        """Bits of the table of places [bits]."""
        return len(self.splits) * self.place_bits

    @property
    def bank_table(self) -> str:
        """The bank of each address, that of 0 lowest."""
        return table([bank for bank, _ in self.splits], self.bits)

    @property
    def place_table(self) -> str:
        """The place of each address, that of 0 lowest."""
        return table([place for _, place in self.splits], self.place_bits)

    def bank(self, net: str) -> str:
        """The bank of the address on a net."""
        return f"banks_of_addresses[32'({net}) * {self.bits} +: {self.bits}]"

    def place(self, net: str) -> str:
        """The place of the address on a net."""
        return f"places_of_addresses[32'({net}) * {self.place_bits} +: {self.place_bits}]"

    @property
    def promised(self) -> list[tuple[str, int]]:
        """The addresses whose bank is known, and which it is."""
        lanes = self.banked.lanes
        sides = (("st", lanes.store_banks), ("ld", lanes.load_banks))
        return [
            (f"{side}_address{k}_data", bank)
            for side, banks in sides
            for k, bank in enumerate(banks)
            if bank != ANY and self.partition.banks > 1
        ]

    @property
    def lanes(self) -> list[tuple[str, ProofLane]]:
        """The lanes of stores, then of loads; registers have none to read."""
        lanes = self.banked.lanes
        sides = [("st", "wr", lanes.stores, lanes.store_banks)]
        if not lanes.registers:
            sides.append(("ld", "rd", lanes.loads, lanes.load_banks))
        return [
            (side, self.lane(side, verb, number, lane, banks))
            for side, verb, listed, banks in sides
            for number, lane in enumerate(listed)
        ]

    def lane(
        self, side: str, verb: str, number: int, lane: Lane, banks: Sequence[int]
    ) -> ProofLane:
        """One lane as the proof sees it."""
        nets = tuple(f"{side}_address{k}" for k in lane.accesses)
        here = f"{self.bits}'d{lane.bank}"
        takes = tuple(
            f"({net}_taken & {self.bank(net + '_data')} == {here})"
            if banks[k] == ANY
            else f"{net}_taken"
            for net, k in zip(nets, lane.accesses, strict=True)
        )
        copy = f"_copy{lane.copy}" if lane.copy else ""
        arbiter = f"dut.{verb}{number}_arbiter.behind_q" if len(nets) > 1 else ""
        return ProofLane(f"m_{lane.bank}{copy}_{verb}", takes, nets, arbiter)

    @property
    def read(self) -> list[int]:
        """The banks that are read."""
        return sorted({lane.bank for lane in self.banked.lanes.loads})

    def rivals(self, side: str, access: int) -> int:
        """Accesses that share a lane with this one, itself among them, at most."""
        lanes = self.banked.lanes
        if side == "ld" and lanes.registers:
            return 1
        listed = lanes.stores if side == "st" else lanes.loads
        return max(len(lane.accesses) for lane in listed if access in lane.accesses)

    def arrives(self, bank: str, access: int) -> str:
        """The word that an outside RAM gives for a load; `bank` is a net with the one asked."""
        banks = [lane.bank for lane in self.banked.lanes.loads if access in lane.accesses]
        *others, last = banks
        chosen = [f"{bank} == {self.bits}'d{each} ? m_{each}_rd_data_i : " for each in others]
        return "".join(chosen) + f"m_{last}_rd_data_i"

    def instances(self, bank: int) -> Iterator[tuple[str, str, Lane | None]]:
        """The RAMs of a bank that is read, the prefix of each port, and the lane there."""
        lanes = [lane for lane in self.banked.lanes.loads if lane.bank == bank]
        if self.banked.lanes.registers:
            yield f"dut.bank{bank}", "", None
        elif self.banked.rams[bank].ports == "true_dual":
            for prefix, lane in zip("ab", lanes, strict=True):
                yield f"dut.bank{bank}", f"{prefix}_", lane
        else:
            for lane in lanes:
                copy = f"_copy{lane.copy}" if lane.copy else ""
                yield f"dut.bank{bank}{copy}", "", lane

    @property
    def words(self) -> Iterator[tuple[int, str]]:
        """Every address that is read, with the nets where its word stands."""
        for address in range(self.depth):
            bank, place = self.partition.split(address)
            if bank not in self.read:
                continue
            if self.banked.lanes.registers:
                yield address, f"dut.bank{bank}_word"
                continue
            for name in dict.fromkeys(name for name, _, _ in self.instances(bank)):
                yield address, f"{name}.word_q[{place}]"

    def reads(self, access: int, latency: int) -> Iterator[tuple[int, str, str]]:
        """By address, where the word that a load has asked for is read, and where it leaves."""
        known = self.banked.lanes.load_banks[access]
        for address in range(self.depth):
            bank, _ = self.partition.split(address)
            if known not in (bank, ANY):
                continue
            if self.banked.lanes.registers:
                first = "_before_q" if latency == 2 else "_q"
                yield address, f"dut.ld_read{access}{first}", f"dut.ld_read{access}_q"
                continue
            for name, prefix, lane in self.instances(bank):
                if lane is not None and access in lane.accesses:
                    yield address, f"{name}.{prefix}read_q", f"{name}.{prefix}output_q"

    def any_bank(self, access: int) -> bool:
        """Whether a load finds its bank by its address."""
        return self.banked.lanes.load_banks[access] == ANY

    def held_ports(self, alone: Collection[int]) -> list[str]:
        """The ports outside at which these loads read."""
        lanes = self.banked.lanes.loads
        return [f"m_{lane.bank}_rd" for lane in lanes if set(lane.accesses) <= set(alone)]

    def asked(self, access: int, address: int, before: bool) -> str:
        """That the load knows which bank it has asked, where it has to."""
        lanes = self.banked.lanes
        if lanes.load_banks[access] != ANY or lanes.registers:
            return ""
        bank, _ = self.partition.split(address)
        kept = f"dut.ld_bank{access}{'_before' if before else ''}_q"
        return f" && {kept} == {self.bits}'d{bank}"


def banks_of(unit: ProofUnit) -> ProofBanks | None:
    """The banks of a unit's memory, None where it is in one piece with a port a side."""
    array = unit.module.array
    return None if array is None or array.banked is None else ProofBanks(unit, array.banked)


def table(values: Sequence[int], bits: int) -> str:
    """The values as one number, the first lowest."""
    number = sum(value << bits * k for k, value in enumerate(values))
    assert bits == bits_for(max(1 << bits, 2))
    return f"{len(values) * bits}'d{number}"
