"""MLIR's own compiler and ours agree on floats: every operator on many numbers, random programs."""

from __future__ import annotations

import importlib.util
import os

import pytest

from loom.dialects.floats.formats import FORMATS, Format
from loom.dialects.operators.float_operators import TRANSCENDENTAL
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.signature import random_activations, signature_of
from tests.grow.random_floats import SIGNED_ZERO_OPEN, random_float_program
from tests.judges.float_table import table_program
from tests.native.test_native_judge import verdict

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        importlib.util.find_spec("mlir") is None,
        reason="the extra `judge` (MLIR's own tools) is not installed",
    ),
]
PROGRAMS = int(os.environ.get("LOOM_JUDGED_FLOAT_PROGRAMS", "10"))
"""Random programs a run; more by the environment variable."""
NOT_NATIVE = ("math.isinf", "math.isnormal", *(row.name for row in TRANSCENDENTAL))
"""Operators that MLIR's own pipeline leaves unlowered, and those that the machine's library does
not round right."""
ROUNDS_TWICE = {"bf16": ("math.fma",)}
"""Operators of a format that native code rounds to f32 first, so it is no judge of them."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("form", FORMATS.values(), ids=lambda form: form.name)
def test_every_float_operator_agrees(form: Format) -> None:
    left_out = (*NOT_NATIVE, *ROUNDS_TWICE.get(form.name, ()), *SIGNED_ZERO_OPEN)
    text = table_program(form.name, left_out)
    signature = signature_of(top_function(read_mlir(text)))
    given = random_activations(signature, 1, 1)[0]
    assert verdict(text, given)


@pytest.mark.usefixtures("deep_on_sources")
def test_random_float_programs_agree() -> None:
    left_out = (*NOT_NATIVE, *SIGNED_ZERO_OPEN)
    judged = [
        verdict(random_float_program(seed, left_out, ("f32", "f64")), None, seed)
        for seed in range(PROGRAMS)
    ]
    assert all(judged)
