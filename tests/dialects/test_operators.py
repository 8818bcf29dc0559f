"""Every operator does what its hand rows say, and its row agrees with itself."""

from __future__ import annotations

from random import Random

import pytest

from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.integer_meanings import PREDICATES
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.model.reference.integer_expressions import BINARY, UNARY, UNDEFINED
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.checks import problems
from tests.rows import ROWS, Row

WIDTHS = (1, 2, 7, 8, 32, 64)


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_row_holds_in_the_token_model(row: Row, seed: int | None) -> None:
    netlist = row.netlist()
    assert problems(netlist) == []
    words = {memory.name: list(row.before) for memory in netlist.memories}
    run = run_streams(netlist, row.inputs, words, seed=seed)
    assert run.outputs == row.outputs
    assert run.errors == row.errors
    assert run.residual == {}
    assert run.not_at_rest == (() if row.at_rest else ("dut",))
    if netlist.memories_outside:
        assert run.memories["storage"] == list(row.after)


@pytest.mark.parametrize("operator", CATALOGUE.values(), ids=lambda operator: operator.name)
def test_every_row_agrees_with_itself(operator: Operator) -> None:
    assert operator.semantics.error in RUNTIME_ERRORS
    for name in (operator.name, *operator.signature.aliases):
        assert find(name) is operator
    if operator.semantics.rest:
        assert operator.semantics.rest in {port.name for port in operator.signature.inputs}


@pytest.mark.parametrize("operator", CATALOGUE.values(), ids=lambda operator: operator.name)
def test_every_choice_of_an_attribute_has_a_row(operator: Operator) -> None:
    for attribute, choices in operator.signature.choices.items():
        rows = [row for row in ROWS if row.operator == operator.name]
        assert {row.attributes[attribute] for row in rows} == set(choices)
    for option, choices in operator.hardware.options.items():
        rows = [row for row in ROWS if row.operator == operator.name]
        usual = operator.signature.defaults.get(option)
        assert {row.attributes.get(option, usual) for row in rows} == {usual, *choices}


def edge_values(width: int, random: Random) -> list[int]:
    """Values at the edges of the width and a few between, as bit patterns."""
    mask, half = (1 << width) - 1, 1 << (width - 1)
    edges = {0, 1, mask, half, half - 1, half ^ 1, width & mask, (width - 1) & mask}
    return sorted(edges | {random.getrandbits(width) for _ in range(6)})


def shapes_of(name: str) -> list[Shape]:
    """The shapes under which the row `name` is tried."""
    attributes = [{"predicate": word} for word in PREDICATES] if name == "arith.cmpi" else [{}]
    result = 1 if name == "arith.cmpi" else 0
    return [
        Shape((width, width), (result or width,), dict(chosen))
        for width in WIDTHS
        for chosen in attributes
    ]


def test_inline_expressions_agree_with_the_catalogue() -> None:
    random = Random(1)
    for name, write in BINARY.items():
        row = CATALOGUE[name]
        assert row.semantics.meaning is not None
        for shape in shapes_of(name):
            meaning = row.semantics.meaning(shape)
            for lhs in edge_values(shape.inputs[0], random):
                for rhs in edge_values(shape.inputs[0], random):
                    if row.semantics.undefined is not None and row.semantics.undefined(
                        shape, lhs, rhs
                    ):
                        continue
                    value = eval(write(shape, "a", "b"), {"a": lhs, "b": rhs})
                    assert value == meaning(lhs, rhs), (name, shape, lhs, rhs)
                    assert value == eval(write(shape, str(lhs), str(rhs)))


def test_inline_casts_agree_with_the_catalogue() -> None:
    random = Random(2)
    for name, write in UNARY.items():
        row = CATALOGUE[name]
        assert row.semantics.meaning is not None
        for source in WIDTHS:
            for target in WIDTHS:
                shape = Shape((source,), (target,))
                for token in edge_values(source, random):
                    expected = row.semantics.meaning(shape)(token)
                    assert eval(write(shape, "a"), {"a": token}) == expected, (name, shape, token)


def test_inline_guards_agree_with_the_catalogue() -> None:
    random = Random(3)
    names = {row.name for row in CATALOGUE.values() if row.semantics.undefined is not None}
    assert set(UNDEFINED) <= names
    for name, write in UNDEFINED.items():
        row = CATALOGUE[name]
        assert row.semantics.undefined is not None
        for shape in shapes_of(name):
            for lhs in edge_values(shape.inputs[0], random):
                for rhs in edge_values(shape.inputs[0], random):
                    stops = eval(write(shape, "a", "b"), {"a": lhs, "b": rhs})
                    assert bool(stops) == bool(row.semantics.undefined(shape, lhs, rhs)), (
                        name,
                        lhs,
                        rhs,
                    )
