"""``python -m tests.grow.c_campaign --programs N --first SEED``: random C programs, judged.

Each program runs natively, as the host's C compiler made it, in LOOM's reference, and in the model
of its dynamic circuit or static schedule at a random clock period. Ends with status 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from loom.errors import LoomError, LoomErrors
from loom.model.bundles.activation import Activation
from tests.grow.random_c_programs import random_program
from tests.grow.random_found_c import random_found_program
from tests.judges.c_natively import (
    Case,
    case_of,
    differences,
    natively,
    static_differences,
    unit_of,
)
from tests.random_programs.periods import draw_period

Judged = Literal["dynamic", "static"] | None
"""The circuit whose model runs too."""
CHUNK = 20
"""Programs of one native program [programs]."""
HEADER = "#include <assert.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <string.h>\n"
GROWERS: dict[str, Callable[[str, int], str]] = {
    "programs": random_program, "found": random_found_program
}  # fmt: skip
"""What grows a program of a name and a seed."""


@dataclass
class Tally:
    """What became of the programs."""

    programs: int = 0
    calls: int = 0
    differences: list[str] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)

    def format(self) -> str:
        """Programs, calls, differences and refusals by code."""
        codes = ", ".join(f"{code} {count}" for code, count in sorted(self.refused.items()))
        return (
            f"programs={self.programs} calls={self.calls} differences={len(self.differences)} "
            f"refused={self.refused.total()} ({codes or 'none'})"
        )


def judge_seeds(
    seeds: Sequence[int], folder: Path, *, circuit: Judged = None, kind: str = "programs"
) -> Tally:
    """What native code, the reference and, if asked, the model of a circuit make of these."""
    tally, cases, kept = Tally(len(seeds)), list[Case](), list[int]()
    text = HEADER
    for seed in seeds:
        program = GROWERS[kind](f"f{seed}", seed)
        try:
            cases.append(case_of(unit_of(HEADER + program), f"f{seed}"))
        except (LoomError, LoomErrors) as error:
            first = error.problems[0] if isinstance(error, LoomErrors) else error
            tally.refused[first.code] += 1
            continue
        text += program
        kept.append(seed)
    answers = natively(text, cases, folder)
    for seed, case, activations in zip(kept, cases, answers, strict=True):
        judge_case(case, activations, tally, circuit, draw_period(seed))
    return tally


def judge_case(
    case: Case, activations: list[Activation], tally: Tally, circuit: Judged, period: float | None
) -> None:
    """The tally has what differs between native code and LOOM, at a clock period [ns]."""
    tally.calls += len(activations)
    tally.differences += differences(case, activations)
    try:
        if circuit == "dynamic":
            tally.differences += differences(case, activations, tokens=True, period=period)
        elif circuit == "static":
            tally.differences += static_differences(case, activations, period)
    except (LoomError, LoomErrors) as error:
        first = error.problems[0] if isinstance(error, LoomErrors) else error
        tally.refused[first.code] += 1


def main() -> int:
    """Run the campaign of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.grow.c_campaign", description=__doc__)
    parser.add_argument("--programs", type=int, default=500)
    parser.add_argument("--first", type=int, default=0, help="seed of the first program")
    parser.add_argument("--kind", choices=[*GROWERS], default="programs", help="what is grown")
    circuits = parser.add_mutually_exclusive_group()
    circuits.add_argument("--no-tokens", action="store_true", help="the reference alone")
    circuits.add_argument("--static", action="store_true", help="static schedules")
    chosen = parser.parse_args()
    circuit: Judged = None if chosen.no_tokens else "static" if chosen.static else "dynamic"
    whole, started = Tally(), time.monotonic()
    for first in range(chosen.first, chosen.first + chosen.programs, CHUNK):
        seeds = range(first, min(first + CHUNK, chosen.first + chosen.programs))
        with tempfile.TemporaryDirectory() as folder:
            found = judge_seeds(seeds, Path(folder), circuit=circuit, kind=chosen.kind)
        whole.programs += found.programs
        whole.calls += found.calls
        whole.differences += found.differences
        whole.refused += found.refused
        for each in found.differences:
            print(f"DIFFERENT {each[:500]}", flush=True)
        print(f"{whole.format()} seconds={time.monotonic() - started:.0f}", flush=True)
    return 1 if whole.differences else 0


if __name__ == "__main__":
    sys.exit(main())
