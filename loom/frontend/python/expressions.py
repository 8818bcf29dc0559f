"""Expressions of Python: values in the order in which Python evaluates them."""

from __future__ import annotations

import ast

from loom.frontend.python.arithmetic import Arithmetic
from loom.frontend.python.calls import Calls, FunctionReader
from loom.frontend.python.conditions import Conditions
from loom.frontend.python.library import Library
from loom.frontend.python.places import Places
from loom.frontend.python.scope import Scope
from loom.frontend.python.values import Value, make_constant
from loom.frontend.python.whole_arrays import WholeArrays

INSTEAD: dict[type[ast.expr], tuple[str, str]] = {
    ast.ListComp: ("a list comprehension", "a loop that fills an array"),
    ast.SetComp: ("a set comprehension", "arrays"),
    ast.DictComp: ("a dict comprehension", "arrays"),
    ast.GeneratorExp: ("a generator", "a loop"),
    ast.Lambda: ("a lambda", "a function of the file"),
    ast.JoinedStr: ("a string", "numbers"),
    ast.Dict: ("a dict", "arrays"),
    ast.Set: ("a set", "arrays"),
    ast.List: ("a list", "np.zeros, np.array"),
    ast.Tuple: ("a tuple as a value", "a tuple that is assigned at once, returned or looped over"),
    ast.Await: ("await", "functions without it"),
    ast.Yield: ("yield", "an array that the kernel fills"),
    ast.YieldFrom: ("yield", "an array that the kernel fills"),
    ast.Slice: ("a slice", "a loop over the elements"),
    ast.Starred: ("a starred expression", "each value by its name"),
}
"""Names of expressions that no circuit has, and what is accepted instead."""


class Expressions:
    """Reads the values of expressions; each part reads one kind and calls back for those inside."""

    def __init__(self, scope: Scope, functions: FunctionReader) -> None:
        self.scope = scope
        self.arithmetic = Arithmetic(scope)
        self.conditions = Conditions(scope, self.arithmetic, self)
        self.places = Places(scope, self)
        library = Library(scope, self.conditions, self.places, self)
        self.whole = WholeArrays(scope, self.arithmetic, self.places, self, library.cast_value)
        self.calls = Calls(scope, library, self.places, self.whole, self, functions)
        self.library = library

    def read_value(self, node: ast.expr) -> Value:
        """The value of a scalar expression; the statements that it needs are in the scope."""
        with self.scope.enter_level(node):
            value = self.read_kind(node)
        self.scope.record_type(node, value.scalar)
        return value

    def read_values(self, *nodes: ast.expr) -> list[Value]:
        """The values of expressions that are evaluated one after the other."""
        return self.scope.body.read_in_order(nodes, self.read_value, self.scope.hold_value)

    def read_kind(self, node: ast.expr) -> Value:
        """The value, by the kind of the expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() as known):
                return make_constant(known, self.scope.locate(node))
            case ast.Constant():
                what = f"the constant {ast.unparse(node)}"
                self.scope.refuse(node, "PY_EXPRESSION", what, "numbers, True and False")
            case ast.Name() | ast.Subscript() | ast.Attribute():
                return self.read_place(node)
            case ast.UnaryOp(op=ast.Not()):
                return self.conditions.read_negation(node)
            case ast.UnaryOp():
                value = self.read_value(node.operand)
                return self.arithmetic.apply_unary(type(node.op), value, node)
            case ast.BinOp(op=ast.MatMult()):
                return self.whole.multiply_vectors(node)
            case ast.BinOp():
                return self.read_binary(node)
            case ast.Compare():
                return self.conditions.read_comparison(node)
            case ast.BoolOp():
                return self.conditions.read_deciding_operand(node)
            case ast.IfExp():
                return self.conditions.read_conditional(node)
            case ast.NamedExpr():
                value, name = self.read_value(node.value), node.target.id
                self.scope.symbols.assign_variable(name, value, node)
                return self.scope.hold_value(self.scope.symbols.read_variable(name, node))
            case ast.Call():
                values = self.calls.read_call(node)
                if len(values) == 1:
                    return values[0]
                what = f"a call that returns {len(values)} values"
                self.scope.refuse(node, "PY_EXPRESSION", what, "calls that return one value here")
        default = (f"the expression {ast.unparse(node)}", "numbers")
        what, accepted = INSTEAD.get(type(node), default)
        self.scope.refuse(node, "PY_EXPRESSION", what, accepted)

    def read_binary(self, node: ast.BinOp) -> Value:
        """An operator of two operands; operators one after the other do not nest."""
        outer = [node]
        while isinstance(inner := outer[-1].left, ast.BinOp) and not is_product(inner):
            outer.append(inner)
        value = self.read_value(outer[-1].left)
        for each in reversed(outer):
            mark = self.scope.body.mark()
            right = self.read_value(each.right)
            left = self.scope.body.hold_at(mark, self.scope.hold_value, value)
            value = self.arithmetic.apply_binary(type(each.op), left, right, each)
            self.scope.record_type(each, value.scalar)
        return value

    def read_place(self, node: ast.Name | ast.Subscript | ast.Attribute) -> Value:
        """The value of a variable, a constant, an element or a size."""
        size = self.places.find_size(node)
        if size is not None:
            return make_constant(size, self.scope.locate(node))
        array = self.places.find_array(node)
        if array is None:
            return self.read_name(node)
        if array.shape:
            what = f"the array {ast.unparse(node)} as a value"
            accepted = "elements of arrays; a loop over them"
            self.scope.refuse(node, "PY_EXPRESSION", what, accepted)
        return array.load(self.scope.locate(node))

    def read_name(self, node: ast.expr) -> Value:
        """The value of a name that is no array."""
        if not isinstance(node, ast.Name):
            what = f"the expression {ast.unparse(node)}"
            accepted = "numbers, and elements of arrays"
            if isinstance(node, ast.Attribute) and node.attr == "shape":
                accepted = "a.shape[0], len(a)"
            self.scope.refuse(node, "PY_EXPRESSION", what, accepted)
        symbols = self.scope.symbols
        bound = symbols.bound.get(node.id)
        if isinstance(bound, Value):
            return bound
        if node.id in symbols.local_names:
            return symbols.read_variable(node.id, node)
        value = self.scope.program.constants.find(node.id, node)
        assert isinstance(value, Value)
        if value.known is not None:
            return make_constant(value.known, self.scope.locate(node))
        return value


def is_product(node: ast.BinOp) -> bool:
    """True for the product of matrices."""
    return isinstance(node.op, ast.MatMult)
