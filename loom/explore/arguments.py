"""The options of ``loom explore``."""

from __future__ import annotations

import argparse
import os

from loom.explore.front import METRICS, OBJECTIVES
from loom.front import arguments as add
from loom.front import values
from loom.front.command_parser import ValueKind
from loom.regress.arguments import SECONDS


def read_budget(text: str) -> tuple[str, float]:
    """A metric and the most that it may be; ValueError for other texts."""
    name, equals, most = text.partition("=")
    if name not in METRICS or not equals or not 0 <= float(most) < float("inf"):
        raise ValueError
    return name, float(most)


POINTS = 200
"""The default of --points."""
AXIS = ValueKind(str, "NAME=VALUES")  # which the verb reads: a wrong one has a code of its own
BUDGET = ValueKind(read_budget, f"a number of {', '.join(METRICS)}, such as lut4=5000")


def add_explore(verb: argparse.ArgumentParser) -> None:
    """What the verb adds to a run."""
    group = add.Group(verb, "exploration")
    group.several("--over", AXIS, "NAME=VALUES", "an option as an axis: clock-period=8,10,12, "
                  "unroll=9:1,4,full or partition=x:cyclic:2,none (default: clock period, style "
                  "and unrolling of inner loops)")  # fmt: skip
    group.value("--points", values.POSITIVE, "N", "try up to N points: all, or, of more, those "
                f"that optuna chooses (extra `explore`) (default: {POINTS})", POINTS)  # fmt: skip
    group.several("--budget", BUDGET, "METRIC=N", f"most of {', '.join(METRICS)} of a point of the "
                  "front")  # fmt: skip
    group.choice("--objective", OBJECTIVES, "what the table is sorted by, and the best point "
                 "has least of")  # fmt: skip
    group.flag("--simulate", "run the points of the front in Verilator too")
    group.flag("--place", "synthesize, place and route the points of the front, on an ECP5 (extra "
               "`synth`)")  # fmt: skip
    group.group.add_argument(
        "-j", "--jobs", type=values.POSITIVE.of("-j/--jobs"), metavar="N",
        default=os.cpu_count() or 1, help="points at a time (default: one a processor)",
    )  # fmt: skip
    group.value("--timeout", values.SECONDS, "S", "limit of one point by the clock [s] "
                f"(default: {SECONDS:g})", SECONDS)  # fmt: skip
    group.value("--cache", values.FILE_NAME, "DIR", "keep points there by content, with the rows "
                "of `loom regress` (default: regress in the folder of LOOM_CACHE)")  # fmt: skip
    group.flag("--again", "run points too that are kept")
    group.value("--html", values.FILE_NAME, "F", "write a page with the points drawn")
    group.value("--jsonl", values.FILE_NAME, "F", "write the points as JSON lines")
