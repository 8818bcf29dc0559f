"""The intervals that are predicted of loops are those that they run at."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.front.api import compile_text
from loom.front.cli import main
from loom.lower.options import Options
from tests.model.test_examples import NAMES
from tests.support.prediction import predicted

MANY = 8
"""Turns of one entry from which the usual cycles of a turn are those of a long run."""
SUM = """func.func @f(%n: index, %a: i32, %m: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %s = scf.for %i = %0 to %n step %1 iter_args(%x = %a) -> i32 {
    %j = arith.index_cast %i : index to i32
    BODY
    scf.yield %y : i32
  }
  return %s : i32
}"""
LOOPS: dict[str, tuple[str, int, str]] = {
    "a sum": ("%y = arith.addi %x, %j : i32", 1, ""),
    "a product": ("%y = arith.muli %x, %j : i32", 2, "recurrence through muli (2)"),
    "fourteen products": (
        " ".join(f"%p{k + 1} = arith.muli %p{k}, %j : i32" for k in range(14))
        .replace("%p0,", "%x,").replace("%p14 ", "%y "),
        28, "recurrence through " + "muli (2), " * 12 + "2 more"),
    "a product beside": (
        "%p = arith.muli %j, %j : i32 %y = arith.addi %x, %p : i32", 1, ""),
    "a slow unit beside": (
        '%p = arith.divui %j, %a {loom.form = "iterative"} : i32 %y = arith.addi %x, %p : i32',
        34, "divui, which takes one operation at a time"),
    "two loads": (
        "%u = memref.load %m[%i] : memref<8xi32> %v = memref.load %m[%0] : memref<8xi32> "
        "%w = arith.addi %u, %v : i32 %y = arith.addi %x, %w : i32", 2, "2 loads of m"),
    "a load whose address was loaded": (
        "%k = arith.index_cast %x : i32 to index %y = memref.load %m[%k] : memref<8xi32>",
        1, ""),
}  # fmt: skip
"""The body, the interval [cycles] and what binds."""


@pytest.mark.parametrize("name", LOOPS)
def test_what_binds_a_loop_is_named(name: str) -> None:
    """Without a clock period, whose registers some of the recurrences hold."""
    body, ii, limited_by = LOOPS[name]
    free = Options(clock_period=None)
    (loop,) = compile_text(SUM.replace("BODY", body), "f.mlir", options=free).loops
    assert (loop.ii, loop.limited_by, loop.innermost, loop.depth) == (ii, limited_by, True, 1)
    assert (loop.place.line, loop.place.column) == (4, 3)


LARGE = ("bfs", "insertion_sort", "kmp", "stencil_2d", "window")
"""Examples whose placement of buffers takes seconds."""


@pytest.mark.parametrize("name", sorted({*NAMES} - {*LARGE}))
def test_loops_of_examples_run_at_the_interval_that_is_predicted(name: str) -> None:
    check_intervals(name)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", LARGE)
def test_loops_of_large_examples_run_at_the_interval_that_is_predicted(name: str) -> None:
    check_intervals(name)


def check_intervals(name: str) -> None:
    """Usually, where an entry has turns enough; a loop of loops takes what those in it take.

    For a clock period registers stand in some branches and not in others: the II is that of the
    slowest iteration.
    """
    for each in predicted(name, "fast").loops:
        if each.longest >= MANY and each.loop.innermost:
            assert each.usual == each.loop.ii, str(each.loop)
    for each in predicted(name).loops:
        if each.longest >= MANY and each.loop.innermost:
            assert each.usual is not None and each.usual <= each.loop.ii, str(each.loop)


def test_compile_tells_of_loops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "f.mlir"
    file.write_text(SUM.replace("BODY", LOOPS["two loads"][0]))
    assert main(["compile", "--style", "dynamic", str(file), "-o", str(tmp_path / "o")]) == 0
    assert f"{file}:4:3: II = 2: 2 loads of m\n" in capsys.readouterr().out
    assert (
        main(["compile", "--style", "dynamic", str(file), "-o", str(tmp_path / "o"), "--json"]) == 0
    )
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {
        "kernel",
        "units",
        "channels",
        "bit_width_reduction",
        "notes",
        "cost",
        "loops",
        "static_loops",
    }
    assert found["static_loops"] == []
    assert found["loops"] == [
        {"line": 4, "column": 3, "depth": 1, "innermost": True, "ii": 2,
         "limited_by": "2 loads of m"}
    ]  # fmt: skip
