"""Static schedules: text that reads back as it is printed, and every rule with its message."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from loom.dialects.ops.staticlogic import (
    Dependence,
    PipelineOp,
    Ports,
    available_at,
    latency_of,
    parse_ports,
)
from loom.errors import LoomError, LoomErrors
from loom.front.api import check_request
from loom.front.request import Request
from loom.front.schedules import CheckedSchedules
from loom.frontend.mlir.read import parse_module
from loom.lower.options import Options
from tests.support.folders import DOCS
from tests.support.refusals import refusal
from tests.support.static.schedules import IDLE, NEST, PREFIX, ROWS, SEARCH, SUM, Row

IDS = [f"{number}-{row.code}" for number, row in enumerate(ROWS)]
TEXTS = {"sum": SUM, "search": SEARCH, "nest": NEST, "idle": IDLE}


def generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


def pipeline_of(text: str) -> PipelineOp:
    return next(op for op in parse_module(text).walk() if isinstance(op, PipelineOp))


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_the_rule_is_kept(row: Row) -> None:
    assert isinstance(check_request(Request(row.kept, "k.mlir")), CheckedSchedules)


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_the_rule_is_broken(row: Row) -> None:
    with pytest.raises((LoomError, LoomErrors)) as caught:
        check_request(Request(row.broken, "k.mlir"))
    line, column = row.place
    start = f"k.mlir:{line}:{column}: error[{row.code}]: found {PREFIX}{row.message}; LOOM accepts "
    assert any(each.startswith(start) for each in str(caught.value).splitlines()), caught.value


def test_every_rule_has_rows() -> None:
    assert {row.rule for row in ROWS} == {"", *map(str, range(1, 20))}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text_reads_back_as_it_is_printed(text: str) -> None:
    printed = str(parse_module(text))
    assert str(parse_module(printed)) == printed
    assert str(parse_module(generic(parse_module(text)))) == printed


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_text_is_the_canonical_one(text: str) -> None:
    printed = str(parse_module(text)).replace("func.return", "return")
    inside = [line[2:] for line in printed.splitlines()[1:-1]]
    assert inside == text.splitlines()


def test_what_a_pipeline_says_of_itself() -> None:
    op = pipeline_of(SUM)
    assert (op.ii, op.trip_count, op.clock, op.depth) == (2, 11, 9.0, 6)
    assert list(op.ports.values()) == [Ports(1, 1)] and op.units == {"arith.muli": 1}
    assert [stage.start for stage in op.stage_ops] == [0, 1, 4, 5]
    assert [available_at(value) for value in op.stage_ops[1].res] == [4, 2]
    assert [latency_of(inner) for _, inner in op.scheduled] == [1, 3, 0, 0, 0]
    assert available_at(op.iv_inits[0]) is None
    assert not op.is_while and not op.forwarded
    search = pipeline_of(SEARCH)
    assert search.is_while and search.clock is None and search.trip_count is None


def test_every_limit_reads_back() -> None:
    words = (
        "ports = {%A = 1r1w : memref<8xi32>, %B = 2rw : memref<4xi8>} "
        "res = {arith.muli = 1, arith.addi = 3} "
        "memdep = [#staticlogic.dep<load 0 -> store 1, dist 0>, "
        "#staticlogic.dep<store 1 -> load 0, dist 3>]"
    )
    text = SUM.replace("ports = {%A = 1r1w : memref<8xi32>} res = {arith.muli = 1}", words)
    text = text.replace("%k: i32", "%B: memref<4xi8>, %k: i32")
    assert words in str(parse_module(text))
    assert pipeline_of(text).dependences[1] == Dependence("store", 1, "load", 0, 3)
    assert [str(each) for each in pipeline_of(text).ports.values()] == ["1r1w", "2rw"]
    assert parse_ports("1r") is None and parse_ports("rw") is None


def test_latencies_of_comparisons_are_printed() -> None:
    text = SUM.replace(
        "%odd = arith.trunci %a : i32 to i1",
        '%odd = "arith.cmpi"(%a, %k) <{predicate = 1 : i64}> {lat = 2} : (i32, i32) -> i1',
    )
    printed = str(parse_module(text))
    assert printed.count("{lat = 2}") == 1 and str(parse_module(printed)) == printed


def test_forwarded_values_are_the_results() -> None:
    text = SUM.replace("yield %more : i1", "yield %more, %acc : i1, i32").replace(
        "-> (index, i32)\n    condition", "-> (i32)\n    condition"
    )
    text = text.replace("%last, %total = ", "%total = ").replace(
        "return %last, %total : index, i32", "return %low, %total : index, i32"
    )
    # `acc` is used at the issue, so the sum must be there II cycles later.
    assert "II must be at least 5" in refusal(parse_module, text)
    module = str(parse_module(text.replace("II = 2", "II = 5")))
    assert "staticlogic.yield %more, %acc : i1, i32" in module


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1r1w", "1w1r", "ports such as 1r1w and 2rw expected, not 1w1r"),
        ("{arith.muli = 1}", "{arith.muli = 1, arith.muli = 2}", "units of arith.muli are given"),
        ("clock = 9.0", "clock = 1.0e999", "a finite clock period expected"),
        ("iv(%i = %low : index)", "iv(%i = %low)", "Expected ':'"),
    ],
)
def test_text_that_is_no_schedule(old: str, new: str, message: str) -> None:
    text = SUM.replace(old, new, 1)
    assert text != SUM
    found = refusal(parse_module, text)
    assert "error[MLIR_SYNTAX]" in found and message in found


def test_parts_outside_their_pipeline() -> None:
    for inner, outer in (
        ("scf.execute_region { staticlogic.register }", "staticlogic.stage"),
        ("scf.execute_region { staticlogic.yield }", "staticlogic.pipeline or staticlogic.seq"),
        ("scf.execute_region { staticlogic.return }", "staticlogic.pipeline"),
    ):
        found = refusal(parse_module, f"func.func @f() {{\n{inner}\nreturn }}")
        assert f"it stands outside {outer}" in found


@pytest.mark.parametrize(
    ("predicate", "low", "high", "step", "trips"),
    [
        ("slt", 3, 14, 1, 11), ("sle", 3, 14, 2, 6), ("ult", 0, 10, 4, 3), ("ne", 0, 12, 3, 4),
        ("ule", 9, 3, 1, 0), ("slt", -5, 5, 3, 4), ("sgt", 14, 3, -1, 11), ("sge", 3, 3, -1, 1),
        ("slt", 5, 5, 1, 0),
    ],
)  # fmt: skip
def test_trip_counts_of_bounds(predicate: str, low: int, high: int, step: int, trips: int) -> None:
    counted = len(counting(predicate, low, high, step))
    assert counted == trips
    text = SUM.replace("slt, %i, %high", f"{predicate}, %i, %high")
    for name, old, new in (("low", 3, low), ("high", 14, high), ("one", 1, step)):
        text = text.replace(f"%{name} = arith.constant {old} ", f"%{name} = arith.constant {new} ")
    parse_module(text.replace("trip_count = 11", f"trip_count = {trips}"))
    wrong = refusal(parse_module, text.replace("trip_count = 11", f"trip_count = {trips + 1}"))
    assert f"trip_count {trips + 1} disagrees with the bounds ({trips})" in wrong


def counting(predicate: str, low: int, high: int, step: int) -> list[int]:
    """The values of the variable, counted one by one."""
    tests = {"lt": int.__lt__, "le": int.__le__, "gt": int.__gt__, "ge": int.__ge__}
    test = int.__ne__ if predicate == "ne" else tests[predicate[1:]]
    found: list[int] = []
    while test(low, high):
        found.append(low)
        low += step
    return found


def test_a_loop_that_leaves_its_type_has_no_known_trip_count() -> None:
    text = SUM.replace("slt, %i", "ult, %i").replace("constant 1 :", "constant -1 :")
    parse_module(text)


def test_chains_are_those_of_the_target() -> None:
    quick = SUM.replace("clock = 9.0", "clock = 6.0")
    assert "STATIC_CHAIN" in refusal(check_request, Request(quick, "k.mlir"))
    check_request(Request(quick, "k.mlir", options=Options(target="xc7")))
    check_request(Request(SUM.replace(" clock = 9.0", ""), "k.mlir"))


def test_the_page_shows_what_is_read() -> None:
    page = (DOCS / "staticlogic.md").read_text(encoding="utf-8")
    (text,) = re.findall(r"^```mlir\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    check_request(Request(text, "k.mlir"))
    printed = str(parse_module(text)).replace("func.return", "return")
    assert [line[2:] for line in printed.splitlines()[1:-1]] == text.splitlines()
    assert {row.code for row in ROWS} | {"STATIC_LOOPSCHEDULE"} == set(
        re.findall(r"STATIC_[A-Z_]+", page)
    )


def test_stages_of_straight_line_code() -> None:
    text = """func.func @f(%p: i1, %q: i1, %x: i32) -> i32 {
  %a = staticlogic.stage start = 0 {
    %v = arith.muli %x, %x {lat = 2} : i32
    staticlogic.register %v : i32
  } : i32
  %b = staticlogic.stage start = 2 when %p {
    %w = arith.addi %a, %x : i32
    staticlogic.register %w : i32
  } : i32
  %c = staticlogic.stage start = 2 when %q {
    %y = arith.subi %a, %x : i32
    staticlogic.register %y : i32
  } : i32
  return %c : i32
}"""
    checked = check_request(Request(text, "k.mlir"))
    assert str(checked) == "static schedules: 0 pipelines, no problem"
    parse_module(text.replace(" when %q", ""))
    early = refusal(parse_module, text.replace("2 when %p", "1 when %p"))
    assert "value is used at cycle 1 but is available at cycle 2 (start 0 + latency 2)" in early
    shared = refusal(parse_module, text.replace("when %q", "when %p"))
    assert "stage 'start' 2 must be greater than the previous 'start' 2" in shared
    used = refusal(parse_module, text.replace("%w = arith.addi %a", "%w = arith.addi %c"))
    assert "MLIR_UNDEFINED_VALUE" in used


def test_a_ram_inside_the_circuit_is_part_of_a_chain() -> None:
    """A block RAM is slow; the words of eight elements lie in LUTs."""

    def inside(depth: int) -> str:
        text = SUM.replace("  %low", "  %M = memref.alloca() : memref<DEPTHxi32>\n  %low")
        text = text.replace("load %A[%i] {lat = 1} : memref<8xi32>",
                            "load %M[%i] {lat = 1} : memref<DEPTHxi32>")  # fmt: skip
        return text.replace("DEPTH", str(depth))

    for text, is_right in ((SUM, True), (inside(8), True), (inside(64), False)):
        slow = text.replace("arith.muli %a, %k {lat = 3}", "arith.addi %a, %k")
        slow = slow.replace("clock = 9.0", "clock = 6.5")
        if is_right:
            check_request(Request(slow, "k.mlir"))
        else:
            found = refusal(check_request, Request(slow, "k.mlir"))
            assert "in cycle 1 exceeds clock 6.5 ns (register 1.0 -> load 5.7 -> addi" in found
