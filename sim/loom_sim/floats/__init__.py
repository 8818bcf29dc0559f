"""Float units against the host's own arithmetic, in a compiled bench."""

from loom_sim.floats.bench import Answer, run_unit
from loom_sim.floats.units import FloatUnit, float_units

__all__ = ["Answer", "FloatUnit", "float_units", "run_unit"]
