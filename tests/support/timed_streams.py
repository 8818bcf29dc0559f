"""Streams of tokens through the timed model, as `streams_in_rtl` sends them through a circuit."""

from __future__ import annotations

from collections.abc import Iterator

from loom_sim import Run

from loom.model.timed.simulate import DEFAULT_MOST, TimedRun, TimedSimulation
from tests.support.streams_in_rtl import Streams


def timed(one: Streams) -> TimedRun:
    """What the timed model makes of the streams."""
    wanted = {name: len(tokens) for name, tokens in one.model.outputs.items()}
    simulation = TimedSimulation(one.netlist, DEFAULT_MOST)
    return simulation.activate(one.tokens, one.words, wanted)


def timing_differences(one: Streams, run: Run) -> Iterator[str]:
    """Where a profiled run without stalls takes other cycles than the timed model, in words."""
    expected = timed(one)
    if run.cycles != expected.cycles:
        yield f"{run.cycles} cycles, {expected.cycles} predicted"
    for name, cycles in expected.stalled.items():
        waits = run.profile[name].waits
        if waits != cycles:
            yield f"channel {name}: tokens wait {waits} cycles, {cycles} predicted"
