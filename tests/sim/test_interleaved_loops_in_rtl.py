"""Entries that take turns: source reference = token model = RTL, in the predicted cycles."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from tests.grow.random_turns import draw_turns
from tests.lower.loops.test_interleave_loops import given, lanes_of, rows
from tests.lower.loops.test_partial_sums import (
    CONDITIONAL,
    FUSED,
    SELECTED,
    SEVERAL,
    STORES,
    TERM,
    calls,
    loop,
)
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]

SUMS = ((6, 7, 6), (6, 1, 3), (12, 3, 12), (4, 5, 2))
"""Rows, columns, and how many rows take turns."""
NESTS = 5
"""Random nests."""


PARTIAL = ((20, 4, TERM), (21, 4, TERM), (3, 8, TERM), (1, 8, TERM), (0, 8, TERM),
           (23, 6, CONDITIONAL), (24, 6, SELECTED), (26, 13, FUSED))  # fmt: skip
"""Terms, partial sums, and how a term is added."""


def partial_sums() -> list[tuple[Kernel, Sequence[Activation]]]:
    """Float sums in partial sums, several of them, and with a store in each iteration."""
    found: list[tuple[Kernel, Sequence[Activation]]] = []
    for number, (trips, lanes, term) in enumerate(PARTIAL):
        text = loop(0, trips, asked=f"loom.partial_sums = {lanes} : i64", term=term)
        options = Options(lean=("on", "off")[number % 2])
        made = compile_text(text.replace("@f", f"@partial{number}"), "k.mlir", options=options)
        found.append((Kernel(made.source, made.top, made.netlist, made.files()), calls()))
    several = compile_text(SEVERAL.replace("@f", "@several"), "k.mlir")
    found.append((Kernel(several.source, several.top, several.netlist, several.files()), calls()))
    stores = compile_text(STORES.replace("void f", "void stores"), "k.c")
    words = calls()[0].inputs["a"]
    assert isinstance(words, list)
    arrays = [Activation({"a": words[:24], "y": words[24:48], "t": [0]})] * 2
    found.append((Kernel(stores.source, stores.top, stores.netlist, stores.files()), arrays))
    return found


def subjects() -> list[tuple[Kernel, Sequence[Activation]]]:
    """Float sums, and nests whose accesses of one memory just do not collide."""
    found: list[tuple[Kernel, Sequence[Activation]]] = []
    for number, (outer, inner, lanes) in enumerate(SUMS):
        text = rows(outer, inner, f"loom.interleave = {lanes}")
        options = Options(lean=("on", "off")[number % 2])
        made = compile_text(text.replace("@f", f"@sums{number}"), "k.mlir", options=options)
        assert lanes_of(made) == [lanes]
        calls = [
            Activation({"a": each.inputs["a"], "y": [0] * outer}) for each in given(outer, inner)
        ]
        found.append((Kernel(made.source, made.top, made.netlist, made.files()), calls))
    seed = 0
    while len(found) < len(SUMS) + NESTS:
        seed += 1
        turns = draw_turns(Random(seed))
        try:
            made = compile_text(turns.text().replace("@f", f"@nest{seed}"), "k.mlir")
        except LoomError:
            continue
        if lanes_of(made) == [turns.lanes]:
            words = [(7 * k + seed) % 256 for k in range(turns.nest.words)]
            calls = [Activation({"m": words}), Activation({"m": words[::-1]})]
            found.append((Kernel(made.source, made.top, made.netlist, made.files()), calls))
    return found


@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_entries_in_turns_in_all_three_ways(deep: Deep, stalls: float) -> None:
    pairs = [*subjects(), *partial_sums()]
    deep(*RTL_INPUTS, texts=describe_runs(pairs))
    kernels, calls = [kernel for kernel, _ in pairs], [each for _, each in pairs]
    for report in cosimulate_kernels(kernels, calls, SimOptions(stalls=stalls)):
        assert report.match, (report.kernel.top, report.differences[:3])
        assert report.rtl.assertions == ()
        if not stalls:
            assert [run.cycles for run in report.rtl.runs] == report.predicted
