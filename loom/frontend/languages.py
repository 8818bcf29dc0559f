"""The language of a file, by its name."""

from __future__ import annotations


def is_c(file: str) -> bool:
    """True of the name of a C file."""
    return file.endswith((".c", ".i"))
