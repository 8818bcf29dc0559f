"""Accesses of a memory keep the order of the program where it matters, whatever runs first."""

from __future__ import annotations

import pytest

from loom.analysis.program.memory_dependence import MemoryOrder
from loom.front.api import compile_text
from loom.front.cli import main
from loom.frontend.mlir.read import parse_module
from loom.lower.memory.thread_memory_order import thread_memory_order
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.support.filecheck import missing
from tests.support.folders import ROOT

pytestmark = pytest.mark.usefixtures("no_clock_period")

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
IN_PLACE = """func.func @f(%n: index, %m: memref<8xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {
    %v = memref.load %m[%i] : memref<8xi8>
    %w = arith.addi %v, %v : i8
    memref.store %w, %m[%i] : memref<8xi8>
  }
  return
}"""
DOWN = IN_PLACE.replace("memref.load %m[%i]", "memref.load %m[%k]").replace(
    "    %v =", "    %k = arith.addi %i, %1 : index\n    %v =", 1
)
UP = DOWN.replace("addi %i, %1", "subi %i, %1").replace("scf.for %i = %0", "scf.for %i = %1")
FAR = UP.replace("%1 = arith.constant 1 : index", "%1 = arith.constant 1 : index\n"
                 "  %2 = arith.constant 2 : index").replace("subi %i, %1", "subi %i, %2").replace(
                     "scf.for %i = %1", "scf.for %i = %2")  # fmt: skip
ANYWHERE = """func.func @f(%n: index, %m: memref<8xi8>) {
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %7 = arith.constant 7 : index
  scf.for %i = %2 to %n step %1 {
    %k = arith.subi %i, %2 : index
    %v = memref.load %m[%k] : memref<8xi8>
    %u = arith.index_castui %v : i8 to index
    %a = arith.andi %u, %7 : index
    memref.store %v, %m[%a] : memref<8xi8>
    memref.store %v, %m[%i] : memref<8xi8>
  }
  return
}"""
ROWS_AND_COLUMNS = """func.func @f(%n: index, %m: memref<4x4xi8>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  scf.for %i = %1 to %n step %1 {
    %h = arith.subi %i, %1 : index
    scf.for %j = %0 to %4 step %1 {
      %v = memref.load %m[%h, %j] : memref<4x4xi8>
      memref.store %v, %m[%i, %j] : memref<4x4xi8>
    }
  }
  return
}"""
ROWS = {
    "a loop that stores waits for the load before it": (LOAD_THEN_STORES, """
        func.func @f(%n: index, %m: memref<4xi8>, [[START]]: none)
        %v, [[READ]] = "order.load"(%m, %0, [[START]])
        [[DONE]] = scf.for ... iter_args([[T]] = [[READ]])
        [[S]] = "order.store"(%j, %m, %0, [[READ]])
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
AUTO = {
    "stores at different addresses do not wait for each other": (READS_THEN_STORE, """
        [[R]], [[V]], [[D0]], [[D1]] = scf.while
        [[E]] = "order.store"(%j, %m, %0, [[D0]])
        [[F]] = "order.store"(%j, %m, %1, [[D1]])
        [[ALL]] = "order.join"([[E]], [[F]])
        func.return ..., [[ALL]] : i8, none"""),
    "no turn waits for another where each has an address of its own": (IN_PLACE, """
        [[DONE]] = scf.for ... iter_args([[T]] = [[START]])
        %v, [[READ]] = "order.load"(%m, %i, [[START]])
        [[S]] = "order.store"(%w, %m, %i, [[READ]])
        scf.yield [[S]] : none
        func.return [[DONE]] : none"""),
    "a store waits for the load of the turn before, and loads for nothing": (DOWN, """
        [[N]], [[DONE]] = scf.for ... iter_args([[R]] = [[START]], [[T]] = [[START]])
        %v, [[READ]] = "order.load"(%m, %k, [[START]])
        [[S]] = "order.store"(%w, %m, %i, [[R]])
        [[ALL]] = "order.join"([[READ]], [[S]])
        scf.yield [[READ]], [[ALL]] : none, none
        func.return [[DONE]] : none"""),
    "a load waits for the store of the turn before, and stores for nothing": (UP, """
        [[N]], [[DONE]] = scf.for ... iter_args([[W]] = [[START]], [[T]] = [[START]])
        %v, [[READ]] = "order.load"(%m, %k, [[W]])
        [[S]] = "order.store"(%w, %m, %i, [[START]])
        [[ALL]] = "order.join"([[READ]], [[S]])
        scf.yield [[S]], [[ALL]] : none, none"""),
    "a load waits for the store of two turns before": (FAR, """
        scf.for ... iter_args([[A]] = [[START]], [[B]] = [[START]], [[T]] = [[START]])
        %v, [[READ]] = "order.load"(%m, %k, [[B]])
        [[S]] = "order.store"(%w, %m, %i, [[START]])
        [[ALL]] = "order.join"([[READ]], [[S]])
        scf.yield [[S]], [[A]], [[ALL]] : none, none, none"""),
    "waiting for two turns before is not waiting for the turn before": (ANYWHERE, """
        scf.for ... iter_args([[A]] = [[START]], [[B]] = [[START]], [[C]] = [[START]])
        [[AC]] = "order.join"([[A]], [[C]])
        %v, [[READ]] = "order.load"(%m, %k, [[AC]])
        [[RB]] = "order.join"([[READ]], [[B]])
        [[S]] = "order.store"(%v, %m, %a, [[RB]])
        [[T]] = "order.store"(%v, %m, %i, [[S]])
        scf.yield [[S]], [[T]], [[B]] : none, none, none"""),
}  # fmt: skip


CASES: dict[str, tuple[str, MemoryOrder, str]] = {
    **{name: (text, "serial", patterns) for name, (text, patterns) in ROWS.items()},
    **{name: (text, "auto", patterns) for name, (text, patterns) in AUTO.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_tokens_lead_from_access_to_access(name: str) -> None:
    text, memory_order, patterns = CASES[name]
    module = parse_module(text, "k.mlir")
    thread_memory_order(module, Options(memory_order=memory_order))
    assert missing(str(module), patterns) is None, str(module)


def test_rows_wait_for_the_row_before_and_columns_do_not() -> None:
    """The inner loop's turns start from what it starts with, the outer's from its store's token."""
    patterns: dict[MemoryOrder, str] = {
        "tokens": """
            scf.for ... iter_args([[W]] = [[START]], [[ALL]] = [[START]])
            [[RD]], [[SD]] = scf.for ... iter_args([[X]] = [[W]], [[Y]] = [[START]])
            [[READ]] = "order.load"(%m, ..., [[W]])
            [[S]] = "order.store"(%v, %m, ..., [[START]])
            scf.yield [[READ]], [[S]] : none, none""",
        # Addresses may be compared, so the store waits for the load that it is made of.
        "auto": """
            scf.for ... iter_args([[W]] = [[START]])
            [[SD]] = scf.for ... iter_args([[X]] = [[W]])
            %v, [[READ]] = "order.load"(%m, ..., [[W]])
            [[S]] = "order.store"(%v, %m, ..., [[READ]])
            scf.yield [[S]] : none""",
    }
    for memory_order, pattern in patterns.items():
        module = parse_module(ROWS_AND_COLUMNS, "k.mlir")
        options = Options(memory_order=memory_order)
        normalize(module, options)
        thread_memory_order(module, options)
        assert missing(str(module), pattern) is None, str(module)


@pytest.mark.parametrize("text", [*(text for text, _, _ in CASES.values()), ROWS_AND_COLUMNS])
@pytest.mark.parametrize("memory_order", ["serial", "auto"])
def test_what_is_read_does_not_depend_on_who_runs_first(
    text: str, memory_order: MemoryOrder
) -> None:
    circuit = compile_text(text, "k.mlir", options=Options(memory_order=memory_order))
    size = 4 if "<4xi8>" in text else 16 if "<4x4xi8>" in text else 8
    given = [Activation({"n": n, "m": [*range(40, 40 + size)]}) for n in (0, 1, 2, 4)]
    for seed in (None, *range(8)):
        report = compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=1000, seed=seed
        )
        assert report.differences == (), seed


def test_the_command_line_chooses(capsys: pytest.CaptureFixture[str]) -> None:
    kernel = str(ROOT / "examples/triangle.mlir")
    texts: dict[str, str] = {}
    for memory_order in ("auto", "serial"):
        assert main(["lower", kernel, "--memory-order", memory_order]) == 0
        texts[memory_order] = capsys.readouterr().out
    assert main(["lower", kernel]) == 0
    assert capsys.readouterr().out == texts["auto"]
    carries = {name: text.count("dataflow.carry") for name, text in texts.items()}
    assert carries["serial"] < carries["auto"]
    assert main(["lower", kernel, "--memory-order", "no"]) == 2
    assert "--memory-order: error[CLI_VALUE]: found 'no'" in capsys.readouterr().err
