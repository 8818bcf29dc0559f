"""NumPy's types for those of a kernel, and values as the bit patterns of a circuit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import Any

import numpy as np

from loom.errors import LoomError, Place
from loom.frontend.imperative.types import Float, Int
from loom.frontend.python.types import ArgumentType, ArrayType, Scalar

Number = Any
"""A number of Python's or NumPy's."""


def find_dtype(scalar: Scalar) -> type[np.generic]:
    """The type in NumPy."""
    type_ = scalar.type
    if isinstance(type_, Float):
        return np.float32 if type_ is Float.SINGLE else np.float64
    if type_.is_truth:
        return np.bool_
    return np.dtype(f"{'' if type_.signed else 'u'}int{type_.width}").type


def find_python_type(scalar: Scalar) -> Callable[[Any], Any]:
    """The type that values of the kernel have in Python."""
    return (bool, int, float)[scalar.rank] if scalar.is_weak else find_dtype(scalar)


def has_type(value: Number, scalar: Scalar) -> bool:
    """True if Python has the value in this type."""
    return type(value) is find_python_type(scalar)


def is_weak(value: Number) -> bool:
    """True for Python's own numbers."""
    return type(value) in (bool, int, float)


def is_exact(value: Number, scalar: Scalar) -> bool:
    """True if the number of Python's fits the type exactly."""
    type_ = scalar.type
    if isinstance(type_, Int):
        if type_.is_truth:
            return value in (0, 1)
        whole = int(value)
        return bool(whole == value) and type_.least <= whole <= type_.most
    if isinstance(value, float) and isnan(value):
        return True
    with np.errstate(all="ignore"):
        try:
            return bool(float(find_dtype(scalar)(value)) == value)
        except OverflowError:
            return False


def are_same(left: Number, right: Number) -> bool:
    """True for the same number, the sign of a zero and all NaNs alike."""
    if left != left and right != right:
        return True
    return bool(left == right) and np.signbit(float(left)) == np.signbit(float(right))


def encode_scalar(value: Number, scalar: Scalar) -> int:
    """The bit pattern of a value."""
    return encode_array(np.array([value], dtype=find_dtype(scalar)), scalar)[0]


def encode_array(array: np.ndarray[Any, Any], scalar: Scalar) -> list[int]:
    """The bit patterns of an array's elements in row-major order."""
    width = max(8, scalar.type.width)
    unsigned = np.ascontiguousarray(array).view(np.dtype(f"uint{width}"))
    return [int(each) for each in unsigned.ravel()]


def convert_arguments(
    parameters: Sequence[tuple[str, ArgumentType]], given: Mapping[str, Any], place: Place
) -> dict[str, Any]:
    """The arguments of a kernel as it takes them: scalars of its types, arrays as they are.

    Refused: what is no such value (PY_ARGUMENT).
    """
    return {name: convert_argument(name, type_, given[name], place) for name, type_ in parameters}


def convert_argument(name: str, type_: ArgumentType, value: Any, place: Place) -> Any:
    """The argument as the kernel takes it."""

    def refuse(what: str, accepted: str) -> LoomError:
        return LoomError("PY_ARGUMENT", place, f"{what} for {name}", accepted)

    if isinstance(type_, ArrayType):
        dtype = np.dtype(find_dtype(type_.element))
        accepted = f"arrays of {type_.element.name} of the sizes {type_.sizes}"
        if not isinstance(value, np.ndarray):
            raise refuse(f"a value of type {type(value).__name__}", accepted)
        if value.dtype != dtype or value.shape != type_.sizes:
            raise refuse(f"an array of np.{value.dtype} of the sizes {value.shape}", accepted)
        return value
    numbers: tuple[type, ...] = (bool, np.bool_)
    if type_.rank > 0:
        numbers = (bool, int, np.integer)
    if type_.rank > 1:
        numbers = (bool, int, float, np.integer, np.floating)
    if not isinstance(value, numbers):
        raise refuse(f"a value of type {type(value).__name__}", f"values of {type_.name}")
    if type_.rank == 1 and not is_exact(value, type_):
        raise refuse(f"the number {value}", f"numbers that fit {type_.name}")
    with np.errstate(all="ignore"):
        return find_python_type(type_)(value)
