"""Shares of a regression: each is a job of an executor, and keeps its rows as they come."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass
from pathlib import Path

from loom.regress.case import Case, Mode
from loom.regress.row import LOST, Problem, Row, failed_row
from loom.regress.row_store import RowStore
from loom.regress.workers import kept_rows, keys_of, rows_of, show

CURE = "jobs that end by themselves; the same command goes on with what is left"


class JobLost(Exception):
    """A job that has ended without an answer; `log` is the file that may say why."""

    def __init__(self, what: str, log: str) -> None:
        super().__init__(what)
        self.log = log


@dataclass(frozen=True)
class Share:
    """The work of one job: cases that it judges one after the other."""

    cases: tuple[Case, ...]
    folder: Path
    """Of the rows, which each machine sees."""
    mode: Mode
    again: bool

    def __call__(self) -> list[Row]:
        """The rows, which are kept too."""
        store = RowStore(self.folder)
        return rows_of(self.cases, 1, store, mode=self.mode, again=self.again)


def split(numbers: Sequence[int], count: int) -> list[Sequence[int]]:
    """The numbers as up to `count` shares, of which none is empty."""
    return [numbers[k::count] for k in range(min(count, len(numbers)))]


def longest(cases: Sequence[Case], count: int) -> float:
    """What the longest share of `count` may take, by the timeouts of its cases [s]."""
    return max((sum(case.timeout for case in cases[k::count]) for k in range(count)), default=0.0)


def rows_on(
    executor_for: Callable[[Sequence[Case]], Executor], cases: Sequence[Case], jobs: int,
    store: RowStore, *, mode: Mode, again: bool,
) -> list[Row]:  # fmt: skip
    """The rows of the cases in their order, in up to `jobs` jobs of an executor.

    `executor_for` is asked for it with the cases that are left, where there are such.
    A case whose job has ended without its row has a row of its own kind (`lost`), with the place of
    the job's log; what the job has kept until then counts.
    """
    keys = keys_of(cases, mode)
    rows = {} if again else kept_rows(cases, keys, store)
    left = [k for k in range(len(cases)) if k not in rows]
    if not left:
        return [rows[k] for k in range(len(cases))]
    folder = store.folder.resolve()
    executor = executor_for([cases[k] for k in left])
    try:
        futures = {
            executor.submit(Share(tuple(cases[k] for k in share), folder, mode, again)): share
            for share in split(left, jobs)
        }
        done = 0
        for future in as_completed(futures):
            share = futures[future]
            try:
                came = future.result()
            except Exception as error:  # of any executor: its job has not ended as it should
                came = [store.read(keys[k], cases[k]) or lost_row(cases[k], error) for k in share]
            for k, row in zip(share, came, strict=True):
                rows[k] = row
                show(done := done + 1, len(left), row)
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        raise
    return [rows[k] for k in range(len(cases))]


def lost_row(case: Case, error: Exception) -> Row:
    """The row of a case whose job is gone."""
    place = error.log if isinstance(error, JobLost) else "--executor"
    problem = Problem(f"found {error}; LOOM accepts {CURE}", "REGRESS_JOB", place=place)
    return failed_row(case.name, case.place, LOST, case.expect, [problem])
