"""The record of what each flow made of each kernel: what has not changed is not run again.

`record.json` has a row for each kernel and flow, keyed by the digest of what the flow was given.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from loom_sim.placement.place_circuit import Placed

from loom.analysis.timing.unit_costs import Area
from loom.lower.options import Options
from tools.peers.sides import Row, Side, our_side, subject_of, their_side

FILE = Path(__file__).parent / "record.json"
Json = dict[str, Any]


def measure_all(
    files: Sequence[Path],
    lowering: Options,
    python: str,
    tell: Callable[[Row], None],
    file: Path = FILE,
) -> list[Row]:
    """Every kernel through both flows; the record is saved after each side."""
    record: Json = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    rows: list[Row] = []
    for source in files:
        subject = subject_of(source, lowering)
        known = record.setdefault(subject.name, {})

        def save(side: str, text: str, found: Side, known: Json = known) -> None:
            known[side] = {"digest": text, **asdict(found)}
            file.write_text(text_of(record), encoding="utf-8")

        ours = kept(known.get("ours"), subject.our_digest) or our_side(subject)
        known |= {
            "style": subject.style, "bound": subject.outcome.bound, "estimate": subject.estimate,
        }  # fmt: skip
        save("ours", subject.our_digest, ours)
        theirs = kept(known.get("theirs"), subject.their_digest) or their_side(subject, python)
        save("theirs", subject.their_digest, theirs)
        rows.append(row_of(subject.name, known))
        tell(rows[-1])
    return rows


def kept(row: Json | None, digest: str) -> Side | None:
    """The side of a row of the record, if it belongs to what is given now."""
    return side_of(row) if row is not None and row["digest"] == digest else None


def row_of(name: str, row: Json) -> Row:
    """A line of the record."""
    ours, theirs = side_of(row["ours"]), side_of(row["theirs"])
    return Row(name, row["style"], row["bound"], row["estimate"], ours, theirs)


def side_of(row: Json) -> Side:
    """One flow's side of a line of the record."""
    placed = row["placed"]
    if placed is not None:
        area = None if placed["area"] is None else Area(**placed["area"])
        placed = Placed(area, placed["period"], placed["failed"])
    return Side(row["cycles"], placed, row["failed"])


def text_of(record: Mapping[str, Any]) -> str:
    """The record as a file, one kernel a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(record.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"
