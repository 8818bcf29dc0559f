"""What runs on all patterns of f32 have found, by the text of the function that ran."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from tools.elementary.run import Result, fingerprint

RECORD = Path(__file__).with_name("runs.json")


def read() -> Mapping[str, dict[str, object]]:
    """The recorded runs by operator: a `fingerprint` of the function, and a `Result`."""
    found: dict[str, dict[str, object]] = json.loads(RECORD.read_text(encoding="utf-8"))
    return found


def put(operator: str, result: Result) -> None:
    """The result is recorded for the function as it is."""
    runs = dict(read()) if RECORD.exists() else {}
    runs[operator] = {"fingerprint": fingerprint(operator), **asdict(result)}
    text = json.dumps(dict(sorted(runs.items())), indent=2)
    RECORD.write_text(text + "\n", encoding="utf-8")


def recorded(operator: str) -> Result | None:
    """What was found for the function as it is; None if its text is another one."""
    entry = dict(read().get(operator, {}))
    if entry.pop("fingerprint", None) != fingerprint(operator):
        return None
    return Result(**entry)  # type: ignore[arg-type]
