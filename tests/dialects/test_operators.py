"""Every operator does what its hand rows say, and its row agrees with itself."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import ceil, floor
from random import Random
from warnings import catch_warnings

import pytest

from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.integer_meanings import (
    COMPARE,
    PREDICATES,
    SIGN_EXTEND,
    TRUNCATE,
    Expression,
    Undefined,
)
from loom.dialects.operators.operator import Operator, Shape
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.checks import problems
from tests.rows import ROWS, Row

WIDTHS = (1, 2, 7, 8, 32, 64)


def expected_problems(row: Row) -> set[str]:
    """None, but of a broadcast alone, whose copies go to different ends."""
    apart = row.operator == "dataflow.broadcast" and len(row.outputs) > 1
    return {"NETLIST_BROADCAST"} if apart else set()


@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_row_holds_in_the_token_model(row: Row, seed: int | None) -> None:
    netlist = row.netlist()
    assert {each.code for each in problems(netlist)} == expected_problems(row)
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
        said = {row.attributes.get(option, usual) for row in rows}
        if isinstance(choices, range):  # any number: the least one, and a larger one
            assert said - {usual} <= {*choices} and len(said) > 1
        else:
            assert said == {usual, *choices}


def edge_values(width: int, random: Random) -> list[int]:
    """Values at the edges of the width and a few between, as bit patterns."""
    mask, half = (1 << width) - 1, 1 << (width - 1)
    edges = {0, 1, mask, half, half - 1, half ^ 1, width & mask, (width - 1) & mask}
    return sorted(edges | {random.getrandbits(width) for _ in range(6)})


def number(pattern: int, width: int) -> int:
    """The signed number of a bit pattern."""
    return int.from_bytes((pattern << (-width % 8)).to_bytes((width + 7) // 8), signed=True) >> (
        -width % 8
    )


def rounded_to_zero(lhs: int, rhs: int) -> int:
    """The quotient without its fraction."""
    return int(Fraction(lhs, rhs))


UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.addi": python.add,
    "arith.subi": python.sub,
    "arith.muli": python.mul,
    "arith.andi": python.and_,
    "arith.ori": python.or_,
    "arith.xori": python.xor,
    "arith.shli": lambda a, b: a * 2**b,
    "arith.shrui": lambda a, b: a // 2**b,
    "arith.divui": rounded_to_zero,
    "arith.remui": lambda a, b: a - b * rounded_to_zero(a, b),
    "arith.maxui": lambda a, b: sorted((a, b))[1],
    "arith.minui": lambda a, b: sorted((a, b))[0],
}
SIGNED: dict[str, Callable[[int, int], int]] = {
    "arith.shrsi": lambda a, b: floor(Fraction(a, 2**b)),
    "arith.divsi": rounded_to_zero,
    "arith.remsi": lambda a, b: a - b * rounded_to_zero(a, b),
    "arith.floordivsi": lambda a, b: floor(Fraction(a, b)),
    "arith.ceildivsi": lambda a, b: ceil(Fraction(a, b)),
    "arith.maxsi": lambda a, b: sorted((a, b))[1],
    "arith.minsi": lambda a, b: sorted((a, b))[0],
}
COMPARISONS = {
    "eq": python.eq, "ne": python.ne, "slt": python.lt, "sle": python.le, "sgt": python.gt,
    "sge": python.ge, "ult": python.lt, "ule": python.le, "ugt": python.gt, "uge": python.ge,
}  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*UNSIGNED, *SIGNED])
def test_arithmetic_is_that_of_numbers_modulo_a_power_of_two(name: str, width: int) -> None:
    row, shape = CATALOGUE[name], Shape((width, width), (width,))
    assert row.semantics.meaning is not None
    meaning, undefined = row.semantics.meaning(shape), row.semantics.undefined
    values = edge_values(width, Random(1))
    for lhs, rhs in product(values, values):
        if undefined is not None and undefined(shape, lhs, rhs):
            continue
        if name in UNSIGNED:
            expected = UNSIGNED[name](lhs, rhs)
        else:
            amount = rhs if name == "arith.shrsi" else number(rhs, width)
            expected = SIGNED[name](number(lhs, width), amount)
        assert meaning(lhs, rhs) == expected % 2**width, (lhs, rhs)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("predicate", PREDICATES)
def test_comparisons_are_those_of_numbers(predicate: str, width: int) -> None:
    shape = Shape((width, width), (1,), {"predicate": predicate})
    values = edge_values(width, Random(2))
    for lhs, rhs in product(values, values):
        read = number if predicate[0] == "s" else lambda value, _: value
        expected = COMPARISONS[predicate](read(lhs, width), read(rhs, width))
        assert COMPARE(shape)(lhs, rhs) == int(expected), (lhs, rhs)


@pytest.mark.parametrize("target", WIDTHS)
@pytest.mark.parametrize("source", WIDTHS)
def test_casts_keep_the_number_or_its_low_bits(source: int, target: int) -> None:
    shape = Shape((source,), (target,))
    for value in edge_values(source, Random(3)):
        assert SIGN_EXTEND(shape)(value) == number(value, source) % 2**target
        assert TRUNCATE(shape)(value) == value % 2**target


EXPRESSIONS = [
    (row, part)
    for row in CATALOGUE.values()
    for part in (row.semantics.meaning, row.semantics.undefined)
    if isinstance(part, Expression | Undefined)
]


@pytest.mark.parametrize("width", WIDTHS)
def test_an_expression_of_numbers_is_that_of_names(width: int) -> None:
    assert len(EXPRESSIONS) > 20
    for row, part in EXPRESSIONS:
        count = len(row.signature.inputs)
        one = 1 if row.name == "arith.select" else width
        shape = Shape((one, *[width] * (count - 1)), (width,), {"predicate": "sle"})
        values = edge_values(width, Random(4))
        for tokens in product([0, 1] if one == 1 else values, *[values] * (count - 1)):
            names = ("a", "b", "c")[:count]
            named = eval(part.write(shape, *names), dict(zip(names, tokens, strict=True)))
            if isinstance(part, Expression):
                assert named == part(shape)(*tokens), (row.name, tokens)
            else:
                assert bool(named) == bool(part(shape, *tokens)), (row.name, tokens)
            with catch_warnings(action="ignore", category=SyntaxWarning):
                assert named == eval(part.write(shape, *map(str, tokens))), (row.name, tokens)
