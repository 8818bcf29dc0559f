"""What dependences allow: small programs whose limit is counted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.limits import timed_run
from loom.model.limits.dataflow_limit import DataflowLimit, dataflow_limit

LOOP = """func.func @f(%a: memref<8xi32>, %b: memref<8xi32>, %x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%acc = %x) -> (i32) {
BODY
    scf.yield %next : i32
  }
  return %s : i32
}
"""
WORDS = [1, 2, 3, 4, 5, 6, 7, 8]
ROWS = {
    # The last iteration begins in cycle 7 (from 0), its load ends in 8; both ends count: 9.
    "a sum": ("""
    %v = memref.load %a[%i] : memref<8xi32>
    %next = arith.addi %acc, %v : i32""", 9, 1.0),
    # Eight multiplications of 4 cycles, one after the other.
    "a product": ("""
    %next = arith.muli %acc, %x : i32""", 33, 4.0),
    # Independent products: the last begins in cycle 7, is there in 11, and stored in 12.
    "in place": ("""
    %v = memref.load %a[%i] : memref<8xi32>
    %w = arith.addi %v, %x : i32
    memref.store %w, %a[%i] : memref<8xi32>
    %next = arith.addi %acc, %x : i32""", 10, 1.0),
    # A load, then a store of the same word: two cycles an iteration.
    "one word": ("""
    %v = memref.load %a[%c0] : memref<8xi32>
    %w = arith.addi %v, %x : i32
    memref.store %w, %a[%c0] : memref<8xi32>
    %next = arith.addi %acc, %x : i32""", 17, 2.0),
    # The store waits for the load of the word before it, but for no other.
    "shifted": ("""
    %c7 = arith.constant 7 : index
    %back = arith.subi %c7, %i : index
    %v = memref.load %a[%back] : memref<8xi32>
    memref.store %v, %b[%i] : memref<8xi32>
    %next = arith.addi %acc, %x : i32""", 10, 1.0),
}  # fmt: skip


def limit_of(text: str, inputs: Sequence[int | list[int]]) -> DataflowLimit | None:
    module = read_mlir(text, "k.mlir").clone()
    # Every access stays: words that are kept in registers would be none.
    normalize(module, Options(memory_order="serial"))
    return dataflow_limit(module, inputs, 64)


@pytest.mark.parametrize("name", ROWS)
def test_the_limit_of_a_loop(name: str) -> None:
    body, cycles, interval = ROWS[name]
    found = limit_of(LOOP.replace("BODY", body.strip("\n")), [WORDS, [0] * 8, 3])
    assert found is not None
    (loop,) = found.loops.values()
    assert (found.cycles, loop.min_ii) == (cycles, interval)
    assert (loop.entries, loop.iterations, loop.rounds, loop.depth) == (1, 8, 8, 0)
    assert sum(cycles for _, _, cycles in found.path) == found.cycles - 1


def test_accesses_are_counted_in_every_loop_around() -> None:
    body = """
    %n = scf.for %j = %c0 to %i step %c1 iter_args(%t = %acc) -> (i32) {
      %v = memref.load %a[%j] : memref<8xi32>
      %more = arith.addi %t, %v : i32
      scf.yield %more : i32
    }
    memref.store %n, %b[%i] : memref<8xi32>
    %next = arith.addi %n, %x : i32"""
    found = limit_of(LOOP.replace("BODY", body.strip("\n")), [WORDS, [0] * 8, 3])
    assert found is not None
    outer, inner = (found.loops[place] for place in sorted(found.loops, key=lambda p: p.line))
    assert dict(outer.accesses) == {("a", "loads"): 28, ("b", "stores"): 8}
    assert dict(inner.accesses) == {("a", "loads"): 28}
    assert (inner.entries, inner.iterations, inner.depth) == (8, 28, 1)


def test_a_loop_that_tests_first_waits_for_its_test() -> None:
    text = """func.func @f(%a: memref<8xi32>) -> index {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %end = scf.while (%i = %c0) : (index) -> index {
    %v = memref.load %a[%i] : memref<8xi32>
    %go = arith.cmpi ne, %v, %zero : i32
    scf.condition(%go) %i : index
  } do {
  ^bb0(%i: index):
    %v = memref.load %a[%i] : memref<8xi32>
    %next = arith.index_cast %v : i32 to index
    scf.yield %next : index
  }
  return %end : index
}
"""
    # Three steps along the list, a load to test and a load to go on, then the last test.
    found = limit_of(text, [[3, 0, 1, 2, 0, 0, 0, 0]])
    assert found is not None
    (loop,) = found.loops.values()
    assert (found.cycles, loop.iterations, loop.rounds, loop.min_ii) == (8, 3, 4, 2.0)


def test_a_branch_waits_for_its_condition() -> None:
    text = """func.func @f(%x: i32, %y: i32) -> i32 {
  %p = arith.muli %x, %y : i32
  %c = arith.cmpi sgt, %p, %x : i32
  %r = scf.if %c -> (i32) {
    %q = arith.muli %x, %x : i32
    scf.yield %q : i32
  } else {
    scf.yield %y : i32
  }
  return %r : i32
}
"""
    found = limit_of(text, [3, 5]), limit_of(text, [3, 0])
    assert [None if each is None else each.cycles for each in found] == [9, 5]


def test_copies_of_a_function_are_counted_on_their_own() -> None:
    """Two calls, put in place, have a local array and a loop each: they may run side by side."""
    text = """func.func private @g(%x: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = memref.alloc() : memref<8xi32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %x, %t[%i] : memref<8xi32>
  }
  %r = memref.load %t[%c1] : memref<8xi32>
  return %r : i32
}
func.func @f(%x: i32, %y: i32) -> (i32, i32) {
  %a = func.call @g(%x) : (i32) -> i32
  %b = func.call @g(%y) : (i32) -> i32
  return %a, %b : i32, i32
}
"""
    module = read_mlir(text, "k.mlir", top="f").clone()
    normalize(module, Options(memory_order="serial"))
    found = dataflow_limit(module, [1, 2], 64)
    assert found is not None and max(found.uses.values()) == 8
    assert found.uses["stores of t"] == found.uses["stores of t #2"] == 8
    (loop,) = found.loops.values()
    assert (loop.entries, loop.iterations) == (2, 16)


def test_a_run_that_is_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timed_run, "LARGEST", 20)
    body = ROWS["a sum"][0].strip("\n")
    assert limit_of(LOOP.replace("BODY", body), [WORDS, WORDS, 3]) is None
