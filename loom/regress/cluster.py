"""Submitit's executors, for Slurm and for this machine, behind the standard ``Executor``."""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar
from uuid import uuid4

from loom.errors import LoomError, Place
from loom.processes.child import Limits, run_child
from loom.regress.shares import JobLost

INTERVAL = 0.2
"""Between two looks at the files of the jobs [s]."""
QUEUE_INTERVAL = 5.0
"""Between two questions to Slurm [s]."""
PATIENCE = {"local": 0.0, "slurm": 15.0}
"""So long after the end of a job its answer may come over a file system of a network [s]."""
A_YEAR = 365 * 24 * 60
"""The longest time of a job [minutes]."""
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def cluster_executor(
    kind: str, folder: Path, seconds: float, sbatch: Mapping[str, str | bool]
) -> ClusterExecutor:
    """The executor `local` or `slurm`; `folder` has its jobs, of which each may take `seconds`.

    Refused (REGRESS_EXECUTOR): without the extra `cluster`, and where there is no Slurm.
    """
    place = Place(f"--executor {kind}")
    try:
        import submitit
    except ModuleNotFoundError as error:
        accepted = "an installation with the extra `cluster`: pip install 'loom-hls[cluster]'; or "
        what = f"no module {error.name}"
        raise LoomError("REGRESS_EXECUTOR", place, what, accepted + "--emit-jobs DIR") from None
    minutes = min(A_YEAR, math.ceil(seconds / 60) + 2)
    if kind == "local":
        jobs = new_folder(folder)
        here = submitit.LocalExecutor(jobs)
        here.update_parameters(timeout_min=minutes)
        return ClusterExecutor(kind, jobs, here, None)
    missing = [name for name in ("sbatch", "srun", "squeue") if shutil.which(name) is None]
    if missing:
        accepted = "a machine from which Slurm takes jobs; or --emit-jobs DIR"
        raise LoomError("REGRESS_EXECUTOR", place, f"no program {missing[0]}", accepted)
    jobs = new_folder(folder)
    slurm = submitit.SlurmExecutor(jobs)
    slurm.update_parameters(time=minutes, job_name="loom", additional_parameters=dict(sbatch))
    return ClusterExecutor(kind, jobs, slurm, Queue())


def new_folder(folder: Path) -> Path:
    """A folder in the folder, for the jobs of one run. Refused (EMIT_UNWRITABLE): none can be."""
    try:
        made = folder / f"run-{uuid4().hex}"
        made.mkdir(parents=True)
        return made
    except OSError as error:
        raise unwritable(folder, error) from None


def unwritable(folder: Path, error: OSError) -> LoomError:
    """The refusal of a folder that takes no jobs."""
    what = f"a place where no job can be written ({error.strerror})"
    accepted = "a folder of rows that can be written"
    return LoomError("EMIT_UNWRITABLE", Place(str(folder)), what, accepted)


class Queue:
    """Which jobs of ours Slurm has not ended yet, asked not too often."""

    def __init__(self) -> None:
        self._asked = -math.inf
        self._found: frozenset[str] | None = None

    def lists(self, job: str, submitted: float) -> bool:
        """True of a job that waits or runs, or while Slurm does not answer.

        `submitted` is the monotonic time of its submission [s]: older answers say nothing of it.
        """
        if time.monotonic() - self._asked > QUEUE_INTERVAL:
            self._asked = time.monotonic()
            self._found = self._ask()
        return self._found is None or self._asked <= submitted or job in self._found

    def _ask(self) -> frozenset[str] | None:
        command = ["squeue", "--me", "--noheader", "--format=%A"]
        try:
            found = run_child(command, None, os.environ, Limits(time=60))
        except OSError:
            return None
        return None if found.status else frozenset(found.output.split())


@dataclass(frozen=True)
class Answer:
    """What the call of a job returned."""

    value: Any


@dataclass
class Running:
    """A job that was submitted; `ended` is when it was first seen to be gone [s]."""

    job: Any
    submitted: float
    ended: float | None = None


class ClusterExecutor(Executor):
    """Calls that are jobs; a job that ends without an answer raises `JobLost`.

    The folder of the jobs is gone when all have ended well; else it stays, with their logs.
    `shutdown` with `cancel_futures` cancels the jobs that run, too.
    """

    def __init__(self, kind: str, folder: Path, inner: Any, queue: Queue | None) -> None:
        self.kind, self._folder, self._inner, self._queue = kind, folder, inner, queue
        self._is_lost = False
        self._running: dict[Future[Any], Running] = {}
        self._lock = threading.Lock()
        self._watch: threading.Thread | None = None

    def submit(
        self, fn: Callable[Parameters, Result], /, *args: Parameters.args,
        **kwargs: Parameters.kwargs,
    ) -> Future[Result]:  # fmt: skip
        """The call is a job. Refused (REGRESS_EXECUTOR): one that the cluster does not take."""
        try:
            job = self._inner.submit(call_in_job, fn, *args, **kwargs)
        except OSError as error:
            raise unwritable(self._folder, error) from None
        except RuntimeError as error:
            what = " ".join(str(error).split()) or type(error).__name__
            accepted = "jobs that the cluster takes: --sbatch NAME=VALUE has its options"
            place = Place(f"--executor {self.kind}")
            raise LoomError("REGRESS_EXECUTOR", place, what, accepted) from None
        future: Future[Result] = Future()
        future.set_running_or_notify_cancel()
        with self._lock:
            self._running[future] = Running(job, time.monotonic())
            if self._watch is None:
                self._watch = threading.Thread(target=self._look, daemon=True)
                self._watch.start()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """No job is left that runs: all have ended, or are cancelled."""
        if cancel_futures:
            with self._lock:
                cancelled = list(self._running.values())
            for each in cancelled:
                with suppress(OSError):
                    each.job.cancel(check=False)
        watch = self._watch
        if wait and watch is not None:
            watch.join()

    def _look(self) -> None:
        """Every job has ended, and its future has what it gave."""
        while True:
            with self._lock:
                running = dict(self._running)
            for future, each in running.items():
                outcome = self._outcome(each)
                if outcome is None:
                    continue
                self._is_lost |= isinstance(outcome, JobLost)
                with self._lock:
                    del self._running[future]
                    is_last = not self._running
                    if is_last:
                        self._watch = None
                if is_last and not self._is_lost:
                    shutil.rmtree(self._folder, ignore_errors=True)
                if isinstance(outcome, JobLost):
                    future.set_exception(outcome)
                else:
                    future.set_result(outcome.value)
                if is_last:
                    return
            time.sleep(INTERVAL)

    def _outcome(self, each: Running) -> Answer | JobLost | None:
        """What a job has left, or why there is nothing; None: it still runs."""
        try:
            return self._look_at(each)
        except OSError as error:
            return JobLost(f"the job {each.job.job_id}, whose files cannot be read: {error}",
                           str(each.job.paths.stderr))  # fmt: skip

    def _look_at(self, each: Running) -> Answer | JobLost | None:
        job, now = each.job, time.monotonic()
        has_answer = job.paths.result_pickle.exists()
        if self._queue is None or not has_answer:
            if self._is_active(each):
                return None
            has_answer = job.paths.result_pickle.exists()
        if has_answer:
            return answer_of(job)
        each.ended = now if each.ended is None else each.ended
        if now - each.ended < PATIENCE[self.kind]:
            return None
        what = f"the job {job.job_id} that ended without an answer"
        return JobLost(what + last_of(job.paths.stderr), str(job.paths.stderr))

    def _is_active(self, each: Running) -> bool:
        """True of a job that waits or runs."""
        if self._queue is None:
            return not each.job.done()
        return self._queue.lists(str(each.job.job_id), each.submitted)


def answer_of(job: Any) -> Answer | JobLost:
    """What the call of a job returned, or raised."""
    try:
        return Answer(job.result())
    except Exception as error:  # whatever the call raised, as text
        raised = [line for line in str(error).splitlines() if re.match(r"[\w.]+(: |$)", line)]
        detail = f": {raised[-1]}" if raised else ""
        what = f"the job {job.job_id} that ended by an error{detail}"
        return JobLost(what, str(job.paths.stderr))


def last_of(log: Path) -> str:
    """The last line of a log, as the end of a sentence; nothing where there is none."""
    with suppress(OSError):
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        if lines:
            return f", after {lines[-1]!r}"
    return ""


def call_in_job(
    function: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> Result:
    """The call, in a job that ends at once when the cluster asks it to.

    Submitit would go on until it is killed; what is kept until then is kept.
    """
    for each in (signal.SIGTERM, signal.SIGUSR2):
        signal.signal(each, signal.SIG_DFL)
    return function(*args, **kwargs)
