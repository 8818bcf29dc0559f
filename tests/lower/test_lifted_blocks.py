"""Blocks and what they are lifted to do the same: programs by hand, and graphs at random.

The reference runs the blocks as they stand, so that it judges the lifting: reference = token model.
"""

from __future__ import annotations

import inspect
import os
import sys
from functools import cache
from random import Random

import pytest

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from tests.grow.random_blocks import random_blocks
from tests.model.test_program_meets_model import POLICIES, ZeroTrip, activations, differences
from tests.support.row_files import read_sections

pytestmark = pytest.mark.usefixtures("no_clock_period")
"""These are about programs, not registers: placement for a period has tests of its own."""

PROGRAMS = read_sections("blocks.mlir")
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


@pytest.mark.usefixtures("deep_on_sources")
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


def early_ends(count: int) -> str:
    """A row of tests, each of which may return at once."""
    blocks = [
        f"^t{k}:\n  %k{k} = arith.constant {k} : i32\n"
        f"  %p{k} = arith.cmpi eq, %a, %k{k} : i32\n  cf.cond_br %p{k}, ^r{k}, ^t{k + 1}\n"
        f"^r{k}:\n  %v{k} = arith.muli %a, %k{k} : i32\n  return %v{k} : i32\n"
        for k in range(count)
    ]
    rows = "".join(blocks)
    return (
        f"func.func @f(%a: i32) -> i32 {{\n  cf.br ^t0\n{rows}^t{count}:\n  return %a : i32\n}}\n"
    )


def test_many_early_ends() -> None:
    circuit = compile_text(early_ends(40))
    given = [Activation({"a": k}) for k in (0, 7, 39, 40, 1 << 31)]
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()


def test_more_early_ends_than_python_can_nest() -> None:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 250)
    try:
        with pytest.raises(LoomError) as caught:
            compile_text(early_ends(100), "k.mlir")
    finally:
        sys.setrecursionlimit(limit)
    assert str(caught.value) == (
        "k.mlir:1:1: error[LOWER_TOO_DEEP]: found branches that nest too deep once blocks are "
        "branches; LOOM accepts some hundreds of early ends in a row"
    )
