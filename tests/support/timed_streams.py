"""Streams of tokens through the timed model, as `streams_in_rtl` sends them through a circuit."""

from __future__ import annotations

from loom.model.timed.simulate import DEFAULT_MOST, TimedRun, TimedSimulation
from tests.support.streams_in_rtl import Streams


def timed(one: Streams) -> TimedRun:
    """What the timed model makes of the streams."""
    wanted = {name: len(tokens) for name, tokens in one.model.outputs.items()}
    simulation = TimedSimulation(one.netlist, DEFAULT_MOST)
    return simulation.activate(one.tokens, one.words, wanted)
