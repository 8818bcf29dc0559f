"""Rows and meanings of the units that compare addresses of loads with those of pending stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loom.dialects.operators.operator import (
    Environment,
    Hardware,
    Operator,
    Queue,
    Semantics,
    Shape,
    Signature,
    number,
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
    """Emit for each address, then its datum; all stores before it are done, their values known.

    Hardware waits for neither: the datum is the value of a store that is not done.
    """
    address, datum = inputs[0], inputs[first_datum(inputs)]
    stores = [queue for queue in inputs if queue is not address and queue is not datum]
    clear, loaded = outputs
    while True:
        for queue in (address, datum, *stores):
            while not queue:
                yield queue
            token = queue.popleft()
            if queue is address:
                clear.append(0)
            elif queue is datum:
                loaded.append(token)


def first_datum(inputs: Sequence[object]) -> int:
    """The place of `datum` among the inputs: of `forward_queue` behind the stores' addresses."""
    return (len(inputs) + 1) // 3


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
MOST_STORES = 3
"""Stores of an iteration whose values one unit forwards, at most."""
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
    """The refusals of `unfit_disambiguation`, of a depth that is no power of two, and of stores."""
    depth, stores = shape.integer("depth"), len(shape.inputs) // 3
    if stores > MOST_STORES:
        return f"{stores} stores", f"1 to {MOST_STORES}"
    if depth & (depth - 1):
        return f"a depth of {depth}", f"a power of two from 2 to {MOST_PENDING}"
    return unfit_disambiguation(shape)


def unfit_store_queue(shape: Shape) -> tuple[str, str] | None:
    """The refusals of `unfit_disambiguation`, and of a distance that no template has."""
    if distance_of(shape) not in DISTANCES:
        return f"a distance of {distance_of(shape)}", "0 or 1"
    return unfit_disambiguation(shape)


def forwarding(name: str, summary: str, ports: str, rates: str) -> Operator:
    """A unit whose loads take values of pending stores: data go a way of their own through it, and
    each store's values one that ends there."""
    inputs, _ = parse_ports(ports)

    def ways(shape: Shape) -> Mapping[str, str]:
        names = [port.name for port in number(inputs, len(shape.inputs))]
        values = [name for name in names if name.startswith("value")]
        return {"datum": "data", "loaded": "data"} | {name: name for name in values}

    return Operator(
        name,
        summary,
        Signature(*parse_ports(ports), attributes=("depth",), misfit=unfit_forwarding),
        Semantics(process=forward_store, rates=rates, rest="address", leads=True),
        Hardware(
            "primitives/forward_store",
            facts=lambda s: {"depth": s.integer("depth")},
            ways=ways,
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
        "The same of loads and stores whose addresses differ. An iteration has one or more stores, "
        "in their order; its load waits until the addresses of all earlier iterations are known.",
        "address:A store*:A datum:T value*:T done*:none -> clear:none loaded:T",
        "clear = address; loaded = datum; store* after clear; done* after clear; "
        "value* after loaded",
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
