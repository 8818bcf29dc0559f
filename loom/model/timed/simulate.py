"""Activations of a netlist in the timed model: the cycles that the circuit takes, and where.

Nothing outside stalls: inputs are offered at once and outputs taken at once, as `loom sim` does
without ``--stalls``. External memories answer in the next cycle. The state stays from one
activation to the next, so that arbiters grant as those of the circuit do. A core of the user's
counts as a pipeline of its latency.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loom.errors import LoomError, Place
from loom.model.bundles.activation import Activation, Words
from loom.model.timed.circuit import timed_circuit
from loom.model.timed.island import Island
from loom.model.tokens.endless import endless_channels
from loom.model.tokens.token_run import TokenRun
from loom.model.tokens.token_simulator import has_rest, initial_words, token_for, words_for
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist
from loom.netlist.still_moving import describe_movement

QUIET = 256
"""So long without a token that ends, and a circuit with endless sources is at rest [cycles]."""
DEFAULT_MOST = 1_000_000
"""Cycles of one activation after which it is taken for endless [cycles]."""
AFFORDABLE = 500_000
"""Tokens on all channels of a run up to which its cycles are predicted unasked: seconds."""


@dataclass(frozen=True)
class TimedRun:
    """What one activation did.

    `cycles` count from the first offer to the last output taken, both included; 0 if none was.
    `missing` are outputs without a token. `tokens` and `stalled` are by channel: transfers, and
    cycles in which an offered token was not taken. `most` is by buffer, since reset [tokens].
    `seen` are all transfers, cycle and token, of the channels of which that was asked.
    """

    cycles: int
    missing: tuple[str, ...]
    outputs: Mapping[str, tuple[int, ...]]
    memories: Mapping[str, Words]
    tokens: Mapping[str, int]
    stalled: Mapping[str, int]
    most: Mapping[str, int]
    errors: tuple[str, ...]
    seen: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)


def run_timed(
    netlist: Netlist,
    activations: Sequence[Activation],
    *,
    most: int = DEFAULT_MOST,
    watched: Collection[str] = (),
) -> list[TimedRun]:
    """Run the activations one after the other without reset, up to one that lacks outputs.

    Refused: an activation that still moves after `most` [cycles] (MODEL_LIMIT).
    """
    return list(_timed_runs(netlist, activations, most, watched))


def predicted(
    netlist: Netlist, activations: Sequence[Activation], tokens: TokenRun
) -> list[TimedRun] | None:
    """The timed runs of what the token model has run; None for more than `AFFORDABLE` tokens."""
    if tokens.total > AFFORDABLE:
        return None
    return run_timed(netlist, activations[: len(tokens.activations)])


def _timed_runs(
    netlist: Netlist, activations: Sequence[Activation], most: int, watched: Collection[str]
) -> Iterator[TimedRun]:
    simulation = TimedSimulation(netlist, most, watched)
    for activation in activations:
        run = simulation.activate(*inputs_of(netlist, activation))
        yield run
        if run.missing:
            return


def inputs_of(
    netlist: Netlist, activation: Activation
) -> tuple[dict[str, tuple[int, ...]], dict[str, Words]]:
    """The tokens by input port and the words by outside memory that an activation gives."""
    ports = port_names(activation.inputs)
    given = {**activation.inputs, **{ports[k]: v for k, v in activation.inputs.items()}}
    inputs = [port for port in netlist.ports if port.direction == "input"]
    return (
        {port.name: (token_for(port, given),) for port in inputs},
        {memory.name: words_for(memory, given) for memory in netlist.memories_outside},
    )


class TimedSimulation:
    """A circuit between its activations."""

    def __init__(self, netlist: Netlist, most: int, watched: Collection[str] = ()) -> None:
        self.netlist = netlist
        self.most = most
        self.words = {memory.name: initial_words(memory) for memory in netlist.memories}
        self.errors: dict[str, None] = {}
        self.circuit = timed_circuit(netlist, self.words, self._report)
        self.wires = tuple(self.circuit.wires.values())
        self.watched = {name: self.circuit.wires[name] for name in watched}
        endless = endless_channels(netlist)
        self.endless = bool(endless)
        self.ending = tuple(w for name, w in self.circuit.wires.items() if name not in endless)
        shapes = netlist.shape_by_unit
        self.loops = [node for node in self.circuit.forwards if isinstance(node, Island)]
        latencies = (u.operator.hardware.latency_of(shapes[u.name]) for u in netlist.units)
        self.quiet = max(QUIET, 2 * max(latencies, default=0))
        self.limited = has_rest(netlist)
        if self.limited:
            self._wake({})
            self._until_quiet()

    def _report(self, code: str) -> None:
        self.errors[code] = None

    def activate(
        self,
        streams: Mapping[str, Sequence[int]],
        words: Mapping[str, Sequence[int]],
        wanted: Mapping[str, int] | None = None,
    ) -> TimedRun:
        """Send the tokens into the ports, until nothing moves any more.

        Of a circuit with tokens of its own each output takes what is `wanted` [tokens], one if
        that is not said, and none between activations; every other one takes all there are.
        """
        self.begin(streams, words, wanted)
        run = self._collect(self._until_quiet())
        self._wake({})
        return run

    def begin(
        self,
        streams: Mapping[str, Sequence[int]],
        words: Mapping[str, Sequence[int]],
        wanted: Mapping[str, int] | None = None,
    ) -> None:
        """The tokens of an activation are at the ports, and its first cycle may come."""
        for name, contents in words.items():
            self.words[name][:] = contents
        for name, entry in self.circuit.entries.items():
            entry.tokens, entry.sent = streams[name], 0
        self.errors.clear()
        for wire in self.wires:
            wire.tokens = wire.stalled = 0
        for wire in self.watched.values():
            wire.seen = []
        self._wake(dict.fromkeys(self.circuit.exits, 1) if wanted is None else wanted)

    def _wake(self, limits: Mapping[str, int]) -> None:
        """All nodes see anew what is around them."""
        for name, each in self.circuit.exits.items():
            each.taken.clear()
            each.limit = limits.get(name, 0) if self.limited else None
        for node in self.circuit.forwards:
            node.stale = True

    def _until_quiet(self) -> int:
        """The last cycle in which an output took a token; 0 for none [cycles]."""
        now = last = quiet = 0
        exits = [each.inputs[0] for each in self.circuit.exits.values()]
        while quiet < self.quiet and self.cycle(now := now + 1):
            if any(wire.moves for wire in exits):
                last = now
            if self.endless:
                works = any(each.runs for each in self.loops)
                quiet = 0 if works or any(wire.moves for wire in self.ending) else quiet + 1
            if now > self.most + self.quiet:
                moving = [name for name, w in self.circuit.wires.items() if w.valid and w.ready]
                raise LoomError(
                    "MODEL_LIMIT",
                    Place(self.netlist.name),
                    f"an activation that still moves after {self.most} cycles, "
                    f"{describe_movement(self.netlist, moving)}",
                    "circuits that come to rest; a larger --max-cycles for long runs",
                )
        return last

    def cycle(self, now: int) -> bool:
        """One cycle; False if nothing has happened in it, nor ever will."""
        circuit = self.circuit
        for node in circuit.forwards:
            if node.stale:
                node.stale = False
                node.pending = True
                node.offer()
        for node in circuit.backwards:
            if node.pending:
                node.accept()
        for wire in self.wires:
            if wire.valid:
                if wire.ready:
                    wire.tokens += 1
                else:
                    wire.stalled += 1
        for wire in self.watched.values():
            if wire.valid and wire.ready and wire.seen is not None:
                wire.seen.append((now, wire.data))
        awake = False
        for node in circuit.forwards:
            if node.pending:
                awake = True
                node.pending = False
                if node.step():
                    node.stale = True
        return awake

    def _collect(self, last: int) -> TimedRun:
        circuit = self.circuit
        outputs = {name: tuple(each.taken) for name, each in circuit.exits.items()}
        outside = [memory.name for memory in self.netlist.memories_outside]
        return TimedRun(
            cycles=last,
            missing=tuple(name for name, tokens in outputs.items() if not tokens),
            outputs=outputs,
            memories={name: list(self.words[name]) for name in outside},
            tokens={name: wire.tokens for name, wire in circuit.wires.items()},
            stalled={name: wire.stalled for name, wire in circuit.wires.items()},
            most={name: buffer.most for name, buffer in circuit.buffers.items()},
            errors=tuple(self.errors),
            seen={name: tuple(wire.seen or ()) for name, wire in self.watched.items()},
        )
