"""``python -m loom_sim.suite_run FOLDER --out DIR``: a large suite, some kernels at a time.

Each kernel is compiled and co-simulated by itself, as in `loom_sim.suite`; its row is kept in
``DIR/rows``, so that a suite which was interrupted goes on where it was. ``DIR/suite.txt``,
``suite.json`` and ``suite.xml`` (JUnit) hold the table. The exit status is 1 if a kernel differs or
is refused.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import loom
from loom.errors import LoomError, LoomErrors, Place
from loom.processes.guard import end_with_parent
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from loom_sim.suite import KINDS, load
from loom_sim.suite_rows import (
    MATCH,
    REFUSED,
    Row,
    from_json,
    json_table,
    junit,
    row_of,
    text_table,
    to_json,
)

FRAMES = 8000
"""Python's recursion limit in a worker, as in the command."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How every kernel is simulated."""

    stalls: float
    seed: int


def kernels_of(folders: Sequence[Path]) -> list[Path]:
    """The kernels of the folders; refused if there is none (SUITE_EMPTY)."""
    found = sorted(file for folder in folders for kind in KINDS for file in folder.glob(kind))
    if not found:
        what, accepted = "no kernel", "a folder of .mlir, .c or .py files"
        raise LoomError("SUITE_EMPTY", Place(", ".join(map(str, folders))), what, accepted)
    return found


@cache
def digest_of_loom() -> str:
    """The digest of all that makes a circuit of a text."""
    digest = hashlib.sha256()
    for folder in (Path(loom.__file__).parent, Path(__file__).parent, *templates()):
        for file in sorted(folder.rglob("*")):
            if file.suffix in (".py", ".j2", ".sv", ".json", ".c", ".cpp"):
                digest.update(file.read_bytes())
    return digest.hexdigest()


def templates() -> Iterator[Path]:
    """The folder of the templates, where it is not inside of the package."""
    beside = Path(loom.__file__).parent.parent / "rtl_templates"
    if beside.is_dir():
        yield beside


def key_of(file: Path, setting: Setting) -> str:
    """What the row of the kernel depends on, as a digest."""
    digest = hashlib.sha256(f"{digest_of_loom()} {asdict(setting)} ".encode())
    for each in (file, file.with_suffix(".json")):
        if each.exists():
            digest.update(each.read_bytes())
    return digest.hexdigest()


def judge(file: Path, key: str, setting: Setting) -> Row:
    """The row of one kernel."""
    sys.setrecursionlimit(FRAMES)
    began = time.monotonic()
    options = SimOptions(stalls=setting.stalls, seed=setting.seed)
    try:
        kernel, given = load(file)
        report = cosimulate_kernels([kernel], [given], options)[0]
    except (LoomError, LoomErrors) as error:
        seconds = round(time.monotonic() - began, 2)
        return Row(file.stem, key, REFUSED, seconds=seconds, problems=tuple(str(error).split("\n")))
    return row_of(report, file.stem, key, time.monotonic() - began)


def kept_row(place: Path, key: str) -> Row | None:
    """The row that an earlier run left, if it is of the same texts and options."""
    try:
        row = from_json(place.read_text(encoding="utf-8"))
    except (OSError, KeyError, TypeError, ValueError):
        return None
    return row if row.key == key else None


def run(files: Sequence[Path], setting: Setting, out: Path, jobs: int) -> list[Row]:
    """The rows of all kernels in their order, `jobs` of them at a time."""
    (out / "rows").mkdir(parents=True, exist_ok=True)
    keys = {file: key_of(file, setting) for file in files}
    places = {file: out / "rows" / f"{file.suffix[1:]}.{file.stem}.json" for file in files}
    rows = {file: kept_row(places[file], keys[file]) for file in files}
    left = [file for file in files if rows[file] is None]
    if len(left) < len(files):
        print(f"{len(files) - len(left)} kernels are as an earlier run left them", file=sys.stderr)
    # Workers begin anew: a fork of a process with threads may hang.
    spawn = get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=spawn, initializer=end_with_parent) as pool:
        waiting = {pool.submit(judge, file, keys[file], setting): file for file in left}
        for number, done in enumerate(as_completed(waiting), start=1):
            file, row = waiting[done], done.result()
            rows[file] = row
            beside = places[file].with_suffix(".new")
            beside.write_text(to_json(row), encoding="utf-8")
            beside.replace(places[file])
            print(f"[{number}/{len(left)}] {row.kernel}: {row.status}, {row.seconds} s",
                  file=sys.stderr, flush=True)  # fmt: skip
    return [row for row in rows.values() if row is not None]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite of the command line."""
    parser = argparse.ArgumentParser(prog="loom_sim.suite_run", description=__doc__)
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--stalls", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    began = time.monotonic()
    try:
        files = kernels_of(chosen.folders)
        rows = run(files, Setting(chosen.stalls, chosen.seed), chosen.out, max(1, chosen.jobs))
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 130
    name = "-".join(folder.name for folder in chosen.folders)
    for suffix, text in (("txt", text_table(rows)), ("json", json_table(rows)),
                         ("xml", junit(rows, name))):  # fmt: skip
        (chosen.out / f"suite.{suffix}").write_text(text, encoding="utf-8")
    print(text_table(rows), end="")
    print(f"{time.monotonic() - began:.1f} s, tables in {chosen.out}", file=sys.stderr)
    return 0 if all(row.status == MATCH for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
