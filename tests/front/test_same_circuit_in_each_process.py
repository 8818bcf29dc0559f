"""The circuit of a program does not depend on where a process keeps its objects.

What is compared by identity has its address as hash, and None had one too: a set of them has
another order in each process. Here hashes rise, or fall, as objects are first looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from pathlib import Path

import pytest
from xdsl.ir import Block, Operation, Region, SSAValue

from loom.analysis.schedule import buffers
from loom.analysis.schedule.buffers import TokenRate
from loom.analysis.schedule.event_graph import Edge, Node
from loom.front.api import compile_file
from loom.lower.dataflow import compare_addresses
from loom.lower.options import Options
from tests.support.folders import EXAMPLES

BY_ADDRESS = (Operation, SSAValue, Block, Region, Edge, Node, TokenRate)
KERNELS = ("fir", "histogram", "matvec", "spmv", "triangular", "dot_f32")
LARGE = ("bfs", "insertion_sort")
"""Examples whose placement of buffers takes seconds."""
MANY = 1 << 40


def number_objects(sign: int) -> Callable[[object], int]:
    """A hash that rises, or falls, with each object that it is first used for."""
    numbers: dict[object, int] = {}
    kept: list[object] = []

    def number(item: object) -> int:
        key = astuple(item) if isinstance(item, TokenRate) else id(item)
        if key not in numbers:
            kept.append(item)
            numbers[key] = len(kept)
        return MANY + sign * numbers[key]

    return number


def circuit(file: Path, options: Options, sign: int) -> str:
    """The graph of a program, where hashes rise (1) or fall (-1)."""
    with pytest.MonkeyPatch.context() as patched:
        for kind in BY_ADDRESS:
            patched.setattr(kind, "__hash__", number_objects(sign))
        return str(compile_file(file, options=options).graph)


def same_either_way(file: Path, options: Options) -> bool:
    """Whether the graph is the same where hashes rise and where they fall."""
    return circuit(file, options, 1) == circuit(file, options, -1)


@pytest.mark.parametrize("name", KERNELS)
def test_the_default_circuit_does_not_depend_on_hashes(name: str) -> None:
    """With a clock, styles, comparators and static loops."""
    assert same_either_way(EXAMPLES / f"{name}.mlir", Options())


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", LARGE)
def test_a_large_circuit_does_not_depend_on_hashes(name: str) -> None:
    assert same_either_way(EXAMPLES / f"{name}.mlir", Options())


@pytest.mark.parametrize("name", ["bfs", "fir"])
def test_optimal_buffers_do_not_depend_on_hashes(name: str) -> None:
    """The rows of the solver's programs have one order: another one has other best solutions."""
    options = Options(buffers="optimal", clock_period=None)
    assert same_either_way(EXAMPLES / f"{name}.mlir", options)


def test_a_set_in_a_plan_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the rates of an edge as a set, which falling hashes turn around."""
    # Loads that wait for stores give some edges two rates.
    monkeypatch.setattr(compare_addresses, "forward_values", lambda *_: "")
    monkeypatch.setattr(buffers, "each_once", lambda rates: list({*rates}))
    options = Options(buffers="optimal", clock_period=None)
    assert not same_either_way(EXAMPLES / "bfs.mlir", options)
