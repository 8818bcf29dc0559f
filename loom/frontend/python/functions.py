"""Functions of Python, NumPy and math that are operations of a circuit."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.ir import Operation

from loom.frontend.imperative.tree import Apply, Compare, Number, Relation
from loom.frontend.imperative.types import Float
from loom.frontend.python.expressions import Expressions
from loom.frontend.python.types import (
    BOOL,
    FLOAT64,
    NUMPY,
    PY_BOOL,
    PY_FLOAT,
    PY_INT,
    Scalar,
)
from loom.frontend.python.values import Value, adapt, constant, converted, truth

OF_FLOATS: dict[str, type[Operation]] = {
    "sqrt": math.SqrtOp,
    "fabs": math.AbsFOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
    "trunc": math.TruncOp,
    "rint": math.RoundEvenOp,
    "copysign": math.CopySignOp,
}
"""Functions of NumPy on floats that have one right result."""
NUMPYS = frozenset({f"numpy.{name}" for name in (*OF_FLOATS, "abs", "absolute", "isnan")})
MATHS = frozenset({"math.sqrt", "math.fabs", "math.copysign", "math.isnan"})
CASTS: dict[str, Scalar] = {"int": PY_INT, "float": PY_FLOAT, "bool": PY_BOOL}
BUILTINS = frozenset({*CASTS, "abs", "min", "max", "len"})
ACCEPTED = (
    "functions of the file, abs, bool, float, int, len, max, min, range, casts such as np.int32, "
    + ", ".join(sorted(name.replace("numpy", "np") for name in (*NUMPYS, *MATHS)))
)


@dataclass
class Functions(Expressions):
    """Reads calls of functions that stand in no file."""

    def of_library(self, node: ast.Call, name: str) -> Value:
        """The value of a function that the library has, by its full name."""
        if node.keywords:
            what = f"the argument {node.keywords[0].arg} of {ast.unparse(node.func)}"
            self.refuse(node, "PY_CALL", what, "arguments without names here")
        module, _, short = name.rpartition(".")
        if name == "len":
            return self.length(node)
        values = self.in_order(*node.args)
        if name in CASTS or (module == "numpy" and short in NUMPY):
            scalar = CASTS.get(name) or NUMPY[short]
            return self.cast(self.only(values, node), scalar, node)
        if name in ("min", "max"):
            return self.extreme(values, name == "max", node)
        if name in ("abs", "numpy.abs", "numpy.absolute"):
            return self.magnitude(self.only(values, node), node, is_own=name == "abs")
        return self.of_floats(values, name, node)

    def only(self, values: list[Value], node: ast.Call) -> Value:
        """The only argument."""
        if len(values) != 1:
            what = f"{len(values)} arguments of {ast.unparse(node.func)}"
            self.refuse(node, "PY_CALL", what, "one argument")
        return values[0]

    def length(self, node: ast.Call) -> Value:
        """The size of an array's first dimension."""
        found = self.array(node.args[0]) if len(node.args) == 1 else None
        if found is None or not found.shape:
            self.refuse(node, "PY_CALL", ast.unparse(node), "len of an array")
        return constant(found.shape[0], self.place(node))

    def cast(self, value: Value, scalar: Scalar, node: ast.AST) -> Value:
        """The value in another type, as NumPy and Python convert."""
        place, known, type_ = self.place(node), value.known, scalar.type
        if known is not None:
            if scalar.rank == 1 and isinstance(known, float):
                if known != known or known in (float("inf"), float("-inf")):
                    accepted = "numbers that an integer has"
                    self.refuse(node, "PY_OVERFLOW", f"{known} as {scalar.name}", accepted)
                known = int(known)
            if scalar.is_weak:
                number = (bool, int, float)[scalar.rank](known)
                return constant(number, place)
            return adapt(constant(known, place), scalar)
        if scalar.rank == 0:
            return Value(truth(value), scalar)
        return Value(converted(value.expression, type_), scalar)

    def as_type(self, node: ast.Call, inner: ast.expr) -> Value:
        """x.astype(np.int32): the value in another type."""
        value = self.value(inner)
        if len(node.args) != 1 or node.keywords or value.scalar.is_weak:
            what = f"the call {ast.unparse(node)}"
            self.refuse(node, "PY_CALL", what, "x.astype(np.int32) of a number of NumPy's")
        return self.cast(value, self.program.constants.dtype_of(node.args[0]), node)

    def extreme(self, values: list[Value], is_max: bool, node: ast.Call) -> Value:
        """The largest or smallest value, the first of equal ones, as Python finds it."""
        if len(values) < 2:
            what = f"{ast.unparse(node)} of one argument"
            self.refuse(node, "PY_CALL", what, "two values and more; a loop over the array")
        best = self.kept(values[0])
        for each in values[1:]:
            other = self.kept(each)
            scalar = self.joined(best.scalar, other.scalar, node)
            kind = ast.Gt if is_max else ast.Lt
            holds = truth(self.compare(kind, other, best, node))
            if isinstance(holds, Number):
                best = other if holds.pattern else best
                continue
            sides = adapt(other, scalar).expression, adapt(best, scalar).expression
            operands = (holds, *sides)
            chosen = Apply(scalar.type, self.place(node), arith.SelectOp, operands)
            best = self.kept(Value(chosen, scalar))
        return best

    def magnitude(self, value: Value, node: ast.AST, is_own: bool) -> Value:
        """The absolute value."""
        place = self.place(node)
        if value.known is not None and (is_own or value.scalar.rank < 2):
            found = constant(abs(value.known), place)
            return found if is_own else self.cast(found, Scalar(found.scalar.type), node)
        scalar = value.scalar if is_own else Scalar(value.scalar.type)
        if scalar.rank == 0:
            self.refuse(node, "PY_TYPE", f"abs of {scalar.name}", "abs of numbers")
        type_, value = scalar.type, adapt(value, scalar)
        if isinstance(type_, Float):
            return Value(Apply(type_, place, math.AbsFOp, (value.expression,)), scalar)
        if not type_.signed:
            return value
        zero, kept = Number(type_, place, 0), self.kept(value).expression
        opposite = Apply(type_, place, arith.SubiOp, (zero, kept))
        below = Compare(place, Relation.LT, kept, zero)
        return Value(Apply(type_, place, arith.SelectOp, (below, opposite, kept)), scalar)

    def of_floats(self, values: list[Value], name: str, node: ast.Call) -> Value:
        """The value of a function on floats."""
        place, module, short = self.place(node), *name.split(".")
        wanted = 2 if short == "copysign" else 1
        if len(values) != wanted:
            what = f"{len(values)} arguments of {ast.unparse(node.func)}"
            self.refuse(node, "PY_CALL", what, f"{wanted} of them")
        if module == "math":
            values = [adapt(value, PY_FLOAT) for value in values]
        if any(value.scalar.rank != 2 for value in values):
            names = ", ".join(value.scalar.name for value in values)
            accepted = "floats; np.float64(x), np.float32(x)"
            self.refuse(node, "PY_TYPE", f"{ast.unparse(node.func)} of {names}", accepted)
        strong = [value.scalar for value in values if not value.scalar.is_weak]
        scalar = max(strong, key=lambda each: each.type.width) if strong else FLOAT64
        if module == "math":
            scalar = PY_FLOAT
        operands = tuple(adapt(value, scalar).expression for value in values)
        if short == "isnan":
            kept = self.kept_expression(operands[0])
            made = Compare(place, Relation.NE, kept, kept)
            return Value(made, PY_BOOL if module == "math" else BOOL)
        return Value(Apply(scalar.type, place, OF_FLOATS[short], operands), scalar)
