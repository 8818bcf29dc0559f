"""``python -m loom_sim.floats``: every float unit against the host, a line and a count a unit.

The exit status is 1 if any result differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from loom.errors import LoomError, Place
from loom_sim.floats.bench import run_unit
from loom_sim.floats.units import float_units

VECTORS = 10_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the units of the command line."""
    parser = argparse.ArgumentParser(prog="loom_sim.floats", description=__doc__)
    parser.add_argument("--only", default="", help="units whose name has this in it")
    parser.add_argument("--vectors", type=int, default=VECTORS, help="a unit")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stalls", type=int, default=0, help="of 16 cycles, so many")
    chosen = parser.parse_args(arguments)
    wrong = 0
    try:
        wanted = [unit for unit in float_units() if chosen.only in unit.name]
        if not wanted:
            raise LoomError("SIM_OPTION", Place("only"), chosen.only, "a part of a unit's name")
        for unit in wanted:
            began = time.monotonic()
            answer = run_unit(unit, chosen.vectors, chosen.seed, chosen.stalls)
            seconds = time.monotonic() - began
            print(f"{unit.name}: {answer.said.strip()} [{seconds:.1f} s]", flush=True)
            wrong += answer.mismatches != 0
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    print(f"{len(wanted) - wrong} of {len(wanted)} units agree with the host")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
