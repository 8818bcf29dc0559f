"""Buffers on long paths: where a path exceeds the clock period, a channel on it gets a buffer.

The delays are those of the table of units (`unit_costs`). On each path that is too long a buffer
goes where it costs least time, late on the path, until no path is too long: a registered one, or
where the path runs along ready one that only holds ready, which costs no cycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from loom.analysis.timing.clocked_graph import Arrivals, Signal
from loom.analysis.timing.static_timing import Path

CONTROL = 2
"""What a slot costs besides its data [bits]."""


class Placeable(NamedTuple):
    """A buffer that shortens a path: on this value, `registered` or only for ready; its `bits`."""

    value: SSAValue
    registered: bool
    bits: int


class PeriodTooShort(Exception):
    """The period is shorter than a path that no buffer can shorten."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.path = path

    @property
    def next_period(self) -> float:
        """The period to try next: the path's delay, rounded up to a hundredth [ns]."""
        return math.ceil(self.path.delay * 100 - 1e-6) / 100


class PeriodNotMet(Exception):
    """No placement meets the period because of `path`; one of `accepted` [ns] or longer is met."""

    def __init__(self, path: Path, accepted: float) -> None:
        super().__init__(path, accepted)
        self.path = path
        self.accepted = accepted


Price = Callable[[Placeable], float]
"""What a buffer costs in time."""


def places_to_buffer(found: Arrivals, near: float, price: Price) -> list[Placeable]:
    """The buffers that the late paths need, no two on a path; empty if all fit the period.

    Of those late on a path, from `near` of the latest on, the one that costs least time goes in,
    then least bits. Raises `PeriodTooShort` if a path is too long that no buffer can shorten.
    """
    if cycle := found.cycle():
        places = [place_on(found, signal) for signal in cycle if is_open(found, signal)]
        assert places, "a cycle of signals passes a channel between two units"
        return [min(places, key=lambda each: (price(each), each.bits))]
    late = found.late_ends()
    chosen: dict[SSAValue, Placeable] = {}
    for end in late:
        signals = found.signals(end)
        if any(signal.value in chosen for signal in signals):
            continue
        places = places_on(found, signals, near)
        if places:
            best = min(places, key=lambda each: (price(each), each.bits))
            chosen[best.value] = best
    if late and not chosen:
        raise PeriodTooShort(found.path(late[0]))
    return list(chosen.values())


def places_on(found: Arrivals, signals: Sequence[Signal], near: float) -> list[Placeable]:
    """Where a buffer may go on a path, from its end on; ready asks for no register.

    Only those that the signal reaches in time, from `near` of the latest of them on; if there is
    none, the first of all.
    """
    open_ = [signal for signal in signals if is_open(found, signal)]
    places: list[Placeable] = []
    latest = 0.0
    for signal in reversed(open_):
        if places and signal.arrival < near * latest:
            break
        if found.is_in_time(signal):
            latest = max(latest, signal.arrival)
            places.append(place_on(found, signal))
    return places or [place_on(found, signal) for signal in open_[:1]]


def is_open(found: Arrivals, signal: Signal) -> bool:
    """Whether a buffer on the channel, between two operations, would register the signal."""
    planned = found.buffers.get(signal.value)
    stands = planned is not None and (planned.registered or signal.kind == "ready")
    return isinstance(signal.value.owner, Operation) and not stands


def place_on(found: Arrivals, signal: Signal) -> Placeable:
    """The buffer on the channel that registers the signal."""
    registered = signal.kind != "ready"
    bits = found.graph.width(signal.value) + CONTROL
    return Placeable(signal.value, registered, bits * (1 + registered))
