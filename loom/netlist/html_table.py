"""A small table for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def html_table(caption: str, rows: Iterable[tuple[str, str]]) -> str:
    """A table of two columns, a name and its value a row; every text is escaped."""
    lines = [
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows
    ]
    return f"<table><caption>{escape(caption)}</caption>{''.join(lines)}</table>"


def count(number: int, thing: str) -> str:
    """The number and the thing, in the plural where it must be."""
    if number == 1:
        return f"1 {thing}"
    return f"{number} {thing[:-1]}ies" if thing.endswith("y") else f"{number} {thing}s"
