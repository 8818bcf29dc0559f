"""Examples placed and routed on an ECP5 beside their estimates: the sample of its correction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from loom_sim.placement.place_circuit import DEVICE, place_verilog

from loom.analysis.timing.area_estimate import estimate_circuit
from loom.analysis.timing.targets import Target
from loom.emit import emit
from loom.errors import LoomError
from loom.front.api import compile_file
from loom.lower.options import Options
from tools.bare_text import bare

NAMES = ("vecadd", "fir", "gcd", "histogram", "matvec", "threshold", "spmv", "kmp")
UNSEEN = {
    "kmp": "an address from data is compared with the depth of an array, which no cost has",
    "spmv": "loads at addresses that were loaded, presumably as kmp",
}
"""Examples whose paths run through what the costs of units do not have: placed, not fitted."""
PERIODS: tuple[float | None, ...] = (10.0, None)
"""Clock periods that the examples are compiled for [ns]; None: any, for long paths."""
SEEDS = ("1", "2", "3")
"""Of place and route: the median counts."""


@dataclass(frozen=True)
class Row:
    """An example: the longest path by the measured units alone [ns], and as placed [ns].

    `unseen` is what its units have and their costs do not; such rows are not fitted.
    """

    name: str
    clock_period: float | None
    estimate: float
    placed: float
    seeds: int
    digest: str
    unseen: str = ""


def measure_circuits(
    examples: Path,
    target: Target,
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
            row = measure_circuit(examples / f"{name}.mlir", period, target, kept, seeds)
            if row is not None:
                rows.append(row)
                say(
                    f"{name} at {period or 'any'} ns: {row.estimate} estimated, {row.placed} placed"
                )
    return rows


def measure_circuit(
    file: Path,
    period: float | None,
    target: Target,
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
    path = estimate_circuit(netlist).path
    assert path is not None
    estimate = round(target.measured(path.delay), 2)
    if digest in kept:
        placed = float(str(kept[digest]["placed"]))
    else:
        found = place_verilog(texts, netlist.name, seeds)
        if found.period is None:
            return None
        placed = found.period
    unseen = UNSEEN.get(file.stem, "")
    return Row(file.stem, period, estimate, placed, len(seeds), digest, unseen)


def digest_of(texts: Sequence[str], seeds: Sequence[str]) -> str:
    """A name for the texts without comments and layout, and for how they are placed."""
    text = "\n".join([*map(bare, texts), *DEVICE, *seeds])
    return sha256(text.encode()).hexdigest()[:16]


def to_json(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows as the file of targets holds them."""
    return [asdict(row) for row in rows]
