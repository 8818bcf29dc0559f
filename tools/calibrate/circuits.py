"""Examples placed and routed on an ECP5 beside their units: the sample of estimated periods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from loom_sim.placement.place_circuit import DEVICE, place_verilog

from loom.analysis.timing.area_estimate import sum_units
from loom.emit import emit
from loom.errors import LoomError
from loom.front.api import compile_file
from loom.lower.options import Options
from tools.bare_text import bare

ClockPeriod = float | Literal["default"] | None
NAMES = (
    "vecadd", "fir", "gcd", "histogram", "matmul", "matvec", "threshold", "spmv", "kmp", "collatz",
    "checksum", "clamp_sum", "fibonacci", "insertion_sort", "linear_search", "reverse",
    "stencil_2d", "triangle", "vector_rescale",
)  # fmt: skip
PERIODS: tuple[ClockPeriod, ...] = ("default", None)
"""Clock periods that the examples are compiled for [ns]; None: any, for long paths."""
SEEDS = ("1", "2", "3")
"""Of place and route: the median counts."""


@dataclass(frozen=True)
class Row:
    """An example: its longest path and LUT4 by the measured units alone, and as placed [ns]."""

    name: str
    clock_period: ClockPeriod
    units: float
    luts: int
    placed: float
    seeds: int
    digest: str


def measure_circuits(
    examples: Path,
    known: Sequence[Mapping[str, object]],
    say: Callable[[str], None],
    seeds: Sequence[str] = SEEDS,
    names: Sequence[str] = NAMES,
) -> list[Row]:
    """The rows of all examples; those whose text has not changed are not placed again.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    kept = {str(row["digest"]): row for row in known}
    rows: list[Row] = []
    for period in PERIODS:
        for name in names:
            row = measure_circuit(examples / f"{name}.mlir", period, kept, seeds)
            if row is not None:
                rows.append(row)
                kept[row.digest] = asdict(row)
                say(
                    f"{name} at period {period or 'any'}: {row.units} by units, {row.placed} placed"
                )
    return rows


def measure_circuit(
    file: Path,
    period: ClockPeriod,
    kept: Mapping[str, Mapping[str, object]],
    seeds: Sequence[str],
) -> Row | None:
    """One example; None if it has no path at this period."""
    try:
        netlist = compile_file(file, options=Options(clock_period=period)).netlist
    except LoomError:
        return None  # a path that no register can shorten
    texts = [text for path, text in emit(netlist).items() if path.endswith(".sv")]
    digest = digest_of(texts, seeds)
    area, path, *_ = sum_units(netlist)
    assert path is not None
    if digest in kept:
        placed = float(str(kept[digest]["placed"]))
    else:
        found = place_verilog(texts, netlist.name, seeds)
        if found.period is None:
            return None
        placed = found.period
    delay, luts = round(path.delay, 2), round(area.luts)
    return Row(file.stem, period, delay, luts, placed, len(seeds), digest)


def digest_of(texts: Sequence[str], seeds: Sequence[str]) -> str:
    """A name for the texts without comments and layout, and for how they are placed."""
    text = "\n".join([*map(bare, texts), *DEVICE, *seeds])
    return sha256(text.encode()).hexdigest()[:16]


def to_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as the file of targets holds them."""
    return [asdict(row) for row in rows]
