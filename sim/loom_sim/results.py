"""From the simulator's raw answer to the result of an activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from loom.netlist.banks import OutsideBank, banks_outside, gathered
from loom.netlist.netlist import Channel, Netlist
from loom_sim.jobs import Activation, Job, Profile, Run, Violation

DROPPED = "an offered token was withdrawn (law 2: a token stays until it is taken)"
CHANGED = "an offered token changed (law 2: a token stays unchanged until it is taken)"
STRAY = "an access past the last word"
EARLY = "a token moved before the activation began"
LATE = "a store after the last output was taken"


def offered(netlist: Netlist, raw: Mapping[str, Any]) -> frozenset[str]:
    """The channels that offer a token at the end of an activation."""
    report: list[int] = raw["report"]
    pairs = zip(netlist.channels, report, strict=True)
    return frozenset(channel.name for channel, word in pairs if word >> 33 & 1)


def run_of(
    job: Job,
    activation: Activation,
    raw: Mapping[str, Any],
    resting: frozenset[str] = frozenset(),
) -> Run:
    """The result of one activation; `raw` is what the bench wrote.

    `resting` are the channels that offer a token while the circuit is at rest.
    """
    names = [channel.name for channel in job.channels]
    report: list[int] = raw["report"]
    counts: Mapping[str, int] = raw["counts"]
    wanted = {name: activation.tokens_expected(name) for name in counts}
    missing = tuple(name for name in counts if counts[name] < wanted[name])
    ends = {
        name: (bool(word >> 33 & 1), bool(word >> 32 & 1))
        for name, word in zip(names, report, strict=True)
    }
    violations = [Violation(n, DROPPED) for n, w in zip(names, report, strict=True) if w >> 35 & 1]
    violations += [Violation(n, CHANGED) for n, w in zip(names, report, strict=True) if w >> 34 & 1]
    violations += [Violation(n, EARLY) for n, w in zip(names, report, strict=True) if w >> 36 & 1]
    violations += [Violation(n, STRAY) for n, (_, _, s) in raw["accesses"].items() if s]
    violations += [Violation(job.netlist.name, LATE)] if raw["late"] else []
    banks = tuple(banks_outside(job.netlist))
    return Run(
        outputs={name: tuple(tokens) for name, tokens in raw["outputs"].items()},
        memories=gathered(banks, raw["memories"]),
        cycles=raw["cycles"],
        tokens={n: word & 0xFFFFFFFF for n, word in zip(names, report, strict=True)},
        accesses=accesses_of(banks, raw["accesses"]),
        residual=tuple(name for name, (valid, _) in ends.items() if valid and name not in resting),
        lost=tuple(name for name, (valid, _) in ends.items() if not valid and name in resting),
        blocked=blocked_channels(job.channels, ends) if missing or raw["timed_out"] else (),
        missing=missing,
        extra=tuple(name for name in counts if counts[name] > wanted[name]),
        mismatches=tuple(raw["mismatches"]),
        violations=tuple(violations),
        error_code=raw["error_code"],
        timed_out=raw["timed_out"],
        profile={n: profile_of(w) for n, w in zip(names, raw["profile"], strict=False)},
        moving=tuple(name for name, (valid, ready) in ends.items() if valid and ready),
    )


def accesses_of(
    banks: Sequence[OutsideBank], raw: Mapping[str, Sequence[int]]
) -> dict[str, tuple[int, int]]:
    """Loads and stores of each array, from those of its banks."""
    found: dict[str, tuple[int, int]] = {}
    for bank in banks:
        loads, stores = found.get(bank.array.name, (0, 0))
        found[bank.array.name] = loads + raw[bank.name][0], stores + raw[bank.name][1]
    return found


def profile_of(word: int) -> Profile:
    """One line of the harness's profile: five numbers of 32 bits."""
    return Profile(*(word >> shift & 0xFFFFFFFF for shift in (128, 96, 64, 32, 0)))


def blocked_channels(
    channels: Sequence[Channel], ends: Mapping[str, tuple[bool, bool]]
) -> tuple[str, ...]:
    """Channels with a token that is not taken, then empty ones that a unit with a token waits for.

    `ends` is valid and ready of every channel.
    """
    stuck = [name for name, (valid, ready) in ends.items() if valid and not ready]
    inputs: dict[str, list[str]] = {}
    for channel in channels:
        inputs.setdefault(channel.target.unit, []).append(channel.name)
    starved: list[str] = []
    for unit, names in inputs.items():
        if unit and any(ends[name][0] for name in names):
            starved += [name for name in names if not ends[name][0]]
    return (*stuck, *_once(starved))


def _once(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
