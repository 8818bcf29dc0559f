"""What the outcome of kernels in Verilator depends on: inputs of deep tests that simulate them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loom_sim.kernel import Kernel

from loom.model.bundles.activation import Activation
from loom.netlist.json_text import to_json
from tests.support.deep import SIMULATION_INPUTS

RTL_INPUTS = (
    *SIMULATION_INPUTS, "loom/model", "loom/netlist", "sim/loom_sim/kernel.py",
    "tests/support/kernels_in_rtl.py",
)  # fmt: skip
"""What decides what is expected, simulates and compares."""


def describe_runs(pairs: Iterable[tuple[Kernel, Sequence[Activation]]]) -> list[str]:
    """Each kernel's program, its circuit, and what goes in."""
    texts: list[str] = []
    for kernel, given in pairs:
        texts += [str(kernel.source), to_json(kernel.netlist)]
        texts += [*kernel.files.values(), repr(given)]
    return texts
