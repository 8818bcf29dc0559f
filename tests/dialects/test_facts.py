"""Facts on operations: typed values, one owner each."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Attribute

from loom.dialects.facts import loop_attributes, program_facts
from loom.dialects.facts.fact import Fact
from loom.dialects.facts.loop_attributes import FLATTEN, FULL, II, MEMORY_ORDER, UNROLL
from tests.support.folders import ROOT

FACTS = {
    name: fact
    for module in (loop_attributes, program_facts)
    for name, fact in vars(module).items()
    if isinstance(fact, Fact)
}
OWNERS = ROOT / "loom" / "dialects" / "facts"


@pytest.mark.parametrize(("fact", "value"), [
    (UNROLL, 4), (UNROLL, FULL), (FLATTEN, True), (II, 3), (MEMORY_ORDER, "serial"),
])  # fmt: skip
def test_a_fact_is_read_as_it_was_put(fact: Fact[object], value: object) -> None:
    first, second = ModuleOp([]), ModuleOp([])
    assert not fact.is_on(first) and fact.of(first) is None and not fact.drop(first)
    fact.copy(first, second)
    assert not fact.is_on(second)
    fact.put(first, value)
    assert fact.is_on(first) and fact.of(first) == value
    assert fact.attribute(value) == (fact.name, first.attributes[fact.name])
    fact.copy(first, second)
    assert fact.of(second) == value
    assert fact.drop(first) and not fact.is_on(first) and fact.is_on(second)


@pytest.mark.parametrize(("fact", "attribute"), [
    (UNROLL, IntegerAttr(0, 64)), (UNROLL, StringAttr("half")), (UNROLL, UnitAttr()),
    (FLATTEN, IntegerAttr(1, 64)), (II, StringAttr("3")), (II, IntegerAttr(0, 64)),
    (MEMORY_ORDER, StringAttr("none")), (MEMORY_ORDER, UnitAttr()),
])  # fmt: skip
def test_a_value_of_another_kind_is_none(fact: Fact[object], attribute: Attribute) -> None:
    module = ModuleOp([])
    module.attributes[fact.name] = attribute
    assert not fact.accepts(attribute)
    assert fact.is_on(module) and fact.of(module) is None


def test_names_are_unique() -> None:
    assert len(FACTS) > 8
    assert len({fact.name for fact in FACTS.values()}) == len(FACTS)


def names_in(path: Path, text: str) -> list[str]:
    """The names of facts that a file spells out as strings."""
    names = {fact.name for fact in FACTS.values()}
    nodes = ast.walk(ast.parse(text))
    return [f"{path.name}: {n.value}" for n in nodes if isinstance(n, ast.Constant)
            and n.value in names]  # fmt: skip


def test_nobody_but_the_owner_spells_a_name() -> None:
    files = [file for file in (ROOT / "loom").rglob("*.py") if file.parent != OWNERS]
    assert [name for file in files for name in names_in(file, file.read_text())] == []
    planted = 'if "loom.flatten" in loop.attributes:\n    pass\n'
    assert names_in(Path("x.py"), planted) == ["x.py: loom.flatten"]
