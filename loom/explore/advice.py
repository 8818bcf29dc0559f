"""Advice: options that would make a circuit faster, and by how much, from the models."""

from __future__ import annotations

import argparse
import io
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, SSAValue

from loom.analysis.timing.targets import find_target
from loom.dialects.facts.arrays import Array, arrays_of, maker_of
from loom.dialects.facts.places import place_of
from loom.explore.axes import FACTORS, LOOPS, SHARES, SHORT, Axis, counted_loops, point_of
from loom.explore.front import Result, mark_front
from loom.explore.kernel import require_file, require_program
from loom.front.request import Request
from loom.regress.case import Case
from loom.regress.row_store import store_at
from loom.regress.settings import choices_of
from loom.regress.workers import rows_of

GAIN = 0.05
"""By what share of its time the circuit must be faster for an option to be named."""
MOST = 4
"""Options that are named."""
Settings = list[tuple[Axis, str]]


def advise(options: argparse.Namespace, request: Request) -> Advice:
    """What would make the circuit of the options faster; none of it is beaten in time and LUT4.

    Refused: a graph (INPUT_KIND), and standard input (INPUT_UNREADABLE).
    """
    require_file(request)
    source = require_program(request)
    chosen = choices_of(options).options
    chosen.file, chosen.files = options.file, options.files
    tried: list[Settings] = [[], *settings_of(source, chosen)]
    points = [point_of([axis for axis, _ in each], [value for _, value in each], chosen)
              for each in tried]  # fmt: skip
    cases = [Case(point.label, Path(options.file).name, point.options) for point in points]
    with redirect_stderr(io.StringIO()):
        rows = rows_of(cases, os.cpu_count() or 1, store_at(None), mode="model", again=False)
    before, *others = map(Result, points, rows)
    most = 0.0 if before.time is None else (1 - GAIN) * before.time
    front = [each for each in mark_front(others, {"time": most}) if each.is_on_front]
    return Advice(before, tuple(sorted(front, key=lambda each: each.time or 0.0)[:MOST]))


def settings_of(source: ModuleOp, options: argparse.Namespace) -> Iterator[Settings]:
    """What may help: loops unrolled, with the arrays in them partitioned or not; period; order;
    style."""
    dynamic = [setting("style", "dynamic")] if options.style == "static" else []  # has banks
    loops = sorted(counted_loops(source), key=lambda loop: -loop[1])[:LOOPS]
    for line, count in loops:
        arrays = list(arrays_in(source, line))
        factors = [each for each in FACTORS[1:] if each < count]
        for factor in (*factors, *([count] if count <= SHORT else [])):
            value = "full" if factor == count else str(factor)
            unroll = (setting("unroll", value, str(line)),)
            yield list(unroll)
            if arrays:
                parts = [setting("partition", f"cyclic:{factor}", name) for name in arrays]
                yield [*unroll, *parts, *dynamic]
    period = options.clock_period
    if not isinstance(period, float):
        period = find_target(options.target).period
    for share in SHARES:
        if share != 1:
            yield [setting("clock-period", f"{share * period:g}")]
    if options.memory_order != "comparators":
        yield [setting("memory-order", "comparators")]
    for style in ("dynamic", "static"):
        if options.style != style:
            yield [setting("style", style)]


def setting(option: str, value: str, index: str = "") -> tuple[Axis, str]:
    """One value of an option."""
    return Axis(option, index, (value,)), value


def arrays_in(source: ModuleOp, line: int) -> Iterator[str]:
    """The names of the arrays that the loops of a line read or write, each once."""
    known = list(arrays_of(source))
    seen: set[str] = set()
    for loop in source.walk():
        if not isinstance(loop, scf.ForOp) or place_of(loop).line != line:
            continue
        for operation in loop.walk():
            if isinstance(operation, memref.LoadOp | memref.StoreOp):
                name = name_of(operation.memref, known, source)
                if name and name not in seen:
                    seen.add(name)
                    yield name


def name_of(memory: SSAValue, known: Sequence[Array], source: ModuleOp) -> str:
    """What `--partition` calls the array; empty of one that it has no name for."""
    if isinstance(memory, BlockArgument):
        function = memory.block.parent_op()
        makers = (array.name for array in known
                  if array.maker is function and array.argument == memory.index)  # fmt: skip
    else:
        maker = maker_of(memory, source)
        makers = (array.name for array in known if array.maker is maker)
    return next(makers, "")


@dataclass(frozen=True)
class Advice:
    """The circuit by the models, and those of settings that are faster, the fastest first."""

    now: Result
    better: tuple[Result, ...]

    def lines(self) -> Iterator[str]:
        """The advice for a terminal."""
        now, row = self.now, self.now.row
        yield ""
        if now.time is None:
            yield "advice: none, the models give this run no time"
            return
        start = f"{now.cycles} cycles, {now.time:.3f} us, {row.luts} LUT4"
        if not self.better:
            yield f"advice: nothing that was tried takes {100 * GAIN:g} % less time than {start}"
            return
        yield f"advice, by the timed model and estimates, instead of {start}:"
        for each in self.better:
            assert each.time is not None
            yield (
                f"  {shlex.join(each.point.words)}: {each.cycles} cycles, {each.time:.3f} us "
                f"({100 * (each.time / now.time - 1):+.0f} %), {each.row.luts} LUT4"
            )

    def to_json(self) -> dict[str, Any]:
        """The advice as a JSON object."""
        better = [each.to_json() for each in self.better]
        return {"now": self.now.to_json(), "better": better}
