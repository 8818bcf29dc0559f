"""Accesses of a memory keep the order of the program where it matters, whatever runs first."""

from __future__ import annotations

import pytest

from loom.api import compile_text
from loom.frontend.mlir import parse_module
from loom.lower.options import Options
from loom.lower.thread_memory_order import thread_memory_order
from loom.model.activation import Activation
from loom.model.comparison import compare_models
from tests.filecheck import missing

LOAD_THEN_STORES = """func.func @f(%n: index, %m: memref<4xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %v = memref.load %m[%0] : memref<4xi8>
  scf.for %i = %0 to %n step %1 {
    %j = arith.index_cast %i : index to i8
    memref.store %j, %m[%0] : memref<4xi8>
  }
  return %v : i8
}"""
LOAD_THEN_BRANCH = """func.func @f(%n: index, %m: memref<4xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %c = arith.cmpi sgt, %n, %0 : index
  %j = arith.index_cast %n : index to i8
  %v = memref.load %m[%0] : memref<4xi8>
  scf.if %c {
    memref.store %j, %m[%0] : memref<4xi8>
  }
  return %v : i8
}"""
READS_THEN_STORE = """func.func @f(%n: index, %m: memref<4xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %j = arith.index_cast %n : index to i8
  %r:2 = scf.while (%i = %0, %s = %j) : (index, i8) -> (index, i8) {
    %v = memref.load %m[%0] : memref<4xi8>
    %t = arith.addi %s, %v : i8
    %c = arith.cmpi slt, %i, %n : index
    scf.condition(%c) %i, %t : index, i8
  } do {
  ^bb0(%i: index, %t: i8):
    %w = memref.load %m[%1] : memref<4xi8>
    %u = arith.addi %t, %w : i8
    %k = arith.addi %i, %1 : index
    scf.yield %k, %u : index, i8
  }
  memref.store %j, %m[%0] : memref<4xi8>
  memref.store %j, %m[%1] : memref<4xi8>
  return %r#1 : i8
}"""
ROWS = {
    "a loop that stores waits for the load before it": (LOAD_THEN_STORES, """
        func.func @f(%n: index, %m: memref<4xi8>, [[START]]: none)
        %v, [[READ]] = "order.load"(%m, %0, [[START]])
        [[DONE]] = scf.for ... iter_args([[T]] = [[READ]])
        [[S]] = "order.store"(%j, %m, %0, [[T]])
        scf.yield [[S]] : none
        func.return %v, [[DONE]] : i8, none"""),
    "a branch that stores waits for the load before it": (LOAD_THEN_BRANCH, """
        func.func @f(%n: index, %m: memref<4xi8>, [[START]]: none)
        %v, [[READ]] = "order.load"(%m, %0, [[START]])
        [[DONE]] = scf.if
        [[S]] = "order.store"(%j, %m, %0, [[READ]])
        scf.yield [[S]] : none
        } else {
        scf.yield [[READ]] : none
        func.return %v, [[DONE]] : i8, none"""),
    "a store waits for all that a while has read": (READS_THEN_STORE, """
        func.func @f(%n: index, %m: memref<4xi8>, [[START]]: none)
        [[R]], [[V]], [[DONE]] = scf.while ([[I]] = %0, [[S]] = %j, [[T]] = [[START]])
        %v, [[A]] = "order.load"(%m, %0, [[START]])
        [[TA]] = "order.join"([[T]], [[A]])
        scf.condition(%c) ..., [[TA]] : index, i8, none
        ^bb0([[K]]: index, [[U]]: i8, [[B]]: none):
        %w, [[C]] = "order.load"(%m, %1, [[START]])
        [[BC]] = "order.join"([[B]], [[C]])
        scf.yield ..., [[BC]] : index, i8, none
        [[E]] = "order.store"(%j, %m, %0, [[DONE]])
        [[F]] = "order.store"(%j, %m, %1, [[E]])
        func.return ..., [[F]] : i8, none"""),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_tokens_lead_from_access_to_access(name: str) -> None:
    text, patterns = ROWS[name]
    module = parse_module(text, "k.mlir")
    thread_memory_order(module, Options())
    assert missing(str(module), patterns) is None, str(module)


@pytest.mark.parametrize("name", ROWS)
def test_what_is_read_does_not_depend_on_who_runs_first(name: str) -> None:
    circuit = compile_text(ROWS[name][0], "k.mlir")
    given = [Activation({"n": n, "m": [40, 50, 60, 70]}) for n in (0, 1, 2, 5)]
    for seed in (None, *range(8)):
        report = compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=1000, seed=seed
        )
        assert report.differences == (), seed
