"""MLIR's own compiler agrees with what blocks do; and what it makes of the examples compiles."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from random import Random

import pytest

from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.model.bundles.activation import Activation, Expected
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from tests.grow.random_blocks import random_blocks
from tests.lower.test_lifted_blocks import PROGRAMS, compiled
from tests.model.test_program_meets_model import activations
from tests.native.test_native_judge import KERNELS, verdict
from tests.support.compiled import compile_example

pytestmark = [
    pytest.mark.usefixtures("no_clock_period"),
    pytest.mark.judge,
    pytest.mark.skipif(
        importlib.util.find_spec("mlir") is None,
        reason="the extra `judge` (MLIR's own tools) is not installed",
    ),
]
GRAPHS = int(os.environ.get("LOOM_JUDGED_BLOCKS", "30"))
"""Random graphs a run; more by the environment variable."""
NOT_JUDGED = {"switch of all forms", "search: early return out of a loop"}
NOT_JUDGED |= {
    "nested loops, and a way out of both",
    "arguments that swap, and one that never varies",
}
OTHERWISE = frozenset(("bits", "window"))
"""Examples that are other circuits after they were blocks: there the i8 counter of `bits` may wrap,
and what `window` asks of its loops is lost with them."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_by_hand_agree(name: str) -> None:
    given = activations(compiled(PROGRAMS[name], "raw"), Random(name))[2:4]
    judged = [verdict(PROGRAMS[name], activation) for activation in given]
    assert all(judged) or name in NOT_JUDGED


@pytest.mark.usefixtures("deep_on_sources")
def test_random_graphs_agree() -> None:
    judged = [verdict(random_blocks(seed), None, seed) for seed in range(GRAPHS)]
    assert sum(judged) >= GRAPHS // 4, "many graphs must be judged"


def as_blocks(text: str) -> str:
    """The program after MLIR has taken its loops and branches apart."""
    from mlir.ir import Context, Module
    from mlir.passmanager import PassManager

    with Context():
        module = Module.parse(text)
        PassManager.parse("builtin.module(lower-affine,convert-scf-to-cf)").run(module.operation)
        return str(module)


@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_an_example_taken_apart_is_the_same_circuit(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    whole, apart = compile_example(file), compile_text(as_blocks(text), file.name)
    signature = signature_of(top_function(whole.source))
    names = [argument.name for argument in signature_of(top_function(apart.source)).arguments]
    renamed = dict(zip(signature.by_name, names, strict=True))
    bundle = file.with_suffix(".json")
    given = [
        Activation(
            {renamed[name]: value for name, value in run.inputs.items()},
            Expected(
                run.expected.results,
                {renamed[name]: words for name, words in run.expected.memories.items()},
            ),
        )
        for run in read_bundle(bundle.read_text(encoding="utf-8"), bundle.name, signature)
    ]
    report = compare_models(apart.source, apart.top, apart.netlist, given, max_cycles=1_000_000)
    assert report.differences == ()
    units = [sorted(unit.operator.name for unit in c.netlist.units) for c in (whole, apart)]
    assert (units[0] == units[1]) is (file.stem not in OTHERWISE)
