"""A register says that a counted loop ends: results and cycles are those of a test at the issue."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import pytest

from loom.dialects.schedules.trip_counts import Counted, find_counted
from loom.errors import LoomError
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.frontend.functions import top_function
from loom.model.bundles.activation import Activation
from loom.model.fsmd.run_fsmd import Machine
from loom.model.static.function_run import run_function
from loom.netlist.fsmd import pipeline
from loom.netlist.fsmd.fsmd import Fsmd
from tests.support.static.circuits import compile_static_request

LOOP = """func.func @k(%zero: i32) -> (i32, i32) {
  %first = arith.constant FIRST : TYPE
  %bound = arith.constant BOUND : TYPE
  %step = arith.constant STEP : TYPE
  %one = arith.constant 1 : i32
  %three = arith.constant 3 : i32
  %last, %mixed, %count = staticlogic.pipeline II = INTERVAL
      iv(%i = %first : TYPE) iter_args(%a = %zero : i32, %n = %zero : i32) -> (TYPE, i32, i32)
    condition {
      %more = arith.cmpi PREDICATE, %i, %bound : TYPE
      staticlogic.yield %more : i1
    } update {
      %next = arith.addi %i, %step : TYPE
      staticlogic.yield %next : TYPE
    } stages {
      %b, %m = staticlogic.stage start = START {
        %w = CAST %i : TYPE to i32
        %x = arith.xori %a, %w : i32
        %y = arith.addi %x, %three : i32
        %o = arith.addi %n, %one : i32
        staticlogic.register %y, %o : i32, i32
      } : i32, i32
      staticlogic.return iter_args(%b, %m : i32, i32)
    }
  func.return %mixed, %count : i32, i32
}
"""


class Row(NamedTuple):
    """`for (i = first; i PREDICATE bound; i += step)` in a type, and its iterations."""

    type: str
    first: int
    bound: int
    step: int
    predicate: str
    trips: int


ROWS = (
    Row("i8", 0, 100, 1, "slt", 100),
    Row("i8", 0, 1, 1, "slt", 1),
    Row("i8", 5, 6, 3, "slt", 1),
    Row("i8", 0, 2, 1, "slt", 2),
    Row("i8", 7, 7, 1, "slt", 0),
    Row("i8", 9, 3, 1, "slt", 0),
    Row("i8", -128, 127, 1, "slt", 255),
    Row("i8", -128, 126, 1, "sle", 255),
    Row("i8", -5, 6, 3, "slt", 4),
    Row("i8", -7, 120, 13, "slt", 10),
    Row("i8", 0, 96, 32, "slt", 3),
    Row("i8", 100, 0, -1, "sgt", 100),
    Row("i8", 127, -128, -1, "sgt", 255),
    Row("i8", 20, -20, -7, "sge", 6),
    Row("i8", 0, -1, 1, "ult", 255),
    Row("i8", 100, -56, 9, "ult", 12),
    Row("i8", 3, 24, 7, "ne", 3),
    Row("i8", 24, 3, -7, "ne", 3),
    Row("i3", 0, 3, 1, "slt", 3),
    Row("index", 2, 300, 5, "slt", 60),
)
STARTS = (0, 1, 2)
"""Cycles of the one stage: in the first one the loop starts a cycle later."""


def text_of(row: Row, start: int, interval: int) -> str:
    """The loop as a schedule."""
    text = LOOP.replace("START", str(start)).replace("INTERVAL", str(interval))
    cast = "arith.index_cast" if row.type == "index" else "arith.extsi"
    text = text.replace("FIRST", str(row.first)).replace("BOUND", str(row.bound))
    text = text.replace("STEP", str(row.step)).replace("PREDICATE", row.predicate)
    return text.replace("CAST", cast).replace("TYPE", row.type)


def given(row: Row, start: int, interval: int) -> Fsmd:
    """Its machine."""
    found = load_schedule(Request(text_of(row, start, interval), "k.mlir"))
    assert found is not None
    return found.fsmd


def run(fsmd: Fsmd) -> tuple[tuple[int, ...], list[int]]:
    """The results of each of two activations, and their cycles."""
    machine = Machine(fsmd, {})
    (name,) = (name for name, _ in fsmd.inputs)
    runs = [machine.run({name: value}, 5000) for value in (0, 11)]
    return tuple(v for each in runs for v in each.results.values()), [r.cycles for r in runs]


def says_ahead(fsmd: Fsmd) -> bool:
    """Whether a register says that the test fails."""
    return any(each.name.endswith("_stop_q") for each in fsmd.registers)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_counted_loop_runs_as_its_text_says(row: Row, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [(start, interval) for start in STARTS for interval in (1, 2, 3)]
    ahead = [given(row, *place) for place in places]
    assert all(says_ahead(fsmd) == (row.trips > 0) for fsmd in ahead)
    monkeypatch.setattr(pipeline, "counter_of_test", lambda loop: None)
    for place, fsmd in zip(places, ahead, strict=True):
        at_issue = given(row, *place)
        assert not says_ahead(at_issue)
        assert run(fsmd) == run(at_issue), place
        found = load_schedule(Request(text_of(row, *place), "k.mlir"))
        assert found is not None
        function = top_function(found.module)
        meant = [run_function(function, {"zero": v}, in_order=True).results for v in (0, 11)]
        assert run(fsmd)[0] == (*meant[0], *meant[1])
        assert meant[0][1] == row.trips


NESTS = {
    "two": "for (int i = 0; i < 5; i++) for (int j = 0; j < 7; j++) s = s * 3 + i - j;",
    "three": "for (int i = 0; i < 2; i++) for (int j = 1; j < 4; j++) "
    "for (int k = 0; k < 3; k++) s = s * 3 + i * j - k;",
    "one row": "for (int i = 0; i < 1; i++) for (int j = 0; j < 7; j++) s = s * 3 + i - j;",
    "steps": "for (int i = 3; i < 30; i += 4) for (int j = 0; j < 9; j += 2) s = s * 3 + i - j;",
    "short rows": "for (int i = 0; i < 6; i++) { s += i; for (int j = 0; j < i; j++) s += j * n; }",
    "rows of n": "for (int i = 0; i < 6; i++) { s += i; for (int j = 0; j < n; j++) s += j; }",
    "again": "for (int h = 0; h < n; h++) { for (int i = 0; i < 6; i++) s = s * 3 + i; "
    "for (int i = 0; i < 4; i++) s ^= i << h; }",
}


def wrong_nests() -> set[str]:
    """The nests that differ from their programs, or do not end."""
    found = set[str]()
    for name, nest in NESTS.items():
        text = f"int f(int n) {{ int s = 1; {nest} return s; }}"
        circuit = compile_static_request(Request(text, "k.c"))
        assert says_ahead(circuit.fsmd), name
        activations = [Activation({"n": n}) for n in (0, 1, 2, 5)]
        try:
            if list(circuit.differences(activations, 2000)):
                found.add(name)
        except LoomError:
            found.add(name)
    return found


def cycles_of_nests() -> list[list[int]]:
    """The cycles of each nest."""
    texts = [f"int f(int n) {{ int s = 1; {nest} return s; }}" for nest in NESTS.values()]
    circuits = [compile_static_request(Request(text, "k.c")) for text in texts]
    return [each.cycles([Activation({"n": n}) for n in (0, 1, 5)], 2000) for each in circuits]


def test_the_outermost_counter_of_a_nest_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert wrong_nests() == set()
    ahead = cycles_of_nests()
    monkeypatch.setattr(pipeline, "counter_of_test", lambda loop: None)
    assert cycles_of_nests() == ahead


def test_an_end_with_the_first_iteration_of_the_last_row_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fault of asking for the last value of the outermost counter alone."""
    right = pipeline.counter_of_test

    def shallow(loop: pipeline.PipelineOp) -> Counted | None:
        counted = right(loop)
        return None if counted is None else replace(counted, moves=None)

    monkeypatch.setattr(pipeline, "counter_of_test", shallow)
    assert wrong_nests() >= {"two", "three", "one row", "steps", "short rows", "rows of n"}


@pytest.mark.parametrize("more", [-1, 1])
def test_an_end_an_iteration_off_is_seen(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    right = pipeline.counter_of_test

    def off(loop: pipeline.PipelineOp) -> Counted | None:
        counted = right(loop)
        return None if counted is None else replace(counted, trips=counted.trips + more)

    monkeypatch.setattr(pipeline, "counter_of_test", off)
    assert wrong_nests() == set(NESTS)


@pytest.mark.parametrize("bound", ["n", "i < 9 && n"])
def test_other_tests_stay_at_the_issue(bound: str) -> None:
    test = f"i < {bound}" if bound == "n" else bound
    text = f"int f(int n) {{ int s = 0; for (int i = 0; {test}; i++) s += i; return s; }}"
    circuit = compile_static_request(Request(text, "k.c"))
    assert not says_ahead(circuit.fsmd)
    assert [find_counted(each) for each in circuit.pipelines] == [None]
