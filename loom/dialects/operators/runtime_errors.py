"""The run-time errors a circuit can raise on its sticky error output, by number."""

from __future__ import annotations

from loom.dialects.operators.dataflow_operators import ZERO_STEP
from loom.dialects.operators.handshake_operators import ERROR_RESPONSE, OUT_OF_RANGE

RUNTIME_ERRORS: tuple[str, ...] = ("", ZERO_STEP, OUT_OF_RANGE, ERROR_RESPONSE)
"""Error codes; the index is the value of ``error_code_o``, 0 is no error."""
OF_EVERY_CIRCUIT = RUNTIME_ERRORS[:3]
"""The codes that every circuit has an input of its latch for."""
