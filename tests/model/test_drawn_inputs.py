"""Inputs that are drawn: the program accepts them, and the first run is a long one."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles import draw
from loom.model.bundles.activation import Activation
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import Reference, compile_reference

SUM = """func.func @f(%n: i32, %a: memref<24xi32>) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%t = %c0) -> (i32) : i32 {
    %k = arith.index_cast %i : i32 to index
    %v = memref.load %a[%k] : memref<24xi32>
    %u = arith.addi %t, %v : i32
    scf.yield %u : i32
  }
  return %s : i32
}
"""
KEEPS = """memref.global "private" @g : memref<1xi32> = dense<0>
func.func @f(%n: i32) {
  %g = memref.get_global @g : memref<1xi32>
  %c0 = arith.constant 0 : index
  %v = memref.load %g[%c0] : memref<1xi32>
  %w = arith.addi %v, %n : i32
  memref.store %w, %g[%c0] : memref<1xi32>
  return
}
"""


def draws(text: str, count: int, seed: int = 1) -> tuple[Reference, list[Activation]]:
    """So many activations of a program."""
    module = read_mlir(text, "k.mlir")
    reference = compile_reference(module, "f", 64)
    signature = signature_of(top_function(module, None), 64)
    return reference, accepted_activations(reference, signature, seed, count)


def trips(given: Activation) -> int:
    """Of the loop of `SUM`."""
    count = given.inputs["n"]
    assert isinstance(count, int)
    return count if count < 1 << 31 else 0


def test_the_first_run_is_a_long_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A half of all words is a negative trip count, and nearly all others leave the array."""
    for seed in range(8):
        assert trips(draws(SUM, 1, seed)[1][0]) >= 8
    monkeypatch.setattr(draw, "ENOUGH", 0)
    assert min(trips(draws(SUM, 1, seed)[1][0]) for seed in range(8)) == 0


def test_later_runs_are_any(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops without an iteration are among them; and the same seed gives the same."""
    found = draws(SUM, 9)[1]
    assert min(map(trips, found)) == 0
    assert found == draws(SUM, 9)[1]
    runs: list[object] = []
    plain = Reference.run
    monkeypatch.setattr(
        Reference, "run", lambda self, *given, **options: (
            runs.append(given), plain(self, *given, **options)
        )[1],
    )  # fmt: skip
    draws(KEEPS, 3)
    assert len(runs) == 3  # a program that keeps words runs once for each activation


def test_what_is_refused_of_all_draws_is_said() -> None:
    with pytest.raises(LoomError, match="REF_OUT_OF_BOUNDS"):
        draws(SUM.replace("to %n", "to %c32").replace(
            "  %s =", "  %c32 = arith.constant 32 : i32\n  %s =", 1
        ), 1)  # fmt: skip
