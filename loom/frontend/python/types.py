"""Types of values in a kernel: NumPy's scalars and arrays, and Python's own numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from loom.frontend.imperative.types import TRUTH, Float, Int, Type


@dataclass(frozen=True, slots=True)
class Scalar:
    """The type of a value. Python's own numbers are `weak`: beside NumPy's they take their type.

    A Python integer has 64 bits in the circuit; a run that needs more is refused.
    """

    type: Type
    is_weak: bool = False

    @property
    def rank(self) -> int:
        """0 for booleans, 1 for integers, 2 for floats."""
        if isinstance(self.type, Float):
            return 2
        return 0 if self.type.is_truth else 1

    @property
    def name(self) -> str:
        """The type's name in Python."""
        if self.is_weak:
            return ("bool", "int", "float")[self.rank]
        if isinstance(self.type, Float):
            return f"np.float{self.type.width}"
        if self.type.is_truth:
            return "np.bool"
        return f"np.{'' if self.type.signed else 'u'}int{self.type.width}"


@dataclass(frozen=True)
class ArrayType:
    """The type of an array: that of its elements, and its sizes.

    `memory` is what the annotation says of its hardware; types that differ there are the same.
    """

    element: Scalar
    sizes: tuple[int, ...]
    memory: str = field(default="", compare=False)


ArgumentType = Scalar | ArrayType

PY_BOOL, BOOL = Scalar(TRUTH, is_weak=True), Scalar(TRUTH)
PY_INT, INT64 = Scalar(Int(64, True), is_weak=True), Scalar(Int(64, True))
PY_FLOAT, FLOAT64 = Scalar(Float.DOUBLE, is_weak=True), Scalar(Float.DOUBLE)
FLOAT32 = Scalar(Float.SINGLE)

NUMPY: dict[str, Scalar] = {
    **{f"int{width}": Scalar(Int(width, True)) for width in (8, 16, 32, 64)},
    **{f"uint{width}": Scalar(Int(width, False)) for width in (8, 16, 32, 64)},
    "float32": FLOAT32,
    "float64": FLOAT64,
    "bool": BOOL,
    "bool_": BOOL,
}
"""NumPy's names of the types that kernels have."""
TYPES = "np.bool, np.int8 to np.int64, np.uint8 to np.uint64, np.float32 and np.float64"


def promote_types(left: Scalar, right: Scalar) -> Scalar:
    """The type in which NumPy computes with values of both (NEP 50).

    Two booleans of Python's become an integer.
    """
    if left.is_weak and right.is_weak:
        return PY_FLOAT if max(left.rank, right.rank) == 2 else PY_INT
    if left.is_weak or right.is_weak:
        weak, strong = (left, right) if left.is_weak else (right, left)
        if weak.rank <= strong.rank:
            return strong
        return INT64 if weak.rank == 1 else FLOAT64
    return Scalar(promote_numpy_types(left.type, right.type))


def promote_numpy_types(left: Type, right: Type) -> Type:
    """NumPy's type for values of two types of its own."""
    if isinstance(left, Float) and isinstance(right, Float):
        return left if left.width >= right.width else right
    if isinstance(left, Float) or isinstance(right, Float):
        number, other = (left, right) if isinstance(left, Float) else (right, left)
        return number if other.width <= 16 else Float.DOUBLE
    if left.is_truth or right.is_truth:
        return right if left.is_truth else left
    return find_covering_type(left, right) or Float.DOUBLE


def find_covering_type(left: Int, right: Int) -> Int | None:
    """The narrowest type that has all numbers of both, or None if none of 64 bits has."""
    if left.is_truth or right.is_truth:
        return right if left.is_truth else left
    if left.signed == right.signed:
        return left if left.width >= right.width else right
    signed, unsigned = (left, right) if left.signed else (right, left)
    width = max(signed.width, 2 * unsigned.width)
    return Int(width, True) if width <= 64 else None


def unify_types(left: Scalar | None, right: Scalar) -> Scalar | None:
    """The type of a variable that holds values of both, or None if there is none.

    Python's numbers take the type of NumPy's; two types of NumPy's do not mix.
    """
    if left is None or left == right:
        return right
    if left.is_weak and right.is_weak:
        return left if left.rank >= right.rank else right
    if left.is_weak or right.is_weak:
        weak, strong = (left, right) if left.is_weak else (right, left)
        return strong if weak.rank <= strong.rank else None
    return None
