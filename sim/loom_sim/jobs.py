"""The jobs of a co-simulation, and their results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loom.netlist.netlist import OUTSIDE, Channel, Netlist


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come: clock cycles [cycles], tokens taken from outputs [tokens]."""

    cycles: int
    outputs: int
    activations: int


@dataclass(frozen=True)
class SimOptions:
    """How to simulate; nothing here but `wave`, `fast` and `profile` changes what is built."""

    stalls: float = 0.0
    """Probability, in each cycle, that an outside source or sink pauses."""
    shy: bool | None = None
    """Sinks are ready only after valid was seen; None: when there are stalls."""
    seed: int = 1
    max_cycles: int = 1_000_000
    """An activation that is still moving after so many cycles has timed out [cycles]."""
    wave: Path | None = None
    """Write an FST wave file here."""
    cache: Path | None = None
    """Where builds are kept; None: $LOOM_CACHE, else $XDG_CACHE_HOME/loom, else ~/.cache/loom."""
    timeout: float | None = None
    """The simulator is stopped after so long [s]."""
    silence: float = 180.0
    """The simulator is stopped when it has been silent for so long; it prints its progress every
    few seconds [s]."""
    build_timeout: float | None = 1800.0
    """A step of a build, Verilator or the C++ compiler, is stopped after so long [s]."""
    progress: Callable[[Progress], None] | None = None
    """Called every two seconds or so of a run."""
    fast: bool | None = None
    """Compile for speed of the run, not of the build; None: if a run is known to be long."""

    answers: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """By array behind channels: its memory answers after so many cycles at least and at most, by
    chance; as the circuit declares where nothing is said [cycles]."""
    refusals: Mapping[str, int] = field(default_factory=dict)
    """By array behind channels: which answer of an activation is an error, from 1."""

    profile: bool = False
    """Count waits and intervals of every channel too."""

    @property
    def is_shy(self) -> bool:
        """Whether sinks are shy."""
        return self.stalls > 0 if self.shy is None else self.shy


@dataclass(frozen=True)
class Activation:
    """One activation: tokens for the inputs, words for the external memories.

    Tokens and words are unsigned bit patterns; a control token is 0. An output is expected to
    give `expected` tokens where they are given, else `expected_tokens` many, else one.
    """

    inputs: Mapping[str, Sequence[int]]
    memories: Mapping[str, Sequence[int]] = field(default_factory=dict)
    expected: Mapping[str, Sequence[int]] = field(default_factory=dict)
    expected_tokens: Mapping[str, int] = field(default_factory=dict)

    def tokens_expected(self, port: str) -> int:
        """How many tokens the output `port` is to give [tokens]."""
        if port in self.expected:
            return len(self.expected[port])
        return self.expected_tokens.get(port, 1)


@dataclass(frozen=True)
class Job:
    """A circuit, its files as `loom.emit.emit` gives them, and what to run on it, in order."""

    netlist: Netlist
    files: Mapping[str, str]
    activations: tuple[Activation, ...]
    black_box: bool = False
    """The top module has the circuit's ports, and inside what its author likes: only the channels
    outside are watched, and an activation lasts until every output has given a token."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that the harness watches."""
        if not self.black_box:
            return self.netlist.channels
        return tuple(
            channel
            for channel in self.netlist.channels
            if OUTSIDE in (channel.source.unit, channel.target.unit)
        )


@dataclass(frozen=True, slots=True)
class Violation:
    """A channel broke a law of the channel, or an access left its memory."""

    channel: str
    law: str


@dataclass(frozen=True, slots=True)
class Profile:
    """What a channel did in one activation, beside its tokens.

    `first` and `last` are the cycles of its first and last token, counted from 1 (0: it had none);
    `waits` the cycles in which a token was offered and not taken. A token whose lowest bit is one
    is followed by another: that happened `intervals` times, after `between` cycles in all.
    """

    first: int
    last: int
    waits: int
    between: int
    intervals: int


@dataclass(frozen=True)
class Run:
    """What one activation did."""

    outputs: Mapping[str, tuple[int, ...]]
    memories: Mapping[str, tuple[int, ...]]
    """Words of the external memories afterwards."""
    cycles: int
    """From the first offer of a token to the last output token taken, counting both [cycles]."""
    tokens: Mapping[str, int]
    """Transfers on every channel in this activation [tokens]."""
    accesses: Mapping[str, tuple[int, int]]
    """Loads and stores on every external memory."""
    residual: tuple[str, ...]
    """Channels on which a token is still offered at the end, and is not at rest."""
    lost: tuple[str, ...]
    """Channels on which a token is offered at rest, and is not at the end."""
    blocked: tuple[str, ...]
    """If outputs are missing: channels whose token is not taken, then channels waited for."""
    missing: tuple[str, ...]
    """Output ports that gave fewer tokens than expected."""
    extra: tuple[str, ...]
    """Output ports that gave more tokens than expected."""
    mismatches: tuple[str, ...]
    """The scoreboard's findings on outputs with expected tokens."""
    violations: tuple[Violation, ...]
    error_code: int
    timed_out: bool
    """Still moving after `max_cycles`."""
    profile: Mapping[str, Profile] = field(default_factory=dict)
    """By channel, with `profile`."""
    moving: tuple[str, ...] = ()
    """Channels whose token was taken in the last cycle."""

    @property
    def deadlocked(self) -> bool:
        """Whether nothing moves any more although outputs are missing."""
        return bool(self.missing) and not self.timed_out

    @property
    def is_cut_off(self) -> bool:
        """Whether all that is wrong is that `max_cycles` ended it before it came to rest."""
        wrong = self.violations or self.mismatches or self.extra or self.error_code
        return self.timed_out and not wrong

    @property
    def problems(self) -> tuple[str, ...]:
        """All that is wrong with this activation, in words; empty if nothing is."""
        found = [f"channel {v.channel}: {v.law}" for v in self.violations]
        found += self.mismatches
        if self.timed_out:
            found.append("still moving after the last cycle allowed")
        blocked = ", ".join(self.blocked) or "none"
        found += [f"output {p}: too few tokens; blocked: {blocked}" for p in self.missing]
        found += [f"output {p}: too many tokens" for p in self.extra]
        if not self.missing:
            found += [f"channel {c}: a token is left" for c in self.residual]
            found += [f"channel {c}: the token that lies there at rest is gone" for c in self.lost]
        if self.error_code:
            found.append(f"run-time error {self.error_code}")
        return tuple(found)


@dataclass(frozen=True)
class JobResult:
    """What a job did; after a deadlock or a timeout there are no further runs."""

    name: str
    runs: tuple[Run, ...]
    assertions: tuple[str, ...]
    """Assertions in the circuit's SystemVerilog that failed: instance and message."""

    @property
    def problems(self) -> tuple[str, ...]:
        """All that is wrong, in words; empty if nothing is."""
        found = [f"assertion failed: {text}" for text in self.assertions]
        for number, run in enumerate(self.runs):
            found += [f"activation {number}: {problem}" for problem in run.problems]
        return tuple(found)
