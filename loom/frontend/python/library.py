"""Functions of Python, NumPy and math that are operations of a circuit."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loom.dialects.ops.float_ops import RemFOp
from loom.frontend.imperative.conversions import convert_expression
from loom.frontend.imperative.tree import Apply, Compare, Number, Relation
from loom.frontend.imperative.types import Float
from loom.frontend.python.conditions import Conditions
from loom.frontend.python.places import Places
from loom.frontend.python.scope import Scope, ValueReader
from loom.frontend.python.types import (
    BOOL,
    FLOAT64,
    NUMPY,
    PY_BOOL,
    PY_FLOAT,
    PY_INT,
    Scalar,
)
from loom.frontend.python.values import Value, adapt_value, check_nonzero, make_constant

FLOAT_FUNCTIONS: dict[str, type[Operation]] = {
    "sqrt": math.SqrtOp,
    "fabs": math.AbsFOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
    "trunc": math.TruncOp,
    "rint": math.RoundEvenOp,
    "copysign": math.CopySignOp,
    "fmod": RemFOp,
    "exp": math.ExpOp,
    "log": math.LogOp,
    "sin": math.SinOp,
    "cos": math.CosOp,
}
"""Functions of NumPy on floats: with one right result, or one that is LOOM's (`elementary`)."""
OF_TWO = ("copysign", "fmod")
"""Those of two operands."""
ELEMENTARY = ("exp", "log", "sin", "cos")
NUMPY_FUNCTIONS = frozenset(
    {f"numpy.{name}" for name in (*FLOAT_FUNCTIONS, "abs", "absolute", "isnan")}
)
MATH_FUNCTIONS = frozenset(
    f"math.{name}" for name in ("sqrt", "fabs", "isnan", *OF_TWO, *ELEMENTARY)
)
CASTS: dict[str, Scalar] = {"int": PY_INT, "float": PY_FLOAT, "bool": PY_BOOL}
BUILTINS = frozenset({*CASTS, "abs", "min", "max", "len", "sum"})
ACCEPTED = (
    "functions of the file, abs, bool, float, int, len, max, min, range, sum, casts "
    "such as np.int32, "
    + ", ".join(sorted(name.replace("numpy", "np") for name in (*NUMPY_FUNCTIONS, *MATH_FUNCTIONS)))
)


def find_cast_type(name: str) -> Scalar | None:
    """The type to which the function of this full name casts, or None for other functions."""
    module, _, short = name.rpartition(".")
    return CASTS.get(name) or (NUMPY.get(short) if module == "numpy" else None)


def is_library_function(name: str) -> bool:
    """True if the function of this full name is one that the library has."""
    is_listed = name in NUMPY_FUNCTIONS or name in MATH_FUNCTIONS or name in BUILTINS
    return is_listed or find_cast_type(name) is not None


@dataclass
class Library:
    """Reads calls of functions of Python, NumPy and math."""

    scope: Scope
    conditions: Conditions
    places: Places
    values: ValueReader

    def read_call(self, node: ast.Call, name: str) -> Value:
        """The value of a function that the library has, by its full name."""
        if node.keywords:
            what = f"the argument {node.keywords[0].arg} of {ast.unparse(node.func)}"
            self.scope.refuse(node, "PY_CALL", what, "arguments without names here")
        if name == "len":
            return self.read_length(node)
        if name == "sum":
            self.scope.refuse(node, "PY_CALL", ast.unparse(node), "the sum of an array")
        values = self.values.read_values(*node.args)
        scalar = find_cast_type(name)
        if scalar is not None:
            (value,) = self.check_count(values, 1, node)
            return self.cast_value(value, scalar, node)
        if name in ("min", "max"):
            return self.find_extreme(values, name == "max", node)
        if name in ("abs", "numpy.abs", "numpy.absolute"):
            (value,) = self.check_count(values, 1, node)
            return self.find_magnitude(value, node, is_builtin=name == "abs")
        return self.apply_float_function(values, name, node)

    def check_count(self, values: list[Value], count: int, node: ast.Call) -> list[Value]:
        """The arguments, of which there are so many."""
        if len(values) != count:
            what = f"{len(values)} arguments of {ast.unparse(node.func)}"
            accepted = "1 argument" if count == 1 else f"{count} arguments"
            self.scope.refuse(node, "PY_CALL", what, accepted)
        return values

    def read_length(self, node: ast.Call) -> Value:
        """The size of an array's first dimension."""
        array = self.places.find_array(node.args[0]) if len(node.args) == 1 else None
        if array is None or not array.shape:
            self.scope.refuse(node, "PY_CALL", ast.unparse(node), "len of an array")
        return make_constant(array.shape[0], self.scope.locate(node))

    # Casts

    def read_astype(self, node: ast.Call, inner: ast.expr) -> Value:
        """The value of x.astype(np.int32)."""
        value = self.values.read_value(inner)
        if len(node.args) != 1 or node.keywords or value.scalar.is_weak:
            what = f"the call {ast.unparse(node)}"
            self.scope.refuse(node, "PY_CALL", what, "x.astype(np.int32) of a number of NumPy's")
        scalar = self.scope.program.constants.read_dtype(node.args[0])
        return self.cast_value(value, scalar, node)

    def cast_value(self, value: Value, scalar: Scalar, node: ast.AST) -> Value:
        """The value in another type, as NumPy and Python convert."""
        place, known = self.scope.locate(node), value.known
        if known is not None:
            if scalar.rank == 1 and isinstance(known, float):
                if known != known or known in (float("inf"), float("-inf")):
                    accepted = "numbers that an integer has"
                    self.scope.refuse(node, "PY_OVERFLOW", f"{known} as {scalar.name}", accepted)
                known = int(known)
            if scalar.is_weak:
                return make_constant((bool, int, float)[scalar.rank](known), place)
            return adapt_value(make_constant(known, place), scalar)
        if scalar.rank == 0:
            return Value(check_nonzero(value), scalar)
        return Value(convert_expression(value.expression, scalar.type), scalar)

    # Functions

    def find_extreme(self, values: list[Value], is_max: bool, node: ast.Call) -> Value:
        """The largest or smallest value, the first of equal ones, as Python finds it."""
        if len(values) < 2:
            what = f"{ast.unparse(node)} of one argument"
            self.scope.refuse(node, "PY_CALL", what, "two values and more, or an array")
        best = self.scope.hold_value(values[0])
        relation = ast.Gt if is_max else ast.Lt
        arithmetic = self.conditions.arithmetic
        for each in values[1:]:
            other = self.scope.hold_value(each)
            scalar = self.conditions.find_common_type(best.scalar, other.scalar, node)
            is_better = check_nonzero(arithmetic.compare_values(relation, other, best, node))
            if isinstance(is_better, Number):
                best = other if is_better.pattern else best
                continue
            sides = adapt_value(other, scalar).expression, adapt_value(best, scalar).expression
            operands = (is_better, *sides)
            chosen = Apply(scalar.type, self.scope.locate(node), arith.SelectOp, operands)
            best = self.scope.hold_value(Value(chosen, scalar))
        return best

    def find_magnitude(self, value: Value, node: ast.AST, is_builtin: bool) -> Value:
        """The absolute value."""
        place = self.scope.locate(node)
        if value.known is not None and (is_builtin or value.scalar.rank < 2):
            found = make_constant(abs(value.known), place)
            return found if is_builtin else self.cast_value(found, Scalar(found.scalar.type), node)
        scalar = value.scalar if is_builtin else Scalar(value.scalar.type)
        if scalar.rank == 0:
            self.scope.refuse(node, "PY_TYPE", f"abs of {scalar.name}", "abs of numbers")
        type_, value = scalar.type, adapt_value(value, scalar)
        if isinstance(type_, Float):
            return Value(Apply(type_, place, math.AbsFOp, (value.expression,)), scalar)
        if not type_.signed:
            return value
        zero, number = Number(type_, place, 0), self.scope.hold_value(value).expression
        opposite = Apply(type_, place, arith.SubiOp, (zero, number))
        is_negative = Compare(place, Relation.LT, number, zero)
        return Value(Apply(type_, place, arith.SelectOp, (is_negative, opposite, number)), scalar)

    def apply_float_function(self, values: list[Value], name: str, node: ast.Call) -> Value:
        """The value of a function on floats."""
        place, module, short = self.scope.locate(node), *name.split(".")
        self.check_count(values, 2 if short in OF_TWO else 1, node)
        if module == "math":
            values = [adapt_value(value, PY_FLOAT) for value in values]
        if any(value.scalar.rank != 2 for value in values):
            names = ", ".join(value.scalar.name for value in values)
            what, accepted = (
                f"{ast.unparse(node.func)} of {names}",
                "floats; np.float64(x), np.float32(x)",
            )
            self.scope.refuse(node, "PY_TYPE", what, accepted)
        strong = [value.scalar for value in values if not value.scalar.is_weak]
        scalar = max(strong, key=lambda each: each.type.width) if strong else FLOAT64
        if module == "math":
            scalar = PY_FLOAT
        operands = tuple(adapt_value(value, scalar).expression for value in values)
        if short == "isnan":
            number = self.scope.body.hold_expression(operands[0])
            differs = Compare(place, Relation.NE, number, number)
            return Value(differs, PY_BOOL if module == "math" else BOOL)
        return Value(Apply(scalar.type, place, FLOAT_FUNCTIONS[short], operands), scalar)
