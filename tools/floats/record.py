"""The record of float units against the host: what ran on which text, and what it found.

A run belongs to the text of the unit without its comments and its layout, so a unit whose text
changes has to run again, and only that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from tools.bare_text import bare
from tools.floats.units import FloatUnit

FILE = Path(__file__).parent / "runs.json"
WIDE = ("f32", "f64")


@dataclass(frozen=True)
class Run:
    """A unit's text by its digest, the vectors that ran on it, and how many results differed."""

    text: str
    vectors: int
    differences: int


def digest(unit: FloatUnit) -> str:
    """A name for all that decides what the unit computes."""
    texts = [bare(made.text) for made in (*unit.rendered.needs, unit.rendered)]
    return sha256("\n".join([*texts, repr(dict(unit.module.widths))]).encode()).hexdigest()[:16]


def wanted(unit: FloatUnit, vectors: int) -> int:
    """So many vectors are a full run: all there are, where that is at most 2 ** 16."""
    shape = unit.module.shape
    width = sum(width for place, width in enumerate(shape.inputs) if place not in shape.constants)
    return vectors if width > 16 else 1 << width


def is_done(unit: FloatUnit, runs: Mapping[str, Run], vectors: int) -> bool:
    """True if the record has a full run of the unit as its text is now, without a difference."""
    run = runs.get(unit.name)
    return (
        run is not None
        and run.text == digest(unit)
        and run.vectors >= wanted(unit, vectors)
        and run.differences == 0
    )


def wide_first(unit: FloatUnit) -> bool:
    """Sorts what the most programs use to the front: the formats of 32 and 64 bits."""
    return unit.module.attributes["format"] not in WIDE


def read(file: Path = FILE) -> dict[str, Run]:
    """Runs by the name of the unit; none where there is no file yet."""
    if not file.exists():
        return {}
    return {name: Run(**run) for name, run in json.loads(file.read_text(encoding="utf-8")).items()}


def write(runs: Mapping[str, Run], file: Path = FILE) -> None:
    """The file has the runs, one a line, in the order of their names."""
    lines = [f"{json.dumps(name)}: {json.dumps(asdict(runs[name]))}" for name in sorted(runs)]
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
