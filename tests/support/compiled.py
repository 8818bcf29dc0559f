"""Circuits that several tests look at, each compiled once in a process."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.dataflow import choose_period
from loom.lower.options import Options

KNOWN: dict[tuple[str, str, str, float | None], Circuit] = {}
"""What was compiled, by text, file's name, options and period: nobody else has these objects."""
DEFAULTS = Options()


def compile_once(text: str, name: str, options: Options = DEFAULTS) -> Circuit:
    """The circuit of a program; its modules are the caller's own, who may change them.

    A test that plants something in the compiler calls `compile_text`, which compiles anew.
    """
    key = text, name, repr(options), choose_period.period_of(options)  # of `no_clock_period` too
    if key not in KNOWN:
        KNOWN[key] = compile_text(text, name, options=options)
    known = KNOWN[key]
    return replace(known, source=known.source.clone(), graph=known.graph.clone())


def compile_example(file: Path, options: Options = DEFAULTS) -> Circuit:
    """The circuit of an example, as by `compile_once`."""
    return compile_once(file.read_text(encoding="utf-8"), file.name, options)
