"""A clock period of its own for each random program."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError
from loom.front.api import compile_module
from loom.front.circuit import Circuit
from loom.lower.options import Options

PERIODS = 6.0, 20.0
"""The shortest and the longest clock period [ns]."""


def draw_period(seed: int) -> float | None:
    """A random clock period [ns]; every eighth circuit has none."""
    draw = Random(f"clock period {seed}")
    return None if draw.randrange(8) == 0 else round(draw.uniform(*PERIODS), 1)


def compile_at(module: ModuleOp, options: Options, top: str | None = None) -> Circuit:
    """The circuit of a program, at the default period if the chosen one is too short for it."""
    try:
        return compile_module(module, top=top, options=options)
    except LoomError as error:
        if error.code != "LOWER_CLOCK_PERIOD":
            raise
    return compile_module(module, top=top, options=replace(options, clock_period="default"))
