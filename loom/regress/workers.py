"""Kernels judged in processes of their own: one that dies or takes too long costs its row."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess

from loom.processes.guard import end_with_parent
from loom.regress.case import Case, key_of
from loom.regress.judge import judge
from loom.regress.row import CRASHED, TIMEOUT, Problem, Row, failed_row
from loom.regress.row_store import RowStore

PATIENCE = 10.0
"""So long a worker that is to end has for it, before it is killed [s]."""
Judge = Callable[[Case], Row]


@dataclass(frozen=True)
class Verdict:
    """What a worker calls: `judge` in one mode."""

    model_only: bool

    def __call__(self, case: Case) -> Row:
        """The row of the case."""
        return judge(case, model_only=self.model_only)


@dataclass
class Worker:
    """A process that judges one case after the other; `number` is that of its case, if any."""

    process: BaseProcess
    pipe: Connection
    number: int | None = None
    deadline: float = 0.0

    def end(self) -> None:
        """The process is gone, and all that it has started."""
        self.process.terminate()
        self.process.join(PATIENCE)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


def serve(pipe: Connection, verdict: Judge) -> None:
    """Cases that come are judged, until the pipe ends."""
    end_with_parent()
    with suppress(EOFError, KeyboardInterrupt, BrokenPipeError):
        while True:
            pipe.send(verdict(pipe.recv()))


def start(verdict: Judge) -> Worker:
    """A new worker. It begins anew: a fork of a process with threads may hang."""
    spawn = get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=serve, args=(theirs, verdict), daemon=False)
    process.start()
    theirs.close()
    return Worker(process, ours)


def rows_of(
    cases: Sequence[Case], jobs: int, store: RowStore, *, model_only: bool, again: bool
) -> list[Row]:
    """The rows of the cases, those that are kept and those that are run now, in their order."""
    mode = "model" if model_only else "simulation"
    keys = [key_of(case, mode) for case in cases]
    rows: dict[int, Row] = {}
    if not again:
        kept = {k: store.read(keys[k], case) for k, case in enumerate(cases)}
        rows = {k: row for k, row in kept.items() if row is not None}
    if rows:
        print(f"{len(rows)} of {len(cases)} are as an earlier run left them", file=sys.stderr)
    left = [k for k in range(len(cases)) if k not in rows]
    with closing(judge_all([cases[k] for k in left], jobs, Verdict(model_only))) as came:
        for count, (number, row) in enumerate(came, start=1):
            k = left[number]
            rows[k] = row
            store.write(keys[k], row)
            show(count, len(left), row)
    return [rows[k] for k in range(len(cases))]


def judge_all(
    cases: Sequence[Case], jobs: int, verdict: Judge
) -> Generator[tuple[int, Row], None, None]:
    """Each case's number and row as they come, `jobs` of them at a time."""
    left = list(range(len(cases)))[::-1]
    workers: list[Worker] = []
    try:
        while left or any(worker.number is not None for worker in workers):
            idle = [worker for worker in workers if worker.number is None]
            while left and (idle or len(workers) < jobs):
                if not idle:
                    workers.append(start(verdict))
                    idle.append(workers[-1])
                give(idle.pop(), left.pop(), cases)
            for worker in wait_for_one(workers):
                number = worker.number
                assert number is not None
                row = row_from(worker, cases[number])
                worker.number = None
                if row.status in (CRASHED, TIMEOUT):
                    workers.remove(worker)
                    worker.end()
                yield number, row
    finally:
        for worker in workers:
            worker.end()


def give(worker: Worker, number: int, cases: Sequence[Case]) -> None:
    """The worker has the case; one that is gone is found when its row is read."""
    worker.number = number
    worker.deadline = time.monotonic() + cases[number].timeout
    with suppress(OSError):
        worker.pipe.send(cases[number])


def wait_for_one(workers: Sequence[Worker]) -> list[Worker]:
    """The busy workers that have a row, are gone, or have had their time: one at least."""
    busy = [worker for worker in workers if worker.number is not None]
    while True:
        left = min(worker.deadline for worker in busy) - time.monotonic()
        ready = wait([worker.pipe for worker in busy], max(0.0, left))
        now = time.monotonic()
        found = [worker for worker in busy if worker.pipe in ready or worker.deadline <= now]
        if found:
            return found


def row_from(worker: Worker, case: Case) -> Row:
    """The row that a worker has sent, or why there is none."""
    if not worker.pipe.poll():
        what = f"no end after {case.timeout:g} s"
        return failed_row(case.name, case.place, TIMEOUT, case.expect, [Problem(what)])
    try:
        row = worker.pipe.recv()
        assert isinstance(row, Row)
        return row
    except (EOFError, OSError):
        worker.process.join(PATIENCE)
        status = worker.process.exitcode
        what = f"its process ended with status {status}"
        return failed_row(case.name, case.place, CRASHED, case.expect, [Problem(what)])


def show(number: int, count: int, row: Row) -> None:
    """The row is announced on standard error."""
    print(f"[{number}/{count}] {row.kernel}: {row.verdict}, {row.seconds} s",
          file=sys.stderr, flush=True)  # fmt: skip
