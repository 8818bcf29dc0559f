"""Annotations: the types of parameters, variables and results."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from loom.dialects.facts.memory_choices import MemoryChoice, parse_memory
from loom.frontend.python.constants import Constants
from loom.frontend.python.types import PY_BOOL, TYPES, ArgumentType, ArrayType, Scalar

ARRAYS = "Annotated[NDArray[np.int32], 30, 30]"


@dataclass(frozen=True)
class Annotations:
    """Reads annotations, and names that stand for types on the file's own level."""

    constants: Constants
    accepted: str = f"{TYPES}, bool, and arrays as {ARRAYS}"

    def find_scalar(self, node: ast.expr) -> Scalar | None:
        """The type of a number, or None for others."""
        node = self.resolve(node)
        if isinstance(node, ast.Name) and node.id == "bool":
            return PY_BOOL
        return self.constants.find_dtype(node)

    def resolve(self, node: ast.expr) -> ast.expr:
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
                and node.id not in source.reassigned
            ):
                node = source.constants[node.id]
            else:
                return node
        return node

    def read_argument_type(self, node: ast.expr) -> ArgumentType:
        """The type of a parameter; refused if it is none that a circuit has (PY_ANNOTATION)."""
        scalar = self.find_scalar(node)
        if scalar is not None:
            return scalar
        found = self.resolve(node)
        qualify = self.constants.source.qualify
        if isinstance(found, ast.Subscript):
            name = qualify(found.value)
            is_annotated = name in ("typing.Annotated", "typing_extensions.Annotated")
            if is_annotated and isinstance(found.slice, ast.Tuple):
                inner, *sizes = found.slice.elts
                element = self.find_element(self.resolve(inner))
                if element is not None:
                    memory = self.read_memory(sizes)
                    sizes = sizes[:-1] if memory else sizes
                    return ArrayType(element, self.constants.evaluate_sizes(sizes, node), memory)
        what = f"the type {ast.unparse(node)}"
        accepted = self.accepted
        if isinstance(found, ast.Subscript) and self.find_element(found) is not None:
            what += " without sizes"
            accepted = ARRAYS
        elif isinstance(found, ast.Name) and found.id in ("int", "float"):
            what += ", which has no width"
        return self.constants.diagnostics.refuse(node, "PY_ANNOTATION", what, accepted)

    def read_memory(self, sizes: Sequence[ast.expr]) -> str:
        """The memory that stands behind the sizes as a text; refused if there is none so called."""
        last = sizes[-1] if sizes else None
        if not isinstance(last, ast.Constant) or not isinstance(last.value, str):
            return ""
        found = parse_memory(last.value)
        if not isinstance(found, MemoryChoice):
            what, accepted = found
            self.constants.diagnostics.refuse(last, "PY_ANNOTATION", what, accepted)
        return str(found)

    def find_element(self, node: ast.expr) -> Scalar | None:
        """The type of the elements of NDArray[np.int32], or None for other types."""
        if not isinstance(node, ast.Subscript):
            return None
        if self.constants.source.qualify(node.value) != "numpy.typing.NDArray":
            return None
        return self.constants.read_dtype(node.slice)

    def read_results(self, node: ast.expr | None) -> list[Scalar] | None:
        """The annotated types of a function's results, or None if there are none."""
        if node is None:
            return None
        node = self.resolve(node)
        if isinstance(node, ast.Constant) and node.value is None:
            return []
        nodes = [node]
        match node:
            case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple() as several):
                nodes = several.elts
            case ast.Subscript(value=ast.Name(id="tuple")):
                nodes = [node.slice]
        found = [self.find_scalar(each) for each in nodes]
        for each, scalar in zip(nodes, found, strict=True):
            if scalar is None:
                what = f"the result type {ast.unparse(each)}"
                accepted = f"{TYPES}, bool, a tuple of these, and None"
                self.constants.diagnostics.refuse(each, "PY_ANNOTATION", what, accepted)
        return [scalar for scalar in found if scalar is not None]
