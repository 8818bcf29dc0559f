"""``python -m tools.styles.choices``: what `--style auto` takes of every example, and why."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

from loom.errors import LoomError, LoomErrors
from loom.front.request import Request
from loom.front.styles.choose import bundle_inputs, compile_in_style
from loom.front.styles.styled import Choice
from loom.input_files import read_text
from loom.lower.options import Options
from tools.styles.intervals import KINDS

HEAD = (
    "| program | style | cycles static | dynamic | ns static | dynamic | LUT4 static | dynamic |",
    "|---|---|---|---|---|---|---|---|",
)


OF_LOOPS = (
    "| program | static loops at | cycles | without | ns | without | LUT4 | without |",
    "|---|---|---|---|---|---|---|---|",
)


@dataclass(frozen=True)
class Row:
    """One program: what `auto` chose, and how long that took [s]."""

    program: str
    choice: Choice
    seconds: float


def row_of(file: Path) -> Row:
    """A program on the bundle beside it, else on drawn inputs."""
    began = time.perf_counter()
    request = Request(read_text(str(file)), file.name, options=Options(style="auto"))
    bundle = file.with_suffix(".json")
    given = bundle_inputs(str(bundle)) if bundle.exists() else ()
    found = compile_in_style(request, given).choice
    assert found is not None
    return Row(file.name, found, time.perf_counter() - began)


def rows_of(files: Sequence[Path]) -> Iterator[Row]:
    """Every program that compiles."""
    for file in files:
        try:
            yield row_of(file)
        except (LoomError, LoomErrors) as error:
            print(f"{file.name}: {str(error).splitlines()[0]}", file=sys.stderr)


def line(row: Row) -> str:
    """A row of the table; without figures the reason."""
    ours, theirs = row.choice.static, row.choice.dynamic
    if ours is None or theirs is None:
        return f"| {row.program} | {row.choice.style} | {row.choice.reason} | | | | | |"
    cycles, others = ("" if each.cycles is None else str(each.cycles) for each in (ours, theirs))
    return (
        f"| {row.program} | {row.choice.style} | {cycles} | {others} | {ours.period:.1f} | "
        f"{theirs.period:.1f} | {ours.luts} | {theirs.luts} |"
    )


def summary(rows: Sequence[Row]) -> Iterator[str]:
    """Means of what is chosen by the dynamic circuits, of all programs whose models ran."""
    known = [r.choice for r in rows if r.choice.static and r.choice.static.cycles is not None]
    chosen = [c.static if c.style == "static" else c.dynamic for c in known]
    pairs = [
        (ours, c.dynamic)
        for ours, c in zip(chosen, known, strict=True)
        if ours is not None and c.dynamic is not None and c.dynamic.cycles and ours.cycles
    ]
    static = sum(row.choice.style == "static" for row in rows)
    yield f"{len(rows)} programs, {static} static; {len(pairs)} compared by cycles"
    for name, ratios in (
        ("cycles", [a.cycles / b.cycles for a, b in pairs if a.cycles and b.cycles]),
        ("LUT4", [a.luts / b.luts for a, b in pairs if b.luts]),
        ("period", [a.period / b.period for a, b in pairs if b.period]),
        ("time", [a.time / b.time for a, b in pairs if b.time]),
    ):
        yield f"{name}: {geometric_mean(ratios):.2f} in geometric mean, {max(ratios):.2f} at most"
    yield f"{sum(r.seconds for r in rows):.0f} s, {max(r.seconds for r in rows):.1f} s at most"


def line_of_loops(row: Row) -> str:
    """A row of the table of programs with static loops."""
    ours, theirs = row.choice.mixed, row.choice.dynamic
    assert ours is not None and theirs is not None
    return (
        f"| {row.program} | {', '.join(row.choice.static_loops)} | {ours.cycles} | "
        f"{theirs.cycles} | {ours.period:.1f} | {theirs.period:.1f} | {ours.luts} | {theirs.luts} |"
    )


def summary_of_loops(rows: Sequence[Row]) -> Iterator[str]:
    """The table of programs with static loops, and means by the circuits without these."""
    pairs = [(r.choice.mixed, r.choice.dynamic) for r in rows]
    known = [(ours, theirs) for ours, theirs in pairs if ours is not None and theirs is not None]
    if not known:
        return
    yield from OF_LOOPS
    yield from (line_of_loops(row) for row in rows if row.choice.mixed is not None)
    yield f"{len(known)} dynamic circuits with static loops"
    for name, ratios in (
        ("cycles", [a.cycles / b.cycles for a, b in known if a.cycles and b.cycles]),
        ("LUT4", [a.luts / b.luts for a, b in known]),
        ("time", [a.time / b.time for a, b in known]),
    ):
        yield f"{name}: {geometric_mean(ratios):.2f} in geometric mean, {max(ratios):.2f} at most"


def main(arguments: Sequence[str] | None = None) -> int:
    """The table and its means are printed; the arguments are programs, by default all examples."""
    files = [Path(each) for each in (sys.argv[1:] if arguments is None else arguments)]
    files = files or [f for kind in KINDS for f in sorted(Path("examples").glob(kind))]
    rows: list[Row] = []
    print("\n".join(HEAD))
    for row in rows_of(files):
        rows.append(row)
        print(line(row), flush=True)
    print("\n".join([*summary(rows), *summary_of_loops(rows)]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
