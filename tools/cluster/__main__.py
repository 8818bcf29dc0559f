"""``python -m tools.cluster``: regressions on a real Slurm, whole, cancelled and interrupted.

It says what it has found, and ends with 1 where that is wrong. Where there can be no Slurm it says
that it is skipped, and why.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.cluster.slurm import one_node_slurm, reason_not_to_run

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ("c/fir.c", "c/crc32.c", "c/collatz.c", "c/bit_reverse.c")
"""Examples that are run."""
COMPARED = ("kernel", "status", "cycles", "predicted", "bound", "tokens", "luts", "flip_flops")
PATIENCE = 300.0
"""So long one regression may take [s]."""


def loom(folder: Path, environment: Mapping[str, str], *words: str) -> subprocess.Popen[str]:
    """A regression of the kernels that has begun."""
    command = [sys.executable, "-m", "loom", "regress", "kernels", "-j", "2", "--json", *words]
    path = f"{ROOT}:{ROOT / 'sim'}"
    return subprocess.Popen(
        command, cwd=folder, env={**environment, "PYTHONPATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def rows_of(run: subprocess.Popen[str]) -> list[dict[str, Any]]:
    """The rows that the regression has found."""
    output, errors = run.communicate(timeout=PATIENCE)
    if not output:
        raise RuntimeError(f"no rows, status {run.returncode}: {errors}")
    rows: list[dict[str, Any]] = json.loads(output)["kernels"]
    return rows


def jobs_of(environment: Mapping[str, str]) -> list[str]:
    """The jobs that Slurm has not ended."""
    command = ["squeue", "--noheader", "--format=%A"]
    found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return found.stdout.split()


def wait_until(is_so: Callable[[], bool], what: str) -> None:
    """It is so."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > deadline:
            raise RuntimeError(f"not in time: {what}")
        time.sleep(0.1)


def kept_in(cache: Path) -> int:
    """The rows that are kept."""
    return len([*cache.glob("??/*.json")])


def main() -> int:
    """The regressions agree with what they should be."""
    reason = reason_not_to_run()
    if reason is not None:
        print(f"skipped: a regression on a real Slurm: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="loom-slurm-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # munged wants its socket to be within reach of all
        (folder / "kernels").mkdir()
        (folder / "slurm").mkdir()
        for kernel in KERNELS:
            shutil.copy(ROOT / "examples" / kernel, folder / "kernels")
        with one_node_slurm(folder / "slurm") as environment:
            wrong = [*run_whole(folder, environment), *run_cancelled(folder, environment),
                     *run_interrupted(folder, environment)]  # fmt: skip
    for each in wrong:
        print(f"wrong: {each}", file=sys.stderr)
    return 1 if wrong else 0


def run_whole(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What is wrong with a regression in jobs, beside one in workers; in RTL, both."""
    here = rows_of(loom(folder, environment, "--cache", "here"))
    there = rows_of(loom(folder, environment, "--cache", "whole", "--executor", "slurm"))
    print(f"slurm: {len(there)} kernels in jobs, {sum(row['expected'] for row in there)} match")
    if facts(here) != facts(there) or not all(row["expected"] for row in there):
        return [f"rows of jobs are not those of workers: {facts(there)}, {facts(here)}"]
    return []


def facts(rows: Sequence[Mapping[str, Any]]) -> list[list[Any]]:
    """What rows say of the circuits."""
    return [[row[name] for name in COMPARED] for row in rows]


def run_cancelled(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What is wrong with a regression whose jobs are cancelled, and with the next run."""
    words = ("--cache", "cancelled", "--executor", "slurm")
    run = loom(folder, environment, *words)
    wait_until(lambda: kept_in(folder / "cancelled") > 0, "a first row of a job")
    subprocess.run(["scancel", *jobs_of(environment)], env=environment, check=True)
    rows = rows_of(run)
    states = sorted(row["status"] for row in rows)
    kept = kept_in(folder / "cancelled")
    print(f"slurm: jobs cancelled after {kept} rows: {states}")
    lost = [row for row in rows if row["status"] == "lost"]
    wrong = []
    if run.returncode != 1 or not lost or len(lost) + kept != len(KERNELS):
        wrong.append(f"cancelled jobs, status {run.returncode}: {states}, {kept} kept")
    logs = {problem["place"] for row in lost for problem in row["problems"]}
    wrong += [f"no log {log}" for log in logs if not Path(log).is_file()]
    again = loom(folder, environment, *words)
    rows = rows_of(again)
    print(f"slurm: the next run: {sum(row['expected'] for row in rows)} match")
    if again.returncode != 0 or not all(row["expected"] for row in rows):
        wrong.append(f"the run after cancelled jobs: {rows}")
    return wrong


def run_interrupted(folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What is wrong with a regression that is interrupted: its jobs are to be gone."""
    words = ("--cache", "interrupted", "--executor", "slurm")
    wait_until(lambda: not jobs_of(environment), "the end of the jobs before")
    run = loom(folder, environment, *words)
    wait_until(lambda: bool(jobs_of(environment)), "a job")
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=PATIENCE)
    wait_until(lambda: not jobs_of(environment), "the end of the jobs")
    print(f"slurm: interrupted, status {run.returncode}, no job is left")
    if run.returncode != 130 or "the same command goes on from here" not in errors:
        return [f"an interrupt, status {run.returncode}: {errors}"]
    return []


if __name__ == "__main__":
    sys.exit(main())
