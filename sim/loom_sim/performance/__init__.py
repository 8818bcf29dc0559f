"""How fast a circuit is, how fast it could be, and what is between the two: ``loom report``."""

from loom_sim.performance.measure import measure_performance
from loom_sim.performance.performance import ChannelUse, LoopUse, Performance

__all__ = ["ChannelUse", "LoopUse", "Performance", "measure_performance"]
