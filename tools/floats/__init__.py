"""Float units against the host's own arithmetic, in a compiled bench."""

from tools.floats.bench import Answer, run_unit
from tools.floats.units import FloatUnit, float_units

__all__ = ["Answer", "FloatUnit", "float_units", "run_unit"]
