"""Every example does what its bundle says, as a program and as a circuit, without reset."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice
from pathlib import Path
from typing import Literal

import pytest

from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_models
from tests.judges.oracles import ORACLES, bundle_text
from tests.support.compiled import compile_example
from tests.support.folders import EXAMPLES

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mlir"))
ZeroTrip = Literal["raw", "guard"]
POLICIES: tuple[ZeroTrip, ...] = ("raw", "guard")
LEAST = 3
"""Activations of each example."""


def compiled(path: Path, zero_trip: ZeroTrip) -> Circuit:
    """With the default policy for the default clock, with the other for none."""
    usual = Options(zero_trip=zero_trip)
    return compile_example(path, usual if usual == Options() else replace(usual, clock_period=None))


def test_every_example_has_an_oracle() -> None:
    assert sorted(ORACLES) == NAMES
    assert len(NAMES) >= 20


@pytest.mark.parametrize("name", NAMES)
def test_bundle_is_what_the_oracle_says(name: str) -> None:
    assert (EXAMPLES / f"{name}.json").read_text() == bundle_text(name)


def activations(name: str, circuit: Circuit) -> list[Activation]:
    signature = signature_of(top_function(circuit.source))
    bundle = read_bundle((EXAMPLES / f"{name}.json").read_text(), f"{name}.json", signature)
    return list(islice(cycle(bundle), max(LEAST, len(bundle))))


@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, zero_trip: ZeroTrip) -> None:
    circuit = compiled(EXAMPLES / f"{name}.mlir", zero_trip)
    given = activations(name, circuit)
    assert all(each.expected.results or each.expected.memories for each in given)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=1_000_000
    )
    assert report.differences == ()
    assert report.tokens.clean and len(report.tokens.activations) == len(given)
