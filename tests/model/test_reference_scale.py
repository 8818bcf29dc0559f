"""The reference at its limits: endless programs, deep nests, long functions, long runs."""

from __future__ import annotations

import pytest

from loom.errors import LoomError
from loom.frontend.mlir.read import parse_module
from loom.model.reference.reference import compile_reference
from tests.support.reference_programs import CONSTANTS, SUM, body, reference, run

ENDLESS = """
%t = arith.constant true
scf.while : () -> () {
  scf.condition(%t)
} do {
  scf.yield
}
%r = arith.constant 0 : i32"""


def test_a_program_that_does_not_end_is_refused() -> None:
    with pytest.raises(LoomError) as caught:
        reference(body(ENDLESS)).run([], budget=1_000_000)
    assert caught.value.code == "REF_BUDGET"
    long = body(SUM.replace("%c0 to %n", "%n to %n2"), "%a: memref<4xi32>, %n: index, %n2: index")
    with pytest.raises(LoomError, match="REF_BUDGET"):
        run(long, [0] * 4, 1 << 63, (1 << 63) - 1)


def nest(depth: int, kind: str) -> str:
    """A function with loops or branches inside each other."""
    opening = {
        "for": "%r{k} = scf.for %i{k} = %c0 to %c2 step %n iter_args(%x{k} = {x}) -> (i32) {{",
        "if": "%r{k} = scf.if %t -> (i32) {{",
    }[kind]
    closing = {
        "for": "scf.yield {r} : i32 }}",
        "if": "scf.yield {r} : i32 }} else {{ scf.yield %z : i32 }}",
    }[kind]
    lines = [CONSTANTS, "%t = arith.constant true", "%one = arith.constant 1 : i32"]
    for k in range(depth):
        lines.append(opening.format(k=k, x=f"%x{k - 1}" if k else "%z"))
    last = f"%x{depth - 1}" if kind == "for" else "%z"
    lines.append(f"%v = arith.addi {last}, %one : i32")
    lines.append("memref.store %v, %a[%c1] : memref<2xi32>")
    for k in reversed(range(depth)):
        lines.append(closing.format(r=f"%r{k + 1}" if k + 1 < depth else "%v"))
    return body("\n".join(lines), "%a: memref<2xi32>, %n: index", returned="%r0")


@pytest.mark.parametrize("kind", ["for", "if"])
@pytest.mark.parametrize("depth", [9, 10, 11, 12, 25, 60])
def test_deep_nests_run(kind: str, depth: int) -> None:
    outcome = run(nest(depth, kind), [0, 0], 2)
    assert outcome.results == (1,)
    assert outcome.memories == {"a": [0, 1]}
    assert outcome.accesses == {"a": (0, 1)}
    assert len(outcome.iterations) == (depth if kind == "for" else 0)


def test_counts_are_right_across_the_outlining_depth() -> None:
    outcome = run(nest(12, "for"), [0, 0], 1)
    assert outcome.results == (4096,)
    assert outcome.accesses == {"a": (0, 4096)}
    assert sorted(outcome.iterations.values()) == [2**k for k in range(1, 13)]


def test_a_long_function_compiles() -> None:
    lines = "\n".join(
        f"%v{k} = arith.{('addi', 'muli', 'xori', 'maxsi')[k % 4]} %v{k - 1}, %a : i32"
        for k in range(1, 10_000)
    )
    text = body(f"%v0 = arith.addi %a, %a : i32\n{lines}", "%a: i32", returned="%v9999")
    module = parse_module(text, "test.mlir")
    assert compile_reference(module, "f").run([3]).operations == 10_000


def test_a_million_operations_run() -> None:
    text = body(
        CONSTANTS
        + """
%r = scf.for %i = %c0 to %n step %c1 iter_args(%s = %z) -> (i32) {
  %k = arith.remui %i, %c4 : index
  %v = memref.load %a[%k] : memref<4xi32>
  %w = arith.index_cast %i : index to i32
  %m = arith.muli %v, %w : i32
  %t = arith.addi %s, %m : i32
  %big = arith.cmpi sgt, %t, %v : i32
  %u = arith.select %big, %t, %v : i32
  scf.yield %u : i32
}""",
        "%a: memref<4xi32>, %n: index",
    )
    outcome = reference(text).run([[1, 2, 3, 4], 200_000])
    assert outcome.operations > 1_000_000
