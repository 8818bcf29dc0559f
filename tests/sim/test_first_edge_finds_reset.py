"""Nothing happens before the reset, whatever the random state is that a simulation begins in."""

from __future__ import annotations

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

import loom
from loom.model.bundles.activation import Activation

SPLIT = """
func.func @split(%a: i7) -> (i7, i7, i7) {
  return %a, %a, %a : i7, i7, i7
}
"""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_no_assertion_fails_at_the_first_edge() -> None:
    """One start in eight had a clock edge at time 0 without reset, and a fork that waited."""
    circuit = loom.compile_text(SPLIT)
    kernel = Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
    for seed in (8, 9, 10, 11, 14, 39):
        options = SimOptions(stalls=0.3, seed=seed)
        (report,) = cosimulate_kernels([kernel], [[Activation({"a": 5})]], options)
        assert report.differences == ()
