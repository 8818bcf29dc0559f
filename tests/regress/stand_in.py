"""Cases that a stand-in judges: each judgment is a line of a file, written when it begins.

It proves what a run keeps, loses and repeats, and nothing of the compiler or the models.
"""

from __future__ import annotations

import os
import sys
import time
from argparse import Namespace
from dataclasses import dataclass
from pathlib import Path

from loom.regress import shares, workers
from loom.regress.case import Case
from loom.regress.cluster import cluster_executor
from loom.regress.row import MATCH, Row
from loom.regress.row_store import RowStore
from loom.regress.shares import Share, rows_on
from loom.regress.workers import rows_of

LOG, ROWS = "judged", "rows"


@dataclass(frozen=True)
class StandIn:
    """A judge that writes which case it begins with, takes its time, and finds a match."""

    log: Path
    seconds: float = 0.002

    def __call__(self, case: Case) -> Row:
        with self.log.open("a") as stream:
            stream.write(f"{case.name}\n")
        if case.name == os.environ.get("KILLS_ITS_JOB"):
            os.kill(os.getppid(), 9)
        time.sleep(self.seconds)
        return Row(case.name, case.place, MATCH, predicted=len(case.name))


class StandInShare(Share):
    """A share whose judge is the stand-in."""

    def __call__(self) -> list[Row]:
        use(self.folder.parent / LOG)
        return super().__call__()


def use(log: Path) -> None:
    """Workers of this process have the stand-in from now on."""
    workers.Verdict = lambda mode: StandIn(log)  # type: ignore[misc, assignment]


def case_of(folder: Path, number: int) -> Case:
    """A case without a file, whose text is its name."""
    name = f"k{number}"
    options = Namespace(file=str(folder / f"{name}.mlir"), inputs=None, cores=None, headers=[])
    return Case(name, f"{name}.mlir", options)


def run(folder: Path, count: int, jobs: int, executor: str | None) -> list[Row]:
    """The rows of the cases."""
    cases, store = [case_of(folder, k) for k in range(count)], RowStore(folder / ROWS)
    if executor is None:
        use(folder / LOG)
        return rows_of(cases, jobs, store, mode="model", again=False)
    shares.Share = StandInShare  # type: ignore[misc]
    return rows_on(
        lambda left: cluster_executor(executor, store.folder.resolve() / "jobs", 100.0, {}),
        cases, jobs, store, mode="model", again=False,
    )  # fmt: skip


def main() -> int:
    """A regression of the arguments FOLDER COUNT JOBS [EXECUTOR], which prints its rows."""
    try:
        found = run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), (*sys.argv, None)[4])
    except KeyboardInterrupt:
        return 130
    for row in found:
        print(row.kernel, row.status, *(problem.at(row.file) for problem in row.problems))
    return 0
