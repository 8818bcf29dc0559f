"""Types of parameters and variables, as they stand in the text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from loom.frontend.python.constants import Constants
from loom.frontend.python.state import Form, Shape
from loom.frontend.python.types import PY_BOOL, TYPES, Scalar

ARRAYS = "Annotated[NDArray[np.int32], 30, 30]"


@dataclass(frozen=True)
class Annotations:
    """Reads annotations, and names that stand for types on the file's own level."""

    constants: Constants
    accepted: str = f"{TYPES}, bool, and arrays as {ARRAYS}"

    def scalar(self, node: ast.expr) -> Scalar | None:
        """The type of a number, or None for others."""
        node = self.resolved(node)
        if isinstance(node, ast.Name) and node.id == "bool":
            return PY_BOOL
        return self.constants.dtype(node)

    def resolved(self, node: ast.expr) -> ast.expr:
        """The annotation that a string or a name of the file stands for."""
        source = self.constants.source
        for _ in range(20):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                try:
                    parsed = ast.parse(node.value, mode="eval").body
                except (SyntaxError, ValueError):
                    return node
                for each in ast.walk(parsed):
                    ast.copy_location(each, node)
                node = parsed
            elif (
                isinstance(node, ast.Name)
                and node.id in source.constants
                and node.id not in source.changing
            ):
                node = source.constants[node.id]
            else:
                return node
        return node

    def form(self, node: ast.expr) -> Form:
        """The type of a parameter; refused if it is none that a circuit has (PY_ANNOTATION)."""
        scalar = self.scalar(node)
        if scalar is not None:
            return scalar
        found = self.resolved(node)
        qualified = self.constants.source.qualified
        if isinstance(found, ast.Subscript):
            name = qualified(found.value)
            is_annotated = name in ("typing.Annotated", "typing_extensions.Annotated")
            if is_annotated and isinstance(found.slice, ast.Tuple):
                inner, *sizes = found.slice.elts
                element = self.element(self.resolved(inner))
                if element is not None:
                    return Shape(element, self.constants.sizes(sizes, node))
        what = f"the type {ast.unparse(node)}"
        accepted = self.accepted
        if isinstance(found, ast.Subscript) and self.element(found) is not None:
            what += " without sizes"
            accepted = ARRAYS
        elif isinstance(found, ast.Name) and found.id in ("int", "float"):
            what += ", which has no width"
        return self.constants.refuse(node, "PY_ANNOTATION", what, accepted)

    def element(self, node: ast.expr) -> Scalar | None:
        """The type of the elements of NDArray[np.int32], or None for other types."""
        if not isinstance(node, ast.Subscript):
            return None
        if self.constants.source.qualified(node.value) != "numpy.typing.NDArray":
            return None
        return self.constants.dtype_of(node.slice)

    def results(self, node: ast.expr | None) -> list[Scalar] | None:
        """The types that a function says it gives, or None if it does not say."""
        if node is None:
            return None
        node = self.resolved(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return []
        nodes = [node]
        match node:
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple() as several):
                nodes = several.elts
            case ast.Subscript(value=ast.Name(id="tuple")):
                nodes = [node.slice]
        found = [self.scalar(each) for each in nodes]
        for each, scalar in zip(nodes, found, strict=True):
            if scalar is None:
                what = f"the result type {ast.unparse(each)}"
                accepted = f"{TYPES}, bool, a tuple of these, and None"
                self.constants.refuse(each, "PY_ANNOTATION", what, accepted)
        return [scalar for scalar in found if scalar is not None]
