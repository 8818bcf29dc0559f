"""Templates of the tools: SystemVerilog with Jinja2."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


@cache
def environment(folder: Path) -> Environment:
    """The Jinja2 environment of the templates in a folder; an unknown name is an error."""
    return Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        autoescape=False,  # the output is SystemVerilog, not HTML
        keep_trailing_newline=True,
    )
