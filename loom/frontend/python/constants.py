"""Constants of a file and names of types, evaluated without running the file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from math import prod

from loom.elements import encode_elements, repeat_element
from loom.errors import format_integer
from loom.frontend.imperative.tree import Kind, Memory, Number
from loom.frontend.imperative.types import Int
from loom.frontend.python.diagnostics import Diagnostics
from loom.frontend.python.operators import BINARY, COMPARISONS, UNARY, compute_constant
from loom.frontend.python.source import Source
from loom.frontend.python.types import NUMPY, PY_BOOL, PY_INT, Scalar, unify_types
from loom.frontend.python.values import (
    Array,
    Constant,
    Value,
    check_fits,
    encode_constant,
    find_constant_type,
    make_constant,
)

MOST_ELEMENTS = 1 << 24
"""Elements of an array [elements]."""
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
class Table:
    """Numbers in rows, all of one length; `scalar` is their type. One number may stand for all."""

    elements: tuple[Constant, ...]
    shape: tuple[int, ...]
    scalar: Scalar


class Constants:
    """Evaluates the constants of a file, each once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.diagnostics = Diagnostics(source.file)
        self.found: dict[str, Value | Array] = {}
        self.pending: list[str] = []

    def find(self, name: str, node: ast.AST) -> Value | Array:
        """The number or table that a name on the file's own level stands for."""
        if name in self.found:
            return self.found[name]
        if name not in self.source.constants or name in self.source.reassigned:
            what = f"the name {name}"
            accepted = "parameters, variables, functions of the file and its constants"
            if name in self.source.reassigned:
                what += ", which more than one statement assigns"
            self.diagnostics.refuse(node, "PY_NAME", what, accepted)
        if name in self.pending:
            what, accepted = f"{name} in its own value", "constants that are known"
            self.diagnostics.refuse(node, "PY_NAME", what, accepted)
        self.pending.append(name)
        made = self.evaluate(name, self.source.constants[name])
        self.pending.pop()
        self.found[name] = made
        return made

    def evaluate(self, name: str, node: ast.expr) -> Value | Array:
        """The number or table that an expression on the file's own level is."""
        known = self.evaluate_number(node)
        if known is not None:
            return make_constant(known, self.diagnostics.locate(node))
        scalar = self.find_dtype(node.func) if isinstance(node, ast.Call) else None
        if scalar is not None and isinstance(node, ast.Call):
            return self.evaluate_cast(node, scalar)
        table = self.evaluate_table(node)
        if table is None:
            what = f"{name}, whose value is not known without running the file"
            accepted = f"constants that are {LITERALS}; a parameter"
            self.diagnostics.refuse(node, "PY_CONSTANT", what, accepted)
        return self.make_table(name, table, node)

    def evaluate_cast(self, node: ast.Call, scalar: Scalar) -> Value:
        """A number as one of NumPy's."""
        known = self.evaluate_number(node.args[0]) if len(node.args) == 1 else None
        if known is None:
            accepted = "one number that is known"
            self.diagnostics.refuse(node, "PY_CONSTANT", f"this call of {scalar.name}", accepted)
        self.check_fits(truncate_number(known, scalar), scalar, node)
        place, number = self.diagnostics.locate(node), truncate_number(known, scalar)
        return Value(Number(scalar.type, place, encode_constant(number, scalar.type)), scalar)

    def check_fits(self, known: Constant, scalar: Scalar, node: ast.AST) -> None:
        """Refuse an integer that the type does not have."""
        if isinstance(scalar.type, Int) and not scalar.type.is_truth:
            check_fits(int(known), scalar, self.diagnostics.locate(node))

    def make_table(self, name: str, table: Table, node: ast.AST) -> Array:
        """A constant memory of these numbers; Python's integers take as few bits as they need."""
        place, scalar = self.diagnostics.locate(node), table.scalar
        numbers = [truncate_number(each, scalar) for each in table.elements]
        for each in numbers:
            self.check_fits(each, scalar, node)
        type_ = scalar.type
        if scalar == PY_INT:
            bits = max(int(each).bit_length() for each in numbers) + 1
            type_ = Int(next(width for width in (8, 16, 32, 64) if bits <= width), True)
        patterns = [encode_constant(each, type_) for each in numbers]
        size = prod(table.shape)
        initial = (
            repeat_element(patterns[0], size) if len(patterns) == 1 else encode_elements(patterns)
        )
        return Array(Memory(name, type_, table.shape, place, Kind.CONSTANT, initial), scalar)

    def evaluate_number(self, node: ast.expr) -> Constant | None:
        """The number of Python's that an expression of constants is, or None."""
        match node:
            case ast.Constant(value=bool() | int() | float()):
                assert isinstance(node.value, bool | int | float)
                return node.value
            case ast.Name(id=name):
                if name not in self.source.constants or name in self.source.reassigned:
                    return None
                found = self.find(name, node)
                return found.known if isinstance(found, Value) else None
            case ast.UnaryOp() if type(node.op) in UNARY:
                inner = self.evaluate_number(node.operand)
                return None if inner is None else UNARY[type(node.op)](inner)
            case ast.BinOp():
                left, right = self.evaluate_number(node.left), self.evaluate_number(node.right)
                if left is None or right is None or type(node.op) not in BINARY:
                    return None
                return compute_constant(type(node.op), left, right, self.diagnostics.locate(node))
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as inner]):
                if inner.id not in self.source.constants:
                    return None
                found = self.find(inner.id, inner)
                return found.shape[0] if isinstance(found, Array) else None
            case ast.Compare(ops=[operator], comparators=[right_node]):
                left, right = self.evaluate_number(node.left), self.evaluate_number(right_node)
                if left is None or right is None or type(operator) not in COMPARISONS:
                    return None
                return COMPARISONS[type(operator)][0](left, right)
            case _:
                return None

    def evaluate_table(self, node: ast.expr) -> Table | None:
        """The numbers that a literal or a call of NumPy gives, or None."""
        if isinstance(node, ast.Tuple | ast.List):
            return self.evaluate_literal(node)
        if not isinstance(node, ast.Call):
            return None
        name = self.source.qualify(node.func)
        if name not in MAKERS:
            return None
        given = self.match_arguments(node, MAKERS[name])
        scalar = self.read_dtype(given["dtype"])
        if name == "numpy.array":
            found = self.evaluate_table(given["object"]) if "object" in given else None
            if found is None:
                return None
            return Table(found.elements, found.shape, scalar)
        shape = self.evaluate_shape(given.get("shape"), node)
        known: Constant | None = 1 if name == "numpy.ones" else 0
        if name == "numpy.full":
            known = self.evaluate_number(given["value"]) if "value" in given else None
        if known is None:
            accepted = "a number that is known; a loop that fills the array"
            self.diagnostics.refuse(node, "PY_CONSTANT", "np.full without a known value", accepted)
        return Table((known,), shape, scalar)

    def match_arguments(self, node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
        """The arguments of a function that makes an array, by name; there is a dtype."""
        given = {**dict(zip(names, node.args, strict=False))}
        for key in node.keywords:
            name = "value" if key.arg == "fill_value" else key.arg
            if name is None or name not in names:
                accepted = ", ".join(names)
                self.diagnostics.refuse(node, "PY_CALL", f"the argument {name}", accepted)
            given[name] = key.value
        if "dtype" not in given:
            what = f"{ast.unparse(node.func)} without a dtype"
            self.diagnostics.refuse(node, "PY_TYPE", what, f"dtype=, one of {DTYPES}")
        return given

    def evaluate_shape(self, node: ast.expr | None, at: ast.AST) -> tuple[int, ...]:
        """The sizes that an expression gives."""
        nodes = list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]
        return self.evaluate_sizes([each for each in nodes if each is not None], at)

    def evaluate_sizes(self, nodes: list[ast.expr], at: ast.AST) -> tuple[int, ...]:
        """The sizes of dimensions; refused if they are not known or too large (PY_SIZE)."""
        found: list[int] = []
        for each in nodes:
            size = self.evaluate_number(each)
            if isinstance(size, bool) or not isinstance(size, int) or size < 1:
                what = f"the size {ast.unparse(each)}"
                accepted = "sizes that are constants of 1 and more"
                self.diagnostics.refuse(each, "PY_SIZE", what, accepted)
            found.append(size)
        if not found:
            accepted = "a size for each dimension"
            self.diagnostics.refuse(at, "PY_SIZE", "an array without sizes", accepted)
        if prod(found) > MOST_ELEMENTS:
            what = f"an array of {format_integer(prod(found))} elements"
            self.diagnostics.refuse(at, "PY_SIZE", what, f"up to {MOST_ELEMENTS} of them")
        return tuple(found)

    def evaluate_literal(self, node: ast.Tuple | ast.List) -> Table | None:
        """The numbers of nested tuples and lists, or None."""
        rows = [self.evaluate_table(each) if isinstance(each, ast.Tuple | ast.List) else None
                for each in node.elts]  # fmt: skip
        if rows and all(row is not None for row in rows):
            whole = [row for row in rows if row is not None]
            if any(row.shape != whole[0].shape for row in whole):
                what, accepted = "rows of different lengths", "rows of one length"
                self.diagnostics.refuse(node, "PY_SIZE", what, accepted)
            scalar = self.find_element_type([row.scalar for row in whole], node)
            elements = tuple(each for row in whole for each in row.elements)
            return Table(elements, (len(whole), *whole[0].shape), scalar)
        found = [self.evaluate_number(each) for each in node.elts]
        known = tuple(each for each in found if each is not None)
        if not known or len(known) != len(found):
            return None
        scalar = self.find_element_type([find_constant_type(each) for each in known], node)
        return Table(known, (len(known),), scalar)

    def find_element_type(self, scalars: list[Scalar], node: ast.AST) -> Scalar:
        """The type of Python's numbers that stand in one table."""
        first = scalars[0]
        if any(each != first for each in scalars):
            accepted = "numbers of one type; np.array with a dtype"
            names = " and ".join(sorted({each.name for each in scalars}))
            if PY_BOOL in scalars or unify_types(first, scalars[-1]) is None:
                self.diagnostics.refuse(node, "PY_TYPE", f"a table of {names}", accepted)
            return next(each for each in scalars if each.rank == 2)
        return first

    def find_dtype(self, node: ast.expr) -> Scalar | None:
        """The type of NumPy's that the expression names, or None."""
        name = self.source.qualify(node)
        module, _, short = (name or "").rpartition(".")
        return NUMPY.get(short) if module == "numpy" else None

    def read_dtype(self, node: ast.expr) -> Scalar:
        """The type of NumPy's that the expression names; refused for others (PY_TYPE)."""
        found = self.find_dtype(node)
        if found is None and isinstance(node, ast.Name) and node.id == "bool":
            return NUMPY["bool"]
        if found is None:
            self.diagnostics.refuse(node, "PY_TYPE", f"the type {ast.unparse(node)}", DTYPES)
        return found


def truncate_number(known: Constant, scalar: Scalar) -> Constant:
    """The number as np.array takes it into an array of the type."""
    return int(known) if scalar.rank == 1 else known
