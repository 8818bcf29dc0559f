"""The checks of each step of a watched kernel: Python's result is that of the types.

The kernel computes with NumPy's own numbers. A step is refused where the circuit, whose numbers
have the types that LOOM found, would not have the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from loom.errors import LoomError, Place
from loom.frontend.imperative.types import Float, Int
from loom.frontend.python.types import Scalar
from loom.native.python.numpy_types import (
    Number,
    are_same,
    find_python_type,
    has_type,
    is_exact,
    is_weak,
)

MOST_EXACT = 1 << 53
"""Integers up to here are floats, too."""


class WrongType(Exception):
    """Python's value does not have the type that LOOM found: our mistake."""


@dataclass(frozen=True)
class Step:
    """A step in the text: what it does, the types of its operands, and that of its result."""

    place: Place
    text: str
    function: Callable[..., Any]
    operands: tuple[Scalar, ...]
    result: Scalar
    is_division: bool = False


class Checks:
    """Computes the steps of a kernel and checks each against its types."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps

    def refuse(self, step: Step, code: str, what: str, accepted: str) -> NoReturn:
        """The step has no result in the circuit."""
        raise LoomError(code, step.place, what, accepted)

    def apply_step(self, number: int, *values: Number) -> Number:
        """The result of an operator or a function."""
        step = self.steps[number]
        if step.is_division:
            self.check_division(step, values)
        result = step.function(*values)
        if any(
            is_weak(v) and not has_type(v, s) for v, s in zip(values, step.operands, strict=True)
        ):
            typed = [
                self.convert_value(step, v, s) for v, s in zip(values, step.operands, strict=True)
            ]
            other = step.function(*typed)
            if not are_same(result, other):
                what = f"{step.text}, which is {result} for Python's own numbers and {other} for "
                what += " and ".join(scalar.name for scalar in step.operands)
                accepted = f"variables that begin as {step.result.name}(..)"
                self.refuse(step, "PY_OVERFLOW", what, accepted)
            if not is_weak(result) and not has_type(result, step.result):
                what = f"{step.text}, which is np.{type(result).__name__} beside a number of "
                what += f"Python's own and {step.result.name} otherwise"
                accepted = "variables that begin as numbers of NumPy's; a cast of each value"
                self.refuse(step, "PY_TYPE", what, accepted)
        self.check_floats(step, values, result)
        return self.check_result(step, result)

    def convert_value(self, step: Step, value: Number, scalar: Scalar) -> Number:
        """The value in its type."""
        if has_type(value, scalar) or not is_weak(value):
            return value
        if not is_exact(value, scalar) and isinstance(scalar.type, Int):
            self.refuse_value(step, value, scalar)
        return find_python_type(scalar)(value)

    def refuse_value(self, step: Step, value: Number, scalar: Scalar) -> NoReturn:
        """Refuse a number that does not fit the type."""
        name = "64 bits" if scalar.is_weak else scalar.name
        what = f"{step.text}, which is {value}"
        accepted = f"numbers that fit {name}; a wider type, or a cast of each value"
        if isinstance(scalar.type, Float):
            accepted = f"numbers that fit {name}; {name}(..) around them"
        self.refuse(step, "PY_OVERFLOW", what, accepted)

    def check_result(self, step: Step, result: Number) -> Number:
        """The result, which the type found for it must have."""
        scalar = step.result
        if has_type(result, scalar):
            if type(result) is int and not is_exact(result, scalar):
                self.refuse_value(step, result, scalar)
            return result
        if is_weak(result):
            if not is_exact(result, scalar):
                self.refuse_value(step, result, scalar)
            return result
        name = type(result).__name__
        raise WrongType(f"{step.place}: {step.text} is {name}, not {scalar.name}")

    def check_division(self, step: Step, values: Sequence[Number]) -> None:
        """Refuse divisions of integers without a quotient."""
        left, right = values
        type_ = step.result.type
        if isinstance(type_, Float):
            return
        if right == 0:
            what = f"{step.text}, a division by zero"
            self.refuse(step, "PY_UNDEFINED", what, "divisors that are not 0")
        if type_.signed and right == -1 and left == type_.least:
            what = f"{step.text}, whose quotient does not fit {step.result.name}"
            self.refuse(step, "PY_UNDEFINED", what, "quotients that fit the type")

    def check_floats(self, step: Step, values: Sequence[Number], result: Number) -> None:
        """Refuse integers without an exact float, beside floats or divided."""
        if not isinstance(result, float | np.floating) and not any(
            isinstance(value, float | np.floating) for value in values
        ):
            return
        for value in values:
            if type(value) is int and abs(value) > MOST_EXACT:
                what = f"{step.text}, in which {value} has no exact float"
                accepted = "integers of up to 53 bits beside floats"
                self.refuse(step, "PY_OVERFLOW", what, accepted)

    def check_value(self, number: int, value: Number) -> Number:
        """The value, which the type found for it must have."""
        step = self.steps[number]
        if value is None:
            what = f"{step.text}, which returns nothing"
            self.refuse(step, "PY_UNDEFINED", what, "a return at each end of the function")
        return self.check_result(step, value)

    def check_index(self, number: int, value: Number) -> Number:
        """The index, which must not be negative."""
        step = self.steps[number]
        if value < 0:
            what = f"the index {step.text}, which is {value}"
            accepted = "indices from 0 on; negative ones only as constants"
            self.refuse(step, "PY_INDEX", what, accepted)
        return value

    def apply_cast(self, number: int, *values: Number) -> Number:
        """The value in another type."""
        step = self.steps[number]
        (value,) = values
        self.check_whole(step, value)
        return self.apply_step(number, value)

    def check_whole(self, step: Step, value: Number) -> None:
        """Refuse a float that does not fit the result's type once it is truncated."""
        if not isinstance(value, float | np.floating) or step.result.rank != 1:
            return
        if not np.isfinite(value) or not is_exact(int(value), step.result):
            what = f"{step.text}, which is {value}"
            accepted = f"floats that fit {step.result.name} once they are truncated"
            self.refuse(step, "PY_UNDEFINED", what, accepted)

    def check_store(self, number: int, value: Number) -> Number:
        """The value that an element of the result's type is given."""
        step = self.steps[number]
        self.check_whole(step, value)
        self.check_floats(step, [value], find_python_type(step.result)(0))
        (scalar,) = step.operands
        if is_weak(value) and not scalar.is_weak and not is_exact(value, scalar):
            self.refuse_value(step, value, scalar)
        if type(value) is int and step.result.rank == 1 and not is_exact(value, step.result):
            self.refuse_value(step, value, step.result)
        return value
