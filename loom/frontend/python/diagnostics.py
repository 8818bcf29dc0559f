"""Refusals with their places in a Python file."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import NoReturn

from loom.errors import LoomError, Place


def locate_node(node: ast.AST, file: str) -> Place:
    """Where the node begins."""
    return Place(file, getattr(node, "lineno", 1), getattr(node, "col_offset", 0) + 1)


def make_depth_error(place: Place) -> LoomError:
    """The refusal of a text that nests deeper than Python's recursion can follow."""
    what = "statements, expressions or calls nested too deep"
    accepted = "nests as deep as Python's recursion limit lets LOOM follow"
    return LoomError("PY_TOO_DEEP", place, what, accepted)


@dataclass(frozen=True)
class Diagnostics:
    """Locates and refuses nodes of one file."""

    file: str

    def locate(self, node: ast.AST) -> Place:
        """Where the node begins."""
        return locate_node(node, self.file)

    def refuse(self, node: ast.AST, code: str, what: str, accepted: str) -> NoReturn:
        """The construct is not accepted."""
        raise LoomError(code, self.locate(node), what, accepted)

    def refuse_depth(self, node: ast.AST) -> NoReturn:
        """The node is nested too deep."""
        raise make_depth_error(self.locate(node))
