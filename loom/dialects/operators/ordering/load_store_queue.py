"""Row and meaning of the load-store queue (LSQ), which keeps the order of accesses to one array.

Accesses that stand in a row are a *group*: its token says that the program is there, and gives each
of them a place in the queue, in the order of the text. A token is at one group at a time: that of
the next group is made of `allocated` of the last. Addresses and data come when they come. To the
memory the queue has one load and one store; loads go there in their order, stores in theirs.

Source: group allocation, Josipovic, Brisk, Ienne, An out-of-order load-store queue for spatial
computing, ACM TECS 2017. Loads are in order here, so one address is compared at a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Port,
    Queue,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

LOAD, STORE = "l", "s"
LEAST_PLACES = 2
"""Of each of a queue's lists [accesses]."""
MOST_PLACES = 64
"""Places of one queue for loads, and for stores, at most [accesses]."""
MOST_OUTSTANDING = 64
"""Loads that one queue has sent and not answered, at most [accesses]."""


@dataclass(frozen=True)
class Groups:
    """The groups of a queue: ``ls,l`` is a group of a load and a store, and one of a load."""

    text: str

    @cached_property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The numbers of each group's accesses, in the order of the text."""
        found: list[tuple[int, ...]] = []
        first = 0
        for word in self.text.split(","):
            found.append(tuple(range(first, first + len(word))))
            first += len(word)
        return tuple(found)

    @cached_property
    def kinds(self) -> str:
        """`LOAD` or `STORE` of each access."""
        return self.text.replace(",", "")

    @property
    def loads(self) -> tuple[int, ...]:
        """The numbers of the loads."""
        return tuple(k for k, kind in enumerate(self.kinds) if kind == LOAD)

    @property
    def stores(self) -> tuple[int, ...]:
        """The numbers of the stores."""
        return tuple(k for k, kind in enumerate(self.kinds) if kind == STORE)

    @property
    def largest(self) -> int:
        """The most loads, or stores, of one group."""
        words = self.text.split(",")
        return max(max(word.count(LOAD), word.count(STORE)) for word in words)


def groups_of(shape: Shape) -> Groups:
    """The groups of an instance."""
    return Groups(str(shape.attributes.get("groups", "")))


def queue_ports(shape: Shape) -> tuple[tuple[Port, ...], tuple[Port, ...]]:
    """Ports by group, by access, and of the memory."""
    groups = groups_of(shape)
    inputs = [Port(f"group{g}", "none") for g in range(len(groups.members))]
    inputs.append(Port("end", "none"))
    for number, kind in enumerate(groups.kinds):
        inputs.append(Port(f"address{number}", "A"))
        if kind == STORE:
            inputs.append(Port(f"value{number}", "T"))
    inputs += [Port("loaded", "T"), Port("stored", "none")]
    outputs = [Port(f"allocated{g}", "none") for g in range(len(groups.members))]
    outputs.append(Port("ended", "none"))
    outputs += [Port(f"data{number}", "T") for number in groups.loads]
    outputs += [Port("load_address", "A"), Port("store_value", "T"), Port("store_address", "A")]
    return tuple(inputs), tuple(outputs)


def queue_rates(shape: Shape) -> str:
    """A token for each access of a group; the memory has one for each load and for each store."""
    groups = groups_of(shape)
    found = ["allocated* = group*", "ended = end"]
    for group, members in enumerate(groups.members):
        for number in members:
            found.append(f"address{number} with group{group}")
            if groups.kinds[number] == STORE:
                found.append(f"value{number} with group{group}")
            else:
                found.append(f"data{number} = address{number}")
    loads, stores = (
        " ".join(f"address{number}" for number in each) for each in (groups.loads, groups.stores)
    )
    found += [f"load_address <- loaded of {loads}", f"store_address <- stored of {stores}"]
    found += ["store_value = store_address", "ended closes loaded", "ended closes stored"]
    return "; ".join(found)


def queue_ways(shape: Shape) -> Mapping[str, str]:
    """The ways of ready: from the memory's load port to the addresses of loads; else none."""
    _, outputs = queue_ports(shape)
    found = {port.name: "out" for port in outputs}
    addresses = [f"address{number}" for number in groups_of(shape).loads]
    return found | dict.fromkeys([*addresses, "load_address"], "request")


def load_store_queue(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Serve one access after the other, in the order of the groups' tokens."""
    groups = groups_of(shape)
    taken, given = queue_ports(shape)
    into: Mapping[str, Queue] = dict(zip((port.name for port in taken), inputs, strict=True))
    out: Mapping[str, Queue] = dict(zip((port.name for port in given), outputs, strict=True))
    order: deque[int | None] = deque()
    """Accesses by number; None is the end."""
    is_sent = False
    while True:
        for group, members in enumerate(groups.members):
            while into[f"group{group}"]:
                into[f"group{group}"].popleft()
                order.extend(members)
                out[f"allocated{group}"].append(0)
        while into["end"]:
            into["end"].popleft()
            order.append(None)
        while order:
            number = order[0]
            if number is None:
                out["ended"].append(0)
            elif groups.kinds[number] == LOAD:
                address = into[f"address{number}"]
                if not is_sent and address:
                    out["load_address"].append(address.popleft())
                    is_sent = True
                if not is_sent or not into["loaded"]:
                    break
                out[f"data{number}"].append(into["loaded"].popleft())
            else:
                address, value = into[f"address{number}"], into[f"value{number}"]
                if not is_sent and address and value:
                    out["store_address"].append(address.popleft())
                    out["store_value"].append(value.popleft())
                    is_sent = True
                if not is_sent or not into["stored"]:
                    break
                into["stored"].popleft()
            is_sent = False
            order.popleft()
        yield inputs[0]


def unfit_queue(shape: Shape) -> tuple[str, str] | None:
    """The refusal of groups that no template has, and of fewer places than a group needs."""
    text = str(shape.attributes.get("groups", ""))
    words = text.split(",")
    if not all(words) or set(text) - {LOAD, STORE, ","} or not {LOAD, STORE} <= set(text):
        return f"groups = {text!r}", "a load and a store at least, in groups as in 'ls,l'"
    groups = groups_of(shape)
    depth, outstanding = shape.integer("depth"), shape.integer("outstanding")
    least = max(LEAST_PLACES, groups.largest)
    if not least <= depth <= MOST_PLACES:
        return f"a depth of {depth}", f"{least} to {MOST_PLACES} for groups of {groups.largest}"
    if not LEAST_PLACES <= outstanding <= MOST_OUTSTANDING:
        return f"outstanding = {outstanding}", f"{LEAST_PLACES} to {MOST_OUTSTANDING}"
    return None


QUEUE_PORTS = parse_ports(
    "group*:none end:none address*:A value*:T loaded:T stored:none -> "
    "allocated*:none ended:none data*:T load_address:A store_value:T store_address:A"
)

LOAD_STORE_QUEUE = Operator(
    "dataflow.load_store_queue",
    "Keeps the loads and stores of one array in the order of their groups' tokens: a load gets "
    "what the youngest older store to its address stores, from the memory or from that store "
    "itself; a store goes to the memory after all older loads and stores. At end none is left.",
    Signature(
        *QUEUE_PORTS,
        attributes=("groups", "depth", "outstanding"),
        defaults={"outstanding": 4},
        arrange=queue_ports,
        misfit=unfit_queue,
    ),
    Semantics(process=load_store_queue, rates=queue_rates, waits_for_any=True),
    Hardware(
        "memory/load_store_queue",
        variant=lambda shape: groups_of(shape).text.replace(",", "_"),
        latency=1,
        ways=queue_ways,
        facts=lambda shape: {
            "depth": shape.integer("depth"),
            "outstanding": shape.integer("outstanding"),
        },
    ),
)
"""The load-store queue."""
