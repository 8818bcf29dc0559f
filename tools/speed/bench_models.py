"""``python -m tools.speed.bench_models``: how fast the models run, on a loop of 8 operations."""

from __future__ import annotations

import platform
import time

from loom.front.api import compile_text
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import compile_reference
from loom.model.tokens.token_simulator import simulate

KERNEL = """
func.func @mix(%a: memref<4xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (i32) {
    %k = arith.andi %i, %c3 : index
    %v = memref.load %a[%k] : memref<4xi32>
    %w = arith.index_cast %i : index to i32
    %m = arith.muli %v, %w : i32
    %t = arith.addi %s, %m : i32
    %big = arith.cmpi sgt, %t, %v : i32
    %u = arith.select %big, %t, %v : i32
    scf.yield %u : i32
  }
  return %r : i32
}
"""


def main() -> None:
    """Print operations and tokens a second."""
    print(f"Python {platform.python_version()}, {platform.machine()}, one process")
    circuit = compile_text(KERNEL)
    reference = compile_reference(circuit.source, circuit.top)
    for trips in (10_000, 200_000):
        began = time.perf_counter()
        outcome = reference.run([[1, 2, 3, 4], trips])
        seconds = time.perf_counter() - began
        rate = outcome.operations / seconds / 1e6
        print(f"reference    {outcome.operations:9} operations  {seconds:6.2f} s  {rate:5.2f} M/s")
        began = time.perf_counter()
        run = simulate(circuit.netlist, [Activation({"a": [1, 2, 3, 4], "n": trips})])
        seconds = time.perf_counter() - began
        rate = run.total / seconds / 1e6
        print(f"token model  {run.total:9} tokens      {seconds:6.2f} s  {rate:5.2f} M/s")
        assert run.activations[0].results == outcome.results


if __name__ == "__main__":
    main()
