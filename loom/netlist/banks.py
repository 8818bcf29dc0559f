"""The memories that a circuit shows outside: a bank is a memory of its own there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from loom.dialects.operators.operator import Shape
from loom.dialects.operators.partitions import Partition
from loom.netlist.netlist import Memory, Netlist


@dataclass(frozen=True)
class OutsideBank:
    """A memory outside of `words` [words], with the ports that the circuit has for it.

    `positions` are the places of its words in the array, None for a word that holds none. Behind
    channels `elements_a_word` are packed into one word of the pins, the first one lowest; `words`
    are elements there.
    """

    array: Memory
    name: str
    words: int
    loads: bool
    stores: bool
    positions: Sequence[int | None]
    elements_a_word: int = 1

    @property
    def outside_words(self) -> int:
        """The words that the pins address."""
        return -(-self.words // self.elements_a_word)

    @property
    def word_width(self) -> int:
        """The word at the pins [bits]."""
        return self.array.width * self.elements_a_word

    @property
    def address_width(self) -> int:
        """The address at the pins [bits]."""
        return max(1, (self.outside_words - 1).bit_length())


def bank_name(array: str, bank: int) -> str:
    """What the ports of a bank begin with."""
    return f"{array}_{bank}"


def bank_names(array: str, partition: Partition | None) -> list[str]:
    """The names of the banks of an array, or its own where it lies in one piece."""
    if partition is None:
        return [array]
    return [bank_name(array, bank) for bank in range(partition.banks)]


def banks_of(memory: Memory, shape: Shape) -> Iterator[OutsideBank]:
    """The banks of a memory outside, as the unit of this shape sees it; one if it is whole."""
    lanes = memory.kind.lanes_of(shape)
    read, written = ({lane.bank for lane in each} for each in (lanes.loads, lanes.stores))
    if lanes.partition is None:
        whole = range(memory.depth)
        packed = memory.kind.elements_a_word(shape)
        yield OutsideBank(memory, memory.name, memory.depth, 0 in read, 0 in written, whole, packed)
        return
    for bank, positions in enumerate(lanes.partition.positions):
        name = bank_name(memory.name, bank)
        words = lanes.partition.places
        yield OutsideBank(memory, name, words, bank in read, bank in written, positions)


def banks_outside(netlist: Netlist) -> Iterator[OutsideBank]:
    """The banks of the memories outside that a unit serves, in the netlist's order."""
    by_name = {unit.attributes.get("memory"): unit for unit in netlist.units}
    for memory in netlist.memories_outside:
        unit = by_name.get(memory.name)
        if unit is not None:
            yield from banks_of(memory, netlist.shape_by_unit[unit.name])


def words_of_bank(bank: OutsideBank, words: Sequence[int]) -> list[int]:
    """The bank's words of an array's; 0 where it holds none."""
    return [0 if at is None else words[at] for at in bank.positions]


def gathered(
    banks: Iterable[OutsideBank], words: Mapping[str, Sequence[int]]
) -> dict[str, tuple[int, ...]]:
    """The arrays' words from those of all their banks, which are named by their own names."""
    found: dict[str, list[int]] = {}
    for bank in banks:
        array = found.setdefault(bank.array.name, [0] * bank.array.depth)
        for at, word in zip(bank.positions, words[bank.name], strict=True):
            if at is not None:
                array[at] = word
    return {name: tuple(array) for name, array in found.items()}
