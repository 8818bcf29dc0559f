"""Compilation takes time in proportion to the program: counted in Python calls, not in seconds."""

from __future__ import annotations

import cProfile
from collections.abc import Callable

import pytest

from loom.front.api import compile_text

HEAD = "func.func @f(%a: i32, %n: index, %m: memref<16xi32>) -> i32 {"
CONSTANTS = ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index"]


def straight(count: int) -> list[str]:
    lines = ["%v0 = arith.addi %a, %a : i32"]
    for k in range(count):
        lines += [
            f"%l{k} = memref.load %m[%n] : memref<16xi32>",
            f"%s{k} = arith.subi %v{k}, %l{k} : i32",
            f"memref.store %s{k}, %m[%n] : memref<16xi32>",
            f"%v{k + 1} = arith.xori %s{k}, %v{k} : i32",
        ]
    return [*lines, f"return %v{count} : i32"]


def loops(count: int) -> list[str]:
    lines = [*CONSTANTS, "%v0 = arith.addi %a, %a : i32"]
    for k in range(count):
        lines += [
            f"%v{k + 1} = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v{k}) -> i32 {{",
            "%l = memref.load %m[%i] : memref<16xi32>",
            "%y = arith.addi %x, %l : i32",
            "memref.store %y, %m[%i] : memref<16xi32>",
            "scf.yield %y : i32",
            "}",
        ]
    return [*lines, f"return %v{count} : i32"]


def nest(count: int) -> list[str]:
    lines = list(CONSTANTS)
    for k in range(count):
        lines += [
            f"scf.for %i{k} = %c0 to %n step %c1 {{",
            f"%l{k} = memref.load %m[%i{k}] : memref<16xi32>",
            f"memref.store %l{k}, %m[%i{k // 2}] : memref<16xi32>",
        ]
    return [*lines, *"}" * count, "return %a : i32"]


def calls(text: str) -> int:
    """Python calls of one compilation."""
    profile = cProfile.Profile()
    profile.runcall(compile_text, text)
    return sum(int(entry.callcount) for entry in profile.getstats())


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.usefixtures("no_clock_period")
@pytest.mark.parametrize(
    ("shape", "count", "most"),
    [(straight, 60, 2.15), (loops, 25, 2.15), (nest, 8, 2.6)],
    ids=["straight line", "loop after loop", "loop in loop"],
)
def test_twice_the_program_takes_twice_the_calls(
    shape: Callable[[int], list[str]], count: int, most: float
) -> None:
    """A nest may grow faster: a value that is used inside takes a step a level (docs/spec D4)."""
    short, long = ("\n".join([HEAD, *shape(k), "}"]) for k in (count, 2 * count))
    calls(short)
    assert calls(long) < most * calls(short)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(
    ("shape", "count", "most", "limit"),
    [(straight, 80, 2.25, 11_000_000), (loops, 20, 2.5, 30_000_000)],
    ids=["straight line", "loop after loop"],
)
def test_so_does_placement_for_the_default_period(
    shape: Callable[[int], list[str]], count: int, most: float, limit: int
) -> None:
    """Also in calls at all: a change of a buffer looks at few arrivals, not at the whole graph."""
    short, long = ("\n".join([HEAD, *shape(k), "}"]) for k in (count, 2 * count))
    found = calls(long)
    assert found < most * calls(short) and found < limit
