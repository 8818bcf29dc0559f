"""Random programs whose loops are asked for other shapes still do what they did."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from loom_sim.kernel import Kernel
from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.loop_attributes import FLATTEN, HINT, INTERCHANGE, LOOPS, UNROLL
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.activation import Activation
from tests.random_programs import random_program
from tests.random_programs.in_rtl import MOST_UNITS, kernel_of, rtl_setting, simulated
from tests.random_programs.verdict import compared, judge_by_models, setting_of
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = pytest.mark.usefixtures("no_clock_period")
"""These are about programs, not registers: placement for a period has tests of its own."""

CHUNK = 30
"""Programs a test."""
CHUNKS = 10
IN_RTL = 4
"""Programs that are simulated."""
FACTORS = (2, 2, 3, 4, 5, "full")


def reshaped(seed: int) -> ModuleOp:
    """A random program that asks something of most of its loops, if it has some."""
    module = read_mlir(random_program(seed), "program.mlir")
    choose = random.Random(seed)
    for loop in [op for op in module.walk() if isinstance(op, LOOPS)]:
        HINT.put(loop, True)
        if choose.random() < 0.6:
            UNROLL.put(loop, choose.choice(FACTORS))
        for directive in (FLATTEN, INTERCHANGE):
            if choose.random() < 0.3:
                directive.put(loop, True)
    return module


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_reshaped_programs_meet_their_circuits(chunk: int) -> None:
    for seed in range(chunk * CHUNK, (chunk + 1) * CHUNK):
        module, setting = reshaped(seed), setting_of(seed, both=False)
        if seed % 10:  # a period takes time, and has random programs of its own
            setting = replace(setting, period=None)
        finding = compared(module, setting).finding
        assert finding is None, f"seed {seed}: {finding.words}\n{module}"


@pytest.mark.usefixtures("deep_on_sources")
def test_most_programs_have_loops_to_reshape() -> None:
    asked = [str(reshaped(seed)).count(UNROLL.name) for seed in range(100)]
    assert sum(map(bool, asked)) > 70 and sum(asked) > 120


@pytest.mark.from_sources
@pytest.mark.sim
def test_reshaped_programs_match_in_rtl(deep: Deep) -> None:
    found: list[tuple[Kernel, list[Activation]]] = []
    for seed in range(400, 500):
        text = str(reshaped(seed)).replace("@f(", f"@r{seed}(")
        setting = rtl_setting(seed)
        kernel, given = kernel_of(text, setting)
        is_small = UNROLL.name in text and len(kernel.netlist.units) <= MOST_UNITS
        if is_small and not judge_by_models(text, setting).dropped:
            found.append((kernel, given))
        if len(found) == IN_RTL:
            break
    deep(*RTL_INPUTS, "tests/random_programs/in_rtl.py", texts=describe_runs(found))
    wrong = dict(zip((kernel.top for kernel, _ in found), simulated(found, 7), strict=True))
    assert wrong == dict.fromkeys(wrong)
    assert len(wrong) == IN_RTL
