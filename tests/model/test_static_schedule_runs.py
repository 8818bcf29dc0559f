"""Static schedules run as they say: right where every rule is kept, wrong where one is broken."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.dialects.ops.context import make_context
from loom.errors import LoomError, LoomErrors
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module, parse_text, read_mlir
from loom.model.reference.reference import compile_reference
from loom.model.static.function_run import ScheduleOutcome, run_function
from tests.support.loopschedules import ACCUMULATE, LATE, SCRATCH
from tests.support.refusals import refusal
from tests.support.static.schedules import NEST, ROWS, SEARCH, SUM, Row, edited

Inputs = Mapping[str, int | Sequence[int]]
WORDS = [(37 * k + 5) % 101 for k in range(16)]
INPUTS: dict[str, Inputs] = {
    SUM: {"A": WORDS, "k": 3, "zero": 1},
    SEARCH: {"A": WORDS, "B": [0] * 16, "a": 1, "z": WORDS[6]},
    NEST: {"A": WORDS, "n": 5, "x": 9},
}


def large(text: str) -> str:
    """The text with memories of as many elements as the inputs have."""
    return text.replace("memref<8xi32>", "memref<16xi32>").replace(
        "memref<?xi32>", "memref<16xi32>"
    )


def run(module: ModuleOp, inputs: Inputs, *, in_order: bool = False) -> ScheduleOutcome:
    return run_function(top_function(module), inputs, in_order=in_order)


def outcome(found: ScheduleOutcome) -> tuple[object, object]:
    return found.results, found.memories


def is_accepted(text: str) -> bool:
    try:
        parse_module(text)
    except (LoomError, LoomErrors):
        return False
    return True


def meaning(text: str, inputs: Inputs) -> tuple[object, object]:
    return outcome(run(parse_text(large(text), "k.mlir", make_context())[0], inputs, in_order=True))


def scheduled(text: str, inputs: Inputs) -> tuple[object, object]:
    return outcome(run(parse_text(large(text), "k.mlir", make_context())[0], inputs))


PROGRAMS = {
    SUM: """func.func @sum(%A: memref<16xi32>, %k: i32, %zero: i32) -> (index, i32) {
  %low = arith.constant 3 : index
  %high = arith.constant 14 : index
  %one = arith.constant 1 : index
  %r = scf.for %i = %low to %high step %one iter_args(%acc = %zero) -> i32 {
    %v = memref.load %A[%i] : memref<16xi32>
    %q = arith.muli %v, %k : i32
    %t = arith.addi %acc, %q : i32
    %odd = arith.trunci %v : i32 to i1
    scf.if %odd {
      memref.store %t, %A[%i] : memref<16xi32>
    }
    scf.yield %t : i32
  }
  return %high, %r : index, i32
}""",
    SEARCH: """func.func @search(%A: memref<16xi32>, %B: memref<16xi32>, %a: index, %z: i32)
    -> index {
  %one = arith.constant 1 : index
  %r = scf.while (%x = %a) : (index) -> index {
    %v = memref.load %A[%x] : memref<16xi32>
    %c = arith.cmpi ne, %v, %z : i32
    scf.condition(%c) %x : index
  } do {
  ^bb0(%x: index):
    %v = memref.load %A[%x] : memref<16xi32>
    memref.store %v, %B[%x] : memref<16xi32>
    %n = arith.addi %x, %one : index
    scf.yield %n : index
  }
  return %r : index
}""",
    NEST: """func.func @nest(%A: memref<16xi32>, %n: index, %x: i32) -> i32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %y = arith.addi %x, %x : i32
  scf.for %i = %zero to %n step %one {
    memref.store %y, %A[%i] : memref<16xi32>
  }
  %z = arith.addi %y, %x : i32
  return %z : i32
}""",
}
"""The programs that the schedules are of."""


@pytest.mark.parametrize("text", PROGRAMS, ids=["sum", "search", "nest"])
def test_a_schedule_does_what_its_program_does(text: str) -> None:
    names = {SUM: "sum", SEARCH: "search", NEST: "nest"}
    program = compile_reference(read_mlir(PROGRAMS[text]), names[text])
    inputs = INPUTS[text]
    values = [list(v) if not isinstance(v, int) else v for v in inputs.values()]
    expected = program.run(values)
    for found in (scheduled(text, inputs), meaning(text, inputs)):
        assert found == (expected.results, dict(expected.memories))


def test_cycles_are_those_of_ii_and_depth() -> None:
    module = parse_module(large(SUM))
    (done,) = run(module, INPUTS[SUM]).pipelines
    assert (done.iterations, done.cycles) == (11, 10 * 2 + 6)
    (done,) = run(parse_module(large(SEARCH)), INPUTS[SEARCH]).pipelines
    # The iteration whose test fails runs too.
    assert (done.iterations, done.cycles) == (5, 5 * 3 + 3)


def test_a_loop_without_iterations_has_its_first_values() -> None:
    text = SUM.replace("arith.constant 14 :", "arith.constant 3 :").replace("trip_count = 11", "")
    module = parse_module(large(text))
    found = run(module, INPUTS[SUM])
    assert found.results == (3, 1) and found.pipelines[0].cycles == 0
    assert outcome(found) == outcome(run(module, INPUTS[SUM], in_order=True))


def test_forwarded_values_are_those_of_the_failing_test() -> None:
    text = SUM.replace("yield %more : i1", "yield %more, %acc, %i : i1, i32, index")
    text = text.replace("-> (index, i32)\n    condition", "-> (i32, index)\n    condition")
    text = text.replace("return %last, %total : index, i32", "return %last, %total : i32, index")
    text = text.replace("(%A: memref<8xi32>, %k: i32, %zero: i32) -> (index, i32)",
                        "(%A: memref<8xi32>, %k: i32, %zero: i32) -> (i32, index)")  # fmt: skip
    text = text.replace("II = 2", "II = 5")
    parse_module(large(text))
    last, total = run(parse_text(large(SUM), "k.mlir", make_context())[0], INPUTS[SUM]).results
    assert scheduled(text, INPUTS[SUM])[0] == (total, last)
    assert meaning(text, INPUTS[SUM])[0] == (total, last)


SHOWN = {"7", "8", "9", "12", "13", "17", "19"}
TIMED = [row for row in ROWS if row.rule in SHOWN and "an i1" not in row.message]
TIMED += [row for row in ROWS if row.code == "STATIC_PORTS"]


@pytest.mark.parametrize("row", TIMED, ids=[f"{k}-{row.code}" for k, row in enumerate(TIMED)])
def test_a_broken_rule_shows_in_the_results(row: Row) -> None:
    broken, kept, inputs = row.broken, row.kept, INPUTS[row.text]
    if row.code == "STATIC_PORTS":
        # The second load is used.
        broken, kept = (text.replace("store %s", "store %w1") for text in (broken, kept))
    assert scheduled(kept, inputs) == meaning(kept, inputs)
    assert scheduled(broken, inputs) != meaning(broken, inputs)


LIMITS = "ports = {%A = 1r1w : memref<8xi32>} res = {arith.muli = 1}"


@pytest.mark.parametrize("ii", range(1, 8))
@pytest.mark.parametrize("distance", [1, 2, 3])
def test_a_load_sees_stores_of_earlier_iterations(ii: int, distance: int) -> None:
    dependence = f"memdep = [#staticlogic.dep<store 1 -> load 0, dist {distance}>]"
    text = edited(SUM, [
        (LIMITS, dependence),
        ("II = 2", f"II = {ii}"),
        (" when %p", ""),
        ("        memref.store %s, %A[%i]", f"        %d = arith.constant {distance} : index\n"
         "        %j = arith.addi %i, %d : index\n        memref.store %s, %A[%j]"),
    ])  # fmt: skip
    is_right = scheduled(text, INPUTS[SUM]) == meaning(text, INPUTS[SUM])
    # Stored at 5, so seen at 6.
    assert is_right == (distance * ii >= 6) == is_accepted(text)


@pytest.mark.parametrize("ii", range(1, 7))
def test_a_load_does_not_see_stores_of_later_iterations(ii: int) -> None:
    text = edited(SUM, [
        (LIMITS, "memdep = [#staticlogic.dep<load 2 -> store 1, dist 1>]"),
        ("(%A: ", "(%B: memref<8xi32>, %A: "),
        ("II = 2", f"II = {ii}"),
        (" when %p", ""),
        ("        memref.store %s, %A[%i]", "        %j = arith.subi %i, %one : index\n"
         "        memref.store %s, %A[%j]"),
        ("      staticlogic.return",
         "      %w = staticlogic.stage start = 8 {\n"
         "        %b = memref.load %A[%i] {lat = 1} : memref<8xi32>\n"
         "        staticlogic.register %b : i32\n      } : i32\n"
         "      staticlogic.stage start = 9 {\n        memref.store %w, %B[%i] : memref<8xi32>\n"
         "        staticlogic.register\n      }\n      staticlogic.return"),
    ])  # fmt: skip
    inputs = {"B": [0] * 16, **INPUTS[SUM]}
    is_right = scheduled(text, inputs) == meaning(text, inputs)
    # Here a store in the cycle of the load comes after it, which in RAMs is open.
    assert is_right == (5 + ii >= 8)
    assert is_accepted(text) == (5 + ii > 8)


@pytest.mark.parametrize("text", [ACCUMULATE, LATE, SCRATCH], ids=["accumulate", "late", "scratch"])
def test_loops_of_circt_run(text: str) -> None:
    module, inputs = parse_module(large(text)), {"m": WORDS, "o": [0] * 16}
    assert outcome(run(module, inputs)) == outcome(run(module, inputs, in_order=True))


def test_what_does_not_end_is_refused() -> None:
    module = parse_module(large(SUM.replace("constant 1 :", "constant 0 :").replace(
        "trip_count = 11", "")))  # fmt: skip
    function = top_function(module)
    assert isinstance(function, FuncOp)
    found = refusal(run_function, function, INPUTS[SUM], most_cycles=1000)
    assert "error[REF_BUDGET]: found a pipeline that runs after 1000 cycles" in found


def test_what_is_no_step_is_refused() -> None:
    text = "func.func @f(%c: i1) {\n  scf.if %c {\n  }\n  return\n}"
    found = refusal(run_function, top_function(parse_module(text, "k.mlir")), {"c": 1})
    assert found.startswith("k.mlir:2:3: error[REF_UNSUPPORTED]: found scf.if; LOOM accepts")


OPERATORS = (("arith.addi", 0), ("arith.muli", 3), ("arith.subi", 0), ("arith.xori", 1))


def random_schedule(choose: random.Random) -> str:
    """A loop of random operators over two memories, in any II and with any latencies."""
    values, lines, start = ["%x", "%y", "%k"], [], 0
    for number in range(choose.randint(3, 6)):
        start += choose.randint(number > 0, 2)
        name, latency = choose.choice(OPERATORS)
        latency = max(0, latency + choose.choice((0, 0, 1, -1)))
        pair = f"{choose.choice(values)}, {choose.choice(values)}"
        body = f"{name} {pair} {{lat = {latency}}} : i32"
        if choose.random() < 0.4:
            body = f"memref.load %A[%i] {{lat = {choose.randint(1, 2)}}} : memref<16xi32>"
        lines.append(f"%v{number}x = staticlogic.stage start = {start} {{\n%o = {body}\n"
                     "staticlogic.register %o : i32\n} : i32")  # fmt: skip
        values.append(f"%v{number}x")
    made = values[3:]
    stored, first, second = (choose.choice(made) for _ in range(3))
    lines.append(f"staticlogic.stage start = {start + choose.randint(1, 4)} {{\nmemref.store "
                 f"{stored}, %B[%i] : memref<16xi32>\nstaticlogic.register\n}}")  # fmt: skip
    body = "\n".join(lines)
    return f"""func.func @f(%A: memref<16xi32>, %B: memref<16xi32>, %k: i32) -> (index, i32, i32) {{
  %low = arith.constant 0 : index
  %one = arith.constant 1 : index
  %high = arith.constant 12 : index
  %r:3 = staticlogic.pipeline II = {choose.randint(1, 6)}
      ports = {{%A = 1r1w : memref<16xi32>}}
      iv(%i = %low : index) iter_args(%x = %k : i32, %y = %k : i32) -> (index, i32, i32)
    condition {{
      %c = arith.cmpi slt, %i, %high : index
      staticlogic.yield %c : i1
    }} update {{
      %n = arith.addi %i, %one : index
      staticlogic.yield %n : index
    }} stages {{
{body}
      staticlogic.return iter_args({first}, {second} : i32, i32)
    }}
  return %r#0, %r#1, %r#2 : index, i32, i32
}}"""


@pytest.mark.usefixtures("deep_on_sources")
def test_the_verifier_accepts_no_schedule_that_runs_wrong() -> None:
    choose = random.Random(16)
    inputs: Inputs = {"A": WORDS, "B": [0] * 16, "k": 7}
    accepted = wrong = 0
    for _ in range(300):
        text = random_schedule(choose)
        is_right = scheduled(text, inputs) == meaning(text, inputs)
        assert is_right or not is_accepted(text), text
        accepted += is_accepted(text)
        wrong += not is_right
    assert accepted > 20 and wrong > 100
