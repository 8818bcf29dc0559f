"""What is said of two accesses holds for every turn of their loops, counted one by one."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
from xdsl.dialects.func import FuncOp

from loom.analysis.program import trip_count_bounds
from loom.analysis.program.affine_forms import Forms
from loom.analysis.program.integer_constraints import is_infeasible
from loom.analysis.program.linear_expression import LinearExpression
from loom.analysis.program.memory_accesses import Access, Accesses
from loom.analysis.program.memory_dependence import MAX_DISTANCE, MAX_NEST_DISTANCE, Dependences
from loom.dialects.facts.blocks import last_of
from loom.frontend.mlir.read import parse_module
from tests.grow.random_nests import drawn, wrong

HEAD = """func.func @f(%n: index, %k: index, %m: memref<100xi8>, %x: i8, %w: i32) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %10 = arith.constant 10 : index
"""
ONE = HEAD + "scf.for %i = %0 to %n step %1 {{\n{}\n}}\nreturn\n}}"
NEST = HEAD + (
    "scf.for %i = %0 to {} step %1 {{\n%r = arith.muli %i, %10 : index\n"
    "scf.for %j = {} to {} step %1 {{\n%p = arith.addi %r, %j : index\n{}\n}}\n}}\nreturn\n}}"
)


def load(place: str) -> str:
    """A load."""
    return f"%v = memref.load %m[{place}] : memref<100xi8>"


def store(place: str) -> str:
    """A store."""
    return f"memref.store %x, %m[{place}] : memref<100xi8>"


def let(name: str, made: str, left: str, right: str) -> str:
    """An index."""
    return f"{name} = arith.{made} {left}, {right} : index"


def body(*lines: str) -> str:
    """Lines of text."""
    return "\n".join(lines)


JUMPS = "a sum that wraps and jumps over what lies beyond the memory"
ANSWERS: dict[str, tuple[str, int, bool, int | None, int | None]] = {
    "in place": (ONE.format(body(load("%i"), store("%i"))), 0, True, None, None),
    "a fixed word": (ONE.format(body(load("%1"), store("%1"))), 0, True, 1, 1),
    "the word ahead": (
        ONE.format(body(let("%a", "addi", "%i", "%1"), load("%a"), store("%i"))), 0, True, 1, None),
    "the word behind": (
        ONE.format(body(let("%a", "subi", "%i", "%1"), load("%a"), store("%i"))), 0, True, None, 1),
    "two behind": (
        ONE.format(body(let("%a", "subi", "%i", "%2"), load("%a"), store("%i"))), 0, True, None, 2),
    "ten behind": (ONE.format(body(let("%a", "subi", "%i", "%10"), load("%a"), store("%i"))),
                   0, True, None, MAX_DISTANCE),
    "even and odd": (ONE.format(body(let("%a", "muli", "%i", "%2"), let("%b", "addi", "%a", "%1"),
                                     load("%a"), store("%b"))), 0, False, None, None),
    "from both ends": (ONE.format(body(let("%a", "subi", "%10", "%i"), load("%a"), store("%i"))),
                       0, True, 2, 2),
    "an offset of the caller's": (
        ONE.format(body(let("%a", "addi", "%i", "%k"), load("%a"), store("%a"))), 0, True, None,
        None),
    "an offset of the caller's on one side": (
        ONE.format(body(let("%a", "addi", "%i", "%k"), load("%a"), store("%i"))), 0, True, 1, 1),
    "a word read": (ONE.format(body(load("%i"), "%a = arith.index_castui %v : i8 to index",
                                    store("%a"))), 0, True, 1, 1),
    "rows that the caller counts": (
        NEST.format("%n", "%0", "%10", body(load("%p"), store("%p"))), 0, True, None, None),
    "columns of a row": (
        NEST.format("%10", "%0", "%10", body(load("%p"), store("%p"))), 1, True, None, None),
    "rows that run over": (
        NEST.format("%10", "%0", "%n", body(load("%p"), store("%p"))), 0, True, 1, 1),
    "right of the diagonal": (
        NEST.format("%10", "%i", "%10", body(load("%i"), store("%p"))), 1, True, None, 1),
    "a word that the caller shrinks": (ONE.format(body(
        "%a = arith.index_cast %i : index to i8", "%b = arith.index_cast %a : i8 to index",
        load("%b"), store("%b"))), 0, True, None, None),  # beyond its end before it wraps
    "a sum that wraps beyond the memory": (ONE.format(body(
        "%a = arith.index_cast %i : index to i32", "%b = arith.addi %a, %w : i32",
        "%d = arith.index_cast %b : i32 to index", load("%d"), store("%d"))), 0, True, None, None),
    JUMPS: (ONE.format(body(
        "%e = arith.constant 64 : index", let("%a", "muli", "%i", "%e"),
        "%b = arith.index_cast %a : index to i7", "%d = arith.index_castui %b : i7 to index",
        load("%d"), store("%d"))), 0, True, 2, 2),
    "a ring of 16 words": (ONE.format(body(
        "%a = arith.index_cast %i : index to i4", "%b = arith.index_castui %a : i4 to index",
        load("%b"), store("%b"))), 0, True, MAX_DISTANCE, MAX_DISTANCE),
}  # fmt: skip


def accesses_of(text: str, index_width: int = 64) -> tuple[Accesses, list[Access]]:
    """The accesses of the function, in the order of the text."""
    function = last_of_module(text)
    found = Accesses(function, index_width)
    return found, [access for each in found.inside(function).values() for access in each]


def last_of_module(text: str) -> FuncOp:
    """The one function."""
    (function,) = parse_module(text, "k.mlir").ops
    assert isinstance(function, FuncOp)
    assert last_of(function.body.block).name == "func.return"
    return function


@pytest.mark.parametrize("name", ANSWERS)
def test_of_load_and_store_is_said(name: str) -> None:
    """Whether they meet, the turns from load to store, and those from store to load."""
    text, same, meets, forth, back = ANSWERS[name]
    found, (first, second) = accesses_of(text)
    known = Dependences(found, "auto")
    said = (known.may_conflict(first, second, same), known.distance(first, second, same))
    assert (*said, known.distance(second, first, same)) == (meets, forth, back)
    serial = Dependences(found, "serial")
    assert serial.may_conflict(first, second, same)
    assert serial.distance(first, second, same) == 1


@pytest.mark.parametrize(("narrow", "share"), [(False, 0.9), (True, 0.85)])
def test_of_any_nest_nothing_is_said_that_a_count_refutes(narrow: bool, share: float) -> None:
    """And of most pairs all is said that a count tells."""
    random = Random(5)
    asked = exact = 0
    for _ in range(80):
        nest = drawn(random, narrow=narrow)
        found, accesses = accesses_of(nest.text(True), nest.index_width)
        known = Dependences(found, "auto")
        turns = nest.turns()
        pairs = [(a, b) for a in range(len(nest.spots)) for b in range(len(nest.spots)) if a != b]
        for (a, b), same in product(pairs, range(len(nest.loops))):
            first, second = nest.spots[a], nest.spots[b]
            if not (first.stores or second.stores):
                continue
            apart = [
                later[same] - earlier[same]
                for earlier, before in turns
                for later, after in turns
                if earlier[:same] == later[:same]
                and nest.address(first, before) == nest.address(second, after)
            ]
            meets = known.may_conflict(accesses[a], accesses[b], same)
            distance = known.distance(accesses[a], accesses[b], same)
            least = min((turns for turns in apart if turns > 0), default=None)
            assert meets or not apart, (nest, a, b, same)
            assert least is None or (distance is not None and distance <= least), (nest, a, b)
            asked += 2
            exact += (meets == bool(apart)) + (distance == (least and min(least, MAX_DISTANCE)))
    assert exact >= share * asked


@pytest.mark.parametrize("narrow", [False, True])
def test_in_a_nest_no_pair_meets_sooner_than_is_said(narrow: bool) -> None:
    """Counted over all iterations; and half of the distances are the greatest that are said."""
    random = Random(11)
    asked = exact = 0
    for _ in range(120):
        nest = drawn(random, narrow=narrow)
        trips = [len(range(*bounds)) for bounds in nest.loops]
        if nest.triangular or not all(trips):
            continue
        found, accesses = accesses_of(nest.text(True), nest.index_width)
        known = Dependences(found, "auto")
        iterations = nest.turns()
        pairs = [(a, b) for a in range(len(nest.spots)) for b in range(len(nest.spots)) if a != b]
        for (a, b), same in product(pairs, range(len(trips))):
            first, second = nest.spots[a], nest.spots[b]
            if not (first.stores or second.stores):
                continue
            apart = [
                later - earlier
                for earlier, (one, before) in enumerate(iterations)
                for later, (other, after) in enumerate(iterations)
                if one[:same] == other[:same] and one[same] < other[same]
                and nest.address(first, before) == nest.address(second, after)
            ]  # fmt: skip
            least = min(apart, default=MAX_NEST_DISTANCE)
            inside = trips[same + 1 :]
            distance = known.nest_distance(accesses[a], accesses[b], same, inside)
            assert distance <= least, (nest, a, b, same)
            asked += 1
            exact += 2 * distance > min(least, MAX_NEST_DISTANCE)
    assert asked > 100
    assert exact >= 0.8 * asked


def test_wraps_that_are_overlooked_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Forms, "_rest", lambda _self, form, _divisor: form)
        with pytest.raises(AssertionError, match="Nest"):
            test_of_any_nest_nothing_is_said_that_a_count_refutes(narrow=True, share=0)
    monkeypatch.setattr(trip_count_bounds, "gcd", lambda modulus, *_wraps: modulus)
    with pytest.raises(AssertionError, match="None"):
        test_of_load_and_store_is_said(JUMPS)


def test_sums_without_a_solution_are_refuted() -> None:
    even = LinearExpression(1, {0: 2, 1: -2})
    assert is_infeasible([even], [])
    assert not is_infeasible([LinearExpression(1, {0: 2, 1: -3})], [])
    assert is_infeasible(
        [], [LinearExpression(-3, {0: 2}), LinearExpression(3, {0: -2})]
    )  # 3 <= 2x <= 3 has no integer
    assert not is_infeasible([], [LinearExpression(-4, {0: 2}), LinearExpression(5, {0: -2})])
    assert is_infeasible(
        [LinearExpression(0, {0: 1, 1: -1}), LinearExpression(-1, {0: 1, 1: -1})], []
    )


PROGRAMS = range(25)


def without_period(seed: int) -> float | None:
    """Placement for a period takes time and orders no access."""
    return None


@pytest.mark.usefixtures("deep_on_sources")
def test_wrong_claims_of_independence_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign sees what happens if accesses that meet are not ordered."""

    def never(self: Dependences, first: Access, second: Access, same: int) -> bool:
        return False

    def nowhere(self: Dependences, first: Access, second: Access, same: int) -> int | None:
        return None

    assert wrong(PROGRAMS, without_period) == {}
    with monkeypatch.context() as patched:
        patched.setattr(Dependences, "distance", nowhere)
        assert wrong(PROGRAMS, without_period)
    monkeypatch.setattr(Dependences, "may_conflict", never)
    assert wrong(PROGRAMS, without_period)
