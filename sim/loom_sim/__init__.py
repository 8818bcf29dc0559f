"""Co-simulation of emitted circuits in Verilator under cocotb."""

from loom_sim.cosimulate import cosimulate
from loom_sim.jobs import Activation, Job, JobResult, Progress, Run, SimOptions, Violation

__all__ = [
    "Activation",
    "Job",
    "JobResult",
    "Progress",
    "Run",
    "SimOptions",
    "Violation",
    "cosimulate",
]
