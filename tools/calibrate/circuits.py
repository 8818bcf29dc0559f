"""Examples placed and routed on an ECP5 beside their units: the sample of estimated periods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from loom_sim.placement.place_circuit import DEVICE, place_verilog

from loom.analysis.timing.area_estimate import sum_units
from loom.analysis.timing.machine_estimate import sum_machine
from loom.emit import emit
from loom.errors import LoomError
from loom.front.api import compile_file, read_program
from loom.front.request import Request
from loom.front.static_circuit import compile_static
from loom.lower.options import Options
from tools.bare_text import bare

ClockPeriod = float | Literal["default"] | None
NAMES = (
    "vecadd", "fir", "gcd", "histogram", "matmul", "matvec", "threshold", "spmv", "kmp", "collatz",
    "checksum", "clamp_sum", "fibonacci", "insertion_sort", "linear_search", "reverse",
    "stencil_2d", "triangle", "vector_rescale",
)  # fmt: skip
LARGER = (
    *NAMES, "bfs", "bits", "blur", "crc32", "digits", "dot_f32", "newton_f32", "polynomial_f64",
    "triangular", "video_filter", "window", "c/adler32.c", "c/cholesky.c", "c/gemver.c",
    "c/anchors/histogram_float.c", "c/anchors/insertion_sort_30.c", "c/anchors/kmp_1000.c",
    "c/anchors/two_scans.c", "c/anchors/while_loop_1.c",
)  # fmt: skip
"""Those and larger ones, and some whose recurrences take longer than the default period."""
SEEDS = ("1", "2", "3")
"""Of place and route: the median counts."""


@dataclass(frozen=True)
class Row:
    """An example: its longest path and LUT4 by the measured units alone, and as placed [ns].

    `placed_luts` are the LUT4 as placed, 0 in rows that are older than this field.
    """

    name: str
    clock_period: ClockPeriod
    units: float
    luts: int
    placed: float
    seeds: int
    digest: str
    placed_luts: int = 0


@dataclass(frozen=True)
class Compiled:
    """The SystemVerilog of a circuit and its top, and by its units alone its path [ns] and LUT4."""

    top: str
    texts: Sequence[str]
    units: float
    luts: float


def compile_dynamic(file: Path, period: ClockPeriod) -> Compiled:
    """An example as an elastic circuit."""
    netlist = compile_file(file, options=Options(clock_period=period)).netlist
    area, path, *_ = sum_units(netlist)
    assert path is not None
    return Compiled(netlist.name, verilog(emit(netlist)), path.delay, area.luts)


def compile_machine(file: Path, period: ClockPeriod) -> Compiled:
    """An example as the machine of a static schedule."""
    request = Request(file.read_text(encoding="utf-8"), str(file))
    options = Options(clock_period=period)
    found = compile_static(read_program(request), top=None, options=options)
    sums = sum_machine(found.fsmd, found.sizes_inside)
    return Compiled(found.dynamic.netlist.name, verilog(found.rtl), sums.path, sums.area.luts)


def verilog(files: Mapping[str, str]) -> list[str]:
    """The SystemVerilog of some files."""
    return [text for path, text in files.items() if path.endswith(".sv")]


Compile = Callable[[Path, ClockPeriod], Compiled]


@dataclass(frozen=True)
class Sample:
    """Examples of a sample, in MLIR but for a suffix, and clock periods that they are for [ns].

    None is any, for long paths. Of so many `seeds` of place and route the median counts.
    """

    compiled: Compile
    names: Sequence[str] = NAMES
    periods: Sequence[ClockPeriod] = ("default", None)
    seeds: int = len(SEEDS)


SAMPLES: Mapping[str, Sample] = {
    "circuits": Sample(compile_dynamic, LARGER, ("default",), 1),
    "unclocked": Sample(compile_dynamic, periods=(None,)),
    "machines": Sample(compile_machine, seeds=1),
}
"""The parts whose samples are examples."""


def measure_circuits(
    examples: Path,
    known: Sequence[Mapping[str, object]],
    say: Callable[[str], None],
    sample: Sample,
) -> list[Row]:
    """The rows of a sample; those whose text has not changed are not placed again.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed.
    """
    kept = {str(row["digest"]): row for row in known}
    seeds = [str(1 + number) for number in range(sample.seeds)]
    rows: list[Row] = []
    for period in sample.periods:
        for name in sample.names:
            row = measure_circuit(examples, name, period, kept, seeds, sample.compiled)
            if row is not None:
                rows.append(row)
                kept[row.digest] = asdict(row)
                say(
                    f"{name} at period {period or 'any'}: {row.units} by units, {row.placed} placed"
                )
    return rows


def measure_circuit(
    examples: Path,
    name: str,
    period: ClockPeriod,
    kept: Mapping[str, Mapping[str, object]],
    seeds: Sequence[str],
    compiled: Compile,
) -> Row | None:
    """One example; None if it has no path at this period."""
    file = examples / (name if "." in name else f"{name}.mlir")
    try:
        circuit = compiled(file, period)
    except LoomError:
        return None  # a path that no register can shorten
    digest = digest_of(circuit.texts, seeds)
    delay, luts = round(circuit.units, 2), round(circuit.luts)
    if digest in kept:
        row = kept[digest]
        placed, cells = float(str(row["placed"])), int(str(row.get("placed_luts", 0)))
    else:
        found = place_verilog(circuit.texts, circuit.top, seeds)
        if found.period is None:
            return None
        placed, cells = found.period, round(found.area.luts) if found.area else 0
    return Row(name, period, delay, luts, placed, len(seeds), digest, cells)


def digest_of(texts: Sequence[str], seeds: Sequence[str]) -> str:
    """A name for the texts without comments and layout, and for how they are placed."""
    text = "\n".join([*map(bare, texts), *DEVICE, *seeds])
    return sha256(text.encode()).hexdigest()[:16]


def to_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as the file of targets holds them."""
    return [
        {name: value for name, value in asdict(row).items() if name != "placed_luts" or value}
        for row in rows
    ]
