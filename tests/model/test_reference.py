"""The reference interpreter computes what MLIR says, counts, and refuses what has no meaning."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module, read_mlir
from loom.frontend.rules.accepted import ACCEPTED
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.comparison import compare_with_expected
from loom.model.reference.reference import HANDLERS, compile_reference
from tests.support.folders import EXAMPLES
from tests.support.reference_programs import CONSTANTS, SUM, body, run
from tests.support.refusals import refusal

KERNELS = sorted(EXAMPLES.glob("*.mlir"))


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("index_width", [32, 64])
def test_examples_do_what_their_bundles_expect(path: Path, index_width: int) -> None:
    module = read_mlir(path.read_text(), path.name)
    function = top_function(module, None)
    signature = signature_of(function, index_width)
    bundle = path.with_suffix(".json")
    program = compile_reference(module, function.sym_name.data, index_width)
    for activation in read_bundle(bundle.read_text(), bundle.name, signature):
        outcome = program.run(signature.in_order(activation))
        assert list(compare_with_expected(activation, outcome, signature)) == []


def test_every_accepted_operation_has_a_generator() -> None:
    names = {handled.name for handled in HANDLERS}
    without = {
        name for name in ACCEPTED if not name.startswith(("arith.", "math.", "index."))
    } - names
    assert without == {
        "builtin.module",
        "func.func",
        "func.return",
        "cf.br",
        "cf.cond_br",
        "cf.switch",
        "ub.unreachable",
        "llvm.unreachable",
        "scf.yield",
        "scf.condition",
        "scf.reduce",
        "scf.reduce.return",
        "scf.forall.in_parallel",
        "affine.yield",
        "memref.alloca_scope.return",
        "memref.atomic_yield",
        "memref.global",
        "memref.reshape",
    }


def test_counts_accesses_iterations_operations_and_the_bound() -> None:
    outcome = run(body(SUM, "%a: memref<4xi32>, %n: index"), [1, 2, 3, 4], 3)
    assert outcome.results == (6,)
    assert outcome.accesses == {"a": (3, 0)}
    assert outcome.iterations == {"test.mlir:9:1": 3}
    assert outcome.operations == 1 + 3 * 3
    assert outcome.bound == 3
    assert run(body(SUM, "%a: memref<4xi32>, %n: index"), [1, 2, 3, 4], 0).bound == 1


def loop(type_: str, low: int, high: int, step: int, unsigned: str = "") -> str:
    """A function that counts in the high half and sums the indices in the low half."""
    return body(
        f"""
%l = arith.constant {low} : {type_}
%h = arith.constant {high} : {type_}
%z = arith.constant 0 : i32
%k = arith.constant 65536 : i32
%r = scf.for {unsigned} %i = %l to %h step %st iter_args(%s = %z) -> (i32) : {type_} {{
  %e = arith.extui %i : {type_} to i32
  %t = arith.addi %s, %e : i32
  %u = arith.addi %t, %k : i32
  scf.yield %u : i32
}}""",
        f"%st: {type_}",
    )


@pytest.mark.parametrize(
    ("text", "step", "trips", "total"),
    [
        (loop("i8", 0, 10, 1), 3, 4, 0 + 3 + 6 + 9),
        (loop("i8", -2, 2, 1), 1, 4, 254 + 255 + 0 + 1),
        (loop("i8", 100, 127, 1), 50, 1, 100),
        (loop("i8", 5, 5, 1), 1, 0, 0),
        (loop("i8", 5, -5, 1), 1, 0, 0),
        (loop("i8", 5, -5, 1, "unsigned"), 100, 3, 5 + 105 + 205),
        (loop("i8", 0, -1, 1, "unsigned"), 200, 2, 200),
    ],
)
def test_for_runs_over_its_mathematical_range(text: str, step: int, trips: int, total: int) -> None:
    assert run(text, step).results == (trips * 65536 + total,)


@pytest.mark.parametrize("step", [0, -1, -128])
def test_for_refuses_a_step_that_gets_nowhere(step: int) -> None:
    with pytest.raises(LoomError) as caught:
        run(loop("i8", 0, 3, 1), step & 255)
    expected = "test.mlir:7:1: error[REF_ZERO_STEP]: found a step of "
    assert str(caught.value) == (f"{expected}{step} in scf.for; LOOM accepts steps of 1 and more")


def test_while_and_if_carry_values() -> None:
    collatz = """
%one = arith.constant 1 : i32
%three = arith.constant 3 : i32
%z = arith.constant 0 : i32
%x, %r = scf.while (%v = %n, %k = %z) : (i32, i32) -> (i32, i32) {
  %go = arith.cmpi ne, %v, %one : i32
  scf.condition(%go) %v, %k : i32, i32
} do {
^bb0(%v: i32, %k: i32):
  %odd = arith.trunci %v : i32 to i1
  %next = scf.if %odd -> (i32) {
    %m = arith.muli %v, %three : i32
    %p = arith.addi %m, %one : i32
    scf.yield %p : i32
  } else {
    %h = arith.shrui %v, %one : i32
    scf.yield %h : i32
  }
  %k1 = arith.addi %k, %one : i32
  scf.yield %next, %k1 : i32, i32
}"""
    text = body(collatz, "%n: i32")
    assert run(text, 27).results == (111,)
    assert run(text, 1).results == (0,)
    assert list(run(text, 27).iterations.values()) == [111]


def test_swapped_loop_values_are_taken_at_once() -> None:
    fibonacci = (
        CONSTANTS
        + """
%one = arith.constant 1 : i32
%r, %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %z, %b = %one) -> (i32, i32) {
  %t = arith.addi %a, %b : i32
  scf.yield %b, %t : i32, i32
}"""
    )
    assert run(body(fibonacci, "%n: index"), 10).results == (55,)


CALLS = """
memref.global @seen : memref<1xi32> = dense<0>
memref.global "private" constant @table : memref<4xi32> = dense<[10, -1, 30, 40]>
func.func private @look(%t: memref<2xi32, strided<[2], offset: ?>>, %i: index) -> i32 {
  %v = memref.load %t[%i] : memref<2xi32, strided<[2], offset: ?>>
  return %v : i32
}
func.func private @odd(%t: memref<4xi32>, %o: index) -> memref<2xi32, strided<[2], offset: ?>> {
  %s = memref.subview %t[%o] [2] [2] : memref<4xi32> to memref<2xi32, strided<[2], offset: ?>>
  return %s : memref<2xi32, strided<[2], offset: ?>>
}
func.func @f(%i: index, %o: index) -> (i32, i32) {
  %t = memref.get_global @table : memref<4xi32>
  %s = func.call @odd(%t, %o) : (memref<4xi32>, index) -> memref<2xi32, strided<[2], offset: ?>>
  %v = func.call @look(%s, %i) : (memref<2xi32, strided<[2], offset: ?>>, index) -> i32
  %w = func.call @look(%s, %i) : (memref<2xi32, strided<[2], offset: ?>>, index) -> i32
  %c0 = arith.constant 0 : index
  %g = memref.get_global @seen : memref<1xi32>
  %old = memref.load %g[%c0] : memref<1xi32>
  %new = arith.addi %old, %v : i32
  memref.store %new, %g[%c0] : memref<1xi32>
  return %w, %new : i32, i32
}
"""


def test_calls_take_and_give_views_and_globals_keep_their_words() -> None:
    module = parse_module(CALLS, "test.mlir")
    program = compile_reference(module, "f")
    first = program.run([1, 0])
    assert first.results == (30, 30)
    assert first.accesses == {"table": (2, 0), "seen": (1, 1)}
    assert program.run([0, 0]).results == (10, 40)
    assert program.run([1, 1]).results == (40, 80)
    with pytest.raises(LoomError, match="REF_OUT_OF_BOUNDS"):
        program.run([0, 2])
    with pytest.raises(LoomError, match="REF_OUT_OF_BOUNDS"):
        program.run([2, 0])


VIEWS = [
    (
        "rank reducing subview",
        """%v = memref.subview %a[%o, 1] [1, 2] [1, 2] : memref<4x6xi32> to
               memref<2xi32, strided<[2], offset: ?>>
           %r = memref.load %v[%i] : memref<2xi32, strided<[2], offset: ?>>""",
        (2, 1),
        2 * 6 + 1 + 2,
    ),
    (
        "reinterpret_cast counts from the start of the buffer",
        """%s = memref.subview %a[1, 0] [2, 6] [1, 1] : memref<4x6xi32> to
               memref<2x6xi32, strided<[6, 1], offset: 6>>
           %v = memref.reinterpret_cast %s to offset: [%o], sizes: [3], strides: [5] :
               memref<2x6xi32, strided<[6, 1], offset: 6>> to memref<3xi32, strided<[5], offset: ?>>
           %r = memref.load %v[%i] : memref<3xi32, strided<[5], offset: ?>>""",
        (3, 2),
        3 + 2 * 5,
    ),
    (
        "collapse, expand and cast",
        """%c = memref.collapse_shape %a [[0, 1]] : memref<4x6xi32> into memref<24xi32>
           %e = memref.expand_shape %c [[0, 1, 2]] output_shape [2, 3, 4] :
               memref<24xi32> into memref<2x3x4xi32>
           %d = memref.cast %e : memref<2x3x4xi32> to
               memref<2x3x4xi32, strided<[?, ?, ?], offset: ?>>
           %one = arith.constant 1 : index
           %r = memref.load %d[%one, %o, %i] : memref<2x3x4xi32, strided<[?, ?, ?], offset: ?>>""",
        (2, 3),
        12 + 8 + 3,
    ),
]


@pytest.mark.parametrize(
    ("lines", "indices", "word"), [row[1:] for row in VIEWS], ids=[row[0] for row in VIEWS]
)
def test_views_lead_to_the_right_word(lines: str, indices: tuple[int, int], word: int) -> None:
    text = body(lines, "%a: memref<4x6xi32>, %o: index, %i: index")
    assert run(text, [100 + k for k in range(24)], *indices).results == (100 + word,)


def test_copy_between_layouts_and_dim() -> None:
    text = body(
        """%one = arith.constant 1 : index
        %s = memref.subview %a[0, 1] [2, 2] [1, 1] : memref<2x3xi32> to
            memref<2x2xi32, strided<[3, 1], offset: 1>>
        memref.copy %s, %b : memref<2x2xi32, strided<[3, 1], offset: 1>> to memref<2x2xi32>
        %r = memref.dim %a, %one : memref<2x3xi32>""",
        "%a: memref<2x3xi32>, %b: memref<2x2xi32>",
        "index",
    )
    outcome = run(text, [1, 2, 3, 4, 5, 6], [0] * 4)
    assert outcome.results == (3,)
    assert outcome.memories["b"] == [2, 3, 5, 6]
    assert outcome.accesses == {"a": (4, 0), "b": (0, 4)}


def test_argument_layout_has_gaps() -> None:
    text = body(
        "%i = arith.constant 1 : index\n"
        "%r = memref.load %a[%i, %i] : memref<2x2xi32, strided<[4, 2], offset: 3>>",
        "%a: memref<2x2xi32, strided<[4, 2], offset: 3>>",
    )
    assert run(text, list(range(10))).results == (9,)


def test_affine_is_exact_for_negative_numbers() -> None:
    text = body(
        """
%m = affine.apply affine_map<(d0) -> (d0 mod 4)>(%x)
%f = affine.apply affine_map<(d0) -> (d0 floordiv 4)>(%x)
%c = affine.apply affine_map<(d0)[s0] -> (d0 ceildiv 4 + s0 * 0)>(%x)[%x]
%l = affine.min affine_map<(d0) -> (d0, 2)>(%x)""",
        "%x: index",
        "index, index, index, index",
        "%m, %f, %c, %l",
    ).replace("-> index, index, index, index", "-> (index, index, index, index)")
    for value in (-9, -8, -1, 0, 3, 7):
        mask = (1 << 64) - 1
        expected = (value % 4, value // 4, -(-value // 4), min(value, 2))
        assert run(text, value & mask).results == tuple(number & mask for number in expected)


def test_affine_loops_and_accesses() -> None:
    text = body(
        """
%z = arith.constant 0 : i32
%r = affine.for %i = max affine_map<(d0) -> (0, d0)>(%n) to 6 step 2 iter_args(%s = %z) -> (i32) {
  %v = affine.load %a[%i floordiv 2 + 1] : memref<4xi32>
  affine.store %v, %a[0] : memref<4xi32>
  %t = arith.addi %s, %v : i32
  affine.yield %t : i32
}""",
        "%a: memref<4xi32>, %n: index",
    )
    outcome = run(text, [1, 2, 3, 4], 2)
    assert outcome.results == (7,)
    assert outcome.memories["a"] == [4, 2, 3, 4]
    assert run(text, [1, 2, 3, 4], (1 << 64) - 5).results == (9,)


def test_ipowi_and_index_operations() -> None:
    text = body("%r = math.ipowi %a, %b : i32", "%a: i32, %b: i32")
    mask = (1 << 32) - 1
    assert run(text, 3, 5).results == (243,)
    assert run(text, -2 & mask, 31).results == (1 << 31,)
    for base, exponent, result in ((1, -3, 1), (-1, -3, -1), (-1, -2, 1), (2, -1, 0)):
        assert run(text, base & mask, exponent & mask).results == (result & mask,)
    with pytest.raises(LoomError, match="0 to a negative power"):
        run(text, 0, mask)
    text = body(
        """%k = index.constant 5
        %s = index.sub %x, %k
        %c = index.cmp slt(%s, %x)
        %m = index.maxs %s, %x
        %r = arith.select %c, %m, %s : index""",
        "%x: index",
        "index",
    )
    assert run(text, 2, index_width=32).results == (2,)
    assert run(text, 1 << 31, index_width=32).results == ((1 << 31) - 5,)


ACCESS = "%r = memref.load %a[%i, %j] : memref<2x3xi32>"
FAULTS = [
    (
        ACCESS,
        "%a: memref<2x3xi32>, %i: index, %j: index",
        ([0] * 6, 0, 3),
        "test.mlir:2:1: error[REF_OUT_OF_BOUNDS]: found index [0, 3] in memref.load; "
        "LOOM accepts indices inside [2, 3]",
    ),
    (
        ACCESS,
        "%a: memref<2x3xi32>, %i: index, %j: index",
        ([0] * 6, (1 << 64) - 1, 0),
        "test.mlir:2:1: error[REF_OUT_OF_BOUNDS]: found index [-1, 0] in memref.load; "
        "LOOM accepts indices inside [2, 3]",
    ),
    (
        "%r = arith.divsi %a, %b : i32",
        "%a: i32, %b: i32",
        (1 << 31, (1 << 32) - 1),
        "test.mlir:2:1: error[REF_UNDEFINED]: found a signed division that overflows in "
        "arith.divsi; LOOM accepts operations with a result",
    ),
    (
        "%r = arith.remui %a, %b : i32",
        "%a: i32, %b: i32",
        (7, 0),
        "test.mlir:2:1: error[REF_UNDEFINED]: found a division by zero in arith.remui; "
        "LOOM accepts operations with a result",
    ),
    (
        "%r = arith.shli %a, %b : i32",
        "%a: i32, %b: i32",
        (7, 32),
        "test.mlir:2:1: error[REF_UNDEFINED]: found a shift by 32 of a value of 32 bits in "
        "arith.shli; LOOM accepts operations with a result",
    ),
    (
        "%m = memref.alloc() : memref<4xi32>\n%r = memref.load %m[%i] : memref<4xi32>",
        "%i: index",
        (0,),
        "test.mlir:3:1: error[REF_UNINITIALISED]: found a read of an element never written in "
        "memref.load; LOOM accepts reads after a write",
    ),
]


@pytest.mark.parametrize(("lines", "arguments", "inputs", "message"), FAULTS)
def test_what_has_no_meaning_is_refused(
    lines: str, arguments: str, inputs: Sequence[int | list[int]], message: str
) -> None:
    assert refusal(run, body(lines, arguments), *inputs) == message


def test_a_local_array_is_fresh_each_time() -> None:
    text = body(
        CONSTANTS
        + """
%r = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %z) -> (i32) {
  %m = memref.alloca() : memref<1xi32>
  %first = arith.cmpi eq, %i, %c0 : index
  scf.if %first {
    memref.store %s, %m[%c0] : memref<1xi32>
  }
  %v = memref.load %m[%c0] : memref<1xi32>
  scf.yield %v : i32
}"""
    )
    with pytest.raises(LoomError, match="REF_UNINITIALISED"):
        run(text)
