"""Loops in no order, switches, atomic accesses, views and intrinsics: as written = as lowered.

The programs stand in `rows/structured.mlir`. RTL runs them in `test_random_programs_in_rtl`, MLIR's
own compiler in `test_native_judge`.
"""

from __future__ import annotations

from random import Random

import pytest
from xdsl.dialects import arith, scf
from xdsl.ir import Operation

from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import compile_reference
from tests.frontend.test_mlir_reader import printed
from tests.model.test_program_meets_model import (
    POLICIES,
    ZeroTrip,
    activations,
    compiled,
    differences,
)
from tests.support.reference_programs import STRUCTURED, run
from tests.support.refusals import refusal

WIDTHS = (8, 16, 32, 64)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("zero_trip", POLICIES)
@pytest.mark.parametrize("name", STRUCTURED)
def test_program_meets_its_circuit(name: str, zero_trip: ZeroTrip) -> None:
    circuit = compiled(STRUCTURED[name], zero_trip)
    given = activations(circuit, Random(name))
    for seed in (None, 1):
        assert differences(circuit, given, seed) == []


@pytest.mark.parametrize("name", STRUCTURED)
def test_print_is_read_again(name: str) -> None:
    module = read_mlir(STRUCTURED[name])
    for generic in (False, True):
        assert printed(read_mlir(printed(module, generic)), False) == printed(module, False)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", STRUCTURED)
@pytest.mark.parametrize("index_width", [8, 64])
def test_normal_form_computes_the_same(name: str, index_width: int) -> None:
    circuit = compiled(STRUCTURED[name], "raw", index_width)
    normal = circuit.source.clone()
    normalize(normal, Options(index_width=index_width))
    programs = [compile_reference(m, "f", index_width) for m in (circuit.source, normal)]
    for activation in activations(circuit, Random(name)):
        inputs = list(activation.inputs.values())
        written, lowered = (program.run(inputs) for program in programs)
        assert (written.results, written.memories) == (lowered.results, lowered.memories)


def test_a_switch_of_many_cases_is_a_search() -> None:
    cases = "\n".join(f"case {7 * k} {{ scf.yield %v{k} : i32 }}" for k in range(64))
    values = "\n".join(f"%v{k} = arith.constant {k} : i32" for k in range(64))
    text = (
        f"func.func @f(%n: index, %d: i32) -> i32 {{\n{values}\n%r = scf.index_switch %n -> i32\n"
        f"{cases}\ndefault {{ scf.yield %d : i32 }}\nreturn %r : i32\n}}"
    )
    for given, expected in ((0, 0), (7, 1), (441, 63), (442, 99), (1, 99)):
        assert run(text, given, 99).results == (expected,)
    normal = read_mlir(text)
    normalize(normal, Options())

    def depth(op: Operation) -> int:
        """Decisions on the longest path to a value: ifs, and selects that replace small ones."""
        if isinstance(op, arith.SelectOp):
            chosen = [value.owner for value in op.operands]
            return 1 + max(depth(o) for o in chosen if isinstance(o, Operation))
        inner = [depth(o) for region in op.regions for block in region.blocks for o in block.ops]
        return isinstance(op, scf.IfOp) + max(inner, default=0)

    assert depth(normal) == 1 + 6


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0xFF : i8", 255),
        ("-0x80 : i8", 128),
        ("-1 : i8", 255),
        ("true", 1),
        ("false", 0),
        ("-1 : i1", 1),
        ("0xFFFFFFFFFFFFFFFF : i64", (1 << 64) - 1),
        ("-9223372036854775808 : index", 1 << 63),
    ],
)
def test_constants_of_every_form(text: str, value: int) -> None:
    type_ = text.partition(" : ")[2] or "i1"
    program = f"func.func @f() -> {type_} {{\n%r = arith.constant {text}\nreturn %r : {type_}\n}}"
    assert run(program).results == (value,)
    assert differences(compiled(program, "raw"), [Activation({})], None) == []


def test_a_reduction_uses_values_of_a_body_that_is_a_function_of_its_own() -> None:
    """So deep that Python's limit on nested blocks moves the loop into another function."""
    depth = 14
    opening = "".join(
        f"%r{k} = scf.for %i{k} = %c0 to %c1 step %c1 iter_args(%x{k} = %a) -> (i32) {{\n"
        for k in range(depth)
    )
    closing = "".join(f"scf.yield %r{k} : i32 }}\n" for k in range(depth - 1, 0, -1))
    text = f"""func.func @f(%n: index, %a: i32) -> i32 {{
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
{opening}
%p = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%a) -> i32 {{
  %v = arith.index_cast %i : index to i32
  scf.reduce(%a : i32) {{
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %v : i32
    %t = arith.muli %s, %y : i32
    scf.reduce.return %t : i32
  }}
}}
scf.yield %p : i32 }}
{closing}return %r0 : i32
}}"""
    assert run(text, 3, 2).results == ((((2 + 0) * 2 + 1) * 2 + 2) * 2,)


@pytest.mark.parametrize("chosen", [0, 1])
def test_a_view_of_a_chosen_memory_is_of_the_chosen_one(chosen: int) -> None:
    text = """func.func @f(%c: i1, %a: memref<4xi32>, %b: memref<4xi32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = arith.select %c, %a, %b : memref<4xi32>
  %s = memref.subview %m[1] [2] [1] : memref<4xi32> to memref<2xi32, strided<[1], offset: 1>>
  %e = memref.expand_shape %m [[0, 1]] output_shape [2, 2] : memref<4xi32> into memref<2x2xi32>
  memref.store %n, %s[%c1] : memref<2xi32, strided<[1], offset: 1>>
  %v = memref.load %e[%c1, %c0] : memref<2x2xi32>
  %w = memref.load %s[%c0] : memref<2xi32, strided<[1], offset: 1>>
  %r = arith.subi %v, %w : i32
  return %r : i32
}"""
    found = run(text, chosen, [10, 11, 12, 13], [20, 21, 22, 23], 99)
    assert found.results == (99 - (11 if chosen else 21),)
    assert found.memories["a"][2] == (99 if chosen else 12)
    assert found.memories["b"][2] == (22 if chosen else 99)


@pytest.mark.parametrize("index_width", WIDTHS)
def test_affine_arithmetic_wraps_around_as_the_circuit(index_width: int) -> None:
    text = """
func.func @f(%a: index, %b: index) -> (index, index, index, index, i1) {
  %t = arith.constant true
  %f = arith.constant false
  %0 = affine.apply affine_map<(d0, d1) -> ((d0 * 5 + d1) floordiv 3)>(%a, %b)
  %1 = affine.apply affine_map<(d0, d1) -> ((d0 + d1 * 100) mod 7)>(%a, %b)
  %2 = affine.apply affine_map<(d0, d1) -> ((d0 - d1) ceildiv 4 + 90)>(%a, %b)
  %3 = affine.max affine_map<(d0, d1) -> (d0 + d1, 5, d0 * 9 - 3)>(%a, %b)
  %4 = affine.if affine_set<(d0, d1) : (d0 * 3 + d1 - 1 >= 0)>(%a, %b) -> i1 {
    affine.yield %t : i1
  } else {
    affine.yield %f : i1
  }
  return %0, %1, %2, %3, %4 : index, index, index, index, i1
}"""
    circuit = compiled(text, "raw", index_width)
    given = activations(circuit, Random(index_width))
    assert differences(circuit, given, None) == []
    half = 1 << (index_width - 1)
    wrap = lambda value: (value + half) % (2 * half) - half  # noqa: E731
    most = half - 1
    results = run(text, most, most, index_width=index_width).results
    assert results[0] == wrap(wrap(wrap(most * 5) + most) // 3) % (2 * half)
    assert results[3] == max(wrap(2 * most), 5, wrap(wrap(most * 9) - 3)) % (2 * half)


UNDEFINED = {
    "zero that is poison": (
        'func.func @f(%a: i8) -> i8 {\n  %0 = "llvm.intr.ctlz"(%a) <{is_zero_poison = true}> '
        ": (i8) -> i8\n  return %0 : i8\n}",
        (0,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found the operand 0, which is poison in "
        "llvm.intr.ctlz; LOOM accepts operations with a result",
    ),
    "the least number that is poison": (
        'func.func @f(%a: i8) -> i8 {\n  %0 = "llvm.intr.abs"(%a) <{is_int_min_poison = true}> '
        ": (i8) -> i8\n  return %0 : i8\n}",
        (128,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found the operand 128, which is poison in "
        "llvm.intr.abs; LOOM accepts operations with a result",
    ),
    "a saturating shift too far": (
        "func.func @f(%a: i8) -> i8 {\n  %0 = llvm.intr.sshl.sat(%a, %a) : (i8, i8) -> i8\n"
        "  return %0 : i8\n}",
        (8,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found a shift by the width or more in "
        "llvm.intr.sshl.sat; LOOM accepts operations with a result",
    ),
    "an assumption": (
        "func.func @f(%a: i1) {\n  llvm.intr.assume %a : i1\n  return\n}",
        (0,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found an assumption that does not hold in "
        "llvm.intr.assume; LOOM accepts operations with a result",
    ),
    "a step of a parallel loop": (
        "func.func @f(%n: index) {\n  scf.parallel (%i) = (%n) to (%n) step (%n) {\n  }\n"
        "  return\n}",
        (0,),
        "test.mlir:2:3: error[REF_ZERO_STEP]: found a step of 0 in scf.parallel; "
        "LOOM accepts steps of 1 and more",
    ),
    "a step of a loop in no order": (
        "func.func @f(%n: index) {\n  scf.forall (%i) = (0) to (4) step (%n) {\n  }\n  return\n}",
        ((1 << 64) - 2,),
        "test.mlir:2:3: error[REF_ZERO_STEP]: found a step of -2 in scf.forall; "
        "LOOM accepts steps of 1 and more",
    ),
    "a loop without end": (
        "func.func @f(%n: index) {\n  %c0 = arith.constant 0 : index\n"
        "  %c1 = arith.constant 1 : index\n"
        "  scf.parallel (%i, %j) = (%n, %n) to (%c0, %c0) step (%c1, %c1) {\n  }\n  return\n}",
        (1 << 63,),
        "test.mlir:4:3: error[REF_BUDGET]: found a run of more than 1000000000 operations, the "
        "last in scf.parallel; LOOM accepts programs that end; a larger --max-cycles for long ones",
    ),
    "an index that wraps": (
        "func.func @f(%n: index) {\n  scf.forall (%i) = (0) to (%n) step (4611686018427387904) "
        "{\n  }\n  return\n}",
        ((1 << 63) - 1,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found an index that wraps around before it reaches "
        "the bound in scf.forall; LOOM accepts operations with a result",
    ),
    "a basis": (
        "func.func @f(%n: index) {\n  %0:2 = affine.delinearize_index %n into (%n) : index, index\n"
        "  return\n}",
        (0,),
        "test.mlir:2:3: error[REF_UNDEFINED]: found a basis with a number that is not positive in "
        "affine.delinearize_index; LOOM accepts operations with a result",
    ),
    "bytes outside": (
        "func.func @f(%m: memref<4xi8>, %n: index) {\n"
        "  %0 = memref.view %m[%n][] : memref<4xi8> to memref<2x2xi8>\n  return\n}",
        ([0] * 4, 1),
        "test.mlir:2:3: error[REF_OUT_OF_BOUNDS]: found index [4] in memref.view; "
        "LOOM accepts indices inside [4]",
    ),
    "an atomic access outside": (
        "func.func @f(%m: memref<4xi8>, %n: index, %a: i8) {\n"
        "  %0 = memref.atomic_rmw addi %a, %m[%n] : (i8, memref<4xi8>) -> i8\n  return\n}",
        ([0] * 4, 4, 0),
        "test.mlir:2:3: error[REF_OUT_OF_BOUNDS]: found index [4] in memref.atomic_rmw; "
        "LOOM accepts indices inside [4]",
    ),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_has_no_meaning_is_refused(name: str) -> None:
    text, inputs, message = UNDEFINED[name]
    assert refusal(run, text, *inputs) == message
