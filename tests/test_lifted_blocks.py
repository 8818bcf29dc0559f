"""Blocks and what they are lifted to do the same: programs by hand, and graphs at random.

The reference runs the blocks as they stand, so that it judges the lifting: reference = token model.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from random import Random

import pytest

from loom.api import Circuit, compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.comparison import compare_models
from loom.model.signature import random_activations, signature_of
from tests.random_blocks import random_blocks
from tests.test_program_meets_model import POLICIES, ZeroTrip, activations, differences

PROGRAMS = dict(
    section.split("\n", 1)
    for section in (Path(__file__).parent / "rows" / "blocks.mlir")
    .read_text()
    .removeprefix("=== ")
    .split("\n=== ")
)
COUNT = int(os.environ.get("LOOM_RANDOM_BLOCKS", "200"))
FIRST = int(os.environ.get("LOOM_RANDOM_FIRST", "0"))


@cache
def compiled(text: str, zero_trip: ZeroTrip) -> Circuit:
    return compile_text(text, "k.mlir", options=Options(zero_trip=zero_trip))


@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_by_hand(name: str, zero_trip: ZeroTrip) -> None:
    circuit = compiled(PROGRAMS[name], zero_trip)
    given = activations(circuit, Random(name))
    given += random_activations(signature_of(top_function(circuit.source)), 1, 8)
    for seed in (None, 1):
        assert differences(circuit, given, seed) == []


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_graph(seed: int) -> None:
    circuit = compile_text(
        random_blocks(seed), f"seed{seed}.mlir", options=Options(zero_trip=POLICIES[seed // 2 % 2])
    )
    given = random_activations(signature_of(top_function(circuit.source)), seed, 3)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, given, max_cycles=100_000, seed=seed
    )
    assert report.differences == ()


def test_random_graphs_hold_everything() -> None:
    texts = [random_blocks(seed) for seed in range(100)]
    for word in ("cf.cond_br", "cf.switch", "execute_region", "load", "store"):
        assert sum(word in text for text in texts) >= 20, word
