"""The token simulator: a netlist as a Kahn process network with unbounded channels.

Every unit is a process that waits for one input at a time, so the tokens of each channel do not
depend on the order in which processes run; a seed chooses another order and must change nothing.
There is no time: what is counted is tokens.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NoReturn

from loom.errors import LoomError, Place
from loom.model.bundles.activation import Activation, Words
from loom.model.tokens.endless import endless_channels
from loom.model.tokens.token_process import (
    ConditionTokens,
    Contents,
    EndlessTokens,
    OwnTokens,
    Process,
    Tokens,
)
from loom.model.tokens.token_run import ActivationRun, TokenRun
from loom.netlist.names import port_names
from loom.netlist.netlist import OUTSIDE, Channel, Endpoint, Memory, Netlist, OutsidePort, Unit
from loom.netlist.still_moving import describe_movement

DEFAULT_LIMIT = 100_000_000
"""Tokens after which a simulation is taken for endless [tokens]."""
SHOWN = 3
"""Tokens that a run of streams takes from an output that always has one [tokens]."""
UNWRITTEN = 0xA5
"""Every byte of a word that nothing has written: a circuit that reads one is seen to."""


def simulate(
    netlist: Netlist,
    activations: Sequence[Activation],
    *,
    limit: int = DEFAULT_LIMIT,
    seed: int | None = None,
    watched: Collection[str] = (),
) -> TokenRun:
    """Run the activations one after the other without reset.

    External memories start each activation with the words given, internal ones keep theirs. More
    than `limit` [tokens] in all are refused. `seed` draws the order of processes. The
    tokens that are 1 are counted on the channels `watched`. Where the circuit has tokens of its
    own, each output gives one token an activation and keeps the others.
    """
    simulation = _Simulation(netlist, limit, seed, watched)
    runs: list[ActivationRun] = []
    for activation in activations:
        ports = port_names(activation.inputs)
        given = {**activation.inputs, **{ports[k]: v for k, v in activation.inputs.items()}}
        inputs = [port for port in netlist.ports if port.direction == "input"]
        words = {memory.name: words_for(memory, given) for memory in netlist.memories_outside}
        streams = {port.name: (token_for(port, given),) for port in inputs}
        runs.append(simulation.activate(streams, words, one_each=has_rest(netlist)))
        if not runs[-1].clean:
            break
    return TokenRun(tuple(runs))


def run_streams(
    netlist: Netlist,
    streams: Mapping[str, Sequence[int]],
    words: Mapping[str, Words] | None = None,
    *,
    limit: int = DEFAULT_LIMIT,
    seed: int | None = None,
) -> ActivationRun:
    """Send any number of tokens into each input port, with the given words in memories.

    Of an endless output come `SHOWN` [tokens], of every other one all there are.
    """
    return _Simulation(netlist, limit, seed).activate(streams, words or {}, one_each=False)


def has_rest(netlist: Netlist) -> bool:
    """True if tokens lie in the circuit at rest that an activation may move.

    That is initial ones, and those of endless sources that leave the circuit or wait in a unit that
    holds them. What a source only offers to a unit beside a token that ends is not moved before.
    """
    if any(unit.attributes.get("initial") for unit in netlist.units):
        return True
    endless = endless_channels(netlist)
    readers = (c.target.unit for c in netlist.channels if c.name in endless)
    return any(
        reader == OUTSIDE or holds_endless(netlist, netlist.unit_by_name[reader], endless)
        for reader in readers
    )


def holds_endless(netlist: Netlist, unit: Unit, endless: Mapping[str, int]) -> bool:
    """True of a unit with state whose every input is endless."""
    inputs = netlist.inputs_of(unit)
    return unit.operator.semantics.meaning is None and all(c.name in endless for c in inputs)


class _Simulation:
    """A netlist as processes and queues, between its activations."""

    def __init__(
        self, netlist: Netlist, limit: int, seed: int | None, watched: Collection[str] = ()
    ) -> None:
        self.netlist = netlist
        self.left = self.limit = limit
        self.random = None if seed is None else Random(seed)
        self.endless = endless_channels(netlist)
        self.queues = {c.name: tokens_of(c, watched, self.endless) for c in netlist.channels}
        self.conditions = [q for q in self.queues.values() if isinstance(q, ConditionTokens)]
        self.counts = dict.fromkeys(self.queues, 0)
        self.errors: dict[str, None] = {}
        self.words = {memory.name: initial_words(memory) for memory in netlist.memories}
        self.processes = [self._process(unit) for unit in netlist.units if self._ends(unit)]
        self.counted = [c.name for c in netlist.channels if self._is_counted(c)]
        # All begin once, so that each waits for something and initial tokens are where they rest.
        self._settle(self.processes)
        for process in self.processes:
            process.settle()
        self.resting = {name: len(queue) for name, queue in self.queues.items()}

    def _ends(self, unit: Unit) -> bool:
        """True if tokens that end wake the unit."""
        return any(channel.name not in self.endless for channel in self.netlist.inputs_of(unit))

    def _is_counted(self, channel: Channel) -> bool:
        """True if the tokens of a channel end, or a reader that ends takes them."""
        if channel.name not in self.endless or channel.target.unit == OUTSIDE:
            return True
        return self._ends(self.netlist.unit_by_name[channel.target.unit])

    def _process(self, unit: Unit) -> Process:
        netlist, operator = self.netlist, unit.operator
        shape = netlist.shape_by_unit[unit.name]
        inputs = [self.queues[channel.name] for channel in netlist.inputs_of(unit)]
        outputs = [self.queues[channel.name] for channel in netlist.outputs_of(unit)]
        words = self.words[shape.text("memory")] if operator.hardware.memory_kind else []
        environment = Contents(words, self.errors, shape)
        steps = operator.semantics.run(shape, inputs, outputs, environment)
        process = Process(unit, inputs, outputs, steps)
        for queue in inputs:
            queue.reader = process
            if operator.semantics.waits_for_any:
                queue.waiter = process
        return process

    def activate(
        self,
        streams: Mapping[str, Sequence[int]],
        words: Mapping[str, Words],
        *,
        one_each: bool,
    ) -> ActivationRun:
        """Send the tokens into the ports, let all come to rest, and see what came out.

        `one_each`: one token is taken from each output, and others stay there.
        """
        self.counts = dict.fromkeys(self.queues, 0)
        for condition in self.conditions:
            condition.ones = 0
        for queue in self.queues.values():
            if isinstance(queue, EndlessTokens):
                queue.taken = 0
        self.errors.clear()
        for name, contents in words.items():
            self.words[name][:] = contents
        awake: dict[Process, None] = {}
        for port, tokens in streams.items():
            entry = self.queues[self.netlist.channel_by_source[Endpoint(OUTSIDE, port)].name]
            entry.extend(tokens)
            self.counts[entry.channel.name] += len(tokens)
            if entry.waiter is not None and tokens:
                awake[entry.waiter] = None
        self._settle(awake)
        return self._collect(one_each)

    def _settle(self, awake: Iterable[Process]) -> None:
        """Run processes until each waits for a token that nobody will send."""
        ready = deque(awake)
        for process in ready:
            process.ready = True
        counts, random = self.counts, self.random
        while ready:
            if random is not None:
                ready.rotate(random.randrange(len(ready)))
            process = ready.popleft()
            process.ready = False
            outputs = process.outputs
            before = [len(queue) for queue in outputs]
            waits = next(process.steps)
            assert isinstance(waits, Tokens)
            if not process.waits_for_any:
                process.waits = waits
                if waits or waits.reader is not process:
                    process.ready = True
                    ready.append(process)
                else:
                    waits.waiter = process
            for queue, length in zip(outputs, before, strict=True):
                sent = queue.sent_since(length)
                if sent:
                    counts[queue.channel.name] += sent
                    self.left -= sent
                    waiter = queue.waiter
                    if waiter is not None and not waiter.ready:
                        waiter.ready = True
                        ready.append(waiter)
                        if not waiter.waits_for_any:
                            queue.waiter = None
            if self.left < 0:
                self._refuse_more([process, *ready])

    def _refuse_more(self, awake: Iterable[Process]) -> NoReturn:
        after = f", after {', '.join(self.errors)}" if self.errors else ""
        sent = [queue.channel.name for process in awake for queue in process.outputs if queue]
        moving = describe_movement(self.netlist, sent)
        raise LoomError(
            "MODEL_LIMIT",
            Place(self.netlist.name),
            f"more than {self.limit} tokens{after}, {moving}",
            "circuits that come to rest; a larger --max-cycles for long runs",
        )

    def _take(self, port: OutsidePort, one_each: bool) -> tuple[int, ...]:
        """What the environment takes from an output."""
        queue = self.queues[self.netlist.channel_by_target[Endpoint(OUTSIDE, port.name)].name]
        most = SHOWN if isinstance(queue, EndlessTokens) else len(queue)
        return tuple(queue.popleft() for _ in range(min(most, 1) if one_each else most))

    def _collect(self, one_each: bool) -> ActivationRun:
        outputs: dict[str, tuple[int, ...]] = {}
        ports = [port for port in self.netlist.ports if port.direction == "output"]
        for port in ports:
            outputs[port.name] = self._take(port, one_each)
            channel = self.netlist.channel_by_target[Endpoint(OUTSIDE, port.name)]
            self.counts[channel.name] = len(outputs[port.name])
        for queue in self.queues.values():
            if isinstance(queue, EndlessTokens):
                self.counts[queue.channel.name] = queue.taken
        outside = [memory.name for memory in self.netlist.memories_outside]
        missing = tuple(name for name, tokens in outputs.items() if not tokens)
        return ActivationRun(
            outputs=outputs,
            results=tuple(t for port in ports if port.width for t in outputs[port.name][:1]),
            done=all(outputs[port.name] for port in ports if not port.width),
            memories={name: list(self.words[name]) for name in outside},
            tokens={name: self.counts[name] for name in self.counted},
            residual=dict(self._residual(one_each)),
            not_at_rest=tuple(p.unit.name for p in self.processes if not p.at_rest()),
            errors=tuple(self.errors),
            missing=missing,
            blocked=tuple(self._blocked()) if missing else (),
            ones={queue.channel.name: queue.ones for queue in self.conditions},
        )

    def _residual(self, one_each: bool) -> Iterator[tuple[str, int]]:
        """Tokens on each channel beyond those that lie there at rest; fewer count below zero."""
        for name, queue in self.queues.items():
            emptied = queue.channel.target.unit == OUTSIDE and not one_each
            count = 0 if emptied else len(queue) - self.resting[name]
            if count:
                yield name, count

    def _blocked(self) -> Iterator[str]:
        """Channels that hold tokens, and those that a unit which has begun waits for."""
        wanted = {
            process.waits.channel.name
            for process in self.processes
            if process.waits is not None and (self._holds(process) or not process.at_rest())
        }
        return (
            name
            for name, queue in self.queues.items()
            if name not in self.endless and (len(queue) > self.resting[name] or name in wanted)
        )

    def _holds(self, process: Process) -> bool:
        """True if there are tokens at the process besides those that lie there at rest."""
        return any(len(queue) > self.resting[queue.channel.name] for queue in process.inputs)


def tokens_of(channel: Channel, watched: Collection[str], endless: Mapping[str, int]) -> Tokens:
    """The queue of a channel: empty, or where the channel is endless with its one token."""
    if channel.name in endless:
        return EndlessTokens(channel, endless[channel.name])
    if channel.source.unit == channel.target.unit:
        return OwnTokens(channel)
    return ConditionTokens(channel) if channel.name in watched else Tokens(channel)


def initial_words(memory: Memory) -> Words:
    """The words of a memory before its first activation."""
    if memory.contents is not None:
        return list(memory.contents)
    count = -(-memory.width // 8)
    word = int.from_bytes(bytes([UNWRITTEN]) * count, "little") & ((1 << memory.width) - 1)
    return [word] * memory.depth


def words_for(memory: Memory, given: Mapping[str, int | Words]) -> Words:
    """The words that an activation gives an external memory."""
    words = given.get(memory.name)
    if not isinstance(words, list):
        raise LoomError(
            "MODEL_NAME", Place("<activation>"), f"no words for memory {memory.name}", "a list"
        )
    if len(words) != memory.depth:
        raise LoomError(
            "MODEL_SHAPE",
            Place("<activation>"),
            f"{len(words)} words for memory {memory.name}",
            f"{memory.depth} words",
        )
    return words


def token_for(port: OutsidePort, given: Mapping[str, int | Words]) -> int:
    """The token that an activation sends into a port: data by name, control as it is."""
    if port.width == 0:
        return 0
    token = given.get(port.name)
    if not isinstance(token, int):
        raise LoomError(
            "MODEL_NAME", Place("<activation>"), f"no token for port {port.name}", "an integer"
        )
    return token
