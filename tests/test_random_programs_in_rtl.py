"""Random programs do in Verilator what they say: one build, stalls, three activations."""

from __future__ import annotations

import os

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.activation import Activation
from loom.model.signature import random_activations, signature_of
from tests.random_programs import random_program

pytestmark = pytest.mark.sim
PROGRAMS = int(os.environ.get("LOOM_RTL_PROGRAMS", "10"))
"""Programs a policy; more by the environment variable."""
FIRST = int(os.environ.get("LOOM_RTL_FIRST", "0"))


@pytest.mark.parametrize("policy", ["raw", "guard"])
def test_programs_match_in_all_three_ways(policy: str) -> None:
    kernels: list[Kernel] = []
    given: list[list[Activation]] = []
    for seed in range(FIRST, FIRST + PROGRAMS):
        options = Options(zero_trip="guard" if policy == "guard" else "raw")
        text = random_program(seed).replace("@f(", f"@p{seed}(")
        circuit = compile_text(text, f"seed{seed}.mlir", options=options)
        signature = signature_of(top_function(circuit.source, circuit.top))
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        given.append(random_activations(signature, seed, 3))
    for stalls in (0.0, 0.35):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=FIRST + 1))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"replay with LOOM_RTL_FIRST={FIRST} and stalls {stalls}"
