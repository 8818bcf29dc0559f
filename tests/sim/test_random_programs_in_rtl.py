"""Random and hand-made programs do in Verilator what they say, activation after activation."""

from __future__ import annotations

import os
from collections.abc import Sequence
from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.front.api import compile_text
from loom.model.bundles.activation import Activation
from loom.netlist.json_text import to_json
from tests.model.test_program_meets_model import activations
from tests.random_programs.in_rtl import (
    IN_RTL,
    batch,
    judge_kernels,
    mispredicted,
    renamed_kernel,
    rtl_setting,
)
from tests.random_programs.replay import told
from tests.support.deep import SIMULATION_INPUTS, Deep
from tests.support.reference_programs import STRUCTURED

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]
PROGRAMS = int(os.environ.get("LOOM_RTL_PROGRAMS", "200"))
"""Programs in all; more by the environment variable."""
FIRST = int(os.environ.get("LOOM_RTL_FIRST", "0"))
BUILD = 20
"""Programs in one build [programs]."""
APART = 4 * BUILD
"""From the first seed of a build to that of the next: large programs are left out [seeds]."""
MODELS = ("loom/model", "loom/netlist", "sim/loom_sim/kernel.py", "tests/random_programs/in_rtl.py")
"""What decides what is expected, and compares."""
SECONDS = 100.0
"""So long a program that differs is shrunk; each try is a build of its own [s]."""


def inputs_of(kernel: Kernel, given: Sequence[Activation]) -> list[str]:
    """What a kernel's run depends on beside the models: its circuit and what goes in."""
    return [str(kernel.source), to_json(kernel.netlist), *kernel.files.values(), repr(given)]


@pytest.mark.parametrize("number", range(max(1, PROGRAMS // BUILD)))
def test_programs_match_in_all_three_ways(number: int, deep: Deep) -> None:
    seeds = batch(FIRST + number * APART, min(BUILD, PROGRAMS))
    pairs = [renamed_kernel(seed) for seed in seeds]
    deep(*SIMULATION_INPUTS, *MODELS, texts=[text for pair in pairs for text in inputs_of(*pair)])
    wrong = judge_kernels(seeds, pairs)
    for seed, finding in wrong.items():
        raise AssertionError(told(seed, rtl_setting(seed), finding, SECONDS, IN_RTL))


def test_structured_programs_match_in_all_three_ways(deep: Deep) -> None:
    """The token model runs these under both policies; one is enough here."""
    kernels: list[Kernel] = []
    given: list[list[Activation]] = []
    for number, (name, text) in enumerate(STRUCTURED.items()):
        circuit = compile_text(text.replace("@f(", f"@s{number}("), f"{name}.mlir")
        kernels.append(Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files()))
        given.append(activations(circuit, Random(name)))
    pairs = zip(kernels, given, strict=True)
    deep(*SIMULATION_INPUTS, *MODELS, texts=[text for pair in pairs for text in inputs_of(*pair)])
    for stalls in (0.0, 0.35):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"stalls {stalls}"
        assert stalls or [text for report in reports for text in mispredicted(report)] == []
