"""Blocks do in Verilator what they say: programs by hand and random graphs in one build."""

from __future__ import annotations

import os
from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from tests.grow.random_blocks import random_blocks
from tests.lower.test_lifted_blocks import PROGRAMS
from tests.model.test_program_meets_model import activations
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]
GRAPHS = int(os.environ.get("LOOM_RTL_BLOCKS", "8"))
"""Random graphs; more by the environment variable."""


def test_blocks_match_in_all_three_ways(deep: Deep) -> None:
    kernels: list[Kernel] = []
    given: list[list[Activation]] = []
    for number, text in enumerate([*PROGRAMS.values(), *map(random_blocks, range(GRAPHS))]):
        # Placement takes most of the time and does not know of blocks: a quarter has a period.
        options = Options(clock_period=None if number % 4 else "default")
        named = text.replace("@f(", f"@b{number}(")
        circuit = compile_text(named, f"program{number}.mlir", options=options)
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        if number < len(PROGRAMS):
            given.append(activations(circuit, Random(number)))
        else:
            signature = signature_of(top_function(circuit.source, circuit.top))
            given.append(random_activations(signature, number, 3))
    deep(*RTL_INPUTS, texts=describe_runs(zip(kernels, given, strict=True)))
    for stalls in (0.0, 0.35):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"stalls {stalls}"
