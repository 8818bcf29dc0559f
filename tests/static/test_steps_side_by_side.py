"""Steps that have neither a value nor a memory nor a unit in common run side by side."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.netlist.fsmd.fsmd import Fsmd, Gate
from loom.netlist.fsmd.steps import steps_of
from tests.static.test_machines import MOST, Fault, example, static

HEAD = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0 : i32
"""
ARRAYS = "%a: memref<9xi32>, %b: memref<9xi32>, %c: memref<9xi32>, %n: index"
A, B, C = [5, 3, 9, 1, 7, 2, 8, 6, 4], list(range(9)), [9, 8, 7, 6, 5, 4, 3, 2, 1]


def loop(array: str, result: str, *, high: str = "%n") -> str:
    """A loop that sums an array, and doubles its elements."""
    return f"""
  %{result} = scf.for %i = %c0 to {high} step %c1 iter_args(%s = %zero) -> (i32) {{
    %x = memref.load %{array}[%i] : memref<9xi32>
    %y = arith.addi %x, %x : i32
    memref.store %y, %{array}[%i] : memref<9xi32>
    %t = arith.addi %s, %x : i32
    scf.yield %t : i32
  }}"""


def program(body: str, results: str = "%r, %q : i32, i32") -> str:
    """A function with two results."""
    return f"func.func @f({ARRAYS}) -> (i32, i32) {{{HEAD}{body}\n  return {results}\n}}"


APART = program(loop("a", "r") + loop("b", "q", high="%c9"))
"""Two loops that have nothing in common, the second of 9 iterations."""
SAME_ARRAY = program(loop("a", "r") + loop("a", "q"))
VALUE = program(
    loop("a", "r")
    + """
  %far = arith.remui %n, %c4 : index
  %u = arith.index_cast %r : i32 to index
  %v = arith.minui %u, %far : index"""
    + loop("b", "q", high="%v")
)
BEHIND_BOTH = program(
    loop("a", "r")
    + loop("b", "q", high="%c4")
    + "\n  %sum = arith.addi %r, %q : i32\n  memref.store %sum, %c[%n] : memref<9xi32>"
)
IN_A_LOOP = program(
    "\n  %r, %q = scf.for %k = %c0 to %c4 step %c1"
    " iter_args(%e = %zero, %f = %zero) -> (i32, i32) {"
    + loop("a", "g")
    + loop("b", "h", high="%k")
    + """
    %inside = arith.cmpi ult, %k, %c1 : index
    scf.if %inside {"""
    + loop("c", "l", high="%c4")
    + """
      memref.store %l, %c[%c0] : memref<9xi32>
    }
    %m = arith.addi %e, %g : i32
    %o = arith.xori %f, %h : i32
    scf.yield %m, %o : i32, i32
  }"""
)
UNITS = program(
    "".join(
        f"""
  %{result} = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %zero) -> (i32) {{
    %x = memref.load %{array}[%i] : memref<9xi32>
    %y = arith.muli %s, %x : i32
    %t = arith.addi %y, %x : i32
    scf.yield %t : i32
  }}"""
        for array, result in (("a", "r"), ("b", "q"))
    )
)


def runs(*counts: int) -> list[Activation]:
    """Activations with these values of n."""
    return [Activation({"a": A, "b": B, "c": C, "n": count}) for count in counts]


@pytest.mark.parametrize("text", (APART, SAME_ARRAY, VALUE, BEHIND_BOTH, IN_A_LOOP, UNITS))
def test_results_are_those_of_the_program(text: str) -> None:
    assert list(static(text).differences(runs(8, 0, 1, 5), MOST)) == []


def test_the_longer_of_two_loops_decides() -> None:
    cycles = static(APART).cycles(runs(0, 1, 5, 8, 9), MOST)
    alone = static(program(loop("b", "q", high="%c9"), "%q, %q : i32, i32"))
    assert cycles == alone.cycles(runs(0), MOST) * 5


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        (APART, [(), ()]),
        (SAME_ARRAY, [(), (0,)]),
        (VALUE, [(), (0,), (1,)]),
        (BEHIND_BOTH, [(), (), (0, 1)]),
    ],
)
def test_a_step_waits_for_what_it_shares(text: str, waits: list[tuple[int, ...]]) -> None:
    block = top_function(static(text).module).body.block
    assert [step.waits for step in steps_of(block)] == waits


def test_loops_that_share_a_unit_run_one_after_the_other() -> None:
    given = runs(0)
    (alone,) = static(UNITS, Options(dsp=None)).cycles(given, MOST)
    (shared,) = static(UNITS, Options(dsp=3)).cycles(given, MOST)
    assert list(static(UNITS, Options(dsp=3)).differences(given, MOST)) == []
    assert shared > 1.8 * alone


def first_end(machine: Fsmd) -> Fsmd:
    """The first of two steps that ends is the end of both."""
    kept = [
        replace(w, terms=tuple((name,) for term in w.terms for name in term))
        if isinstance(w, Gate) and w.name == "joined"
        else w
        for w in machine.wires
    ]
    return replace(machine, wires=tuple(kept))


def no_memory_of_ends(machine: Fsmd) -> Fsmd:
    """Only steps that end in one cycle end."""
    kept = [
        replace(r, updates=r.updates[:1]) if "_seen" in r.name else r for r in machine.registers
    ]
    return replace(machine, registers=tuple(kept))


def kept_ends(machine: Fsmd) -> Fsmd:
    """An end is seen in the next activation too."""
    kept = [
        replace(r, updates=r.updates[1:]) if "_seen" in r.name else r for r in machine.registers
    ]
    return replace(machine, registers=tuple(kept))


@pytest.mark.parametrize("fault", (first_end, no_memory_of_ends, kept_ends))
def test_a_fault_is_seen(fault: Fault) -> None:
    circuit = static(BEHIND_BOTH)
    wrong = replace(circuit, fsmd=fault(circuit.fsmd))
    try:
        found = list(wrong.differences(runs(8, 1, 8), 2000))
    except LoomError as error:  # it comes to no end
        found = [str(error)]
    assert found


def test_four_loops_over_four_arrays_take_as_long_as_the_longest() -> None:
    circuit, given = example("memory_patterns")
    assert set(circuit.cycles(given, MOST)) == {67}
