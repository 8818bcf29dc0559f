"""Buffers on long paths: where a path exceeds the clock period, a channel on it gets a buffer.

The delays are those of the table of units (`unit_costs`). On each path that is too long a buffer
goes where it costs least time, late on the path, until no path is too long: a registered one, or
where the path runs along ready one that only holds ready, which costs no cycle.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from xdsl.ir import SSAValue

from loom.analysis.timing.clocked_graph import Arrivals, End, Signal
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
"""What a buffer costs in time; infinite where none may stand."""


def pipeline_late_paths(
    found: Arrivals, near: float, price: Price, put: Callable[[Placeable], None]
) -> bool:
    """No path is late, as `put` places a buffer on each that is; true if there was one.

    The path of the latest end comes first; with a horizon, what is late first, so that every path
    is short when it gets its buffer. `put` tells `found` of its buffer. Raises `PeriodTooShort` if
    a path is too long that no buffer can shorten.
    """
    placed = False
    while found.is_late():
        if cycle := found.cycle():
            places = [place_on(found, signal) for signal in cycle if is_open(found, signal)]
            assert places, "a cycle of signals passes a channel between two units"
            put(min(places, key=lambda each: (price(each), each.bits)))
            placed = True
            continue
        late = found.late_ends() if found.horizon == math.inf else found.late_signals()
        paths = found.count_paths(late)
        more = False
        for end in late:
            if end.signal not in found.late:
                continue
            best = best_place(found, found.end_of(end.signal), near, price, paths)
            if best is not None:
                put(best)
                more = True
        if not more:
            whole = Arrivals(found.graph, found.buffers)
            raise PeriodTooShort(whole.path(whole.late_ends()[0]))
        placed = True
    return placed


def best_place(
    found: Arrivals, end: End, near: float, price: Price, paths: Mapping[tuple[SSAValue, str], int]
) -> Placeable | None:
    """Where the path to this end gets a buffer; None if it has no place for one.

    Of the places that the signal reaches in time, those from `near` of the latest on are looked
    at: the one that costs least time, then least bits, by the late paths that it shortens. If all
    of them cost time, the latest place on the path that costs none is taken. If the signal reaches
    no place in time, the first of all.
    """
    open_ = [signal for signal in found.signals(end) if is_open(found, signal)]
    timely = [signal for signal in reversed(open_) if found.is_in_time(signal)]
    latest = max((signal.arrival for signal in timely), default=0.0)
    best: Placeable | None = None
    least = math.inf, math.inf
    for signal in timely or open_[:1]:
        place = place_on(found, signal)
        if best is not None and signal.arrival < near * latest:
            if least[0] == 0.0:
                break
            if price(place) == 0.0:
                return place
            continue
        share = paths.get((signal.value, signal.kind), 1)
        cost = price(place) / share, place.bits / share
        if best is None or cost < least:
            best, least = place, cost
    return None if least[0] == math.inf else best


def is_open(found: Arrivals, signal: Signal) -> bool:
    """Whether a buffer on the channel, between two operations, would register the signal."""
    planned = found.buffers.get(signal.value)
    stands = planned is not None and (planned.registered or signal.kind == "ready")
    return signal.value in found.graph.placeable and not stands


def place_on(found: Arrivals, signal: Signal) -> Placeable:
    """The buffer on the channel that registers the signal."""
    registered = signal.kind != "ready"
    bits = found.graph.width(signal.value) + CONTROL
    return Placeable(signal.value, registered, bits * (1 + registered))
