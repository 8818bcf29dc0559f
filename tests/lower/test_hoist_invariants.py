"""What never changes in a loop is computed, or loaded, before it, where that costs nothing."""

from __future__ import annotations

import pytest

from loom.front.api import compile_module
from loom.frontend.mlir.read import parse_module, read_mlir
from loom.lower.loops.hoist_invariants import hoist_invariants
from loom.lower.memory.scalar_replacement import replace_scalars
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.support.filecheck import missing

pytestmark = pytest.mark.usefixtures("no_clock_period")

HEAD = """func.func @f(%n: index, %a: i32, %b: i32, %m: memref<8xi32>, %w: memref<8xi32>) -> i32 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
"""
FOR = "%r = scf.for %i = %0 to %n step %1 iter_args(%s = %zero) -> (i32) {"
FOUR = FOR.replace("to %n", "to %4")
END = "scf.yield %t : i32\n}"


def program(*lines: str, result: str = "%r") -> str:
    return HEAD + "\n".join(lines) + f"\nreturn {result} : i32\n}}"


PRODUCT, SUM = "%p = arith.muli %a, %b : i32", "%t = arith.addi %s, %p : i32"
MOVED: dict[str, tuple[str, str]] = {
    "a product of two values from outside": (
        program(FOR, PRODUCT, SUM, END),
        "%p = arith.muli\n%r = scf.for\n%t = arith.addi",
    ),
    "what is made of what has moved": (
        program(FOR, PRODUCT, "%q = arith.xori %p, %zero : i32", SUM.replace("%p", "%q"), END),
        "%p = arith.muli\n%q = arith.xori\n%r = scf.for",
    ),
    "out of two loops": (
        program(FOR, FOUR.replace("%r", "%u").replace("%i", "%j").replace("%zero", "%s")
                .replace("iter_args(%s", "iter_args(%v"), PRODUCT, SUM.replace("%s", "%v"), END,
                "scf.yield %u : i32\n}"),
        "%p = arith.muli\n%r = scf.for\n%u = scf.for",
    ),
    "out of both regions of a while": (
        program("""%r = scf.while (%x = %zero) : (i32) -> i32 {
          %p = arith.muli %a, %a : i32
          %c = arith.cmpi ult, %x, %p : i32
          scf.condition(%c) %x : i32
        } do {
        ^bb0(%y: i32):
          %q = arith.subi %zero, %b : i32
          %t = arith.subi %y, %q : i32
          scf.yield %t : i32
        }"""),
        "%p = arith.muli\n%q = arith.subi\n%r = scf.while",
    ),
}  # fmt: skip
KEPT = {
    "a value that the loop reads elsewhere is repeated anyway": program(
        FOR, PRODUCT, "%t = arith.addi %s, %p : i32", "memref.store %a, %m[%i] : memref<8xi32>",
        "memref.store %b, %w[%i] : memref<8xi32>", END),
    "a quotient may not be defined where the loop does not run": program(
        FOR, "%p = arith.divsi %a, %b : i32", SUM, END),
    "a branch may not be taken": program(
        FOR, "%c = arith.cmpi ult, %i, %1 : index", "%t = scf.if %c -> (i32) {", PRODUCT,
        "scf.yield %p : i32", "} else {", "scf.yield %s : i32", "}", END),
    "what changes": program(FOR, "%p = arith.muli %a, %s : i32", SUM, END),
    "constants are made anew in each loop": program(
        FOR, "%p = arith.addi %zero, %zero : i32", SUM, END),
}  # fmt: skip


@pytest.mark.parametrize("name", MOVED)
def test_operations_move(name: str) -> None:
    text, patterns = MOVED[name]
    module = parse_module(text, "k.mlir")
    hoist_invariants(module, Options())
    assert missing(str(module), patterns) is None, module


@pytest.mark.parametrize("name", KEPT)
def test_operations_stay(name: str) -> None:
    module = parse_module(KEPT[name], "k.mlir")
    before = str(module)
    hoist_invariants(module, Options())
    assert str(module) == before


LOADS = (
    "%x = memref.load %m[%0] : memref<8xi32>",
    "%y = memref.load %m[%n] : memref<8xi32>",
    "%p = arith.muli %x, %y : i32",
    SUM,
)
LOADED: dict[str, tuple[str, int]] = {
    "of a loop that surely runs": (program(FOUR, *LOADS, END), 0),
    "of a loop that may not run": (program(FOR, *LOADS, END), 2),
    "of a memory that is written there": (
        program(FOUR, *LOADS, "memref.store %t, %m[%i] : memref<8xi32>", END), 2),
    "of a memory written elsewhere only": (
        program(FOUR, *LOADS, END, "memref.store %r, %m[%1] : memref<8xi32>"), 0),
    "one of them changes": (
        program(FOUR, LOADS[0].replace("%0", "%i"), *LOADS[1:], END), 1),
    "of a memory with time to spare": (
        program(FOUR, LOADS[0], LOADS[1].replace("%m", "%w"), *LOADS[2:], END), 2),
    "at an address that does not look so": (
        program(FOUR.replace("iter_args(%s = %zero) -> (i32)",
                             "iter_args(%s = %zero, %k = %n) -> (i32, index)")
                .replace("%r =", "%r, %last ="),
                "%d = arith.subi %k, %k : index", LOADS[0].replace("%0", "%d"), *LOADS[1:],
                "scf.yield %t, %i : i32, index\n}"), 0),
}  # fmt: skip


@pytest.mark.parametrize("name", LOADED)
def test_words_are_loaded_before(name: str) -> None:
    text, wanted = LOADED[name]
    module = parse_module(text, "k.mlir")
    replace_scalars(module, Options())
    body = str(module).partition("scf.for")[2].partition("scf.yield")[0]
    assert body.count("memref.load") == wanted, module


@pytest.mark.parametrize("text", [*(t for t, _ in MOVED.values()), *KEPT.values(),
                                  *(t for t, _ in LOADED.values())])  # fmt: skip
@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
def test_results_are_the_program_s(text: str, zero_trip: str) -> None:
    source = read_mlir(text, "k.mlir")
    circuit = compile_module(
        source, options=Options(zero_trip="raw" if zero_trip == "raw" else "guard")
    )
    given = [
        Activation({"n": n, "a": 3, "b": 2, "m": list(range(5, 13)), "w": list(range(8))})
        for n in (0, 1, 2, 7)
    ]
    report = compare_models(source, "f", circuit.netlist, given, max_cycles=10_000)
    assert report.differences == ()
