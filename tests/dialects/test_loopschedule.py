"""Loops of CIRCT's loopschedule are read as static schedules, and written again."""

from __future__ import annotations

from io import StringIO

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from loom.dialects.ops.context import make_context
from loom.dialects.ops.staticlogic import PipelineOp, latency_of
from loom.dialects.schedules.loopschedule import write_loopschedules
from loom.frontend.mlir.parser import LoomParser
from loom.frontend.mlir.read import parse_module
from tests.support.loopschedules import (
    ACCUMULATE,
    INDIRECT,
    LATE,
    LOOPSCHEDULES,
    PREDICATED,
    UNCARRIED,
)
from tests.support.refusals import refusal
from tests.support.static.schedules import SEARCH, SUM


def written(module: ModuleOp) -> str:
    copy = module.clone()
    write_loopschedules(copy)
    return str(copy)


def pipeline_of(text: str) -> PipelineOp:
    return next(op for op in parse_module(text).walk() if isinstance(op, PipelineOp))


@pytest.mark.parametrize("text", LOOPSCHEDULES.values(), ids=LOOPSCHEDULES)
def test_it_is_read_and_written(text: str) -> None:
    module = parse_module(text)
    assert "staticlogic.pipeline" in str(module) and "loopschedule" not in str(module)
    again = written(module)
    assert "loopschedule.pipeline" in again and "staticlogic" not in again
    assert str(parse_module(again)) == str(module)
    assert str(parse_module(str(module))) == str(module)


@pytest.mark.parametrize("text", LOOPSCHEDULES.values(), ids=LOOPSCHEDULES)
def test_the_generic_form_is_read_too(text: str) -> None:
    stream = StringIO()
    # As it stands, before it is a static schedule.
    module = LoomParser(make_context(), text, "k.mlir").parse_whole_module()
    Printer(stream, print_generic_format=True).print_op(module)
    assert '"loopschedule.pipeline"' in stream.getvalue()
    assert str(parse_module(stream.getvalue())) == str(parse_module(text))


def test_loopschedule_prints_as_it_is_read() -> None:
    printed = written(parse_module(ACCUMULATE.replace("results(%s)", "results(%a#0, %s)").replace(
        "-> i32 {\n    %more", "-> (index, i32) {\n    %more").replace(
        ": (index, i32) -> i32\n", ": (index, i32) -> (index, i32)\n").replace(
        "%sum = ", "%last, %sum = ")))  # fmt: skip
    assert "II = 1 iter_args(%i = %low, %acc = %first) : (index, i32) -> (index, i32) {" in printed
    assert "%s = loopschedule.pipeline.stage start = 1 {" in printed
    assert "loopschedule.terminator iter_args(%a, %s), results(%a, %s) : " in printed
    assert "loopschedule.pipeline.stage start = 4 when %" in written(parse_module(PREDICATED))


def test_a_result_is_the_final_value_of_its_iter_arg() -> None:
    op = pipeline_of(ACCUMULATE)
    assert [len(list(result.uses)) for result in op.results] == [0, 1]


def test_latencies_are_those_of_the_units() -> None:
    latencies = {inner.name: latency_of(inner) for _, inner in pipeline_of(ACCUMULATE).scheduled}
    assert latencies == {"arith.addi": 0, "memref.load": 1, "arith.subi": 0}
    loads = [inner for _, inner in pipeline_of(INDIRECT).scheduled if inner.name == "memref.load"]
    assert [latency_of(load) for load in loads] == [0, 1]
    # A product takes more than the cycle that this schedule leaves it.
    product = ACCUMULATE.replace("arith.subi %acc, %a#1", "arith.muli %acc, %a#1")
    found = refusal(parse_module, product, "k.mlir")
    assert "error[STATIC_RECURRENCE]" in found and "k.mlir:16:7:" in found


def test_a_late_next_value_is_made_where_its_operands_are() -> None:
    op = pipeline_of(LATE)
    assert len(op.stage_ops[0].res) == 2 and op.return_op.iter_args[0] is op.stage_ops[0].res[1]
    # Of a load there is no earlier value.
    load = "%h = memref.load %q[%d] : memref<4xindex>"
    late = LATE.replace("%h = arith.subi %d, %one : index", load)
    found = refusal(parse_module, late.replace("@late(", "@late(%q: memref<4xindex>, "))
    assert "iter_arg 'i' of iteration n+1 is used at cycle 0+II(1)=1 but is available" in found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (UNCARRIED, "k.mlir:19:5: error[STATIC_LOOPSCHEDULE]: found the result 'a', which is the "
         "next value of no iter_arg; LOOM accepts results that are iter_args too"),
        (ACCUMULATE.replace("    loopschedule.register %more : i1\n", ""), "a block that ends in"),
        (ACCUMULATE.replace("II = 1", "II = 0"), "'II' must be a positive integer, found 0"),
        (ACCUMULATE.replace("register %more : i1", "register %i : index"),
         "'condition' must yield an i1 first, found 'index'"),
        (ACCUMULATE.replace("    %s = loop", "    %x = arith.addi %low, %one : index\n    %s = "
         "loop"), "arith.addi between stages; LOOM accepts loopschedule.pipeline as CIRCT prints"),
        (ACCUMULATE.replace("start = 1", "start = 0"), "must be greater than the previous"),
    ],
)  # fmt: skip
def test_what_is_no_loopschedule(text: str, message: str) -> None:
    assert message in refusal(parse_module, text, "k.mlir")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SUM, "k.mlir:5:3: error[STATIC_LOOPSCHEDULE]: found the iv 'i'; "
         "LOOM accepts iter_args alone, in loopschedule"),
        (SEARCH, "found a test that stages compute; LOOM accepts a condition, in loopschedule"),
        (str(parse_module(ACCUMULATE)).replace("{lat = 1}", "{lat = 0}"),
         "found a latency of 0 cycles of memref.load; LOOM accepts 1, which a reader"),
        (str(parse_module(ACCUMULATE)).replace("yield %more : i1", "yield %more, %i : i1, index")
         .replace("-> (index, i32)\n", "-> (index)\n").replace("%0, %sum =", "%0 =")
         .replace("return %sum", "return %first"), "found values that the condition forwards"),
    ],
)  # fmt: skip
def test_what_loopschedule_cannot_say(text: str, message: str) -> None:
    assert message in refusal(write_loopschedules, parse_module(text, "k.mlir"))
