"""Float sums become partial sums where the program allows it, or a loop is refused."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr
from xdsl.ir import Attribute, Operation

import loom
from loom.dialects.facts.fact import Fact
from loom.dialects.facts.loop_attributes import INTERLEAVE, PARTIAL_SUMS
from loom.dialects.facts.program_facts import REASSOCIATED
from loom.front import api
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.lower.loops import partial_sums
from loom.lower.options import Options
from loom.model.bundles.activation import Activation, Expected
from loom.model.comparison import ModelReport, compare_models
from loom.model.reference.reference import compile_reference
from loom.model.timed.simulate import run_timed
from tests.support.refusals import refusal

SIZE = 64
TERM = "%next = arith.addf %sum, %x : f32"
CONDITIONAL = """%c = arith.cmpf ogt, %x, %half : f32
    %next = scf.if %c -> (f32) {
      %more = arith.addf %x, %sum : f32
      scf.yield %more : f32
    } else {
      scf.yield %sum : f32
    }"""
SELECTED = """%c = arith.cmpf ogt, %x, %half : f32
    %less = arith.subf %sum, %x : f32
    %next = arith.select %c, %less, %sum : f32"""
FUSED = "%next = math.fma %x, %half, %sum : f32"


def loop(
    first: int = 0,
    end: int = 20,
    step: int = 1,
    *,
    asked: str = "loom.partial_sums = 4 : i64",
    term: str = TERM,
    index: str = "index",
) -> str:
    """The float sum of elements of an array, with an initial value."""
    cast, place, of_index = "", "%i", ""
    if index != "index":
        cast, place, of_index = f"%p = arith.index_cast %i : {index} to index", "%p", f" : {index}"
    return f"""func.func @f(%a: memref<{SIZE}xf32>, %init: f32) -> f32 {{
  %low = arith.constant {first} : {index}
  %high = arith.constant {end} : {index}
  %step = arith.constant {step} : {index}
  %half = arith.constant 0.5 : f32
  %s = scf.for %i = %low to %high step %step iter_args(%sum = %init) -> (f32){of_index} {{
    {cast}
    %x = memref.load %a[{place}] : memref<{SIZE}xf32>
    {term}
    scf.yield %next : f32
  }} {{{asked}}}
  return %s : f32
}}"""


def bits(value: float) -> int:
    """The pattern of a number of f32."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def rounded(value: float) -> float:
    """The nearest number of f32."""
    return float(struct.unpack("<f", struct.pack("<f", value))[0])


NUMBERS = [rounded(1.0 / (3 * k + 1) * (-1.0) ** (k % 3)) for k in range(SIZE)]


def add_up(terms: Sequence[float], init: float, lanes: int) -> float:
    """The sum in the order that partial sums have."""
    total = init
    for lane in range(lanes):
        partial = -0.0
        for term in terms[lane::lanes]:
            partial = rounded(partial + term)
        total = rounded(total + partial)
    return total


def calls(init: float = 0.25) -> list[Activation]:
    """Two calls, whose sums depend on their order."""
    words = [bits(each) for each in NUMBERS]
    return [Activation({"a": words, "init": bits(init)}) for words in (words, words[::-1])]


def run(circuit: Circuit, given: Sequence[Activation]) -> ModelReport:
    """The report of both models, which agree."""
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=100_000)
    assert report.differences == ()
    assert all(not run.missing for run in run_timed(circuit.netlist, given))
    return report


def loops_of(text: str, options: Options | None = None, file: str = "k.mlir") -> list[scf.ForOp]:
    """The loops of the program that is read, from outside to inside."""
    module = api.read_program(Request(text, file, options=options or Options()))
    module.verify()
    return [op for op in module.walk() if isinstance(op, scf.ForOp)]


def sums_of(text: str, options: Options | None = None, file: str = "k.mlir") -> int | None:
    """How many partial sums there are; None if the sum is as it is written."""
    loops = loops_of(text, options, file)
    found = [INTERLEAVE.of(each) for each in loops if PARTIAL_SUMS.is_on(each)]
    return next((each for each in found if each), None)


REWRITTEN = """builtin.module attributes {loom.reassociated = "the sum of the loop at k.mlir:6:3 \
is added up in 4 partial sums"} {
  func.func @f(%a: memref<64xf32>, %init: f32) -> f32 {
    %low = arith.constant 3 : index
    %high = arith.constant 24 : index
    %step = arith.constant 2 : index
    %half = arith.constant 5.000000e-01 : f32
    %0 = arith.constant 0 : index
    %1 = arith.constant 8 : index
    %2 = arith.constant -0.000000e+00 : f32
    %s = scf.for %3 = %0 to %1 step %step iter_args(%4 = %init) -> (f32) {
      %partial = scf.for %5 = %low to %high step %1 iter_args(%sum = %2) -> (f32) {
        %i = arith.addi %5, %3 : index
        %6 = arith.cmpi slt, %i, %high : index
        %7 = scf.if %6 -> (f32) {
          %x = memref.load %a[%i] : memref<64xf32>
          %next = arith.addf %sum, %x : f32
          scf.yield %next : f32
        } else {
          scf.yield %sum : f32
        }
        scf.yield %7 : f32
      } {loom.ii = 1 : i64, loom.partial_sums = 1 : i64, loom.unroll = 1 : i64}
      %8 = arith.addf %4, %partial : f32
      scf.yield %8 : f32
    } {loom.interleave = 4 : i64, loom.partial_sums = 1 : i64, loom.unroll = 1 : i64}
    func.return %s : f32
  }
}"""


def test_the_loop_becomes_two() -> None:
    """The last terms are looked for only where the trip count is no multiple."""
    text = loop(3, 24, 2, asked="loom.partial_sums = 4 : i64, loom.ii = 1 : i64")
    assert str(api.read_program(Request(text, "k.mlir"))) == REWRITTEN
    assert "scf.if" not in str(api.read_program(Request(loop(3, 19, 2), "k.mlir")))


def test_what_is_printed_is_read_as_it_is() -> None:
    again = api.read_program(Request(REWRITTEN, "k.mlir", options=Options(partial_sums=8)))
    assert str(again) == REWRITTEN


@pytest.mark.parametrize("trips", [0, 1, 2, 3, 4, 5, 7, 8, 9, 13, 20, 64])
def test_every_trip_count(trips: int) -> None:
    """Each term once, in the order that is stated; the initial value first."""
    circuit = compile_text(loop(0, trips), "k.mlir")
    lanes = min(4, trips)
    assert max((each.lanes for each in circuit.loops), default=1) == max(lanes, 1)
    report = run(circuit, calls())
    wanted = [add_up(each[:trips], 0.25, lanes) for each in (NUMBERS, NUMBERS[::-1])]
    assert [each.results for each in report.outcomes] == [(bits(each),) for each in wanted]


COUNTS = {
    "a step": (loop(3, 24, 2), range(3, 24, 2)),
    "negative indices": (
        loop(-7, 14, 2, index="i16", term=TERM).replace(
            "%p = arith.index_cast %i : i16", "%ten = arith.constant 10 : i16\n"
            "%q = arith.addi %i, %ten : i16\n%p = arith.index_cast %q : i16"),
        range(3, 24, 2)),
    "unsigned": (
        loop(1, 13, 3, asked="loom.partial_sums = 4 : i64, unsignedCmp", index="i16"),
        range(1, 13, 3)),
    "folded bounds": (
        loop(0, 9).replace("%high = arith.constant 9 : index", "%nine = arith.constant 9 : index\n"
                           "%high = arith.addi %nine, %nine : index"),
        range(18)),
}  # fmt: skip


@pytest.mark.parametrize(("text", "indices"), COUNTS.values(), ids=COUNTS)
def test_indices(text: str, indices: range) -> None:
    circuit = compile_text(text, "k.mlir")
    assert sums_of(text) == 4
    wanted = add_up([NUMBERS[k] for k in indices], 0.25, 4)
    assert run(circuit, calls()).outcomes[0].results == (bits(wanted),)


@pytest.mark.parametrize("trips", [3, 16, 21])
def test_terms(trips: int) -> None:
    """Under a branch, subtracted under a select, and fused products."""
    given = NUMBERS[:trips]
    lanes = min(4, trips)
    for term in (CONDITIONAL, SELECTED, FUSED):
        circuit = compile_text(loop(0, trips, term=term), "k.mlir")
        total = 0.25
        for lane in range(lanes):
            partial = -0.0
            for number in given[lane::lanes]:
                chosen = number > 0.5
                each = {CONDITIONAL: number, SELECTED: -number, FUSED: number / 2}[term]
                partial = rounded(partial + each) if chosen or term == FUSED else partial
            total = rounded(total + partial)
        assert run(circuit, calls()).outcomes[0].results == (bits(total),)


def minus_zeros(circuit: Circuit) -> int:
    """The sum of -0.0 alone, from -0.0 on."""
    reference = compile_reference(circuit.source, "f", 64)
    return reference.run([[bits(-0.0)] * SIZE, bits(-0.0)]).results[0]


def test_a_partial_sum_starts_at_minus_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: it starts at 0.0, so that a sum of -0.0 alone is 0.0."""
    assert minus_zeros(compile_text(loop(), "k.mlir")) == bits(-0.0)
    assert minus_zeros(compile_text(loop(0, 21, term=CONDITIONAL), "k.mlir")) == bits(-0.0)

    def planted(type_: Attribute) -> FloatAttr:
        assert isinstance(type_, AnyFloat)
        return FloatAttr(0.0, type_)

    monkeypatch.setattr(partial_sums, "make_neutral", planted)
    assert minus_zeros(compile_text(loop(), "k.mlir")) == bits(0.0)


def test_without_its_guard_a_loop_adds_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the last iterations do not compare their index."""
    fill = partial_sums.fill_inner
    monkeypatch.setattr(
        partial_sums, "fill_inner", lambda *given, guarded: fill(*given, guarded=False)
    )
    circuit = compile_text(loop(0, 21), "k.mlir")
    wanted = add_up(NUMBERS[:21], 0.25, 4)
    assert run(circuit, calls()).outcomes[0].results != (bits(wanted),)


STORE = f"memref.store %x, %y[%low] : memref<1xf32>\n    {TERM}"


def test_without_its_check_a_store_comes_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: any store may run in any order."""
    stored = loop(0, 21, asked="", term=STORE).replace(
        "%init: f32", "%y: memref<1xf32>, %init: f32"
    )
    options = Options(partial_sums=4)
    words = [bits(each) for each in NUMBERS]

    def last_store() -> list[int]:
        source = api.read_program(Request(stored, "k.mlir", options=options))
        return compile_reference(source, "f", 64).run([words, [0], 0]).memories["y"]

    assert last_store() == [words[20]]
    monkeypatch.setattr(partial_sums, "is_independent", lambda *given: True)
    assert last_store() == [words[19]]


def test_the_adder_takes_a_term_a_cycle() -> None:
    circuits = [
        compile_text(loop(0, 64, asked=asked), "k.mlir")
        for asked in ("", "loom.partial_sums = 8 : i64")
    ]
    cycles = [run_timed(each.netlist, calls())[0].cycles for each in circuits]
    assert cycles[0] > 64 * 5 and cycles[1] < 64 + 50
    notes = [each.notes for each in circuits]
    assert notes == [(), ("the sum of the loop at k.mlir:6:3 is added up in 8 partial sums",)]


SEVERAL = """func.func @f(%a: memref<64xf32>, %init: f32) -> (f32, f32, i32) {
  %low = arith.constant 0 : index
  %high = arith.constant 21 : index
  %step = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %half = arith.constant 0.5 : f32
  %s, %t, %n = scf.for %i = %low to %high step %step
      iter_args(%sum = %init, %square = %half, %count = %zero) -> (f32, f32, i32) {
    %x = memref.load %a[%i] : memref<64xf32>
    %next = arith.addf %sum, %x : f32
    %xx = arith.mulf %x, %x : f32
    %after = arith.addf %square, %xx : f32
    %counted = arith.addi %count, %one : i32
    scf.yield %next, %after, %counted : f32, f32, i32
  } {loom.partial_sums = 4 : i64}
  return %s, %t, %n : f32, f32, i32
}"""


def test_several_sums_of_a_loop() -> None:
    """Integers too, which are the same in any order."""
    results = run(compile_text(SEVERAL, "k.mlir"), calls()).outcomes[0].results
    squares = [rounded(each * each) for each in NUMBERS[:21]]
    assert results == (
        bits(add_up(NUMBERS[:21], 0.25, 4)), bits(add_up(squares, 0.5, 4)), 21
    )  # fmt: skip


STORES = """void f(const float a[24], float y[24], float t[1]) {
  float s = 0;
#pragma loom partial_sums(4)
  for (int i = 0; i < 22; i++) {
    s += a[i];
    y[i] = a[i] * a[i];
  }
  t[0] = s;
}
"""


def test_a_store_of_each_iteration_alone() -> None:
    circuit = compile_text(STORES, "k.c")
    assert sums_of(STORES, file="k.c") == 4
    words = [bits(each) for each in NUMBERS[:24]]
    given = [Activation({"a": words, "y": [7] * 24, "t": [0]})]
    found = run(circuit, given).outcomes[0].memories
    assert found["t"] == [bits(add_up(NUMBERS[:22], 0.0, 4))]
    assert found["y"] == [bits(rounded(each * each)) for each in NUMBERS[:22]] + [7, 7]


# How it is requested

REASSOC = TERM.replace(" : f32", " fastmath<reassoc> : f32")
FAST = TERM.replace(" : f32", " fastmath<fast> : f32")
STATIC = Options(style="static")
NESTED = (
    loop(asked="", term=REASSOC)
    .replace("%s = ", "%s = scf.for %k = %low to %high step %step iter_args(%last = %init) -> "
             "(f32) {\n%t = ")
    .replace("iter_args(%sum = %init)", "iter_args(%sum = %half)")
    .replace("  return", "%u = arith.mulf %t, %last : f32\nscf.yield %u : f32\n}\n  return")
)  # fmt: skip
REQUESTS = {
    "nobody": (loop(asked=""), Options(), None),
    "the option": (loop(asked=""), Options(partial_sums=5), 5),
    "a directive before the option": (loop(), Options(partial_sums=5), 4),
    "a flag": (loop(asked="", term=REASSOC), Options(), 10),
    "a flag, no divisor": (loop(0, 23, asked="", term=REASSOC), Options(), 8),
    "all flags": (loop(asked="", term=FAST), Options(), 10),
    "a flag, a divisor": (loop(0, 50, asked="", term=REASSOC), Options(), 10),
    "a flag, in another loop": (NESTED, Options(), None),
    "in another loop, by the option": (NESTED, Options(partial_sums=5), 5),
    "in an interleaved loop, by the option": (
        NESTED.replace(
            "scf.yield %u : f32\n}", "scf.yield %u : f32\n} {loom.interleave = 7 : i64}"),
        Options(partial_sums=5), None),
    "other flags": (loop(asked="", term=REASSOC.replace("reassoc", "nnan")), Options(), None),
    "the option before flags": (loop(asked="", term=FAST), Options(partial_sums=5), 5),
    "a flag, too few terms": (loop(0, 15, asked="", term=FAST), Options(), None),
    "never": (loop(asked="loom.partial_sums = 1 : i64", term=FAST), Options(partial_sums=5), None),
    "a static schedule": (loop(asked="", term=FAST), STATIC, 10),
    "a static function": (
        loop(asked="", term=FAST).replace(
            "-> f32 {", '-> f32 attributes {loom.style = "static"} {'),
        Options(partial_sums=5), 5),
    "a stream": (loop(asked="", term=FAST), Options(streams=("a",)), None),
    "another directive": (loop(asked="loom.unroll = 2 : i64", term=FAST), Options(), None),
    "unrolled by its line": (loop(asked="", term=FAST), Options(unroll=((6, 2),)), None),
    "no sum, by the option": (
        loop(asked="", term="%next = arith.mulf %sum, %x : f32"), Options(partial_sums=5), None),
}  # fmt: skip


@pytest.mark.parametrize(("text", "options", "sums"), REQUESTS.values(), ids=REQUESTS)
def test_how_it_is_requested(text: str, options: Options, sums: int | None) -> None:
    if text.count("loom.partial_sums = 4"):
        text = text.replace("%high = arith.constant 20", "%high = arith.constant 40")
    assert sums_of(text, options) == sums
    module = api.read_program(Request(text, "k.mlir", options=options))
    assert REASSOCIATED.is_on(module) == (sums is not None)


C = """float f(const float a[40]) {
  float s = 1;
#pragma loom partial_sums(6)
  for (int i = 39; i >= 0; i--) s += a[i];
  return s;
}
"""
PYTHON = """from typing import Annotated
import numpy as np
from numpy.typing import NDArray
import loom

@loom.kernel
def f(a: Annotated[NDArray[np.float32], 40]) -> np.float32:
    s = np.float32(1)
    for i in loom.partial_sums(range(40), 6):
        s += a[i]
    return s
"""


@pytest.mark.parametrize(("file", "text"), [("k.c", C), ("k.py", PYTHON)])
def test_languages(file: str, text: str) -> None:
    assert sums_of(text, file=file) == 6
    given = NUMBERS[:40]
    found = run(compile_text(text, file), [Activation({"a": [bits(each) for each in given]})])
    terms = given[::-1] if file == "k.c" else given
    assert found.outcomes[0].results == (bits(add_up(terms, 1.0, 6)),)


def test_in_python_it_is_nothing() -> None:
    numbers = range(3)
    assert loom.partial_sums(numbers, 2) is numbers


# Refusals

AT = "k.mlir:6:3: error[LOWER_LOOP]: found a loop for partial sums "
NO_SUM = "or is read by more than its terms; LOOM accepts sums by additions, subtractions and fma, "
REFUSED = {
    "too many": (
        loop(asked="loom.partial_sums = 65 : i64"),
        AT + "that has 65 of them; LOOM accepts 1 to 64 partial sums"),
    "no number": (
        loop(asked='loom.partial_sums = "all"'),
        'k.mlir:6:3: error[LOWER_LOOP]: found loom.partial_sums = "all" of scf.for; LOOM accepts '
        "loom.partial_sums with a number of 1 and more"),
    "a product": (
        loop(term="%next = arith.mulf %sum, %x : f32"),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "a total that is subtracted": (
        loop(term="%next = arith.subf %x, %sum : f32"),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "a total that is doubled": (
        loop(term="%next = arith.addf %sum, %sum : f32"),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "a total that is compared": (
        loop(term=CONDITIONAL.replace("ogt, %x", "ogt, %sum")),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "another arm": (
        loop(term=CONDITIONAL.replace("scf.yield %sum", "scf.yield %x")),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "another choice": (
        loop(term=SELECTED.replace("%less, %sum", "%less, %x")),
        AT + "that carries a value sum which is no sum, " + NO_SUM + "under any branches"),
    "a sum of integers": (
        loop().replace("f32", "i32").replace("addf", "addi").replace(
            "0.5", "5"),
        AT + "that carries no float sum; LOOM accepts float sums"),
    "any trip count": (
        loop().replace("%init: f32)", "%init: f32, %n: index)").replace("to %high", "to %n"),
        AT + "whose trip count is not known; LOOM accepts constant bounds"),
    "another directive": (
        loop(asked="loom.partial_sums = 4 : i64, loom.unroll = 2 : i64"),
        AT + "with loom.unroll, too; LOOM accepts beside it loom.ii and loom.pipeline"),
    "a style": (
        loop(asked='loom.partial_sums = 4 : i64, loom.style = "static"'),
        AT + "with a static schedule; LOOM accepts loops of a dynamic circuit"),
    "a store at a narrow index": (
        loop(term="%n = arith.index_cast %i : index to i4\n"
             f"%w = arith.index_castui %n : i4 to index\n"
             f"memref.store %x, %b[%w] : memref<16xf32>\n    {TERM}").replace(
            "%init: f32)", "%init: f32, %b: memref<16xf32>)"),
        AT + "with a store on 11:1 that another iteration may see; LOOM accepts stores to an array "
        "that nothing else in the loop accesses, at its index"),
    "a store to one place": (
        loop(term=f"memref.store %x, %a[%low] : memref<{SIZE}xf32>\n    {TERM}"),
        AT + "with a store on 9:5 that another iteration may see; LOOM accepts stores to an array "
        "that nothing else in the loop accesses, at its index"),
    "an assertion": (
        loop(term=f'%c = arith.cmpf ogt, %x, %half : f32\n    cf.assert %c, "x"\n    {TERM}'),
        AT + "with cf.assert on 10:5, which has an order; LOOM accepts arithmetic, loads and "
        "branches"),
    "a loop in it": (
        loop(term="%next = scf.for %j = %low to %high step %step iter_args(%t = %sum) -> (f32) {\n"
             "%u = arith.addf %t, %x : f32\n scf.yield %u : f32\n }"),
        AT + "with a loop or a call in it; LOOM accepts an innermost loop without calls"),
    "an index that wraps": (
        loop(0, 127, 6, index="i8"),
        AT + "with an index beyond i8; LOOM accepts a wider index, or a number of partial sums "
        "that divides the trip count"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_refusals(text: str, message: str) -> None:
    assert refusal(lambda: compile_text(text, "k.mlir")) == message


def test_a_loop_that_does_not_count() -> None:
    text = C.replace("for (int i = 39; i >= 0; i--)", "int i = 40;\n  while (i-- > 0)")
    text = text.replace("#pragma loom partial_sums(6)\n", "").replace(
        "  while", "#pragma loom partial_sums(6)\n  while"
    )
    assert refusal(lambda: compile_text(text, "k.c")) == (
        "k.c:5:3: error[LOWER_LOOP]: found a loop for partial sums that is scf.while; LOOM accepts "
        "scf.for, or a loop of C or Python that counts up or down to a bound"
    )


@pytest.mark.parametrize("name", [name for name in REFUSED if name != "no number"])
def test_a_hint_that_cannot_be_followed_is_none(name: str) -> None:
    text = REFUSED[name][0].replace("{loom.partial_sums", "{loom.hint, loom.partial_sums")
    assert not any(PARTIAL_SUMS.is_on(each) for each in loops_of(text))
    assert sums_of(text) is None


MAIN = (
    C
    + """int main(void) {
  float a[40];
  for (int i = 0; i < 40; i++) a[i] = 1.0f / (3 * i + 1);
  return f(a) < 0;
}
"""
)


def main_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """What `loom model` gives for the program, which is run, with its outputs."""
    file = tmp_path / "k.c"
    file.write_text(MAIN)
    given = main(["model", str(file)])
    found = capsys.readouterr()
    return given, found.out, found.err


NOTE = "f: note: what the run of the program gave is not compared: sums are in another order\n"


def test_the_own_run_of_a_program_is_not_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: nothing says that sums are in another order, so that another result is wrong."""
    given, out, err = main_run(tmp_path, capsys)
    assert given == 0 and NOTE in err and "f: source and token model agree" in out
    monkeypatch.setattr(Fact, "is_on", without_mark)
    given, out, err = main_run(tmp_path, capsys)
    assert given == 1 and NOTE not in err and "the C program expects" in out


def without_mark(fact: Fact[object], operation: Operation) -> bool:
    """As `Fact.is_on`, but for sums in another order."""
    return fact.name != REASSOCIATED.name and fact.name in operation.attributes


def test_what_inputs_expect_is_compared() -> None:
    """It is no run of the program."""
    circuit = compile_text(loop(), "k.mlir")
    wrong = Activation(calls()[0].inputs, Expected((0,)))
    report = compare_models(circuit.source, "f", circuit.netlist, [wrong], max_cycles=1000)
    assert "the bundle expects 0" in report.differences[0]
