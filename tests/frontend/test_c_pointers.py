"""Pointers of C that are one of several, and what the reader makes of them."""

from __future__ import annotations

import pytest

from loom.frontend.c.assignments import Assignments
from loom.frontend.c.function_reader import FunctionReader
from loom.frontend.c.library import (
    get_binary_operator,
    list_children,
    locate,
)
from loom.frontend.c.operators import RELATIONS
from loom.frontend.c.places import (
    read_place,
    select_only,
)
from loom.frontend.c.pointers import compare_pointers
from tests.frontend.c_functions import (
    evaluate_as_seven,
    format_expression,
    make_lvalues,
    open_function,
)


def test_a_pointer_that_goes_to_another_array_asks_for_another_reading() -> None:
    function = open_function("int *a, int *b", "a; b;")
    lvalues, program = make_lvalues(function.scope), function.scope.program
    assignments = Assignments(function.scope, lvalues, evaluate_as_seven)
    first, second = map(lvalues.find_pointer, function.statements)
    place = locate(function.expression)
    variable = function.scope.make_pointer("p", place)
    assignments.set_pointer(variable, first, function.expression)
    assert function.format_body() == "p = 0" and not program.kept.is_grown
    assignments.set_pointer(variable, second, function.expression)
    assert program.kept.is_grown and len(variable.bases) == 2
    again = open_function("int *a", "a;").scope
    again.program.kept = program.kept
    assert again.make_pointer("p", place) is variable
    found = lvalues.use_as_pointer(variable, function.expression)
    assert format_expression(read_place(select_only(found, place), place)) == (
        "choose(eq(p_in, 0), a[p], b[p])"
    )


def test_a_store_by_a_pointer_that_is_one_of_two() -> None:
    function = open_function("int *a, int *b, int n", "*(n ? a : b) = 3;")
    reader = FunctionReader(function.scope)
    reader.assignments.read_assignment(function.expression, needed=False)
    assert function.format_body() == "if i1(n) {a[0] = 3} {b[0] = 3}"


@pytest.mark.parametrize(
    ("relation", "found"), [("a < b", "0"), ("a != b", "1"), ("a + n >= a", "ge(7, 0)")]
)
def test_pointers_compare(relation: str, found: str) -> None:
    function = open_function("int *a, int *b, int n", f"{relation};")
    lvalues = make_lvalues(function.scope)
    left, right = map(lvalues.find_pointer, list_children(function.expression))
    operator = RELATIONS[get_binary_operator(function.expression)]
    compared = compare_pointers(operator, left, right, locate(function.expression))
    assert format_expression(compared) == found


@pytest.mark.parametrize(
    ("condition", "found"),
    [("a", "1"), ("0 ? a : (int *)0", "0"), ("n ? a : 0", "eq(choose(i1(n), 0, 1), 0)")],
)
def test_a_pointer_as_a_condition_is_not_null(condition: str, found: str) -> None:
    function = open_function("int *a, int n", f"{condition};")
    value = FunctionReader(function.scope).expressions.read_condition(function.expression)
    assert format_expression(value) == found
