"""Measured performance beside lower bounds, and the difference explained: ``loom report``."""

from loom_sim.performance.measure import measure_performance
from loom_sim.performance.performance import ChannelUse, LoopUse, Performance

__all__ = ["ChannelUse", "LoopUse", "Performance", "measure_performance"]
