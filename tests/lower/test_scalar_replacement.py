"""Words of memory stay in registers where every turn of a loop, or a block, comes back to them."""

from __future__ import annotations

from random import Random

import pytest

from loom.front.api import compile_text
from loom.frontend.mlir.read import parse_module
from loom.lower.memory.scalar_replacement import replace_scalars
from loom.lower.options import Options
from loom.lower.scalar.simplify import simplify
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from tests.grow.random_nests import differences, drawn
from tests.support.filecheck import missing

pytestmark = pytest.mark.usefixtures("no_clock_period")

HEAD = """func.func @f(%n: index, %k: index, %m: memref<8xi8>) -> i8 {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %one = arith.constant 1 : i8
"""
TYPE = "memref<8xi8>"


def program(*lines: str, result: str = "%one") -> str:
    """A function of these lines; `%x = [%i]` loads and `[%i] = %x` stores."""
    found: list[str] = []
    for line in lines:
        left, equal, right = (part.strip() for part in line.partition(" = "))
        if equal and left.startswith("["):
            line = f"memref.store {right}, %m{left} : {TYPE}"
        elif equal and right.startswith("["):
            line = f"{left} = memref.load %m{right} : {TYPE}"
        found.append(line)
    return HEAD + "\n".join(found) + f"\nreturn {result} : i8\n}}"


ADD = ("%x = [%k]", "%y = arith.addi %x, %one : i8", "[%k] = %y")
PREFIX = ("%p = arith.subi %i, %1 : index", "%x = [%p]", "%z = [%i]",
          "%y = arith.addi %x, %z : i8", "[%i] = %y")  # fmt: skip
FOR = "scf.for %i = %0 to %n step %1 {"
FOUR = "scf.for %i = %0 to %4 step %1 {"
ROWS: dict[str, tuple[str, str]] = {
    "a word is loaded before a loop that runs and stored after it": (program(FOUR, *ADD, "}"), """
        [[A]] = memref.load %m[%k]
        [[R]] = scf.for ... iter_args([[C]] = [[A]]) -> (i8) {
        %y = arith.addi [[C]], %one
        scf.yield %y : i8
        memref.store [[R]], %m[%k]"""),
    "before and after a loop that may not run it is touched only if it does": (
        program(FOR, *ADD, "}"), """
        [[T]] = arith.cmpi slt, %0, %n : index
        [[A]] = scf.if [[T]] -> (i8) {
        [[L]] = memref.load %m[%k]
        scf.yield [[L]] : i8
        } else {
        scf.yield [[Z]] : i8
        [[R]] = scf.for ... iter_args([[C]] = [[A]]) -> (i8) {
        scf.yield %y : i8
        scf.if [[T]] {
        memref.store [[R]], %m[%k]"""),
    "an unsigned loop is asked unsigned": (
        program(FOR, *ADD, "} {unsignedCmp}"), "[[T]] = arith.cmpi ult, %0, %n : index"),
    "it stays over two loops": (program(FOUR, FOUR.replace("%i", "%j"), *ADD, "}", "}"), """
        [[A]] = memref.load %m[%k]
        [[R]] = scf.for %i = ... iter_args([[B]] = [[A]]) -> (i8) {
        [[S]] = scf.for %j = ... iter_args([[C]] = [[B]]) -> (i8) {
        scf.yield %y : i8
        scf.yield [[S]] : i8
        memref.store [[R]], %m[%k]"""),
    "a word that the turn before has stored is carried": (
        program(FOUR.replace("%0 to", "%1 to"), *PREFIX, "}"), """
        [[A]] = memref.load %m[%p]
        [[R]] = scf.for ... iter_args([[C]] = [[A]]) -> (i8) {
        %z = memref.load %m[%i]
        %y = arith.addi [[C]], %z
        memref.store %y, %m[%i]
        scf.yield %y : i8"""),
    "a word that the block has stored is known": (
        program("[%k] = %one", "%v = [%k]", result="%v"), """
        memref.store %one, %m[%k]
        func.return %one : i8"""),
    "a word that the block has loaded is known": (
        program("%v = [%k]", "[%k] = %one", "%w = [%k]", "%x = arith.addi %v, %w : i8",
                result="%x"), """
        %v = memref.load %m[%k]
        memref.store %one, %m[%k]
        %x = arith.addi %v, %one"""),
    "stores that never run are written over, too": (
        program("scf.for %i = %4 to %4 step %1 {", "[%i] = %one", "[%i] = %one", "[%i] = %one",
                "%x = [%i]", "[%k] = %x", "}"), """
        scf.for
        memref.store %one, %m[%i]
        memref.store %one, %m[%k]
        }"""),
    "a store that is written over is gone": (
        program("%v = [%1]", "[%k] = %one", "[%k] = %v"), """
        %v = memref.load %m[...]
        memref.store %v, %m[%k]"""),
    "an element that is tested is known on both sides": (
        program("%v = [%k]", "%c = arith.cmpi eq, %v, %one : i8", "scf.if %c {", "%w = [%k]",
                "[%1] = %w", "} else {", "%u = [%k]", "[%4] = %u", "}"), """
        %v = memref.load %m[%k]
        scf.if
        memref.store %v, %m[...]
        } else {
        memref.store %v, %m[...]"""),
}  # fmt: skip
KEPT: dict[str, str] = {
    "another store may meet the word": program(FOUR, *ADD, "[%i] = %y", "}"),
    "a load may read it": program(FOUR, *ADD, "%v = [%i]", "}"),
    "a branch stores too": program(
        FOUR, *ADD, "%c = arith.cmpi eq, %x, %one : i8", "scf.if %c {", "[%k] = %one", "}", "}"),
    "a branch may not store": program(
        FOUR, "%x = [%k]", "%c = arith.cmpi eq, %x, %one : i8", "scf.if %c {", "[%k] = %one", "}",
        "}"),
    "the turn before may have stored another word": program(
        FOUR.replace("%0 to", "%1 to"), *PREFIX, "[%k] = %y", "}"),
    "between two stores a load may read the first": program(
        "[%k] = %one", "%v = [%1]", "[%k] = %v"),
    "a branch may write over it before it loads": program(
        "%v = [%k]", "%c = arith.cmpi eq, %v, %one : i8", "scf.if %c {", "[%1] = %one",
        "%w = [%k]", "[%0] = %w", "}"),
    "a branch may have written over it": program(
        "%v = [%k]", "%c = arith.cmpi eq, %v, %one : i8", "scf.if %c {", "[%1] = %one", "}",
        "%w = [%k]", "[%4] = %w"),
    "a store before a branch is read where the branch does not run": program(
        "%v = [%1]", "%c = arith.cmpi eq, %v, %one : i8", "[%k] = %one", "scf.if %c {",
        "[%k] = %v", "}"),
    "a store may write over what was loaded": program(
        "%v = [%k]", "[%1] = %one", "%w = [%k]", "%x = arith.addi %v, %w : i8", result="%x"),
}  # fmt: skip


def kept(text: str, options: Options) -> str:
    """The program afterwards."""
    module = parse_module(text, "k.mlir")
    replace_scalars(module, options)
    simplify(module, options)
    return str(module)


@pytest.mark.parametrize("name", ROWS)
def test_words_stay(name: str) -> None:
    text, patterns = ROWS[name]
    found = kept(text, Options())
    assert missing(found, patterns) is None, found
    wanted = patterns.count("memref.") if "memref." in patterns else None
    assert wanted is None or found.count("memref.load") + found.count("memref.store") == wanted


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_accesses_stay(text: str) -> None:
    module = parse_module(text, "k.mlir")
    before = str(module)
    replace_scalars(module, Options())
    assert str(module) == before


@pytest.mark.parametrize("text", [text for text, _ in ROWS.values()])
def test_with_a_serial_order_every_access_stays(text: str) -> None:
    module = parse_module(text, "k.mlir")
    before = str(module)
    replace_scalars(module, Options(memory_order="serial"))
    assert str(module) == before


@pytest.mark.parametrize("text", [*(text for text, _ in ROWS.values()), *KEPT.values()])
@pytest.mark.parametrize("zero_trip", ["raw", "guard"])
def test_memories_and_results_are_the_program_s(text: str, zero_trip: str) -> None:
    options = Options(zero_trip="guard" if zero_trip == "guard" else "raw")
    circuit = compile_text(text, "k.mlir", options=options)
    given = [
        Activation({"n": n, "k": k, "m": [1, 40, 1, 60, 1, 80, 90, 99]})
        for n, k in ((0, 0), (1, 3), (2, 2), (6, 1), (0, 5), (5, 7))
    ]
    for seed in (None, 1, 2, 3):
        report = compare_models(
            circuit.source, "f", circuit.netlist, given, max_cycles=1000, seed=seed
        )
        assert report.differences == (), seed


def test_a_load_is_the_element_of_one_store() -> None:
    """Two stores would each have given it their word, in a loop that runs once."""
    seed = 20119
    assert differences(drawn(Random(seed)), 3 * seed, None) == ()
