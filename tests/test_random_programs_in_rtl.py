"""Random and hand-made programs do in Verilator what they say: one build, several activations."""

from __future__ import annotations

import os
from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.activation import Activation
from loom.model.signature import random_activations, signature_of
from tests.random_programs import random_program
from tests.reference_programs import STRUCTURED
from tests.test_program_meets_model import activations

pytestmark = pytest.mark.sim
PROGRAMS = int(os.environ.get("LOOM_RTL_PROGRAMS", "10"))
"""Programs a policy; more by the environment variable."""
FIRST = int(os.environ.get("LOOM_RTL_FIRST", "0"))


def options_of(policy: str) -> Options:
    """The lowering options of a policy."""
    return Options(zero_trip="guard" if policy == "guard" else "raw")


@pytest.mark.parametrize("policy", ["raw", "guard"])
def test_programs_match_in_all_three_ways(policy: str) -> None:
    kernels: list[Kernel] = []
    given: list[list[Activation]] = []
    for seed in range(FIRST, FIRST + PROGRAMS):
        options = options_of(policy)
        text = random_program(seed).replace("@f(", f"@p{seed}(")
        circuit = compile_text(text, f"seed{seed}.mlir", options=options)
        signature = signature_of(top_function(circuit.source, circuit.top))
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        given.append(random_activations(signature, seed, 3))
    # The token model runs these under both policies; one is enough here.
    structured = STRUCTURED if policy == "raw" else {}
    for number, (name, text) in enumerate(structured.items()):
        circuit = compile_text(
            text.replace("@f(", f"@s{number}("), f"{name}.mlir", options=options_of(policy)
        )
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        given.append(activations(circuit, Random(name)))
    for stalls in (0.0, 0.35):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=FIRST + 1))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"replay with LOOM_RTL_FIRST={FIRST} and stalls {stalls}"
