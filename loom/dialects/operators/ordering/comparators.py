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


def unfit_store_queue(shape: Shape) -> tuple[str, str] | None:
    """The refusals of `unfit_disambiguation`, and of a distance that no template has."""
    if distance_of(shape) not in DISTANCES:
        return f"a distance of {distance_of(shape)}", "0 or 1"
    return unfit_disambiguation(shape)


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
