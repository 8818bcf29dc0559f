"""What every channel of a circuit does in the first cycles of an activation, cycle by cycle."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import DEFAULT_MOST, TimedSimulation, inputs_of
from loom.netlist.netlist import Netlist

IDLE, WAITS, MOVES = ".", "w", "m"
"""A channel in a cycle: no token is offered, one waits for its reader, or one is taken."""


@dataclass(frozen=True)
class History:
    """The first cycles of an activation after reset, in which nothing outside stalls.

    `states` have a letter for each of the first cycles, by channel. `transfers` are the cycles and
    tokens of the watched channels, up to cycle `cycles`.
    """

    cycles: int
    states: Mapping[str, str]
    transfers: Mapping[str, tuple[tuple[int, int], ...]]


def record_history(
    netlist: Netlist,
    activation: Activation,
    *,
    cycles: int,
    first: int,
    watched: Collection[str] = (),
) -> History:
    """Follow an activation up to cycle `cycles`, with the states of all channels in the `first`."""
    simulation = TimedSimulation(netlist, DEFAULT_MOST, watched)
    simulation.begin(*inputs_of(netlist, activation))
    wires = simulation.circuit.wires
    letters: dict[str, list[str]] = {name: [] for name in wires}
    now = 0
    while now < cycles and simulation.cycle(now + 1):
        now += 1
        if now <= first:
            for name, wire in wires.items():
                state = IDLE if not wire.valid else MOVES if wire.ready else WAITS
                letters[name].append(state)
    return History(
        now,
        {name: "".join(found) for name, found in letters.items()},
        {name: tuple(wire.seen or ()) for name, wire in simulation.watched.items()},
    )
