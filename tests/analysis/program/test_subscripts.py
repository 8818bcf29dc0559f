"""That subscripts lie inside their dimensions tells accesses apart that their addresses do not."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from random import Random
from typing import Literal

import pytest
from xdsl.dialects import memref
from xdsl.dialects.func import FuncOp

from loom.analysis.program.affine_forms import Form
from loom.analysis.program.memory_accesses import Access, Accesses
from loom.analysis.program.memory_dependence import Dependences
from loom.frontend.mlir.read import parse_module
from loom.lower.memory.flatten_memrefs import flatten_memrefs
from loom.lower.options import Options
from tests.grow.random_tables import drawn, wrong

KERNEL = """func.func @f(%n: index, %k: index, %x: i8, %m: memref<{size}xi8>) {{
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  scf.for %i = %0 to %n step %1 {{
    %a = arith.addi %i, %1 : index
    %v = memref.load %m[{load}] : memref<{size}xi8>
    memref.store %x, %m[{store}] : memref<{size}xi8>
  }}
  return
}}"""
ROWS = {
    "another column of the row": ("8x10", "%i, %n", "%i, %k", True, None, None),
    "the row ahead, any columns": ("8x10", "%a, %n", "%i, %k", False, 1, None),
    "the column ahead, any rows": ("8x10", "%n, %a", "%k, %i", False, 1, None),
    "any rows, columns of turns": ("8x10", "%n, %i", "%k, %i", True, None, None),
    "a sheet ahead": ("4x8x10", "%a, %n, %k", "%i, %k, %n", False, 1, None),
    "all is the caller's": ("8x10", "%n, %k", "%k, %n", True, 1, 1),
}
"""The memory's size, the subscripts of load and store: do they meet, turns from load to store,
from store to load."""


def accesses_of(text: str, order: Literal["auto", "serial"] = "auto") -> Accesses:
    """The accesses of a function whose memories have been flattened."""
    module = parse_module(text, "k.mlir")
    flatten_memrefs(module, Options(memory_order=order))
    (function,) = module.ops
    assert isinstance(function, FuncOp)
    return Accesses(function, 64)


def all_of(found: Accesses) -> list[Access]:
    """All of them, in the order of the text."""
    return sorted(found.limits, key=lambda access: access.number)


@pytest.mark.parametrize("name", ROWS)
def test_of_load_and_store_is_said(name: str) -> None:
    """Whether they meet in one turn, the turns from load to store, and those from store to load."""
    size, load, store, meets, forth, back = ROWS[name]
    found = accesses_of(KERNEL.format(size=size, load=load, store=store))
    first, second = all_of(found)
    known = Dependences(found, "auto")
    said = (known.may_conflict(first, second, 1), known.distance(first, second, 0))
    assert (*said, known.distance(second, first, 0)) == (meets, forth, back)


def test_subscripts_that_the_loops_bound_say_nothing() -> None:
    """Nor does one subscript alone, or any with a serial order: the address tells it all."""
    text = KERNEL.format(size="8x10", load="%i, %n", store="%i, %k")
    assert [len(access.subscripts) for access in all_of(accesses_of(text))] == [2, 2]
    assert not any(access.subscripts for access in all_of(accesses_of(text, "serial")))
    row = KERNEL.format(size="10", load="%n", store="%k")
    assert not any(access.subscripts for access in all_of(accesses_of(row)))
    known = KERNEL.format(size="8x10", load="%i, %1", store="%1, %i")
    known = known.replace("%n step", "%1 step")
    assert not any(access.subscripts for access in all_of(accesses_of(known)))


PROGRAMS = range(25)
ONE = Form(1, {})
AccessOp = memref.LoadOp | memref.StoreOp


def without_period(seed: int) -> float | None:
    """Placement for a period takes time and orders no access."""
    return None


@pytest.mark.usefixtures("deep_on_sources")
def test_random_tables_run_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """And the campaign sees what happens if subscripts of stores are taken for others."""
    assert wrong(PROGRAMS, without_period) == {}
    right = Accesses._access

    def shifted(self: Accesses, number: int, operation: AccessOp) -> Access:
        access = right(self, number, operation)
        moved = [replace(s, modular=s.modular.plus(ONE)) for s in access.subscripts]
        return replace(access, subscripts=tuple(moved)) if access.stores else access

    monkeypatch.setattr(Accesses, "_access", shifted)
    assert len(wrong(PROGRAMS, without_period)) > 1


def test_subscripts_tell_accesses_of_random_tables_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """More pairs never meet in later turns than by their addresses alone."""

    def apart() -> int:
        count = 0
        for seed in PROGRAMS:
            found = accesses_of(drawn(Random(seed)).text())
            known = Dependences(found, "auto")
            pairs = permutations(all_of(found), 2)
            stores = [(one, two) for one, two in pairs if one.stores or two.stores]
            count += sum(known.distance(one, two, 1) is None for one, two in stores)
        return count

    told = apart()
    monkeypatch.setattr(Accesses, "_subscripts", lambda self, owner: ())
    assert told > apart()
