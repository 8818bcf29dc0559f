"""Builds are kept by content: made once, in a folder of their own, whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from loom.errors import LoomError, Place

KEPT_DESIGNS = 300
"""Designs beyond this number go, the longest unused first [folders]."""
MINIMUM_AGE = 3600.0
"""A design used this recently stays: another process may be about to run it [s]."""


def cache_root(chosen: Path | None) -> Path:
    """The folder builds are kept in; it exists and can be written.

    Refused: SIM_CACHE if it cannot be made or written.
    """
    root = chosen
    if root is None and os.environ.get("LOOM_CACHE"):
        root = Path(os.environ["LOOM_CACHE"])
    if root is None and os.environ.get("XDG_CACHE_HOME"):
        root = Path(os.environ["XDG_CACHE_HOME"]) / "loom"
    if root is None:
        root = Path.home() / ".cache" / "loom"
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(root, error) from error
    if not os.access(root, os.W_OK | os.X_OK):
        raise _unwritable(root, PermissionError(13, "Permission denied"))
    return root.resolve()


def key_of(parts: Iterable[str]) -> str:
    """A name that differs whenever a part does."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


def made_once(root: Path, name: str, wanted: str, make: Callable[[Path], None]) -> Path:
    """The folder `root/name` with the file `wanted` in it, filled by `make` if it was not there.

    Safe beside other processes: the folder appears by one rename, and who comes second waits for
    the first.
    """
    with _turn(root, name):
        return _made(root, name, wanted, make)


def _made(root: Path, name: str, wanted: str, make: Callable[[Path], None]) -> Path:
    target = root / name
    with contextlib.suppress(OSError):
        # It is in use again, so that `prune` leaves it; it may be gone, or another user's.
        os.utime(target)
    if (target / wanted).is_file():
        return target
    if target.is_dir() and not (target / wanted).is_file():
        # Somebody has taken a part of it away: a folder never appears without `wanted`.
        shutil.rmtree(target, ignore_errors=True)
    try:
        draft = Path(tempfile.mkdtemp(prefix=f".{name[:24]}-", dir=root))
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        make(draft)
        try:
            draft.rename(target)
        except OSError:
            # Locks do not work in every file system: what another process made is the same.
            if not (target / wanted).is_file():
                raise
    except OSError as error:
        raise _unwritable(root, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


@contextlib.contextmanager
def _turn(root: Path, name: str) -> Iterator[None]:
    """Nobody else is making `root/name`, where the file system has locks."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            lock = held.enter_context((root / f".{name}.lock").open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def prune(root: Path, prefix: str) -> None:
    """At most `KEPT_DESIGNS` folders whose name starts with `prefix` are left, and no old draft."""
    now = time.time()
    kept: list[tuple[float, Path]] = []
    for folder in root.iterdir():
        try:
            age = now - folder.stat().st_mtime
        except OSError:
            continue
        if folder.name.startswith(prefix):
            kept.append((age, folder))
        elif folder.name.startswith(".") and age > 24 * MINIMUM_AGE:
            _remove(folder)
    kept.sort(key=lambda entry: entry[0])
    for age, folder in kept[KEPT_DESIGNS:]:
        if age > MINIMUM_AGE:
            _remove(folder)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


def _unwritable(root: Path, error: OSError) -> LoomError:
    return LoomError(
        "SIM_CACHE",
        Place(str(root)),
        f"a cache folder that cannot be used ({error.strerror or error})",
        "a folder it can write; set LOOM_CACHE to one",
    )
