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
from loom.regress.case import Case, Mode, key_of
from loom.regress.claims import Claims, claims_in
from loom.regress.judge import judge
from loom.regress.row import CRASHED, TIMEOUT, Problem, Row, failed_row
from loom.regress.row_store import RowStore

PATIENCE = 10.0
"""So long a worker that is to end has for it, before it is killed [s]."""
Judge = Callable[[Case], Row]


@dataclass(frozen=True)
class Verdict:
    """What a worker calls: `judge` in one mode."""

    mode: Mode

    def __call__(self, case: Case) -> Row:
        """The row of the case."""
        return judge(case, self.mode)


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
    cases: Sequence[Case], jobs: int, store: RowStore, *, mode: Mode, again: bool
) -> list[Row]:
    """The rows of the cases, those that are kept and those that are run now, in their order.

    Of runs at a time that share the store one judges a case, the others wait for its row.
    """
    keys = keys_of(cases, mode)
    rows = {} if again else kept_rows(cases, keys, store)
    left = [k for k in range(len(cases)) if k not in rows]
    with claims_in(store.folder) as claims:
        while left:
            before = len(left)
            came = judge_round(
                [cases[k] for k in left], [keys[k] for k in left], jobs, store, claims,
                Verdict(mode), again,
            )  # fmt: skip
            rows |= {left[number]: row for number, row in came.items()}
            left = [k for k in left if k not in rows]
            if len(left) == before:
                claims.wait(keys[left[0]])
    return [rows[k] for k in range(len(cases))]


def keys_of(cases: Sequence[Case], mode: Mode) -> list[str]:
    """The keys of the rows of the cases in one mode."""
    return [key_of(case, mode) for case in cases]


def kept_rows(cases: Sequence[Case], keys: Sequence[str], store: RowStore) -> dict[int, Row]:
    """The rows that earlier runs have left, by the numbers of their cases; it is said how many."""
    kept = {k: store.read(keys[k], case) for k, case in enumerate(cases)}
    rows = {k: row for k, row in kept.items() if row is not None}
    if rows:
        print(f"{len(rows)} of {len(cases)} are as an earlier run left them", file=sys.stderr)
    return rows


def judge_round(
    cases: Sequence[Case], keys: Sequence[str], jobs: int, store: RowStore, claims: Claims,
    verdict: Judge, again: bool,
) -> dict[int, Row]:  # fmt: skip
    """The rows of those cases that no other run has claimed, each kept as soon as it is there."""
    rows: dict[int, Row] = {}

    def is_ours(number: int) -> bool:
        if not claims.take(keys[number]):
            return False
        row = None if again else store.read(keys[number], cases[number])
        if row is not None:  # another run has kept it meanwhile
            rows[number] = row
            claims.release(keys[number])
        return row is None

    with closing(judge_all(cases, jobs, verdict, is_ours)) as came:
        for number, row in came:
            rows[number] = row
            store.write(keys[number], row)
            claims.release(keys[number])
            show(len(rows), len(cases), row)
    return rows


def judge_all(
    cases: Sequence[Case], jobs: int, verdict: Judge, is_ours: Callable[[int], bool]
) -> Generator[tuple[int, Row], None, None]:
    """Number and row of each case that is ours, as they come, `jobs` of them at a time."""
    left = list(range(len(cases)))[::-1]
    workers: list[Worker] = []
    try:
        while True:
            idle = [worker for worker in workers if worker.number is None]
            while left and (idle or len(workers) < jobs):
                number = left.pop()
                if not is_ours(number):
                    continue
                if not idle:
                    workers.append(start(verdict))
                    idle.append(workers[-1])
                give(idle.pop(), number, cases)
            if all(worker.number is None for worker in workers):
                return
            for worker in wait_for_one(workers):
                assert worker.number is not None
                number, worker.number = worker.number, None
                row = row_from(worker, cases[number])
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
