"""``python -m tests.fuzz --minutes N --seed S``: mutated inputs for minutes, or ``--inputs N``.

The figures of each kind stand at the end: inputs, refusals, crashes, the slowest one. Ends with
status 1 if anything crashed; every input that did is kept in a folder.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.campaign import Tally, inputs, run_one
from tests.fuzz.corpus import KINDS

MEMORY = 8 << 30
"""What the process may take [bytes]; more is a MemoryError, which is a crash."""


def main() -> int:
    """Run the campaign of the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--inputs", type=int, default=0, help="so many, however long they take")
    parser.add_argument("--seed", type=int, default=0, help="number of the first input / 10^9")
    parser.add_argument("--kind", choices=KINDS, action="append")
    parser.add_argument("--keep", type=Path, default=Path("fuzz-crashes"))
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    end = time.monotonic() + 60 * chosen.minutes
    tally, shown = Tally(), time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for number, seed, data in inputs(chosen.seed * 10**9, tuple(chosen.kind or KINDS)):
            verdict = run_one(number, seed, data, Path(folder), every=20)
            tally.count(f"{number} {seed.kind} {seed.name}", data, verdict, seed.kind)
            if verdict.code == "crash":
                chosen.keep.mkdir(exist_ok=True)
                (chosen.keep / f"{number}.{seed.kind}").write_bytes(data)
                print(f"CRASH {number} {seed.kind} {seed.name}: {verdict.text[:300]}", flush=True)
            if time.monotonic() - shown > 30:
                print(tally.line(), flush=True)
                shown = time.monotonic()
            done = sum(tally.codes.values()) >= chosen.inputs > 0
            if done or (not chosen.inputs and time.monotonic() > end):
                break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{tally.line()} peak={peak}MiB")
    for kind, each in sorted(tally.kinds.items()):
        print(f"{kind:8} {each.line()}")
    print(", ".join(f"{code} {count}" for code, count in tally.codes.most_common()))
    return 1 if tally.crashes else 0


if __name__ == "__main__":
    sys.exit(main())
