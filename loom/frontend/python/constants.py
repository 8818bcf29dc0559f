"""What is known of a file's constants and of types, without running the file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod
from typing import NoReturn

from loom.errors import LoomError
from loom.frontend.imperative.tree import Kind, Memory, Number
from loom.frontend.imperative.types import Int
from loom.frontend.python.operators import BINARY, COMPARISONS, UNARY, compute
from loom.frontend.python.source import Source
from loom.frontend.python.types import NUMPY, PY_BOOL, PY_INT, Scalar, join
from loom.frontend.python.values import (
    Array,
    Constant,
    Value,
    check_fits,
    constant,
    pattern_of,
    place_in,
    scalar_of,
)

MOST_WORDS = 1 << 24
"""Words of an array [words]."""
LITERALS = "numbers, tuples and lists of them, np.array, np.zeros, np.ones and np.full of them"
DTYPES = "np.bool, np.int8 to np.int64, np.uint8 to np.uint64, np.float32, np.float64"
MAKERS = {
    "numpy.array": ("object", "dtype"),
    "numpy.full": ("shape", "value", "dtype"),
    "numpy.zeros": ("shape", "dtype"),
    "numpy.ones": ("shape", "dtype"),
    "numpy.empty": ("shape", "dtype"),
}
"""Functions of NumPy that make arrays, and their arguments."""


@dataclass(frozen=True)
class Numbers:
    """Numbers in rows, all of one length; `scalar` is their type."""

    words: tuple[Constant, ...]
    shape: tuple[int, ...]
    scalar: Scalar


class Constants:
    """Answers about the constants of a file, each found once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: dict[str, Value | Array] = {}
        self.asked: list[str] = []

    def refuse(self, node: ast.AST, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        raise LoomError(code, place_in(node, self.source.file), what, accepted)

    def named(self, name: str, node: ast.AST) -> Value | Array:
        """What a name of the file's own level stands for."""
        if name in self.found:
            return self.found[name]
        if name not in self.source.constants or name in self.source.changing:
            what = f"the name {name}"
            accepted = "parameters, variables, functions of the file and its constants"
            if name in self.source.changing:
                what += ", which more than one statement sets"
            self.refuse(node, "PY_NAME", what, accepted)
        if name in self.asked:
            self.refuse(node, "PY_NAME", f"{name} in its own value", "constants that are known")
        self.asked.append(name)
        made = self.value_of(name, self.source.constants[name])
        self.asked.pop()
        self.found[name] = made
        return made

    def value_of(self, name: str, node: ast.expr) -> Value | Array:
        """The number or table that an expression on the file's own level is."""
        known = self.number(node)
        if known is not None:
            return constant(known, place_in(node, self.source.file))
        scalar = self.dtype(node.func) if isinstance(node, ast.Call) else None
        if scalar is not None and isinstance(node, ast.Call):
            return self.scalar_constant(node, scalar)
        numbers = self.numbers(node)
        if numbers is None:
            what = f"{name}, whose value is not known without running the file"
            accepted = f"constants that are {LITERALS}; a parameter"
            self.refuse(node, "PY_CONSTANT", what, accepted)
        return self.table(name, numbers, node, Kind.CONSTANT)

    def scalar_constant(self, node: ast.Call, scalar: Scalar) -> Value:
        """A number as one of NumPy's."""
        known = self.number(node.args[0]) if len(node.args) == 1 else None
        if known is None:
            accepted = "one number that is known"
            self.refuse(node, "PY_CONSTANT", f"this call of {scalar.name}", accepted)
        self.check(cut(known, scalar), scalar, node)
        place, number = place_in(node, self.source.file), cut(known, scalar)
        return Value(Number(scalar.type, place, pattern_of(number, scalar.type)), scalar)

    def check(self, known: Constant, scalar: Scalar, node: ast.AST) -> None:
        """Refuse an integer that the type does not have."""
        if isinstance(scalar.type, Int) and not scalar.type.is_truth:
            check_fits(int(known), scalar, place_in(node, self.source.file))

    def table(self, name: str, numbers: Numbers, node: ast.AST, kind: Kind) -> Array:
        """A memory of these numbers."""
        place, scalar = place_in(node, self.source.file), numbers.scalar
        for each in numbers.words:
            self.check(cut(each, scalar), scalar, node)
        type_ = scalar.type
        if scalar == PY_INT:
            bits = max(int(each).bit_length() for each in numbers.words) + 1
            type_ = Int(next(width for width in (8, 16, 32, 64) if bits <= width), True)
        words = tuple(pattern_of(cut(each, scalar), type_) for each in numbers.words)
        return Array(Memory(name, type_, numbers.shape, place, kind, words), scalar)

    def number(self, node: ast.expr) -> Constant | None:
        """The number of Python's that an expression of constants is, or None."""
        match node:
            case ast.Constant(value=bool() | int() | float()):
                assert isinstance(node.value, bool | int | float)
                return node.value
            case ast.Name(id=name):
                if name not in self.source.constants or name in self.source.changing:
                    return None
                found = self.named(name, node)
                return found.known if isinstance(found, Value) else None
            case ast.UnaryOp() if type(node.op) in UNARY:
                inner = self.number(node.operand)
                return None if inner is None else UNARY[type(node.op)](inner)
            case ast.BinOp():
                left, right = self.number(node.left), self.number(node.right)
                if left is None or right is None or type(node.op) not in BINARY:
                    return None
                return compute(type(node.op), left, right, place_in(node, self.source.file))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as inner]):
                if inner.id not in self.source.constants:
                    return None
                found = self.named(inner.id, inner)
                return found.shape[0] if isinstance(found, Array) else None
            case ast.Compare(ops=[operator], comparators=[right_node]):
                left, right = self.number(node.left), self.number(right_node)
                if left is None or right is None or type(operator) not in COMPARISONS:
                    return None
                return COMPARISONS[type(operator)][0](left, right)
            case _:
                return None

    def numbers(self, node: ast.expr) -> Numbers | None:
        """The numbers that a literal or a call of NumPy gives, or None."""
        if isinstance(node, ast.Tuple | ast.List):
            return self.literal(node)
        if not isinstance(node, ast.Call):
            return None
        name = self.source.qualified(node.func)
        given = {key.arg: key.value for key in node.keywords}
        if name not in MAKERS:
            return None
        names = MAKERS[name]
        given = {**dict(zip(names, node.args, strict=False)), **given}
        given = {("value" if key == "fill_value" else key): each for key, each in given.items()}
        for key in given:
            if key not in names:
                self.refuse(node, "PY_CALL", f"the argument {key}", ", ".join(names))
        if "dtype" not in given:
            what = f"{ast.unparse(node.func)} without a dtype"
            self.refuse(node, "PY_TYPE", what, f"dtype=, one of {DTYPES}")
        scalar = self.dtype_of(given["dtype"])
        if name == "numpy.array":
            found = self.numbers(given["object"]) if "object" in given else None
            if found is None:
                return None
            return Numbers(found.words, found.shape, scalar)
        shape = self.shape(given.get("shape"), node)
        known: Constant | None = 1 if name == "numpy.ones" else 0
        if name == "numpy.full":
            known = self.number(given["value"]) if "value" in given else None
        if known is None:
            accepted = "a number that is known; a loop that fills the array"
            self.refuse(node, "PY_CONSTANT", "np.full without a known value", accepted)
        return Numbers((known,) * prod(shape), shape, scalar)

    def shape(self, node: ast.expr | None, at: ast.AST) -> tuple[int, ...]:
        """The sizes that an expression says."""
        nodes = list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]
        return self.sizes([each for each in nodes if each is not None], at)

    def sizes(self, nodes: list[ast.expr], at: ast.AST) -> tuple[int, ...]:
        """The sizes of dimensions; refused if they are not known or too large (PY_SIZE)."""
        found: list[int] = []
        for each in nodes:
            size = self.number(each)
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                what = f"the size {ast.unparse(each)}"
                self.refuse(each, "PY_SIZE", what, "sizes that are constants of 1 and more")
            found.append(size)
        if not found:
            self.refuse(at, "PY_SIZE", "an array without sizes", "a size for each dimension")
        if prod(found) > MOST_WORDS:
            what = f"an array of {prod(found)} words"
            self.refuse(at, "PY_SIZE", what, f"up to {MOST_WORDS} of them")
        return tuple(found)

    def literal(self, node: ast.Tuple | ast.List) -> Numbers | None:
        """Numbers that stand in the text in rows."""
        rows = [self.numbers(each) if isinstance(each, ast.Tuple | ast.List) else None
                for each in node.elts]  # fmt: skip
        if rows and all(row is not None for row in rows):
            whole = [row for row in rows if row is not None]
            if any(row.shape != whole[0].shape for row in whole):
                self.refuse(node, "PY_SIZE", "rows of different lengths", "rows of one length")
            scalar = self.one_type([row.scalar for row in whole], node)
            words = tuple(word for row in whole for word in row.words)
            return Numbers(words, (len(whole), *whole[0].shape), scalar)
        found = [self.number(each) for each in node.elts]
        known = tuple(each for each in found if each is not None)
        if not known or len(known) != len(found):
            return None
        scalar = self.one_type([scalar_of(each) for each in known], node)
        return Numbers(known, (len(known),), scalar)

    def one_type(self, scalars: list[Scalar], node: ast.AST) -> Scalar:
        """The type of numbers of Python's that stand in one table."""
        first = scalars[0]
        if any(each != first for each in scalars):
            accepted = "numbers of one type; np.array with a dtype"
            names = " and ".join(sorted({each.name for each in scalars}))
            if PY_BOOL in scalars or join(first, scalars[-1]) is None:
                self.refuse(node, "PY_TYPE", f"a table of {names}", accepted)
            return next(each for each in scalars if each.rank == 2)
        return first

    def dtype(self, node: ast.expr) -> Scalar | None:
        """The type of NumPy's that the expression names, or None."""
        name = self.source.qualified(node)
        module, _, short = (name or "").rpartition(".")
        return NUMPY.get(short) if module == "numpy" else None

    def dtype_of(self, node: ast.expr) -> Scalar:
        """The type of NumPy's that the expression names; refused for others (PY_TYPE)."""
        found = self.dtype(node)
        if found is None and isinstance(node, ast.Name) and node.id == "bool":
            return NUMPY["bool"]
        if found is None:
            self.refuse(node, "PY_TYPE", f"the type {ast.unparse(node)}", DTYPES)
        return found


def cut(known: Constant, scalar: Scalar) -> Constant:
    """The number as np.array takes it into an array of the type."""
    return int(known) if scalar.rank == 1 else known
