"""The language of a file, by its name."""

from __future__ import annotations


def is_c(file: str) -> bool:
    """True of the name of a C file."""
    return file.endswith((".c", ".i"))


def is_python(file: str) -> bool:
    """True of the name of a Python file."""
    return file.endswith(".py")


def is_source(file: str) -> bool:
    """True of the name of a file in a language that people write."""
    return is_c(file) or is_python(file)
