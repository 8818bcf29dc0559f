"""Every construct of Python that LOOM takes: the source reference and the token model as NumPy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

import loom
from loom.errors import LoomError, LoomErrors
from loom.front.api import compile_module
from loom.frontend.python.types import NUMPY, PY_BOOL, PY_FLOAT, PY_INT, Scalar, promote_types
from loom.lower.options import Options
from loom.model.comparison import compare_models
from loom.native.python.numpy_types import find_dtype
from tests.grow.random_python import random_kernel
from tests.judges.python_natively import activations, differences, program_of, reference_of
from tests.support.python_texts import PRELUDE, kernel
from tests.support.row_files import read_rows

ROWS = read_rows("python_programs.txt")
HELPERS = """
LIMIT = 12 * 2
SCALE = np.int16(-7)
THIS, THAT = 3, -4
SAME = ALIKE = 5
TABLE = (1, -2, 300, 70000)
WORDS = np.array([[1, 2, 3], [-4, 5, 6]], dtype=np.int8)


def twice(v):
    return v + v


def total(values, first=0):
    found = np.int32(0)
    for i in range(first, len(values)):
        found += values[i]
    return found


def parts(v):
    return v, v


def divide(value, by):
    return value // by, value % by


def bump(values, at):
    values[at] += 1


def bumped(values, at):
    values[at] += 1
    return values[at]


def sign(v: np.int32) -> np.int32:
    if v < 0:
        return -1
    if v == 0:
        return 0
    return 1


"""
CALLS = 6


def text_of(name: str) -> str:
    head, _, body = ROWS[name][0].partition("\n")
    return PRELUDE + HELPERS + kernel(body, head).removeprefix(PRELUDE)


@pytest.mark.parametrize("name", ROWS)
def test_program_is_as_numpy(name: str) -> None:
    text = text_of(name)
    program = program_of(text)
    given = [*activations(program, text, 3, CALLS)]
    assert len(given) >= 2
    reference = reference_of(program)
    assert [differences(reference, each) for each in given] == [[]] * len(given)
    circuit = compile_module(program.module, options=Options(clock_period=None))
    report = compare_models(circuit.source, "f", circuit.netlist, given, max_cycles=10_000)
    assert not report.differences


SEEDS = range(440)


def accepted_kernels() -> Iterator[tuple[int, str]]:
    for seed in SEEDS:
        text = f"{PRELUDE}N = 5\n{random_kernel('f', seed)}"
        try:
            program_of(text)
        except (LoomError, LoomErrors):
            continue
        yield seed, text


@pytest.mark.usefixtures("deep_on_sources")
def test_random_kernels_are_as_numpy() -> None:
    kernels = [*accepted_kernels()]
    assert len(kernels) > 100
    for seed, text in kernels:
        program = program_of(text)
        reference = reference_of(program)
        found = [differences(reference, each) for each in activations(program, text, seed, 3)]
        assert not any(found), text


WEAK = (PY_BOOL, PY_INT, PY_FLOAT)


@pytest.mark.parametrize("left", [*dict.fromkeys(NUMPY.values())], ids=lambda each: each.name)
def test_types_are_promoted_as_numpy_does(left: Scalar) -> None:
    for right in NUMPY.values():
        assert np.result_type(find_dtype(left), find_dtype(right)) == find_dtype(
            promote_types(left, right)
        )
    for weak, value in zip(WEAK, (True, 1, 1.0), strict=True):
        found = find_dtype(left)(1) + value
        assert (
            type(found)
            is find_dtype(promote_types(left, weak))
            is find_dtype(promote_types(weak, left))
        )


OPERATORS = ("+", "-", "*", "/", "//", "%", "<<", ">>", "&", "|", "^", "<", "==")


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_that_numpy_has_not_are_refused(operator: str) -> None:
    """What is accepted, NumPy has; what is refused, it has not, but for what is listed."""
    names = [scalar.name for scalar in dict.fromkeys(NUMPY.values())]
    for left, right in product([*names, "bool"], names):
        text = kernel(f"return x {operator} y", f"x: {left}, y: {right}")
        one, other = (eval(each, {"np": np})(1) for each in (left, right))
        try:
            result = eval(f"one {operator} other", {"one": one, "other": other})
        except TypeError:
            result = None
        try:
            (scalar,) = program_of(text).kernel.results
        except (LoomError, LoomErrors):
            assert result is None or isinstance(result, np.int8), text
            continue
        assert type(result) is find_dtype(scalar)


def test_directives_are_those_of_the_loop_and_nothing_in_python() -> None:
    body = (
        "for i in loom.unroll(loom.interleave(loom.ii(range(4), 3), 5), 2):\n    a[i] = i\nreturn x"
    )
    text = str(program_of(kernel(body)).module)
    assert "loom.unroll = 2" in text and "loom.ii = 3" in text and "loom.interleave = 5" in text
    numbers = range(3)
    made = [loom.unroll(numbers), loom.unroll(numbers, 2), loom.ii(numbers, 2)]
    made += [loom.flatten(numbers), loom.interchange(numbers), loom.pipeline(numbers)]
    made += [loom.interleave(numbers, 2)]
    assert all(each is numbers for each in made)
