"""Unrolled loops make the turns of the program, in its order, for all bounds and steps."""

from __future__ import annotations

import itertools

import pytest
from xdsl.dialects import scf

from loom.errors import LoomError
from loom.front.api import compile_module, compile_text
from loom.front.request import DEFAULTS
from loom.frontend.mlir.read import read_mlir
from loom.lower.loops import unroll_loops
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.support.filecheck import missing
from tests.support.refusals import refusal

pytestmark = pytest.mark.usefixtures("no_clock_period")

COUNTED = """func.func @f(%lo: TYPE, %hi: TYPE) -> (i16, TYPE) {
  %h = arith.constant 1 : i16
  %three = arith.constant 3 : i16
  %step = arith.constant STEP : TYPE
  %r:2 = scf.for WORD%i = %lo to %hi step %step iter_args(%a = %h, %last = %lo)
      -> (i16, TYPE) : TYPE {
    %k = arith.CAST %i : TYPE to i16
    %m = arith.muli %a, %three : i16
    %n = arith.addi %m, %k : i16
    scf.yield %n, %i : i16, TYPE
  } {loom.unroll = FACTOR : i64}
  return %r#0, %r#1 : i16, TYPE
}"""


def counted(type_: str, step: int, factor: int, unsigned: bool) -> str:
    words = {
        "TYPE": type_,
        "STEP": str(step),
        "FACTOR": str(factor),
        "WORD": "unsigned " if unsigned else "",
        "CAST": "index_cast" if type_ == "index" else "extsi",
    }
    text = COUNTED
    for word, meaning in words.items():
        text = text.replace(word, meaning)
    return text


@pytest.mark.parametrize("unsigned", [False, True])
@pytest.mark.parametrize("step", [1, 2, 3, 7])
@pytest.mark.parametrize("factor", [2, 3, 4, 5, 9])
def test_every_pair_of_bounds(factor: int, step: int, unsigned: bool) -> None:
    """An index of four bits, and a number of four bits in an index of eight."""
    for type_, width in (("index", 4), ("i4", 8)):
        source = read_mlir(counted(type_, step, factor, unsigned), "k.mlir")
        unrolled = source.clone()
        normalize(unrolled, Options(index_width=width))
        before, after = (compile_reference(each, "f", width) for each in (source, unrolled))
        ran = 0
        for bounds in itertools.product(range(16), repeat=2):
            try:
                wanted = before.run(list(bounds))
            except LoomError as error:
                assert error.code == "REF_UNDEFINED", "an index that wraps around"
                continue
            ran += 1
            assert after.run(list(bounds)).results == wanted.results, bounds
        assert ran == 256 or (type_ == "index" and step > 1 and ran > 150)


@pytest.mark.parametrize(
    ("type_", "step", "factor", "unsigned"),
    [("i4", 1, 4, True), ("i4", 3, 2, False), ("index", 1, 4, False), ("index", 2, 3, True)],
)
def test_circuits_of_unrolled_loops(type_: str, step: int, factor: int, unsigned: bool) -> None:
    source = read_mlir(counted(type_, step, factor, unsigned), "k.mlir")
    circuit = compile_module(source)
    pairs = [(0, 0), (0, 1), (0, 3), (0, 7), (1, 7), (2, 6), (15, 2), (8, 7), (7, 8), (3, 15)]
    given = [Activation({"lo": low, "hi": high}) for low, high in pairs]
    report = compare_models(source, "f", circuit.netlist, given, max_cycles=1000)
    assert report.differences == ()


def bounded(low: int, high: int, step: int, asked: str) -> str:
    return f"""func.func @f(%m: memref<64xi32>) -> i32 {{
  %zero = arith.constant 0 : i32
  %lo = arith.constant {low} : index
  %hi = arith.constant {high} : index
  %by = arith.constant {step} : index
  %s = scf.for %i = %lo to %hi step %by iter_args(%a = %zero) -> (i32) {{
    %x = memref.load %m[%i] : memref<64xi32>
    %y = arith.addi %a, %x : i32
    scf.yield %y : i32
  }} {{{asked}}}
  return %s : i32
}}"""


def loops_of(text: str, options: Options = DEFAULTS) -> tuple[int, str]:
    """Loops that are left, and the text."""
    module = read_mlir(text, "k.mlir")
    wanted = compile_reference(module, "f", 64)
    normalize(module, options)
    found = compile_reference(module, "f", 64)
    words = [k * k - 9 * k for k in range(64)]
    masked = [word & 0xFFFFFFFF for word in words]
    assert found.run([masked]).results == wanted.run([masked]).results
    return sum(isinstance(op, scf.ForOp) for op in module.walk()), str(module)


@pytest.mark.parametrize(
    ("low", "high", "step", "asked", "loops"),
    [
        (0, 0, 1, '"full"', 0),
        (5, 3, 1, '"full"', 0),
        (0, 6, 1, '"full"', 0),
        (1, 20, 3, '"full"', 0),
        (0, 12, 1, "4 : i64", 1),  # nothing is left
        (0, 13, 1, "4 : i64", 1),  # one turn is left: it stands alone
        (0, 14, 1, "4 : i64", 2),
        (0, 7, 1, "4 : i64", 1),  # four in a row, and a loop for three
        (0, 3, 1, "4 : i64", 0),
        (0, 4, 1, "4 : i64", 0),
        (0, 63, 1, "1 : i64", 1),
        (3, 60, 5, "2 : i64", 1),
    ],
)
def test_loops_that_are_left(low: int, high: int, step: int, asked: str, loops: int) -> None:
    assert loops_of(bounded(low, high, step, f"loom.unroll = {asked}"))[0] == loops


def test_sums_become_trees_that_the_turn_before_joins_last() -> None:
    _, text = loops_of(bounded(0, 64, 1, "loom.unroll = 4 : i64"))
    assert (
        missing(
            text,
            """[[R]] = scf.for ... iter_args([[C]] = [[Z]]) -> (i32) {
            [[A]] = memref.load
            [[B]] = memref.load
            [[D]] = memref.load
            [[E]] = memref.load
            [[F]] = arith.addi [[A]], [[B]] : i32
            [[G]] = arith.addi [[D]], [[E]] : i32
            [[H]] = arith.addi [[F]], [[G]] : i32
            [[I]] = arith.addi [[H]], [[C]] : i32
            scf.yield [[I]] : i32""",
        )
        is None
    ), text


def test_floats_are_summed_in_their_order() -> None:
    text = bounded(0, 8, 1, 'loom.unroll = "full"').replace("i32", "f32").replace("addi", "addf")
    module = read_mlir(text.replace("constant 0 : f32", "constant 0.0 : f32"), "k.mlir")
    normalize(module, Options())
    lines = [line for line in str(module).splitlines() if "addf" in line]
    results = [line.split()[0] for line in lines]
    assert len(lines) == 8
    pairs = zip(results, lines[1:], strict=False)
    assert all(f"addf {before}," in line for before, line in pairs)


@pytest.mark.parametrize(
    "name", ["muli", "andi", "ori", "xori", "maxsi", "maxui", "minsi", "minui"]
)
def test_other_operations_that_do_not_depend_on_the_order(name: str) -> None:
    text = bounded(0, 9, 1, 'loom.unroll = "full"').replace("addi", name)
    deepest = depth_of(text.replace("%zero = arith.constant 0", "%zero = arith.constant 77"))
    assert deepest == 4


@pytest.mark.parametrize("name", ["subi", "shli"])
def test_other_operations_stay_in_their_order(name: str) -> None:
    masked = """%z = arith.andi %x, %three : i32
    %y = arith.NAME %a, %z : i32"""
    text = bounded(0, 9, 1, 'loom.unroll = "full"')
    text = text.replace("%zero =", "%three = arith.constant 3 : i32\n  %zero =")
    text = text.replace("%y = arith.addi %a, %x : i32", masked.replace("NAME", name))
    assert depth_of(text.replace("constant 0 : i32", "constant 77 : i32")) == 9 + 1


def depth_of(text: str) -> int:
    """Operations of arith in a row from a load to the result."""
    _, normal = loops_of(text)
    (function,) = read_mlir(normal, "k.mlir").body.block.ops
    depths: dict[object, int] = {}
    for op in function.walk():
        is_step = op.name.startswith("arith.") and op.operands
        depth = max((depths.get(value, 0) for value in op.operands), default=0) + bool(is_step)
        depths |= dict.fromkeys(op.results, depth)
    return max(depths.values())


NEST = """func.func @f(%m: memref<64xi32>) -> i32 {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%a = %zero) -> (i32) {
    %t = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (i32) {
      %u = scf.for %k = %c0 to %j step %c1 iter_args(%c = %b) -> (i32) {
        %p = arith.addi %i, %k : index
        %x = memref.load %m[%p] : memref<64xi32>
        %y = arith.addi %c, %x : i32
        scf.yield %y : i32
      } INNER
      scf.yield %u : i32
    } MIDDLE
    scf.yield %t : i32
  }
  return %s : i32
}"""


def nest(middle: str = "", inner: str = "") -> str:
    return NEST.replace("MIDDLE", middle).replace("INNER", inner)


FULL = '{loom.unroll = "full"}'


def test_an_inner_loop_has_as_many_turns_as_the_outer_index_says() -> None:
    assert loops_of(nest(FULL, FULL))[0] == 1


def test_options_name_lines() -> None:
    options = Options(unroll=((8, None), (9, None)))
    source = read_mlir(nest(), "k.mlir")
    circuit = compile_module(source, options=options)
    assert [loop.place.line for loop in circuit.loops] == [7]
    given = [Activation({"m": list(range(64))})] * 2
    report = compare_models(source, "f", circuit.netlist, given, max_cycles=1000)
    assert report.differences == ()


def test_short_loops_are_unrolled_from_the_innermost_outward() -> None:
    square = nest().replace("to %j", "to %c3")
    for below, loops in ((2, 3), (3, 2), (8, 2), (9, 1), (71, 1), (72, 0)):
        assert loops_of(square, Options(unroll_below=below))[0] == loops, below
    protected = nest("{loom.unroll = 1 : i64}").replace("to %j", "to %c3")
    assert loops_of(protected, Options(unroll_below=72))[0] == 2


def test_tables_become_constants() -> None:
    text = """memref.global "private" constant @t : memref<4xi32> = dense<[3, 0, 1, 8]>
""" + bounded(0, 4, 1, 'loom.unroll = "full"').replace(
        "memref.load %m[%i] : memref<64xi32>",
        """memref.load %m[%i] : memref<64xi32>
    %t = memref.get_global @t : memref<4xi32>
    %w = memref.load %t[%i] : memref<4xi32>
    %p = arith.muli %x, %w : i32""").replace("%a, %x", "%a, %p")  # fmt: skip
    _, normal = loops_of(text)
    assert "@t" not in normal and "muli" not in normal and normal.count("memref.load") == 3


REFUSED = {
    "a loop that does not count": (
        """func.func @f(%n: i8) -> i8 {
  %r = scf.while (%a = %n) : (i8) -> i8 {
    %c = arith.cmpi ugt, %a, %n : i8
    scf.condition(%c) %a : i8
  } do {
  ^bb0(%b: i8):
    %h = arith.shrui %b, %b : i8
    scf.yield %h : i8
  } attributes {loom.unroll = 2 : i64}
  return %r : i8
}""",
        "k.mlir:2:3: error[LOWER_LOOP]: found a loop to be unrolled that does not count; LOOM "
        "accepts a constant step, and an index that provably reaches its bound without wrapping",
    ),
    "a step that is not known": (
        """func.func @f(%n: index) -> index {
  %r = scf.for %i = %n to %n step %n iter_args(%a = %n) -> (index) {
    scf.yield %i : index
  } {loom.unroll = 2 : i64}
  return %r : index
}""",
        "k.mlir:2:3: error[LOWER_LOOP]: found a loop to be unrolled whose step is not known; LOOM "
        "accepts constant steps",
    ),
    "an unknown trip count": (
        counted("index", 1, 4, False).replace("4 : i64", '"full"'),
        "k.mlir:5:3: error[LOWER_LOOP]: found a loop to be fully unrolled whose trip count is "
        "not known; LOOM accepts constant bounds, or an unroll factor",
    ),
    "too many operations": (
        bounded(0, 5000, 1, 'loom.unroll = "full"'),
        "k.mlir:6:3: error[LOWER_LOOP]: found a loop to be unrolled into 15000 operations; LOOM "
        "accepts up to 10000 operations, as of a smaller unroll factor",
    ),
    "no number": (
        bounded(0, 5, 1, 'loom.unroll = "twice"'),
        'k.mlir:6:3: error[LOWER_LOOP]: found loom.unroll = "twice" of scf.for; LOOM accepts '
        'loom.unroll with a number of 1 and more, or "full"',
    ),
    "less than one": (
        bounded(0, 5, 1, "loom.unroll = 0 : i64"),
        "k.mlir:6:3: error[LOWER_LOOP]: found loom.unroll = 0 : i64 of scf.for; LOOM accepts "
        'loom.unroll with a number of 1 and more, or "full"',
    ),
    "no loop": (
        """func.func @f(%a: i1) {
  scf.if %a {
  } {loom.unroll = 2 : i64}
  return
}""",
        "k.mlir:2:3: error[LOWER_LOOP]: found loom.unroll = 2 : i64 of scf.if; LOOM accepts "
        "loom.unroll of scf.for, affine.for, scf.while",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    text, message = REFUSED[name]
    assert refusal(compile_text, text, "k.mlir") == message


@pytest.mark.parametrize("name", list(REFUSED)[:4])
def test_a_hint_that_cannot_be_followed_is_left(name: str) -> None:
    text = REFUSED[name][0]
    for value in ("2 : i64", '"full"'):
        text = text.replace(f"loom.unroll = {value}", f"loom.unroll = {value}, loom.hint")
    assert compile_text(text, "k.mlir").loops


def test_a_line_without_a_loop() -> None:
    message = "--unroll: error[LOWER_LOOP]: found no loop at line 3; "
    assert (
        refusal(compile_text, nest(), "k.mlir", options=Options(unroll=((3, None),)))
        == f"{message}LOOM accepts the line of a loop: 7, 8, 9"
    )
    with pytest.raises(LoomError, match=r"found no loop at line 3; LOOM accepts loops$"):
        compile_text("func.func @f() {\n return\n}", "k.mlir", options=Options(unroll=((3, 2),)))


@pytest.mark.parametrize("factor", [0, -1, 1 << 63, 1 << 70])
def test_a_number_of_turns_that_no_index_counts(factor: int) -> None:
    assert refusal(compile_text, nest(), "k.mlir", options=Options(unroll=((7, factor),))) == (
        f"--unroll: error[LOWER_LOOP]: found an unroll factor of {factor}; "
        "LOOM accepts factors from 1 to 2^63 - 1"
    )


def test_what_is_short_is_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unroll_loops, "MAX_OPERATIONS", 10)
    assert loops_of(bounded(0, 4, 1, ""), Options(unroll_below=9))[0] == 1
    assert loops_of(bounded(0, 3, 1, ""), Options(unroll_below=9))[0] == 0
