"""What LOOM asks of a memory, as one record: each kind of memory is a value of it, below.

An access is a token at a port of the unit that serves the array. Accesses at one port are served in
their order, those at different ports in any. A done token says that the access is served: a load
that waits for a store's finds the element that was stored. Behind channels an instance may also
give a token once it has accepted a store: the store is not served yet, but later ones come behind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loom.dialects.operators.lanes import (
    Lanes,
    banks_misfit,
    lanes_of,
    least_cycles,
    partition_of,
)
from loom.dialects.operators.operator import (
    AttributeValue,
    Shape,
)
from loom.elements import Elements, repeat_element

DONE_LATENCY = 1
"""From an access that is accepted to its done token, of memories that are RAMs [cycles]."""
ACCEPTED_LATENCY = 1
"""From a store that is accepted to the token that says so, behind channels [cycles]."""
MOST_OUTSTANDING = 1024
"""Requests that one channel of a memory may have without an answer [requests]."""
PACKS = (32, 64, 128)
"""Words that elements behind channels may be packed into [bits]."""
CHANNEL_REGISTER = 1
"""From an access that is accepted to its request at a channel outside [cycles]."""
SMALL_DEPTH = 16
"""Words of one cell of LUT RAM, in an ECP5; other devices have 32 or 64 [elements]."""


def address_bits(depth: int) -> int:
    """Bits of an address of a RAM of so many elements [bits]."""
    return max(1, (depth - 1).bit_length())


def compares_addresses(shape: Shape, bits: int, depth: int) -> bool:
    """Whether a memory of `depth` [elements] holds addresses of `bits` [bits] against its size.

    It does unless every address of so many bits is inside, or the program shows that all are.
    """
    proved = shape.attributes.get("in_range", False) and bits <= address_bits(depth)
    return 1 << bits > depth and not proved


@dataclass(frozen=True)
class MemoryKind:
    """One kind of memory. Nothing outside this file compares kinds: it asks them.

    `template` is that of the unit, `storage` that of its RAMs, also in their modules' names.
    `is_outside`: the RAMs lie beside the circuit, which has ports for them, and hold what the
    activation gives. `is_written`: there may be stores. `latencies` are those from a load to its
    datum that an instance may choose [cycles], `read_ports` the numbers of read ports of a bank;
    the first is the usual one. `has_registers`: a bank of one element is a register. `answers`: its
    ports are channels of requests and responses, an access is done when it is answered, and an
    instance may choose how many requests are `outstanding`, and `pack` elements into wider words.
    `word` is what a user calls a kind of memory outside.
    """

    name: str
    template: str
    is_outside: bool
    is_written: bool = True
    storage: str = "ram"
    latencies: Sequence[int] = (1,)
    read_ports: tuple[int, ...] = (1,)
    has_registers: bool = False
    answers: bool = False
    word: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def options(self) -> Mapping[str, Sequence[AttributeValue]]:
        """What an instance may say about its hardware."""
        found: dict[str, Sequence[int]] = {"latency": self.latencies, "ports": self.read_ports}
        if self.answers:
            found["outstanding"] = range(1, MOST_OUTSTANDING + 1)
            found["pack"] = PACKS
        return {name: choices for name, choices in found.items() if len(choices) > 1}

    def misfit(self, shape: Shape) -> tuple[str, str] | None:
        """What is wrong with the accesses or banks that an instance says, if anything."""
        stores = shape.integer("stores")
        if stores and not self.is_written:
            return f"{stores} stores to a memory that is {self.name}", "loads alone"
        if partition_of(shape) is not None and not self.may_have_banks:
            return f"banks of a memory that is {self.name}", "a memory in one piece"
        if shape.attributes.get("accepts") and not self.answers:
            return f"accepts of a memory that is {self.name}", "a memory behind channels"
        pack = said_number(shape, "pack")
        wrong = pack_misfit(pack, element_width(shape)) if pack else None
        return wrong or banks_misfit(shape)

    @property
    def may_have_banks(self) -> bool:
        """Whether a memory may be partitioned."""
        return not self.answers

    def sides(self, sides: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Of pairs of stores and loads those that an instance may have."""
        return [(stores, loads) for stores, loads in sides if self.is_written or not stores]

    def is_small(self, depth: int) -> bool:
        """Whether a RAM of so many words [elements] may be one of LUTs: it lies in the circuit."""
        return not self.is_outside and depth <= SMALL_DEPTH

    def lanes_of(self, shape: Shape) -> Lanes:
        """The ports of RAMs behind an instance, and the accesses that go through each."""
        return lanes_of(shape, registers=self.has_registers)

    def ports_of(self, shape: Shape) -> tuple[int, int]:
        """How many loads and how many stores an instance serves in a cycle at best, 1 at least."""
        lanes = self.lanes_of(shape)
        return max(1, len(lanes.loads)), max(1, len(lanes.stores))

    def loads_alone(self, shape: Shape) -> frozenset[int]:
        """The loads whose RAM holds the datum until it is taken: no other access reads there.

        Ready passes from the datum of such a load to its address, and nowhere else.
        """
        if self.answers or self.latency_of(shape) != 1:
            return frozenset()
        lanes = self.lanes_of(shape)
        return frozenset(k for k in range(shape.integer("loads")) if lanes.is_alone(k))

    def ways_of(self, shape: Shape) -> Mapping[str, str]:
        """The ways of ready: from the datum of a load alone to its address; others have none."""
        found = dict.fromkeys(self._outputs(shape), "out")
        for load in self.loads_alone(shape):
            found[f"ld_address{load}"] = found[f"ld_data{load}"] = f"load{load}"
        return found

    def _outputs(self, shape: Shape) -> list[str]:
        loads = range(shape.integer("loads"))
        dones = [f"st_done{k}" for k in range(shape.integer("stores"))]
        accepted = [done.replace("done", "accepted") for done in dones]
        tokens = [*dones, *(f"ld_done{k}" for k in loads)]
        return [f"ld_data{k}" for k in loads] + tokens + accepted * self.accepts(shape)

    def accepts(self, shape: Shape) -> bool:
        """Whether an instance says of each store that it is accepted."""
        return bool(shape.attributes.get("accepts", False))

    def latency_of(self, shape: Shape) -> int:
        """From an access to the last token that comes of it [cycles]."""
        if self.answers:
            return self.stated_latency(shape) + CHANNEL_REGISTER
        return self.stated_latency(shape) if shape.attributes["loads"] else DONE_LATENCY

    def stated_latency(self, shape: Shape) -> int:
        """From a request at the RAM, or at the channel outside, to its answer [cycles]."""
        said = shape.attributes.get("latency")
        return said if isinstance(said, int) and said in self.latencies else self.latencies[0]

    def done_latency_of(self, shape: Shape) -> int:
        """From an access to its done token [cycles]."""
        return self.latency_of(shape) if self.answers else DONE_LATENCY

    def outstanding_of(self, shape: Shape) -> int:
        """How many requests a channel may have without an answer [requests].

        As many as an instance says; else so many that an access is accepted in every cycle.
        """
        return said_number(shape, "outstanding") or self.latency_of(shape) + 1

    def elements_a_word(self, shape: Shape) -> int:
        """How many elements a word outside has [elements]."""
        pack = said_number(shape, "pack")
        return pack // element_width(shape) if pack else 1

    def interval_of(self, shape: Shape) -> int:
        """The least cycles in which each port is served once [cycles]."""
        lanes = self.lanes_of(shape)
        loads = least_cycles(lanes.loads, lanes.load_banks)
        return max(loads, least_cycles(lanes.stores, lanes.store_banks))

    def initial_elements(
        self, contents: Elements | None, depth: int, *, is_written: bool
    ) -> Elements | None:
        """What the RAMs of the circuit hold at first; None if that is not known to it.

        Zeros where the program gives nothing and nothing is ever written.
        """
        if self.is_outside:
            return None
        if contents is None:
            return None if is_written else repeat_element(0, depth)
        return contents


def said_number(shape: Shape, name: str) -> int:
    """What an instance says of itself by this name; 0 where it says nothing."""
    said = shape.attributes.get(name)
    return said if isinstance(said, int) else 0


def element_width(shape: Shape) -> int:
    """The width of an element [bits]; of a memory that nothing accesses it is 1."""
    return shape.outputs[0] if shape.integer("loads") else next(iter(shape.inputs), 1)


def pack_misfit(pack: int, width: int) -> tuple[str, str] | None:
    """What is wrong with elements of `width` in words of `pack` [bits]; no pack is 0."""
    lanes, rest = divmod(pack, width)
    if pack and (width % 8 or rest or lanes & (lanes - 1)):
        what = f"pack={pack} of elements of {width} bit{'s' * (width > 1)}"
        return what, "elements of 8, 16, 32, 64 or 128 bits that are no wider than the word"
    return None


INTERNAL = MemoryKind(
    "internal",
    "memory/internal",
    is_outside=False,
    latencies=(1, 2),
    read_ports=(1, 2),
    has_registers=True,
)
EXTERNAL = MemoryKind(
    "external", "memory/external", is_outside=True, latencies=(1, 2, 3), word="ram"
)
CHANNEL = MemoryKind(
    "channel",
    "memory/channel",
    is_outside=True,
    latencies=range(1, MOST_OUTSTANDING),
    answers=True,
    word="channel",
)
ROM = replace(INTERNAL, name="rom", is_written=False, storage="rom")
KINDS: Mapping[str, MemoryKind] = {kind.name: kind for kind in (INTERNAL, EXTERNAL, CHANNEL, ROM)}
"""The kinds of memory, by the name that a netlist's text has for each."""
OUTSIDE_KINDS = {kind.word: kind for kind in KINDS.values() if kind.is_outside}
"""The kinds of memory that an argument may be, by what a user calls them."""
