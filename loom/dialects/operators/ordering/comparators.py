"""Rows and meanings of the units that compare addresses of loads with those of pending stores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Queue,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)


def disambiguate(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit for each address once the stores before it are done.

    With a distance of 0 the store of its own iteration is one of them. Hardware waits for those
    alone whose address it is; that changes when tokens leave, not which.
    """
    (clear,) = outputs
    last = inputs[0] if distance_of(shape) else inputs[-1]
    while True:
        for queue in inputs:
            while not queue:
                yield queue
            queue.popleft()
            if queue is last:
                clear.append(0)


def forward_store(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Emit for each address, then its datum; the store before it is done, and its value known.

    Hardware waits for neither: the datum is the value of a store that is not done.
    """
    address, *stores, datum, value, done = inputs
    clear, loaded = outputs
    while True:
        for queue in (address, datum, *stores, value, done):
            while not queue:
                yield queue
            token = queue.popleft()
            if queue is address:
                clear.append(0)
            elif queue is datum:
                loaded.append(token)


def distance_of(shape: Shape) -> int:
    """The fewest iterations between a store and a load that waits for it."""
    found = shape.attributes.get("distance", 1)
    assert isinstance(found, int)
    return found


def store_queue_rates(shape: Shape) -> str:
    """A store and its done for each address; a load waits for those of its iteration or not."""
    if distance_of(shape):
        return "clear = address; store after clear; done after clear"
    return "clear = address; store = address; done may delay clear"


MOST_PENDING = 64
"""Addresses that one unit compares, at most."""
DISTANCES = (0, 1)
"""Of a store queue: the fewest iterations between a store and a load that waits for it."""


def unfit_disambiguation(shape: Shape) -> tuple[str, str] | None:
    """The refusal of addresses without data, and of a depth that no template has."""
    if not shape.inputs[0]:
        return "addresses without data", "an integer type"
    depth = shape.integer("depth")
    if not 2 <= depth <= MOST_PENDING:
        return f"a depth of {depth}", f"2 to {MOST_PENDING}"
    return None


def unfit_forwarding(shape: Shape) -> tuple[str, str] | None:
    """The refusals of `unfit_disambiguation`, and of a depth that is no power of two."""
    depth = shape.integer("depth")
    if depth & (depth - 1):
        return f"a depth of {depth}", f"a power of two from 2 to {MOST_PENDING}"
    return unfit_disambiguation(shape)


def unfit_store_queue(shape: Shape) -> tuple[str, str] | None:
    """The refusals of `unfit_disambiguation`, and of a distance that no template has."""
    if distance_of(shape) not in DISTANCES:
        return f"a distance of {distance_of(shape)}", "0 or 1"
    return unfit_disambiguation(shape)


def forwarding(name: str, summary: str, ports: str, rates: str) -> Operator:
    """A unit whose loads take values of pending stores: data go a way of their own through it."""
    return Operator(
        name,
        summary,
        Signature(*parse_ports(ports), attributes=("depth",), misfit=unfit_forwarding),
        Semantics(process=forward_store, rates=rates, rest="address", leads=True),
        Hardware(
            "primitives/forward_store",
            facts=lambda s: {"depth": s.integer("depth")},
            ways=lambda _: {"datum": "data", "loaded": "data", "value": "value"},
        ),
    )


COMPARATORS = (
    Operator(
        "dataflow.disambiguate",
        "A token for each address once no pending store has that address. With it a store of the "
        "address becomes pending, until its done comes; at most depth are.",
        Signature(
            *parse_ports("address:T done:none -> clear:none"),
            attributes=("depth",),
            misfit=unfit_disambiguation,
        ),
        Semantics(
            process=disambiguate,
            rates="clear = address; done after clear",
            rest="address",
            leads=True,
        ),
        Hardware("primitives/disambiguate", facts=lambda s: {"depth": s.integer("depth")}),
    ),
    forwarding(
        "dataflow.forward_store",
        "A token for each address, and for its datum the value that the youngest pending store "
        "to that address stores, or the datum. With the address a store of it becomes pending, "
        "until its done comes; at most depth are.",
        "address:A datum:T value:T done:none -> clear:none loaded:T",
        "clear = address; done after clear; loaded = datum; value after loaded",
    ),
    forwarding(
        "dataflow.forward_queue",
        "The same of loads and stores whose addresses differ. The load of an iteration waits until "
        "the addresses of all earlier stores are known.",
        "address:A store:A datum:T value:T done:none -> clear:none loaded:T",
        "clear = address; store after clear; done after clear; loaded = datum; value after loaded",
    ),
    Operator(
        "dataflow.store_queue",
        "A token for each address of a load once every store of earlier iterations, with distance "
        "0 of its own too, is done or has another address. Each iteration has one of both, and a "
        "store's done; at most depth stores are pending.",
        Signature(
            *parse_ports("address:T store:T done:none -> clear:none"),
            attributes=("depth", "distance"),
            misfit=unfit_store_queue,
            defaults={"distance": 1},
        ),
        Semantics(process=disambiguate, rates=store_queue_rates, rest="address", leads=True),
        Hardware(
            "primitives/store_queue",
            variant=lambda s: "" if distance_of(s) else "store_first",
            facts=lambda s: {"depth": s.integer("depth")},
        ),
    ),
)
"""The units that compare the addresses of loads with those of pending stores."""
