"""What the outcome of a circuit behind a bus in Verilator depends on, beside its files."""

from __future__ import annotations

from tests.support.deep import SIMULATION_INPUTS

BUS_INPUTS = (
    *SIMULATION_INPUTS, "sim/loom_sim/cache.py", "sim/loom_sim/stream_systems.py",
    "sim/loom_sim/systems.py", "tests/bus",
)  # fmt: skip
"""The simulation, the benches and their neighbours."""
