"""A copy of the tree that a mutation may change, and tests that run in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


@contextmanager
def copied_tree() -> Iterator[Path]:
    """A copy of all files of the tree that git does not ignore; removed in the end."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    with tempfile.TemporaryDirectory(prefix="loom-mutant-") as folder:
        for name in filter(None, listed.stdout.decode().split("\0")):
            if (ROOT / name).is_file():
                target = Path(folder) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        yield Path(folder)


def environment(tree: Path) -> dict[str, str]:
    """The variables of a process that imports LOOM from `tree`."""
    path = os.pathsep.join((str(tree), str(tree / "sim")))
    return os.environ | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def passes(tree: Path, tests: Sequence[str], limit: float) -> bool:
    """True if pytest passes on `tests` in `tree`; more than `limit` [s] is a failure."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(
            command, cwd=tree, env=environment(tree), capture_output=True, timeout=limit
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1):
        raise SystemExit(f"pytest ends with {done.returncode}:\n{done.stdout.decode()[-2000:]}")
    return done.returncode == 0
