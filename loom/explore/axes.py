"""Axes: an option, and the values that it takes. Their product is the points of an exploration."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import product
from math import prod
from pathlib import Path

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from loom.analysis.program.trip_counts import constant_of
from loom.analysis.timing.targets import find_target
from loom.dialects.facts.places import place_of
from loom.errors import LoomError, Place, nearest
from loom.lower.loops.unroll_loops import is_innermost
from loom.regress.settings import options_by_name, set_option

OPTIONS = (
    "style", "schedule", "widths", "zero-trip", "unroll", "unroll-below", "interleave",
    "partial-sums", "latency", "divider", "share", "dsp", "lean", "partition", "ports", "memory",
    "memory-order", "array-order", "clock-period", "buffers",
)  # fmt: skip
"""What may be an axis: options about the circuit, of which each point has its own."""
INDEXED = {"unroll": "=", "partition": ":", "ports": ":", "latency": "=", "memory": ":",
           "array-order": ":"}  # fmt: skip
"""Options of a line, an array or an operator, which an axis names before a colon; what the option
has between that and the value."""
ABSENT = {"unroll": ("1", "none"), "partition": ("none",), "ports": ("none",),
          "latency": ("none",), "memory": ("none",), "partial-sums": ("none",),
          "array-order": ("none",)}  # fmt: skip
"""Values that stand for the kernel without the option."""
OVER = Place("--over")
MOST_POINTS = 10_000
SHARES = (0.8, 1.0, 1.25)
"""Clock periods of the default axis, as shares of the target's."""
FACTORS, SHORT, LOOPS = (1, 2, 4), 16, 2
"""Of default axes: unroll factors, most iterations of a loop to unroll fully, loops."""


@dataclass(frozen=True)
class Axis:
    """The values of an option; `index` is its line, array or operator, if it has such."""

    option: str
    index: str
    values: tuple[str, ...]

    @property
    def name(self) -> str:
        """How tables call the axis."""
        return f"{self.option} {self.index}" if self.index else self.option

    def setting(self, value: str) -> str | None:
        """The value as the option takes it; None: the option is left out."""
        if value in ABSENT.get(self.option, ()):
            return None
        return f"{self.index}{INDEXED[self.option]}{value}" if self.index else value

    def __str__(self) -> str:
        index = f"{self.index}:" if self.index else ""
        return f"{self.option}={index}{','.join(self.values)}"


@dataclass(frozen=True)
class Point:
    """One value of each axis, and the options of `loom sim` with them."""

    values: tuple[tuple[str, str], ...]
    words: tuple[str, ...]
    """The same as arguments of the command."""
    options: argparse.Namespace

    @property
    def label(self) -> str:
        """The values as a text."""
        return " ".join(f"{name}={value}" for name, value in self.values) or "as it is"


def read_axis(text: str) -> Axis:
    """The axis of a text such as ``clock-period=8,10`` or ``unroll=9:1,4,full``.

    Values are parted by commas, or by bars where they have commas themselves. Refused:
    EXPLORE_AXIS, CLI_VALUE.
    """
    option, equals, rest = text.partition("=")
    option = option.replace("_", "-")
    if option not in OPTIONS:
        near = nearest(option, OPTIONS)
        accepted = f"{', '.join(OPTIONS)}" + (f"; {near}" if near else "")
        raise LoomError("EXPLORE_AXIS", OVER, f"the axis {option!r}", accepted)
    index = ""
    if option in INDEXED:
        index, _, rest = rest.partition(":")
    values = [value.strip() for value in rest.split("|" if "|" in rest else ",")]
    if not equals or not all(values) or (option in INDEXED and not index):
        example = "unroll=9:1,4,full" if option in INDEXED else "clock-period=8,10,12"
        raise LoomError("EXPLORE_AXIS", OVER, repr(text), f"NAME=VALUES, such as {example}")
    found = Axis(option, index, tuple(dict.fromkeys(values)))
    check_values(found)
    return found


def check_values(axis: Axis) -> None:
    """Return if the option takes each value (CLI_VALUE)."""
    scratch = argparse.Namespace()
    for value in axis.values:
        setting = axis.setting(value)
        if setting is not None:
            set_option(scratch, axis.option, setting, Place(f"--over {axis.name}"), Path())


def points_of(axes: Sequence[Axis], options: argparse.Namespace) -> list[Point]:
    """Every combination of values, over the options that hold for all.

    Refused (EXPLORE_AXIS): more than `MOST_POINTS`.
    """
    count = count_of(axes)
    if count > MOST_POINTS:
        raise LoomError("EXPLORE_AXIS", OVER, f"{count} points", f"up to {MOST_POINTS} points")
    return [point_of(axes, values, options) for values in product(*(a.values for a in axes))]


def count_of(axes: Sequence[Axis]) -> int:
    """How many points the axes have."""
    return prod(len(axis.values) for axis in axes)


def require_different(axes: Sequence[Axis]) -> None:
    """Return if no axis is there twice (EXPLORE_AXIS)."""
    names = [axis.name for axis in axes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise LoomError("EXPLORE_AXIS", OVER, f"the axis {twice!r} twice", "each axis once")


def point_of(axes: Sequence[Axis], values: Sequence[str], options: argparse.Namespace) -> Point:
    """The point of one value of each axis."""
    chosen = copy(options)
    words: list[str] = []
    settings: dict[str, list[str]] = {}
    for axis, value in zip(axes, values, strict=True):
        setting = axis.setting(value)
        if setting is not None:
            settings.setdefault(axis.option, []).append(setting)
            words += [f"--{axis.option}", setting]
    for option, listed in settings.items():
        action = options_by_name()[option]
        before = getattr(chosen, action.dest)
        several = isinstance(action.default, list)
        set_option(chosen, option, listed if several else listed[0], OVER, Path())
        if several:
            setattr(chosen, action.dest, [*before, *getattr(chosen, action.dest)])
    named = zip((axis.name for axis in axes), values, strict=True)
    return Point(tuple(named), tuple(words), chosen)


def default_axes(source: ModuleOp, options: argparse.Namespace) -> list[Axis]:
    """The axes of a kernel for which none are given.

    They are clock periods around that of the target, both styles, and the unroll factors of the
    longest innermost loops whose trip count is constant. An option that is given is no axis.
    """
    axes: list[Axis] = []
    if options.clock_period == "default":
        period = find_target(options.target).period
        axes.append(Axis("clock-period", "", tuple(f"{share * period:g}" for share in SHARES)))
    if options.style is None:
        axes.append(Axis("style", "", ("dynamic", "static")))
    loops = [] if options.unroll or options.unroll_below else list(counted_loops(source))
    longest = sorted(loops, key=lambda loop: -loop[1])[:LOOPS]
    for line, count in sorted(longest):
        factors = [str(factor) for factor in FACTORS if factor < count]
        full = ["full"] if count <= SHORT else []
        axes.append(Axis("unroll", str(line), (*factors, *full)))
    return axes


def counted_loops(source: ModuleOp) -> Iterator[tuple[int, int]]:
    """Line and trip count of the innermost loops of more than one iteration, each line once."""
    seen: set[int] = set()
    for loop in source.walk():
        if not isinstance(loop, scf.ForOp) or not is_innermost(loop):
            continue
        first, end, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        line = place_of(loop).line
        if first is None or end is None or not step or line in seen or not line:
            continue
        count = len(range(first, end, step))
        if count > 1:
            seen.add(line)
            yield line, count
