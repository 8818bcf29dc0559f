"""The options of ``loom regress``."""

from __future__ import annotations

import argparse
import os
import re

from loom.front import arguments as add
from loom.front import values
from loom.front.command_parser import ValueKind
from loom.regress.baseline import read_tolerance

SECONDS = 600.0
"""The default of --timeout [s]."""


def read_shard(text: str) -> tuple[int, int]:
    """Which of how many parts; ValueError for other texts."""
    number, slash, count = text.partition("/")
    found = values.positive(number), values.positive(count)
    if not slash or found[0] > found[1]:
        raise ValueError
    return found


def read_sbatch(text: str) -> tuple[str, str | bool]:
    """An option of sbatch and its value, true of one without; ValueError for other texts."""
    name, equals, value = text.partition("=")
    name = name.removeprefix("--")
    if not re.fullmatch("[a-z][a-z-]*", name) or not value.isprintable() or (equals and not value):
        raise ValueError
    return name, value if equals else True


KINDS = ("local", "slurm")
"""The executors."""
SBATCH = ValueKind(read_sbatch, "an option of sbatch, such as partition=short or exclusive")
SHARD = ValueKind(read_shard, "I/N, such as 2/8: the second of eight parts")
TOLERANCE = ValueKind(
    read_tolerance, "numbers or shares of cycles, lut4, ff and period: cycles=0,lut4=5%,period=3%"
)


def add_regress(verb: argparse.ArgumentParser) -> None:
    """All options of the verb."""
    group = add.Group(verb, "kernels")
    group.group.add_argument(
        "folders",
        metavar="FOLDER",
        nargs="+",
        help="folders with kernels "
        "(.mlir, .c, .py), in folders below too, and loom.toml; or kernels",
    )
    group.group.add_argument(
        "-k",
        dest="select",
        metavar="EXPRESSION",
        help="run the kernels whose name or tags it is true of, such as "
        "'fir or (fast and not slow)' (default: all)",
    )
    group.value("--shard", SHARD, "I/N", "run the I-th of N parts of the kernels (default: all)")
    group = add.Group(verb, "regression")
    group.group.add_argument(
        "-j", "--jobs", type=values.POSITIVE.of("-j/--jobs"), metavar="N",
        default=os.cpu_count() or 1, help="kernels at a time (default: one a processor)",
    )  # fmt: skip
    group.flag("--model-only", "run source program and token model, without a simulator")
    group.value("--timeout", values.SECONDS, "S", "limit of one kernel by the clock [s] "
                f"(default: {SECONDS:g})", SECONDS)  # fmt: skip
    group.value("--cache", values.FILE_NAME, "DIR", "keep rows there by content; machines may "
                "share it (default: regress in the folder of LOOM_CACHE)")  # fmt: skip
    group.flag("--again", "run kernels too whose rows are kept")
    group = add.Group(verb, "beyond one machine")
    group.value("--executor", values.one_of(*KINDS), "{local,slurm}", "run the kernels in up to -j "
                "jobs of this machine, or of Slurm (extra `cluster`) (default: workers of this "
                "process)")  # fmt: skip
    group.several("--sbatch", SBATCH, "NAME=VALUE", "an option of sbatch, such as partition=short")
    group.value("--emit-jobs", values.FILE_NAME, "DIR", "write the commands of -j jobs for an "
                "array of another scheduler, and run nothing")  # fmt: skip
    group = add.Group(verb, "baseline")
    group.value("--baseline", values.FILE_NAME, "F", "compare with the numbers of an earlier run; "
                "exit status 1 if one grew")  # fmt: skip
    group.value("--tolerance", TOLERANCE, "LIST", "how much a number may grow, such as "
                "cycles=0,lut4=40 (default: none of cycles; docs/regress.md)", {})  # fmt: skip
    group.flag("--update", "write the numbers of this run to the baseline")
    group = add.Group(verb, "tables")
    group.value("--junit", values.FILE_NAME, "F", "write the rows as JUnit XML")
    group.value("--html", values.FILE_NAME, "F", "write the rows as a page")
    group.value("--sarif", values.FILE_NAME, "F", "write the problems as SARIF 2.1.0")
    group.flag("--json", "print JSON instead of text")
