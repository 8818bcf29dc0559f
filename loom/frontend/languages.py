"""The languages that LOOM reads, and which one the name of a file stands for."""

from __future__ import annotations

from typing import Literal, get_args

Language = Literal["mlir", "c", "python"]
"""MLIR is also that of graphs; netlists, which are JSON, count as MLIR."""
LANGUAGES: tuple[Language, ...] = get_args(Language)

SUFFIXES: dict[str, Language] = {".c": "c", ".i": "c", ".py": "python"}
"""Ends of file names; any other stands for MLIR."""


def language_of(file: str) -> Language:
    """The language that the name of a file stands for."""
    return next((each for end, each in SUFFIXES.items() if file.endswith(end)), "mlir")
