"""Every example in Verilator: the program, the token model and the RTL agree, without reset."""

from __future__ import annotations

import json
from itertools import cycle, islice
from pathlib import Path
from typing import Literal

import pytest
from loom_sim import SimOptions
from loom_sim.kernel import Kernel, KernelReport, cosimulate_kernels

from loom.api import Circuit, compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.activation import Activation
from loom.model.bundle import read_bundle
from loom.model.signature import signature_of

pytestmark = pytest.mark.sim

EXAMPLES = Path(__file__).parent.parent / "examples"
PATHS = sorted(EXAMPLES.glob("*.mlir"))
LEAST = 3
"""Activations of each example."""
WAYS = (
    SimOptions(),
    SimOptions(shy=True, seed=2),
    SimOptions(stalls=0.3, shy=False, seed=3),
    SimOptions(stalls=0.3, shy=True, seed=4),
)


def loaded(path: Path, zero_trip: Literal["raw", "guard"]) -> tuple[Kernel, list[Activation]]:
    circuit: Circuit = compile_text(
        path.read_text(), path.name, options=Options(zero_trip=zero_trip)
    )
    signature = signature_of(top_function(circuit.source))
    text = path.with_suffix(".json").read_text()
    bundle = read_bundle(text, f"{path.stem}.json", signature)
    kernel = Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
    return kernel, list(islice(cycle(bundle), max(LEAST, len(bundle))))


@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
def test_all_examples_in_one_build(zero_trip: Literal["raw", "guard"]) -> None:
    given = [loaded(path, zero_trip) for path in PATHS]
    kernels = [kernel for kernel, _ in given]
    activations = [each for _, each in given]
    assert len(kernels) >= 20
    for options in WAYS:
        for report, wanted in zip(
            cosimulate_kernels(kernels, activations, options), activations, strict=True
        ):
            check(report, len(wanted))


def check(report: KernelReport, activations: int) -> None:
    """All agree, and the object for scripts says so."""
    assert report.differences == (), report.kernel.netlist.name
    said = json.loads(json.dumps(report.to_json()))
    assert set(said) == {
        "kernel", "match", "differences", "residual_tokens", "deadlock", "bound", "tokens", "runs",
    }  # fmt: skip
    assert (said["match"], said["residual_tokens"], said["deadlock"]) == (True, 0, None)
    assert len(said["runs"]) == activations
    assert all(set(run) == {"results", "memories", "cycles", "bound"} for run in said["runs"])
    assert all(run["cycles"] >= run["bound"] for run in said["runs"])
    assert all(count["seen"] == count["expected"] for count in said["tokens"].values())
    assert sum(count["seen"] for count in said["tokens"].values()) == report.tokens
