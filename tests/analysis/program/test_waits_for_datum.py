"""What is made of a datum never comes before it, in whichever order units run."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

import pytest
from xdsl.dialects import scf
from xdsl.ir import Block, SSAValue

from loom.analysis.balance.invariants import check_invariants
from loom.analysis.order import waits_for_datum
from loom.front.api import compile_text
from loom.lower import pipeline
from loom.lower.lean import drop_implied_order
from loom.lower.options import Options
from tests.grow.random_orders import HEAD, reordered, wrong
from tests.lean.bodies import guarded

LOADS = """%u = memref.load %b[%i] : memref<8xi8>
%uu = arith.andi %u, %seven : i8
%ui = arith.index_castui %uu : i8 to index
%v = memref.load %a[%ui] : memref<8xi8>
"""
"""The load is late: it waits for another one, and for the store of the previous iteration."""
STORE = "memref.store {}, %a[%i] : memref<8xi8>\n"


def branch(condition: str, then: str, otherwise: str) -> str:
    """A branch that no select replaces; it gives a value made of `then`, or of `otherwise`."""
    return f"""%q = arith.cmpi ult, {condition}, %five : i8
%r = scf.if %q -> (i8) {{
  memref.store {then}, %b[%0] : memref<8xi8>
  scf.yield {then} : i8
}} else {{
  %d = memref.load %b[%1] : memref<8xi8>
  %o = arith.addi %d, {otherwise} : i8
  scf.yield %o : i8
}}
"""


def counted(initial: str, yielded: str) -> str:
    """A counted loop that carries %x."""
    return f"""%r = scf.for %j = %0 to %8 step %1 iter_args(%x = {initial}) -> (i8) {{
  %z = arith.addi %x, %w : i8
  %g = arith.index_cast %j : index to i8
  %o = arith.addi %g, %w : i8
  memref.store %o, %b[%j] : memref<8xi8>
  scf.yield {yielded} : i8
}}
"""


def repeated(initial: str, given: str, yielded: str) -> str:
    """A `scf.while` of two iterations that carries %x, and gives its body, and what follows, %y."""
    return f"""%r, %l = scf.while (%x = {initial}, %t = %none) : (i8, i8) -> (i8, i8) {{
  %e = arith.cmpi ult, %t, %two : i8
  scf.condition(%e) {given}, %t : i8, i8
}} do {{
^bb0(%y: i8, %h: i8):
  %m = arith.addi %h, %one : i8
  scf.yield {yielded}, %m : i8, i8
}}
"""


@dataclass(frozen=True)
class Row:
    """The body of a loop over %i, what it yields, and accesses that wait for a control token."""

    body: str
    waiting: int
    yielded: str = "%w"

    @property
    def text(self) -> str:
        """The program."""
        return f"{HEAD}{self.body}scf.yield {self.yielded} : i8\n}}\nreturn\n}}"


PREVIOUS = (
    """%m = arith.constant 7 : index
%p = arith.addi %i, %m : index
%j = arith.andi %p, %m : index
memref.store %c, %a[%j] : memref<8xi8>
"""
    + LOADS
    + "memref.store %v, %b[%i] : memref<8xi8>\n"
)
"""A store of what the loop carries."""

# Under a condition that is not made of the datum the store of `branch` waits for its token.
ROWS = {
    "both ways of a branch": Row(LOADS + branch("%k", "%v", "%v") + STORE.format("%r"), 2),
    "one way of a branch": Row(LOADS + branch("%k", "%v", "%k") + STORE.format("%r"), 3),
    "the condition of a branch": Row(LOADS + branch("%v", "%k", "%k") + STORE.format("%r"), 1),
    "what a loop carries": Row(LOADS + counted("%v", "%z") + STORE.format("%r"), 3),
    "what a loop begins with": Row(LOADS + counted("%v", "%o") + STORE.format("%r"), 4),
    "what a loop yields": Row(LOADS + counted("%k", "%v") + STORE.format("%r"), 4),
    "what a while carries": Row(LOADS + repeated("%v", "%x", "%y") + STORE.format("%r"), 1),
    "what leaves a while": Row(LOADS + repeated("%k", "%v", "%y") + STORE.format("%r"), 1),
    "what a while begins with": Row(LOADS + repeated("%v", "%x", "%k") + STORE.format("%r"), 2),
    "what turns out to be constant": Row(
        LOADS
        + "%p = arith.shrui %v, %three : i8\n%r = arith.shrui %p, %five : i8\n"
        + STORE.format("%r")
        + "memref.store %v, %b[%i] : memref<8xi8>\n",
        2,
    ),
    "what the previous iteration loaded": Row(PREVIOUS, 1, "%v"),
    "another value of the previous iteration": Row(PREVIOUS, 2),
}
"""The store of %r at %a[%i] comes after the load of %v there, or has to wait for it."""


@pytest.mark.parametrize("name", ROWS)
def test_what_is_made_of_a_datum_needs_no_token_of_its_load(name: str) -> None:
    row = ROWS[name]
    circuit = compile_text(row.text, "f.mlir", options=Options(clock_period=None))
    assert guarded(circuit) == row.waiting
    assert check_invariants(circuit.netlist).problems("f.mlir") == []
    assert [next(reordered(row.text, seed), "") for seed in range(3)] == [""] * 3


def always(*_: object) -> bool:
    """Planted: what is asked is so."""
    return True


def without_yields(
    loop: scf.ForOp | scf.WhileOp, made: Set[SSAValue], home: Block
) -> set[SSAValue]:
    """Planted: what a loop begins with decides about all that it carries."""
    first = waits_for_datum.first_initial(loop)
    arguments = loop.regions[0].block.args[1 if first else 0 :]
    results = loop.results if first else ()
    return {
        value
        for values in (arguments, results)
        for place, value in enumerate(values)
        if loop.operands[first + place] in made
    }


def order_first() -> tuple[pipeline.Pass, ...]:
    """Planted: values are rewritten after accesses have lost their tokens."""
    (moved,) = [step for step in pipeline.PASSES if step.name == "drop-implied-order"]
    others = [step for step in pipeline.PASSES if step is not moved]
    place = [step.name for step in others].index("thread-memory-order") + 1
    return (*others[:place], moved, *others[place:])


def shown(name: str) -> bool:
    """True if an order of units shows that an access of the row is on the wrong side of a store."""
    return any(next(reordered(ROWS[name].text, seed), "") for seed in range(3))


Plant = Callable[[pytest.MonkeyPatch], None]
PLANTS: dict[str, tuple[str, Plant]] = {
    "one way is enough": (
        "one way of a branch",
        lambda patch: patch.setattr(waits_for_datum, "all", any, raising=False),
    ),
    "what is yielded does not matter": (
        "what a loop begins with",
        lambda patch: patch.setattr(waits_for_datum, "agreed", without_yields),
    ),
    "the same of a while": (
        "what a while begins with",
        lambda patch: patch.setattr(waits_for_datum, "agreed", without_yields),
    ),
    "values are rewritten after it": (
        "what turns out to be constant",
        lambda patch: patch.setattr(
            pipeline,
            "PASSES",
            order_first(),
        ),
    ),
    "every carried token is one of a datum": (
        "another value of the previous iteration",
        lambda patch: patch.setattr(drop_implied_order, "comes_to", always),
    ),
}


@pytest.mark.parametrize("name", PLANTS)
def test_a_wrong_rule_is_seen_in_an_order_of_units(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    row, plant = PLANTS[name]
    assert not shown(row)
    plant(monkeypatch)
    assert shown(row)


@pytest.mark.usefixtures("deep_on_sources")
def test_no_order_of_units_reorders_accesses_of_random_programs() -> None:
    assert wrong(range(20)) == {}
