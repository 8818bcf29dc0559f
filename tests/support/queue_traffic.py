"""Random accesses through a load-store queue and a memory, in the order of a program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from loom.dialects.operators.operator import Shape
from loom.dialects.operators.ordering.load_store_queue import Groups, queue_ports
from loom.netlist.netlist import Netlist
from tests.support.netlists import NetlistBuilder

SIZE = 8
"""Of the array [elements]."""
ADDRESS, WORD = "i3", "i8"
CASES: Mapping[str, Mapping[str, int]] = {
    "ls": {},
    "ls,l": {"depth": 3, "outstanding": 2},
    "l,s": {"depth": 2, "addresses": 2},
    "lls,s": {"depth": 5, "addresses": 3},
    "sls,ssl": {"depth": 4, "outstanding": 6},
    "l,s,ls,sl": {"depth": 8, "latency": 3},
}
"""What each queue is like beside its groups."""


@dataclass(frozen=True)
class Traffic:
    """A circuit, the tokens for its inputs, and what the program makes of them."""

    netlist: Netlist
    tokens: Mapping[str, Sequence[int]]
    words: Sequence[int]
    outputs: Mapping[str, tuple[int, ...]]
    after: Sequence[int]


def traffic(
    text: str,
    count: int,
    seed: int,
    *,
    depth: int = 4,
    outstanding: int = 4,
    latency: int = 1,
    addresses: int = SIZE,
    chained: bool = False,
    name: str = "traffic",
) -> Traffic:
    """`count` groups in a random order, with `addresses` different addresses.

    `chained`: a store of a group has the sum of its value and the group's first load's datum.
    """
    dice, groups = Random(seed), Groups(text)
    netlist = circuit(groups, depth, outstanding, latency, chained, name)
    tokens = {port.name: list[int]() for port in netlist.ports if port.direction == "input"}
    outputs = {port.name: list[int]() for port in netlist.ports if port.direction == "output"}
    words = [dice.randrange(256) for _ in range(SIZE)]
    after = list(words)
    tokens["go"], outputs["ended"] = [0], [0]
    for _ in range(count):
        chosen = dice.randrange(len(groups.members))
        for group in range(chosen + 1):
            tokens[f"pick{group}"].append(int(group == chosen))
        first = 0
        for number in groups.members[chosen]:
            address = dice.randrange(addresses)
            tokens[f"address{number}"].append(address)
            if number in groups.loads:
                outputs[f"data{number}"].append(after[address])
                first = first if number != groups.members[chosen][0] else after[address]
            else:
                word = dice.randrange(256)
                tokens[f"value{number}"].append(word)
                after[address] = word + first & 255 if chained else word
    for group in range(len(groups.members)):
        tokens[f"pick{group}"].append(0)
    return Traffic(
        netlist, tokens, words, {port: tuple(each) for port, each in outputs.items()}, after
    )


def circuit(
    groups: Groups, depth: int, outstanding: int, latency: int, chained: bool, name: str
) -> Netlist:
    """One token goes from group to group as `pick` says, and to the end at last."""
    b = NetlistBuilder(name)
    attributes = {"groups": groups.text, "depth": depth, "outstanding": outstanding}
    taken, given = (
        {port.name: {"A": ADDRESS, "T": WORD}.get(port.type, port.type) for port in side}
        for side in queue_ports(Shape((), (), attributes))
    )
    b.unit("queue", "dataflow.load_store_queue", **attributes)
    b.memory("array", WORD, SIZE, "external")
    b.unit("memory", "handshake.extmemory", memory="array", stores=1, loads=1, latency=latency)
    b.connect("queue.store_value", "memory.st_data0", WORD)
    b.connect("queue.store_address", "memory.st_address0", ADDRESS)
    b.connect("queue.load_address", "memory.ld_address0", ADDRESS)
    b.connect("memory.ld_data0", "queue.loaded", WORD)
    b.connect("memory.st_done0", "queue.stored", "none")
    b.unit("drop", "handshake.sink")
    b.connect("memory.ld_done0", "drop.in", "none")
    count = len(groups.members)
    b.unit("next", "handshake.merge")
    b.connect(b.port("input", "go", "none"), "next.in0", "none")
    for group in range(count):
        b.connect(f"queue.allocated{group}", f"next.in{group + 1}", "none")
    before = "next.out"
    for group in range(count):
        b.unit(f"choose{group}", "handshake.cond_br")
        b.connect(b.port("input", f"pick{group}", "i1"), f"choose{group}.condition", "i1")
        b.connect(before, f"choose{group}.data", "none")
        b.connect(f"choose{group}.true_result", f"queue.group{group}", "none")
        before = f"choose{group}.false_result"
    b.connect(before, "queue.end", "none")
    b.connect("queue.ended", b.port("output", "ended", "none"), "none")
    summed = [members for members in groups.members if chained]
    for members in summed:
        stores = [number for number in members if number in groups.stores]
        adders = [b.unit(f"add{number}", "arith.addi") for number in stores]
        targets = [f"%data{members[0]}", *(f"{adder}.rhs" for adder in adders)]
        b.fork(f"copy{members[0]}", f"queue.data{members[0]}", targets, WORD)
        for number in stores:
            b.connect(b.port("input", f"value{number}", WORD), f"add{number}.lhs", WORD)
            b.connect(f"add{number}.result", f"queue.value{number}", WORD)
    for port, type_ in taken.items():
        if port.startswith("address") or (port.startswith("value") and not chained):
            b.connect(b.port("input", port, type_), f"queue.{port}", type_)
    for port, type_ in given.items():
        if port.startswith("data"):
            end = b.port("output", port, type_)
            if port not in {f"data{members[0]}" for members in summed}:
                b.connect(f"queue.{port}", end, type_)
    return b.build()
