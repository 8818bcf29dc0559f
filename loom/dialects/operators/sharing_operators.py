"""Row and meaning of the unit by which several callers share one circuit.

The circuit stands between `called` and `returned`: it gives one token for each that it takes, in
their order. Each caller sees what it would see of a circuit of its own, whatever the others do.
"""

from __future__ import annotations

from collections import deque
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

ROOM = 2
"""Results of a caller for which there is room, so its calls under way [tokens]."""


def share(
    shape: Shape, inputs: Sequence[Queue], outputs: Sequence[Queue], env: Environment
) -> Iterator[Queue]:
    """Pass each caller's tokens on, and what comes back for them to the caller, in their order."""
    returned, *callers = inputs
    called, *results = outputs
    order: deque[int] = deque()
    while True:
        for number, queue in enumerate(callers):
            while queue:
                called.append(queue.popleft())
                order.append(number)
        while returned and order:
            results[order.popleft()].append(returned.popleft())
        yield returned


def share_rates(shape: Shape) -> str:
    """As many results as calls of each caller; calls of all of them."""
    callers = " ".join(f"in{number}" for number in range(len(shape.inputs) - 1))
    return f"out* = in*; called <- returned of {callers}"


def data_side(shape: Shape) -> str:
    """Which side has data, where the other one has none."""
    returned, given = shape.inputs[0], shape.inputs[1]
    if bool(returned) == bool(given):
        return ""
    return "calls" if given else "results"


SHARING_OPERATORS: tuple[Operator, ...] = (
    Operator(
        "handshake.share",
        "Passes the tokens of its callers on, the calls of one caller at a time, and gives each "
        "caller what is returned for them.",
        Signature(*parse_ports("returned:R in*:T -> called:T out*:R")),
        Semantics(
            process=share,
            rates=share_rates,
            waits_for_any=True,
        ),
        Hardware("primitives/share", variant=data_side, latency=2, interval=2, cuts_ready=True),
    ),
)
