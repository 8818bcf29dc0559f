"""The names of a function: what they stand for, and the types of its variables."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from loom.errors import LoomError
from loom.frontend.imperative.body_writer import BodyWriter
from loom.frontend.imperative.tree import Assign, Read, Variable
from loom.frontend.python.diagnostics import Diagnostics
from loom.frontend.python.types import PY_INT, Scalar, unify_types
from loom.frontend.python.values import Array, Named, Value, adapt_value

RESULT = "return "
"""The beginning of the variables that stand for results: no name of a program has a blank."""


def name_result(number: int) -> str:
    """The name of the variable that stands for a result, the first one being 0."""
    return f"{RESULT}{number}"


@dataclass
class Symbols:
    """Names in one reading of a function; `assumed` are the types that the last reading found.

    A variable has one type, in which all its values are: the first reading of a function finds
    it, and the following ones compute in it.
    """

    diagnostics: Diagnostics
    body: BodyWriter
    local_names: frozenset[str]
    """The names that the function assigns, and its parameters."""
    assumed: dict[str, Scalar] = field(default_factory=dict)
    inferred: dict[str, Scalar] = field(default_factory=dict)
    """The types that variables have had values of."""
    bound: dict[str, Named] = field(default_factory=dict)
    """What names stand for that are no variables: arrays, parameters that nothing assigns."""
    variables: dict[str, Variable] = field(default_factory=dict)
    conflicts: list[LoomError] = field(default_factory=list)
    """The variables with values of types that do not mix."""

    def infer_type(self, name: str, scalar: Scalar, node: ast.AST) -> Scalar:
        """The type of a variable that has a value of this type, too."""
        unified = unify_types(self.inferred.get(name), scalar)
        if unified is None:
            before = self.inferred[name].name
            subject = "the result" if name.startswith(RESULT) else name
            what = f"{subject}, which is {before} above and {scalar.name} here"
            accepted = f"one type for a variable; a name of its own, or {before}(..)"
            place = self.diagnostics.locate(node)
            self.conflicts.append(LoomError("PY_TYPE", place, what, accepted))
        else:
            self.inferred[name] = unified
        return self.assumed.get(name) or self.inferred[name]

    def assign_variable(self, name: str, value: Value, node: ast.AST) -> None:
        """The variable has the value from here on."""
        if name in self.bound:
            what, accepted = f"{name}, an array, as a number", "another name"
            self.diagnostics.refuse(node, "PY_TYPE", what, accepted)
        scalar = self.infer_type(name, value.scalar, node)
        expression = adapt_value(value, scalar).expression
        variable = self.find_variable(name, scalar)
        self.body.append(Assign(self.diagnostics.locate(node), variable, expression))

    def read_variable(self, name: str, node: ast.AST) -> Value:
        """The value of the variable."""
        scalar = self.assumed.get(name) or self.inferred.get(name) or PY_INT
        variable = self.find_variable(name, scalar)
        return Value(Read(scalar.type, self.diagnostics.locate(node), variable), scalar)

    def find_variable(self, name: str, scalar: Scalar) -> Variable:
        """The variable of this name, which is of this type."""
        variable = self.variables.get(name)
        if variable is None or variable.type != scalar.type:
            variable = self.body.make_variable(name, scalar.type)
            self.variables[name] = variable
        return variable

    def bind_array(self, name: str, array: Array, node: ast.AST) -> None:
        """The name stands for the array from here on; it stood for nothing before."""
        if name in self.bound or name in self.inferred:
            what = f"the name {name} for a second array"
            self.diagnostics.refuse(node, "PY_TYPE", what, "a name for each array")
        self.bound[name] = array
