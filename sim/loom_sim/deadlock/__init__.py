"""The search for deadlocks: every state that a small circuit can reach is visited."""

from loom_sim.deadlock.explore import Exploration, explore
from loom_sim.deadlock.search import search
from loom_sim.deadlock.shapes import SHAPES, Shape
from loom_sim.deadlock.verdict import Verdict

__all__ = ["SHAPES", "Exploration", "Shape", "Verdict", "explore", "search"]
