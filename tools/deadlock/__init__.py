"""The search for deadlocks: every state that a small circuit can reach is visited."""

from tools.deadlock.explore import Exploration, explore
from tools.deadlock.search import search
from tools.deadlock.shapes import SHAPES, Shape
from tools.deadlock.verdict import Verdict

__all__ = ["SHAPES", "Exploration", "Shape", "Verdict", "explore", "search"]
