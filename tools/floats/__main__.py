"""``python -m tools.floats``: every float unit against the host, a line and a count a unit.

With ``--record FILE`` units that the file has already are left out, and each run is added to it; a
run that was stopped goes on where it was. The exit status is 1 if any result differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError, Place
from tools.floats import record
from tools.floats.bench import run_unit
from tools.floats.units import FloatUnit, float_units

VECTORS = 10_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the units of the command line."""
    chosen = parser().parse_args(arguments)
    try:
        wanted = [unit for unit in float_units() if chosen.only in unit.name]
        if not wanted:
            raise LoomError("SIM_OPTION", Place("only"), chosen.only, "a part of a unit's name")
        wrong = run_all(wanted, chosen)
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(wanted) - wrong} of {len(wanted)} units agree with the host")
    return 1 if wrong else 0


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(prog="tools.floats", description=__doc__)
    found.add_argument("--only", default="", help="units whose name has this in it")
    found.add_argument("--vectors", type=int, default=VECTORS, help="a unit")
    found.add_argument("--seed", type=int, default=1)
    found.add_argument("--stalls", type=int, default=0, help="of 16 cycles, so many")
    found.add_argument("--record", type=Path, metavar="FILE", help="of the runs that were made")
    return found


def run_all(units: Sequence[FloatUnit], chosen: argparse.Namespace) -> int:
    """How many units differ from the host; those that the record has are not run."""
    runs = {} if chosen.record is None else record.read(chosen.record)
    wrong = 0
    for unit in sorted(units, key=record.wide_first):
        if record.is_done(unit, runs, chosen.vectors):
            continue
        began = time.monotonic()
        answer = run_unit(unit, chosen.vectors, chosen.seed, chosen.stalls)
        seconds = time.monotonic() - began
        print(f"{unit.name}: {answer.said.strip()} [{seconds:.1f} s]", flush=True)
        wrong += answer.mismatches != 0
        runs[unit.name] = record.Run(record.digest(unit), answer.vectors, answer.mismatches)
        if chosen.record is not None:
            record.write(runs, chosen.record)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
