"""Programs and the circuits they become do the same, token by token, activation after activation.

Source reference = token model, with nothing left on any channel and every unit at rest (docs/spec
D6): by hand for what docs/spec lists; `test_random_programs` has what they do not.
"""

from __future__ import annotations

import os
from random import Random
from typing import Literal

import pytest

from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.draw_floats import random_float
from loom.model.bundles.signature import Array, Scalar, random_activations, signature_of
from loom.model.comparison import compare_models
from tests.grow.random_floats import random_float_program
from tests.support.compiled import compile_once
from tests.support.row_files import read_sections

ZeroTrip = Literal["raw", "guard"]
POLICIES: tuple[ZeroTrip, ...] = ("raw", "guard")
PROGRAMS = read_sections("programs.mlir", "float_programs.mlir")
TRIPS = (0, 1, 0, 2, 5, 1)
"""Trip counts of the activations of one run, in order."""


def compiled(text: str, zero_trip: ZeroTrip, index_width: int = 64) -> Circuit:
    return compile_once(text, "k.mlir", Options(index_width, zero_trip))


def drawn(argument: Scalar | Array, random: Random) -> int:
    """A word for a scalar or an element."""
    if argument.form is not None:
        return random_float(argument.form, random)
    return random.randrange(1 << argument.width)


def activations(circuit: Circuit, random: Random) -> list[Activation]:
    """One activation for each trip count: arguments n, k, t take it, others are random."""
    signature = signature_of(top_function(circuit.source), circuit.netlist.index_width)
    found: list[Activation] = []
    for trips in TRIPS:
        inputs: dict[str, int | list[int]] = {}
        for argument in signature.arguments:
            if isinstance(argument, Array):
                inputs[argument.name] = [drawn(argument, random) for _ in range(argument.extent)]
            elif argument.name in ("n", "k", "t"):
                inputs[argument.name] = trips if argument.name == "n" else random.randrange(4)
            else:
                inputs[argument.name] = drawn(argument, random)
        found.append(Activation(inputs))
    return found


def differences(circuit: Circuit, given: list[Activation], seed: int | None) -> list[str]:
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=100_000, seed=seed
    )
    assert report.tokens.clean == (not report.differences)
    return list(report.differences)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_hand_made_program(name: str, zero_trip: ZeroTrip) -> None:
    circuit = compiled(PROGRAMS[name], zero_trip)
    given = activations(circuit, Random(name))
    for seed in (None, 1, 2):
        assert differences(circuit, given, seed) == []


FLOAT_PROGRAMS = int(os.environ.get("LOOM_FLOAT_PROGRAMS", "40"))
"""Random programs on floats; more by the environment variable."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("seed", range(FLOAT_PROGRAMS))
def test_random_float_program(seed: int) -> None:
    circuit = compiled(random_float_program(seed), POLICIES[seed % 2])
    given = random_activations(signature_of(top_function(circuit.source)), seed, 3)
    assert differences(circuit, given, seed) == []


def test_a_wrong_circuit_is_seen() -> None:
    """The check itself: a sum that starts at another value differs from the program."""
    source = PROGRAMS["sum after a loop that may not run (D1)"]
    circuit = compiled(source, "raw")
    other = compiled(source.replace("%zero = arith.constant 0", "%zero = arith.constant 1"), "raw")
    report = compare_models(
        circuit.source, circuit.top, other.netlist, [Activation({"n": 3, "a": 5})], max_cycles=1000
    )
    assert report.differences == (
        "activation 0: the token model's results are 16, the program's 15",
    )
