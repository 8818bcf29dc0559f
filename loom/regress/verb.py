"""``loom regress``: the kernels of folders against what is expected of them, and a baseline."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from loom.emit.files import write_files
from loom.errors import LoomError, Place
from loom.front.verbs import MATCH, MISMATCH, require_simulation
from loom.regress import baseline as numbers
from loom.regress.baseline import Comparison
from loom.regress.case import Case, Mode
from loom.regress.cluster import cluster_executor
from loom.regress.collect import collect
from loom.regress.job_files import ARRAY, COLLECT, job_files
from loom.regress.judge import problems_of
from loom.regress.page import page
from loom.regress.row import Row
from loom.regress.row_store import store_at
from loom.regress.sarif import sarif
from loom.regress.selection import select, shard
from loom.regress.settings import choices_of
from loom.regress.shares import longest, rows_on
from loom.regress.tables import UNITS, is_passed, json_object, junit, text_table
from loom.regress.workers import rows_of

INTERRUPTED = 130


def regress(options: argparse.Namespace) -> int:
    """``loom regress``."""
    require_usable(options)
    if not options.model_only:
        require_simulation()
    choices = replace(choices_of(options), timeout=options.timeout)
    found = collect([Path(folder) for folder in options.folders], choices)
    cases = select(found, options.select)
    if options.shard is not None:
        cases = shard(cases, *options.shard)
    before = read_before(options)
    if options.emit_jobs is not None:
        return emit_jobs(options, cases)
    began = time.monotonic()
    try:
        rows = judge_cases(options, cases)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return INTERRUPTED
    print(f"{time.monotonic() - began:.1f} s", file=sys.stderr)
    rows = [placed(row, case) for row, case in zip(rows, cases, strict=True)]
    whole = len(cases) == len(found)
    comparison = None
    if options.baseline is not None:
        tolerances = {**numbers.DEFAULT, **options.tolerance}
        comparison = numbers.compare(before, rows, tolerances, whole=whole)
    write_tables(options, rows, comparison, before, whole)
    print_rows(options, rows, comparison)
    return MATCH if is_passed(rows, None if options.update else comparison) else MISMATCH


def require_usable(options: argparse.Namespace) -> None:
    """Return if the options go together. Refused (CLI_USAGE): some that say nothing alone."""
    wrong = {
        "--update alone": (options.update and options.baseline is None,
                           "--update with --baseline F"),
        "--sbatch alone": (options.sbatch and options.executor != "slurm",
                           "--sbatch with --executor slurm"),
        "--emit-jobs with --executor": (options.emit_jobs is not None and options.executor,
                                        "one of them"),
        "--emit-jobs with --shard": (options.emit_jobs is not None and options.shard is not None,
                                     "--emit-jobs with -j: a shard for each job"),
    }  # fmt: skip
    for what, (found, accepted) in wrong.items():
        if found:
            raise LoomError("CLI_USAGE", Place("loom regress"), what, accepted)


def judge_cases(options: argparse.Namespace, cases: Sequence[Case]) -> list[Row]:
    """The rows of the cases: of workers of this process, or of jobs."""
    store = store_at(options.cache)
    mode: Mode = "model" if options.model_only else "simulation"
    kind, jobs = options.executor, options.jobs
    if kind is None:
        return rows_of(cases, jobs, store, mode=mode, again=options.again)
    folder, sbatch = store.folder.resolve() / "jobs", dict(options.sbatch)

    def executor_for(left: Sequence[Case]) -> Executor:
        return cluster_executor(kind, folder, longest(left, jobs), sbatch)

    return rows_on(executor_for, cases, jobs, store, mode=mode, again=options.again)


def placed(row: Row, case: Case) -> Row:
    """The row with the name that the kernel's file has from here, if it is below this folder."""
    here = Path.cwd()
    below = case.file.relative_to(here) if case.file.is_relative_to(here) else Path(case.place)
    return replace(row, file=below.as_posix())


def emit_jobs(options: argparse.Namespace, cases: Sequence[Case]) -> int:
    """The folder of --emit-jobs has the jobs, and it is said how they are run."""
    count = min(options.jobs, len(cases)) or 1
    cache = store_at(options.cache).folder.resolve()
    folder = Path(options.emit_jobs).resolve()
    from loom.front.cli import parser  # which imports the verbs

    verb = parser().verbs["regress"]
    files = job_files(options.words[1:], verb, count, cache, folder)
    write_files(folder, files)
    print(f"{len(cases)} kernels in {count} jobs: {folder / ARRAY}; then {folder / COLLECT}")
    return MATCH


def read_before(options: argparse.Namespace) -> dict[str, numbers.Numbers]:
    """The baseline; none where --update is to write the first."""
    if options.baseline is None or (options.update and not Path(options.baseline).exists()):
        return {}
    return numbers.read_baseline(options.baseline)


def write_tables(
    options: argparse.Namespace, rows: Sequence[Row], comparison: Comparison | None,
    before: dict[str, numbers.Numbers], whole: bool,
) -> None:  # fmt: skip
    """The files of the options hold the rows, all of them or none."""
    files: dict[str, str] = {}
    if options.junit is not None:
        files[options.junit] = junit(rows, comparison)
    if options.html is not None:
        files[options.html] = page(rows, comparison, Path(options.baseline or "").name)
    if options.sarif is not None:
        files[options.sarif] = sarif(rows, comparison)
    if options.update:
        files[options.baseline] = numbers.baseline_text(before, rows, whole=whole)
    write_files(Path(), files)


def print_rows(
    options: argparse.Namespace, rows: Sequence[Row], comparison: Comparison | None
) -> None:
    """The rows stand on standard output, what is wrong on standard error."""
    if options.json:
        print(json.dumps(json_object(rows, comparison)))
        return
    print(text_table(rows))
    print(UNITS)
    for line in problems_of(rows):
        print(line, file=sys.stderr)
    if comparison is not None:
        print("\n".join(comparison.lines(options.baseline)))
