"""``python -m tools.deadlock``: searches every shape for deadlocks and says what was found.

The exit status is 1 if any shape has one, or holds for some cycles only.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError, Place
from tools.deadlock.report import line, total, with_table
from tools.deadlock.search import LIMIT, search
from tools.deadlock.shapes import SHAPES


def main(arguments: Sequence[str] | None = None) -> int:
    """Search the shapes of the command line."""
    parser = argparse.ArgumentParser(prog="tools.deadlock", description=__doc__)
    parser.add_argument("--only", default="", help="shapes whose name has this in it")
    parser.add_argument("--limit", type=int, default=LIMIT, help="states to visit in each shape")
    parser.add_argument(
        "--clock-period", type=float, metavar="NS",
        help="of the circuits; of a circuit that does not reach it the shortest one that it does",
    )  # fmt: skip
    parser.add_argument("--page", type=Path, help="write the table into this page")
    chosen = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        wanted = [shape for shape in SHAPES if chosen.only in shape.name]
        if not wanted:
            raise LoomError("SIM_OPTION", Place("only"), chosen.only, "a part of a shape's name")
        if chosen.page and (chosen.only or chosen.clock_period):
            what = "a page of some shapes or a clock period"
            raise LoomError("SIM_OPTION", Place("page"), what, "all shapes, without a period")
        verdicts = []
        for shape in wanted:
            for policy in shape.policies:
                netlist = shape.netlist(policy, chosen.clock_period)
                verdict = search(netlist, shape.name, policy, chosen.limit)
                verdicts.append(verdict)
                longer = netlist.clock_period != chosen.clock_period
                print(line(verdict, netlist.clock_period if longer else None), flush=True)
    except LoomError as error:
        print(error, file=sys.stderr)
        return 2
    if chosen.page:
        page = chosen.page.read_text(encoding="utf-8")
        chosen.page.write_text(with_table(page, verdicts), encoding="utf-8")
    print(f"{total(verdicts)} in {time.monotonic() - began:.0f} s")
    return 0 if all(verdict.proved for verdict in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
