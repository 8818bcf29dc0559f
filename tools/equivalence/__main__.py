"""``python -m tools.equivalence``: is each unit in Verilog-2005 the one in SystemVerilog?

The exit status is 1 if a unit may differ.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence

from loom_sim.placement.synthesis_tools import ToolFailed

from loom.errors import LoomError, Place
from tools.equivalence.compare import compare
from tools.equivalence.pairs import pairs

BATCH = 40
"""Pairs in one run of Yosys."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare the units of the command line."""
    parser = argparse.ArgumentParser(prog="tools.equivalence", description=__doc__)
    parser.add_argument("--only", default="", help="units whose name has this in it")
    chosen = parser.parse_args(arguments)
    began, compared, different = time.monotonic(), 0, 0
    try:
        wanted = [(name, pair) for name, pair in pairs() if chosen.only in name]
        if not wanted:
            raise LoomError("SIM_OPTION", Place("only"), chosen.only, "a part of a unit's name")
        for first in range(0, len(wanted), BATCH):
            batch = wanted[first : first + BATCH]
            verdicts = compare([pair for _, pair in batch])
            for (name, _), verdict in zip(batch, verdicts, strict=True):
                compared += verdict.compared
                if not verdict.equal:
                    different += 1
                    print(f"{name}: {verdict.different} of {verdict.compared} bits may differ")
            print(f"{first + len(batch)} of {len(wanted)} compared", flush=True)
    except (LoomError, ToolFailed) as error:
        print(error, file=sys.stderr)
        return 2
    said = f"{different} may differ" if different else "all equal"
    print(f"{len(wanted)} units, {compared} bits of outputs and registers: {said}, "
          f"in {time.monotonic() - began:.0f} s")  # fmt: skip
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
