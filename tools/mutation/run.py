"""Each mutant in a copy of the tree: the first test that fails, or its survival."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.mutation.listed import Stage
from tools.mutation.mutant import ROOT, Mutant

FAILED = re.compile(r"^(?:FAILED|ERROR) (tests.+?)(?: - .*)?$", re.MULTILINE)
SURVIVED, OUT_OF_TIME = "survived", "out of time"
"""A stage out of time says nothing: the machine may be slow. A test that may hang has an alarm."""
MEMORY = 6 << 30
"""A mutant may allocate without end; no process of its tests gets more than this [bytes]."""
BOUNDED_PYTEST = f"""
import resource, sys, pytest
resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))
sys.exit(pytest.main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Outcome:
    """What killed a mutant, a test as a rule; how long that took [s]."""

    by: str
    seconds: float

    @property
    def killed(self) -> bool:
        """True if a test noticed the mutant."""
        return self.by not in (SURVIVED, OUT_OF_TIME)


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of all that git knows of the tree, gone in the end."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True)
    with tempfile.TemporaryDirectory(prefix="loom-mutant-") as folder:
        for name in listed.stdout.decode().split("\0"):
            source, target = ROOT / name, Path(folder) / name
            if name and source.is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, target)
        yield Path(folder)


def outcome_of(
    mutant: Mutant, stages: tuple[Stage, ...], tree: Path, limit: float
) -> tuple[Outcome, Stage | None]:
    """Run the stages with the mutant in `tree` until one fails: what, and which one.

    The tree is then as before.
    """
    began = time.monotonic()
    path = tree / mutant.file
    before = mutant.apply(tree)
    try:
        for stage in stages:
            by = first_failure(stage, tree, limit)
            if by:
                return Outcome(by, time.monotonic() - began), stage
    finally:
        path.write_text(before, encoding="utf-8")
        forget(path)
    return Outcome(SURVIVED, time.monotonic() - began), None


def forget(path: Path) -> None:
    """No compiled form of a file is left: one of the same second and size would be taken for it."""
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)


def first_failure(stage: Stage, tree: Path, limit: float) -> str:
    """The first test of the stage that fails, or the empty string."""
    forget(tree / "loom" / "api.py")
    command = [
        sys.executable,
        "-c",
        BOUNDED_PYTEST,
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "--tb=no",
    ]
    environment = os.environ | {
        "PYTHONPATH": f"{tree}{os.pathsep}{tree / 'sim'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "LOOM_RANDOM_PROGRAMS": "40",
    }
    try:
        done = subprocess.run(
            [*command, *stage], cwd=tree, env=environment, capture_output=True, text=True,
            timeout=limit,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return OUT_OF_TIME
    if done.returncode == 0:
        return ""
    found = FAILED.search(done.stdout)
    return found[1] if found else f"pytest ends with {done.returncode}"
