"""Programs with static loops in dynamic ones, and inputs for them."""

from __future__ import annotations

from random import Random

from loom.model.bundles.activation import Activation

NEST = """func.func @nest(%A: memref<16xi32>, %B: memref<16xi32>, %n: index, %m: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0 : i32
  %r = scf.for %j = %c0 to %m step %c1 iter_args(%t = %z) -> (i32) {
    %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %z) -> (i32) {
      %a = memref.load %A[%i] : memref<16xi32>
      %b = arith.addi %acc, %a : i32
      memref.store %b, %B[%i] : memref<16xi32>
      scf.yield %b : i32
    } {loom.style = "static"}
    %v = memref.load %B[%j] : memref<16xi32>
    %w = arith.addi %s, %v : i32
    %x = arith.addi %w, %t : i32
    memref.store %x, %A[%j] : memref<16xi32>
    scf.yield %x : i32
  }
  return %r : i32
}
"""
"""The inner loop is static; accesses of both its arrays stand around it."""
SEARCH = """func.func @search(%A: memref<16xi32>, %B: memref<16xi32>, %n: index, %m: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %z = arith.constant 0 : i32
  %at = scf.while (%i = %c0) : (index) -> index {
    %low = arith.cmpi slt, %i, %m : index
    scf.condition(%low) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.load %A[%i] : memref<16xi32>
    %b = arith.muli %a, %a : i32
    memref.store %b, %B[%i] : memref<16xi32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  } attributes {loom.style = "static"}
  %s, %k = scf.for %j = %c0 to %n step %c1 iter_args(%t = %z, %p = %at) -> (i32, index) {
    %small = arith.minui %p, %c15 : index
    %b = memref.load %B[%small] : memref<16xi32>
    %u = arith.addi %t, %b : i32
    memref.store %u, %B[%j] : memref<16xi32>
    scf.yield %u, %j : i32, index
  } {loom.style = "static"}
  %last = arith.minui %k, %c15 : index
  %w = memref.load %A[%last] : memref<16xi32>
  %x = arith.addi %s, %w : i32
  return %x : i32
}
"""
"""A static while and a static for behind each other, which share an array."""
SLOW = NEST.replace("@nest", "@slow").replace(
    "memref<16xi32>, %B: memref<16xi32>",
    'memref<16xi32> {loom.memory = "ram,latency=3"}, %B: memref<16xi32> '
    '{loom.memory = "ram,latency=2"}',
)
"""The same over RAMs that answer later."""
WHOLE = (
    NEST.replace("@nest", "@whole")
    .replace('} {loom.style = "static"}\n    %v', "}\n    %v")
    .replace("    scf.yield %x : i32\n  }", '    scf.yield %x : i32\n  } {loom.style = "static"}')
)
"""The outer loop is static."""
CHAIN = """func.func @chain(%A: memref<16xi32>, %B: memref<16xi32>, %n: index, %m: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 1 : i32
  %r = scf.for %j = %c0 to %m step %c1 iter_args(%t = %z) -> (i32) {
    %q = scf.for %k = %c0 to %n step %c1 iter_args(%p = %t) -> (i32) {
      %b = memref.load %B[%k] : memref<16xi32>
      %o = arith.subi %b, %p : i32
      %s = scf.for %i = %c0 to %c4 step %c1 iter_args(%acc = %o) -> (i32) {
        %d = arith.addi %acc, %acc : i32
        scf.yield %d : i32
      } {loom.style = "static"}
      scf.yield %s : i32
    }
    scf.yield %q : i32
  }
  return %r : i32
}
"""
"""What the static loop gives goes round to what it reads: the registers in it cut that cycle."""
PROGRAMS = {"nest": NEST, "search": SEARCH, "slow": SLOW, "whole": WHOLE, "chain": CHAIN}
TRIPS = ((0, 0), (0, 3), (3, 0), (1, 1), (2, 5), (16, 16), (7, 4))
"""Trip counts of activations without reset between: of the inner loop and of the outer one."""


def inputs(seed: int = 1) -> list[Activation]:
    """An activation for each pair of trip counts."""
    random = Random(seed)

    def words() -> list[int]:
        return [random.randrange(1 << 32) for _ in range(16)]

    return [Activation({"A": words(), "B": words(), "n": n, "m": m}) for n, m in TRIPS]
