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
from tools.peers.sides import Row, Side, our_side, quickest_subject, subject_of, their_side

FILE = Path(__file__).parent / "record.json"
Json = dict[str, Any]


def measured(
    files: Sequence[Path],
    lowering: Options,
    periods: Sequence[float],
    python: str,
    told: Callable[[Row], None],
    file: Path = FILE,
) -> tuple[list[Row], dict[str, str]]:
    """Every kernel through both flows, and of those without another circuit the reason.

    The record is saved after each.
    """
    record: Json = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    rows: list[Row] = []
    without: dict[str, str] = {}
    for source in files:
        plain = subject_of(source, Options())
        known = record.setdefault(plain.name, {})
        theirs = kept(known.get("theirs"), plain.their_digest) or their_side(plain, python)
        known["theirs"] = {"digest": plain.their_digest, **asdict(theirs)}
        file.write_text(text_of(record), encoding="utf-8")
        if theirs.failed:
            without[plain.name] = theirs.failed
            continue
        subject = quickest_subject(source, lowering, periods)
        ours = kept(known.get("ours"), subject.our_digest) or our_side(subject)
        known["ours"] = {"digest": subject.our_digest, **asdict(ours)}
        file.write_text(text_of(record), encoding="utf-8")
        rows.append(Row(subject.name, subject.outcome.bound, ours, theirs))
        told(rows[-1])
    return rows, without


def kept(row: Json | None, digest: str) -> Side | None:
    """The side of a row of the record, if it belongs to what is given now."""
    if row is None or row["digest"] != digest:
        return None
    placed = row["placed"]
    if placed is not None:
        area = None if placed["area"] is None else Area(**placed["area"])
        placed = Placed(area, placed["period"], placed["failed"])
    return Side(row["cycles"], placed, row["failed"])


def text_of(record: Mapping[str, Any]) -> str:
    """The record as a file, one kernel a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(record.items()))
    return "{\n" + ",\n".join(lines) + "\n}\n"
