"""Two loops that became one make the same turns in the same order, at one entry."""

from __future__ import annotations

import random

import pytest
from xdsl.dialects import arith, scf

from loom.front.api import compile_module, compile_text
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

NEST = """func.func @f(%n: OUTER, %h: i16) -> (i16, i16) {
  %three = arith.constant 3 : i16
  %lo = arith.constant LOW : OUTER
  %by = arith.constant STEP : OUTER
  %lo2 = arith.constant LOW2 : INNER
  %hi2 = arith.constant HIGH2 : INNER
  %by2 = arith.constant STEP2 : INNER
  %r:2 = scf.for WORD%i = %lo to BOUND step %by iter_args(%a = %h, %b = %three)
      -> (i16, i16) : OUTER {
    %i16 = arith.CAST %i : OUTER to i16
    %s:2 = scf.for WORD2%j = %lo2 to %hi2 step %by2 iter_args(%d = %b, %c = %a)
        -> (i16, i16) : INNER {
      %j16 = arith.CAST2 %j : INNER to i16
      %p = arith.muli %c, %three : i16
      %q = arith.addi %p, %j16 : i16
      %x = arith.xori %i16, %d : i16
      scf.yield %q, %x : i16, i16
    }
    scf.yield %s#1, %s#0 : i16, i16
  } {loom.flatten}
  return %r#0, %r#1 : i16, i16
}"""


def cast(type_: str, unsigned: bool) -> str:
    if type_ == "index":
        return "index_cast"
    return "extui" if unsigned else "extsi"


def nest(
    outer: str, bounds: tuple[int, int], inner: tuple[int, int, int], type2: str = "index",
    unsigned: bool = False, top: int | None = None,
) -> str:  # fmt: skip
    words = {
        "OUTER": outer, "INNER": type2, "LOW2": str(inner[0]), "HIGH2": str(inner[1]),
        "STEP2": str(inner[2]), "LOW": str(bounds[0]), "STEP": str(bounds[1]),
        "BOUND": "%n" if top is None else "%top", "CAST2": cast(type2, unsigned),
        "CAST": cast(outer, unsigned), "WORD2": "unsigned " * unsigned,
        "WORD": "unsigned " * unsigned,
    }  # fmt: skip
    text = NEST
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    if top is not None:
        text = text.replace("%three =", f"%top = arith.constant {top} : {outer}\n  %three =", 1)
    return text


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("inner", [(0, 3, 1), (-3, 5, 2), (0, 4, 1), (2, 3, 1), (3, 1, 1)])
@pytest.mark.parametrize("bounds", [(0, 1), (-5, 1), (3, 2), (1, 4)])
def test_every_bound(bounds: tuple[int, int], inner: tuple[int, int, int], unsigned: bool) -> None:
    """An outer loop over four bits, whose upper bound is not known."""
    source = read_mlir(nest("i4", bounds, inner, "i6", unsigned), "k.mlir")
    flat = source.clone()
    normalize(flat, Options())
    assert sum(isinstance(op, scf.ForOp) for op in flat.walk()) == 1
    before, after = (compile_reference(each, "f", 64) for each in (source, flat))
    for n in range(16):
        assert after.run([n, 7]).results == before.run([n, 7]).results, n


@pytest.mark.parametrize("widths", ["narrow", "keep"])
@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
@pytest.mark.parametrize("inner", [(0, 3, 1), (-3, 5, 2), (0, 4, 1)])
def test_circuits(inner: tuple[int, int, int], zero_trip: str, widths: str) -> None:
    options = Options(
        zero_trip="raw" if zero_trip == "raw" else "guard",
        widths="keep" if widths == "keep" else "narrow",
    )
    for text in (
        nest("i8", (0, 1), inner), nest("i8", (-3, 2), inner, "i4", True),
        nest("index", (1, 3), inner, top=12), nest("index", (1, 3), inner, top=1),
    ):  # fmt: skip
        source = read_mlir(text, "k.mlir")
        circuit = compile_module(source, options=options)
        assert zero_trip == "guard" or len(circuit.loops) == 1
        names = {unit.operator.name for unit in circuit.netlist.units}
        assert not names & {"arith.divui", "arith.remui"}
        given = [Activation({"n": n, "h": 5 * n}) for n in (0, 1, 2, 9, 250)]
        report = compare_models(source, "f", circuit.netlist, given, max_cycles=10_000)
        assert report.differences == ()


def accesses(choose: random.Random) -> str:
    """A nest of two or three loops, the words of one memory at sums of its indices."""
    depth = choose.choice((2, 2, 3))
    sizes = [choose.randint(1, 5) for _ in range(depth)]
    lines: list[str] = []
    for number in range(choose.randint(1, 2)):
        terms = [choose.choice((0, 1, 1, 2, sizes[-1], 5)) for _ in range(depth)]
        lines += address(f"l{number}", terms, choose.randint(0, 2))
        lines += [f"%x{number} = memref.load %m[%l{number}] : memref<128xi16>"]
    terms = [choose.choice((0, 1, 1, 2, sizes[-1], 5)) for _ in range(depth)]
    lines += [*address("s", terms, choose.randint(0, 2)), "%y = arith.addi %x0, %k : i16",
              "memref.store %y, %m[%s] : memref<128xi16>"]  # fmt: skip
    begin = [f"%n{k} = arith.constant {size} : index" for k, size in enumerate(sizes)]
    loops = [f"scf.for %i{k} = %c0 to %n{k} step %c1 {{" for k in range(depth)]
    ends = ["}"] + ["} {loom.flatten}"] * (depth - 1)
    head = ["func.func @f(%m: memref<128xi16>, %k: i16) {", "%c0 = arith.constant 0 : index",
            "%c1 = arith.constant 1 : index"]  # fmt: skip
    return "\n".join([*head, *begin, *loops, *lines, *ends, "return", "}"])


def address(name: str, terms: list[int], offset: int) -> list[str]:
    """The sum of the indices times these numbers."""
    lines = [f"%{name}o = arith.constant {offset} : index"]
    last = f"%{name}o"
    for k, factor in enumerate(terms):
        lines.append(f"%{name}f{k} = arith.constant {factor} : index")
        lines.append(f"%{name}p{k} = arith.muli %i{k}, %{name}f{k} : index")
        result = f"%{name}" if k == len(terms) - 1 else f"%{name}s{k}"
        lines.append(f"{result} = arith.addi {last}, %{name}p{k} : index")
        last = result
    return lines


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("chunk", range(6))
def test_accesses_keep_their_order(chunk: int) -> None:
    """What is said of quotients and remainders is wrong nowhere: some of these words meet."""
    for seed in range(chunk * 10, chunk * 10 + 10):
        text = accesses(random.Random(seed))
        source = read_mlir(text, "k.mlir")
        circuit = compile_module(source)
        given = [Activation({"m": [(7 * k * k + seed) % 999 for k in range(128)], "k": 3})]
        report = compare_models(
            source, "f", circuit.netlist, given * 2, max_cycles=10_000, seed=seed
        )
        assert report.differences == (), text


MATRIX = """func.func @f(%a: memref<42xi32>, %b: memref<42xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c2 = arith.constant 2 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c2 step %c1 {
    scf.for %j = %c0 to %c3 step %c1 {
      scf.for %k = %c0 to %c7 step %c1 {
        %0 = arith.muli %i, %c3 : index
        %1 = arith.addi %0, %j : index
        %2 = arith.muli %1, %c7 : index
        %p = arith.addi %2, %k : index
        %x = memref.load %a[%p] : memref<42xi32>
        %y = arith.muli %x, %x : i32
        memref.store %y, %a[%p] : memref<42xi32>
      }
    } {loom.flatten}
  } {loom.flatten}
  return
}"""


def test_turns_that_touch_different_words_do_not_wait() -> None:
    circuit = compile_text(MATRIX, "k.mlir")
    assert [loop.ii for loop in circuit.loops] == [1]


def test_an_inner_loop_is_unrolled_before() -> None:
    text = nest("index", (0, 1), (0, 6, 1), top=5).replace(
        "scf.yield %q, %x : i16, i16\n    }",
        "scf.yield %q, %x : i16, i16\n    } {loom.unroll = 2 : i64}",
    )
    module = read_mlir(text, "k.mlir")
    normalize(module, Options())
    (loop,) = (op for op in module.walk() if isinstance(op, scf.ForOp))
    assert isinstance(loop.ub.owner, arith.ConstantOp)
    assert str(loop.ub.owner.value) == "15 : index"
    assert compile_reference(module, "f", 64).run([0, 9]).results == (
        compile_reference(read_mlir(text, "k.mlir"), "f", 64).run([0, 9]).results
    )


DIGITS = """func.func @f(%m: memref<WORDSxi16>) {
  %c0 = arith.constant LOW : index
  %c1 = arith.constant STEP : index
  %n = arith.constant TURNS : index
  %ten = arith.constant 10 : i9
  %hundred = arith.constant 100 : index
  scf.for %i = %c0 to %n step %c1 {
    %h = arith.floordivsi %i, %hundred : index
    %r = arith.remui %i, %hundred : index
    %k = arith.index_cast %r : index to i9
    %t = arith.divsi %k, %ten : i9
    %o = arith.remsi %k, %ten : i9
    %h16 = arith.index_cast %h : index to i16
    %t16 = arith.extsi %t : i9 to i16
    %o16 = arith.extui %o : i9 to i16
    %c4 = arith.constant 4 : i16
    %h4 = arith.shli %h16, %c4 : i16
    %ht = arith.ori %h4, %t16 : i16
    %ht4 = arith.shli %ht, %c4 : i16
    %all = arith.ori %ht4, %o16 : i16
    memref.store %all, %m[%i] : memref<WORDSxi16>
  }
  return
}"""


def digits(turns: int, low: int = 0, step: int = 1) -> str:
    words = {"WORDS": turns, "TURNS": turns, "LOW": low, "STEP": step}
    text = DIGITS
    for word, number in words.items():
        text = text.replace(word, str(number))
    return text


@pytest.mark.parametrize("widths", ["narrow", "keep"])
@pytest.mark.parametrize("turns", [1, 9, 100, 256])
def test_digits_of_an_index_are_counted(turns: int, widths: str) -> None:
    source = read_mlir(digits(turns), "k.mlir")
    circuit = compile_module(
        source, options=Options(widths="keep" if widths == "keep" else "narrow")
    )
    names = {unit.operator.name.partition(".")[2] for unit in circuit.netlist.units}
    assert not names & {"floordivsi", "divsi", "remsi", "remui", "divui"}
    given = [Activation({"m": [0] * turns})] * 2
    report = compare_models(source, "f", circuit.netlist, given, max_cycles=100_000)
    assert report.differences == ()
    if turns > 255:
        assert report.outcomes[0].memories["m"][255] == 0x255


@pytest.mark.parametrize(("low", "step"), [(1, 1), (0, 2)])
def test_other_indices_are_divided(low: int, step: int) -> None:
    """By shifts and products, as every division by a constant is."""
    names = {unit.operator.name for unit in compile_text(digits(64, low, step)).netlist.units}
    assert "arith.shrui" in names
    counted = {unit.operator.name for unit in compile_text(digits(64, 0, 1)).netlist.units}
    assert "arith.shrui" not in counted


REFUSED = {
    "no loop in it": (
        "    %s = arith.addi %n, %n : index",
        "k.mlir:4:3: error[LOWER_LOOP]: found a loop to be flattened without a loop in it; LOOM "
        "accepts a loop with one counted loop in it and nothing else that accesses or decides",
    ),
    "an access besides": (
        "    scf.for %j = %z to %t step %o {\n    }\n    memref.store %n, %m[%i] : memref<9xindex>",
        "k.mlir:7:5: error[LOWER_LOOP]: found a loop to be flattened with more in it than a loop; "
        "LOOM accepts a loop with one counted loop in it and nothing else that accesses or decides",
    ),
    "an unknown trip count": (
        "    scf.for %j = %z to %i step %o {\n    }",
        "k.mlir:4:3: error[LOWER_LOOP]: found a loop to be flattened whose inner trip count is "
        "not known; LOOM accepts constant bounds inside",
    ),
    "too many iterations": (
        "    scf.for %j = %z to %t step %o {\n    }",
        "k.mlir:4:3: error[LOWER_LOOP]: found a loop to be flattened with more iterations than an "
        "index of 64 bits may count; LOOM accepts constant bounds; or only an upper bound that is "
        "not, of fewer bits than an index",
    ),
}


def refused(body: str) -> str:
    return f"""func.func @f(%n: index, %m: memref<9xindex>) {{
  %z, %o = index.constant 0 index.constant 1
  %t = arith.constant 9 : index
  scf.for %i = %z to %n step %o {{
{body}
  }} {{loom.flatten}}
  return
}}""".replace(
        "  %z, %o = index.constant 0 index.constant 1\n",
        "  %z = arith.constant 0 : index %o = arith.constant 1 : index\n",
    )


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    body, message = REFUSED[name]
    assert refusal(compile_text, refused(body), "k.mlir") == message
    hinted = refused(body).replace("{loom.flatten}", "{loom.flatten, loom.hint}")
    assert compile_text(hinted, "k.mlir").netlist.units


def test_other_values_that_are_carried() -> None:
    text = nest("index", (0, 1), (0, 3, 1), top=5).replace("%d = %b", "%d = %three")
    assert refusal(compile_text, text, "k.mlir") == (
        "k.mlir:9:3: error[LOWER_LOOP]: found a loop to be flattened that carries other values "
        "than the loop in it; LOOM accepts values that the outer loop hands to the inner one, and "
        "back"
    )
