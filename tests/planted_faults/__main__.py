"""``python -m tests.planted_faults``: plants every fault and prints which ones are found.

Status 1 if one is not. A fault is found if exactly what its row says is reported of it; a fault in
the judge is found if its witness is then no longer reported as its row says, so that its test
fails.
"""

from __future__ import annotations

import sys
import time

from tests.planted_faults.judge_faults import JUDGE_FAULTS
from tests.planted_faults.suite import FAULTS, reported, reported_by


def main() -> int:
    """Print a line a fault, then the figures."""
    began = time.monotonic()
    rows = [(fault.at, fault.name, reported(fault) == fault.reported) for fault in FAULTS.values()]
    for each in JUDGE_FAULTS:
        witness = FAULTS[each.witness]
        found = reported_by(each, witness) == each.left != witness.reported
        rows.append((f"judge, {each.at}", each.name, found))
    for at, name, found in rows:
        print(f"{'found' if found else 'NOT FOUND':10}{at:18}{name}")
    for title, chosen in (
        ("in circuits, models and the simulator's Python", rows[: len(FAULTS)]),
        ("in the judge", rows[len(FAULTS) :]),
        ("in all", rows),
    ):
        print(f"{sum(found for *_, found in chosen)} of {len(chosen)} planted faults found {title}")
    print(f"{time.monotonic() - began:.0f} s")
    return 0 if all(found for *_, found in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
