"""The parts of a watched run of Python, each alone: numbers, checks, the instrumented text."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from loom.errors import LoomError, Place
from loom.frontend.python.read import read_python
from loom.frontend.python.types import NUMPY, PY_FLOAT, PY_INT, ArrayType, Scalar
from loom.native.python.checks import Checks, Step, WrongType
from loom.native.python.instrument import CHECKS, find_function, instrument_file
from loom.native.python.numpy_types import (
    are_same,
    convert_arguments,
    encode_array,
    encode_scalar,
    is_exact,
)
from tests.support.python_texts import kernel

HERE = Place("k.py", 3, 5)
INT8, INT32, FLOAT32 = NUMPY["int8"], NUMPY["int32"], NUMPY["float32"]


def checks_of(function: Callable[..., Any], *types: Scalar, is_division: bool = False) -> Checks:
    *operands, result = types
    return Checks([Step(HERE, "x + y", function, tuple(operands), result, is_division)])


def code_of(check: Callable[..., Any], *given: Any) -> str:
    with pytest.raises(LoomError) as caught:
        check(*given)
    assert caught.value.where == HERE
    return caught.value.code


def test_numbers_have_bit_patterns() -> None:
    assert encode_scalar(np.int8(-1), INT8) == 0xFF
    assert encode_scalar(True, NUMPY["bool"]) == 1
    values = np.array([[1.0, -2.0]], dtype=np.float32)
    assert encode_array(values, FLOAT32) == [0x3F800000, 0xC0000000]


def test_numbers_that_fit_a_type() -> None:
    assert is_exact(127, INT8) and not is_exact(128, INT8)
    assert is_exact(0.5, FLOAT32) and not is_exact(0.1, FLOAT32)
    assert are_same(float("nan"), float("nan")) and not are_same(0.0, -0.0)


def test_arguments_are_converted() -> None:
    parameters = [("x", INT8), ("a", ArrayType(INT32, (2,)))]
    array = np.zeros(2, np.int32)
    found = convert_arguments(parameters, {"x": 3, "a": array}, HERE)
    assert type(found["x"]) is np.int8 and found["a"] is array
    for given in ({"x": 300, "a": array}, {"x": 3, "a": [0, 0]}, {"x": 1.0, "a": array}):
        assert code_of(convert_arguments, parameters, given, HERE) == "PY_ARGUMENT"


def test_a_step_has_the_result_of_its_types() -> None:
    checks = checks_of(operator.add, INT32, INT32, INT32)
    assert checks.apply_step(0, np.int32(1), np.int32(2)) == 3
    assert checks.apply_step(0, 1, np.int32(2)) == 3
    # Python's own product is not that of 32 bits
    narrow = checks_of(operator.mul, INT32, INT32, INT32)
    with np.errstate(all="ignore"):
        assert code_of(narrow.apply_step, 0, 70000, 70000) == "PY_OVERFLOW"


def test_a_result_of_another_type_is_our_mistake() -> None:
    with pytest.raises(WrongType):
        checks_of(operator.add, INT32, INT32, INT8).apply_step(0, np.int32(1), np.int32(2))


@pytest.mark.parametrize(("left", "right"), [(3, 0), (-(1 << 31), -1)])
def test_divisions_without_a_quotient(left: int, right: int) -> None:
    checks = checks_of(operator.floordiv, INT32, INT32, INT32, is_division=True)
    assert code_of(checks.apply_step, 0, np.int32(left), np.int32(right)) == "PY_UNDEFINED"


def test_integers_without_an_exact_float() -> None:
    checks = checks_of(operator.truediv, PY_INT, PY_INT, PY_FLOAT)
    assert checks.apply_step(0, 6, 3) == 2.0
    assert code_of(checks.apply_step, 0, (1 << 60) + 1, 3) == "PY_OVERFLOW"


def test_values_that_do_not_fit() -> None:
    checks = checks_of(operator.pos, PY_INT, INT8)
    assert checks.check_value(0, 100) == 100
    assert code_of(checks.check_value, 0, 200) == "PY_OVERFLOW"
    assert code_of(checks.check_value, 0, None) == "PY_UNDEFINED"
    assert code_of(checks.check_store, 0, 200) == "PY_OVERFLOW"
    assert code_of(checks.check_store, 0, 1e9) == "PY_UNDEFINED"


def test_indices_and_casts() -> None:
    assert code_of(checks_of(operator.pos, INT32, INT32).check_index, 0, np.int32(-1)) == "PY_INDEX"
    cast = checks_of(np.int8, FLOAT32, INT8)
    assert cast.apply_cast(0, np.float32(2.5)) == 2
    assert code_of(cast.apply_cast, 0, np.float32(1e4)) == "PY_UNDEFINED"


def test_functions_are_found_by_name() -> None:
    assert find_function("numpy.int8") is np.int8
    assert find_function("abs") is abs
    assert find_function("min") is None


def test_each_step_is_checked_at_its_place() -> None:
    program = read_python(kernel("a[x] += 2 * x\nreturn a[0]"), "k.py")
    found = instrument_file(program.kernel)
    (function,) = found.functions
    calls = [
        (node.func.attr, found.steps[number.value])
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name) and node.func.value.id == CHECKS
        and isinstance(number := node.args[0], ast.Constant)
    ]  # fmt: skip
    assert {name for name, _ in calls} == {
        "apply_step", "check_index", "check_store", "check_value",
    }  # fmt: skip
    texts = {step.text: (step.place.line, step.place.column) for _, step in calls}
    assert texts["2 * x"] == (4, 13)
    assert found.kernel == function.name
