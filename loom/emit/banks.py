"""What a memory in banks reads of its banks: lanes, RAMs, and addresses as bank and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

from loom.dialects.operators.lanes import ANY, Lanes
from loom.dialects.operators.partitions import Partition
from loom.elements import Elements, encode_elements
from loom.emit.rams import Ram
from loom.netlist.netlist import Memory


@dataclass(frozen=True)
class Banked:
    """A memory in several banks, or with several copies of a bank's port.

    `address_bits` are those of an address channel, `bits` of an address in the whole array,
    `bank_bits` and `place_bits` of its bank and its place there [bits]. `rams` are by bank; none
    has two readers but a `twin`.
    """

    lanes: Lanes
    depth: int
    elements: int
    banks: int
    address_bits: int
    bits: int
    bank_bits: int
    place_bits: int
    rams: Mapping[int, Ram]

    def at(self, net: str) -> str:
        """The address on the net of a channel, as an expression of `bits`."""
        if self.address_bits < self.bits:
            return f"{self.bits}'({net})"
        return f"{net}[{self.bits - 1}:0]"

    def place(self, net: str) -> str:
        """The place in its bank of the address on a net, as an expression of `place_bits`."""
        return narrowed(split_text(self.partition, net, self.bits)[1], self.bits, self.place_bits)

    def bank(self, net: str) -> str:
        """The bank of the address on a net, as an expression of `bank_bits`."""
        return narrowed(split_text(self.partition, net, self.bits)[0], self.bits, self.bank_bits)

    @property
    def partition(self) -> Partition | None:
        """How the array is partitioned, if it is."""
        return self.lanes.partition

    @property
    def any(self) -> int:
        """In the place of a bank that is not known."""
        return ANY

    def readers(self, bank: int) -> list[int]:
        """The numbers of the bank's read lanes."""
        return [k for k, lane in enumerate(self.lanes.loads) if lane.bank == bank]

    def writer(self, bank: int) -> int | None:
        """The number of the bank's write lane, if it is written."""
        found = (k for k, lane in enumerate(self.lanes.stores) if lane.bank == bank)
        return next(found, None)

    def lanes_for(self, stores: bool, access: int) -> list[tuple[int, int]]:
        """The lanes that an access may take, each with its place among the lane's accesses."""
        lanes = self.lanes.stores if stores else self.lanes.loads
        return [
            (number, lane.accesses.index(access))
            for number, lane in enumerate(lanes)
            if access in lane.accesses
        ]


def bits_for(count: int) -> int:
    """Bits that number so many things, one at least [bits]."""
    return max(1, (count - 1).bit_length())


def banked(lanes: Lanes, memory: Memory, rams: Mapping[int, Ram], address_bits: int) -> Banked:
    """What the text of the memory's module needs; its address channels have `address_bits`."""
    partition = lanes.partition
    elements, banks = (partition.places, partition.banks) if partition else (memory.depth, 1)
    bits = bits_for(memory.depth)
    split = bits_for(banks), bits_for(elements)
    return Banked(lanes, memory.depth, elements, banks, address_bits, bits, *split, rams)


def bank_elements(memory: Memory, partition: Partition | None, bank: int) -> Elements | None:
    """The initial elements of a bank, zeros where it holds none; None if the memory has none."""
    if memory.contents is None or partition is None:
        return memory.contents
    places = partition.positions[bank]
    return encode_elements(0 if at is None else memory.contents[at] for at in places)


def split_text(partition: Partition | None, net: str, bits: int) -> tuple[str, str]:
    """Bank and place of the address on `net` of `bits` [bits], as expressions as wide."""
    if partition is None:
        return constant(0, bits), net
    banks, places = list[str](), list[str]()
    bank_weight = place_weight = 1
    rest, limit = net, partition.depth
    for number, axis in enumerate(reversed(partition.axes)):
        last = number == len(partition.axes) - 1
        index = rest if last else remainder(rest, axis.size, limit, bits)
        if not last:
            rest, limit = quotient(rest, axis.size, limit, bits), limit // axis.size
        high = quotient(index, axis.step, axis.size, bits) if axis.scheme else index
        low = remainder(index, axis.step, axis.size, bits) if axis.scheme else ""
        if axis.scheme:
            bank, place = (low, high) if axis.scheme == "%" else (high, low)
            banks.append(times(bank, bank_weight, bits))
            places.append(times(place, place_weight, bits))
        else:
            places.append(times(index, place_weight, bits))
        bank_weight, place_weight = bank_weight * axis.banks, place_weight * axis.places
    return total(banks, bits), total(places, bits)


def narrowed(text: str, bits: int, wanted: int) -> str:
    """The lowest `wanted` bits of an expression of `bits` [bits]."""
    if wanted == bits:
        return text
    return f"{wanted}'{text}" if is_enclosed(text) else f"{wanted}'({text})"


def is_enclosed(text: str) -> bool:
    """True of an expression that one pair of parentheses holds."""
    depths = list(accumulate((c == "(") - (c == ")") for c in text))
    return text.startswith("(") and 0 not in depths[:-1]


def constant(value: int, bits: int) -> str:
    """A number."""
    return f"{bits}'d{value}"


def times(text: str, factor: int, bits: int) -> str:
    """A product by a constant."""
    if factor == 1 or text == constant(0, bits):
        return text
    if factor & (factor - 1) == 0:
        return f"({text} << {factor.bit_length() - 1})"
    return f"({text} * {constant(factor, bits)})"


def total(terms: list[str], bits: int) -> str:
    """The sum of what is not 0."""
    real = [term for term in terms if term != constant(0, bits)]
    return " + ".join(real) if real else constant(0, bits)


def quotient(text: str, divisor: int, limit: int, bits: int) -> str:
    """What `text`, which is below `limit`, is divided by a constant, rounded down.

    By a constant that is no power of two: the number times the reciprocal, rounded up, of so many
    places that it is exact below the limit.
    """
    if divisor == 1:
        return text
    if divisor >= limit:
        return constant(0, bits)
    if divisor & (divisor - 1) == 0:
        return f"({text} >> {divisor.bit_length() - 1})"
    places, reciprocal = exact_reciprocal(divisor, limit)
    wide = bits + reciprocal.bit_length()
    return f"{bits}'(({wide}'({text}) * {wide}'d{reciprocal}) >> {places})"


def remainder(text: str, divisor: int, limit: int, bits: int) -> str:
    """The rest of the division of `text`, which is below `limit`."""
    if divisor == 1:
        return constant(0, bits)
    if divisor >= limit:
        return text
    if divisor & (divisor - 1) == 0:
        return f"({text} & {constant(divisor - 1, bits)})"
    whole = quotient(text, divisor, limit, bits)
    return f"({text} - {times(whole, divisor, bits)})"


def exact_reciprocal(divisor: int, limit: int) -> tuple[int, int]:
    """Places p and m with ``n * m >> p == n // divisor`` for all n below `limit`.

    m is 2^p / divisor rounded up; that is exact where m * divisor - 2^p times the limit stays below
    2^p (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994).
    """
    places = 0
    while True:
        reciprocal = -(-(1 << places) // divisor)
        if (reciprocal * divisor - (1 << places)) * limit < (1 << places):
            return places, reciprocal
        places += 1
