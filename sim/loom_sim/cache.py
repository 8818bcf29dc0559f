"""Builds are kept by content: made once, in a folder of their own, whole or not at all."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from loom.cache_folder import cache_folder
from loom.errors import LoomError, Place
from loom.processes.unwind import unwind_on_signals

KEPT_DESIGNS = 300
"""Designs beyond this number go, the longest unused first [folders]."""
DIGESTS = "digests.json"
"""In each folder, the list of its files."""
FORM = b"folders with digests"
"""What a folder of the cache holds beside its files; other forms have other keys."""
OTHERS_WRITE = 0o022
MINIMUM_AGE = 3600.0
"""A design used this recently stays: another process may be about to run it [s]."""


def cache_root(chosen: Path | None) -> Path:
    """The folder builds are kept in; it exists, is ours, and only we can write it.

    Refused: SIM_CACHE if it cannot be made or written, or if another user can plant a build in it.
    """
    root = cache_folder() if chosen is None else chosen
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(root, error) from error
    root = root.resolve()
    if not os.access(root, os.W_OK | os.X_OK):
        raise _unwritable(root, PermissionError(13, "Permission denied"))
    _keep_to_ourselves(root)
    return root


def _keep_to_ourselves(root: Path) -> None:
    """Nobody else can write the folder: simulators in it are run."""
    if root.stat().st_uid == os.geteuid() and root.stat().st_mode & OTHERS_WRITE:
        with contextlib.suppress(OSError):
            root.chmod(stat.S_IMODE(root.stat().st_mode) & ~OTHERS_WRITE)
    if not is_ours(root):
        whose = "can write" if root.stat().st_uid == os.geteuid() else "owns"
        raise LoomError(
            "SIM_CACHE",
            Place(str(root)),
            f"a cache folder that another user {whose}",
            "a folder of your own; set LOOM_CACHE to one",
        )


def is_ours(folder: Path) -> bool:
    """True of a folder, not a link to one, that only this user can write."""
    found = folder.lstat()
    return (
        stat.S_ISDIR(found.st_mode)
        and found.st_uid == os.geteuid()
        and not found.st_mode & OTHERS_WRITE
    )


def key_of(parts: Iterable[str]) -> str:
    """A name that differs whenever a part does."""
    digest = hashlib.sha256(FORM)
    for part in parts:
        data = part.encode()
        digest.update(f"{len(data)}:".encode())
        digest.update(data)
    return digest.hexdigest()[:32]


@unwind_on_signals()
def made_once(root: Path, name: str, wanted: str, make: Callable[[Path], None]) -> Path:
    """The folder `root/name` with the file `wanted` in it, filled by `make` if it was not there.

    Safe beside other processes: the folder appears by one rename, and who comes second waits for
    the first. One that is not as it was made, or that another user may have made, is made again.
    A signal that ends this process leaves no draft; what SIGKILL leaves goes with the next build.
    """
    with _turn(root, name) as alone:
        prefix = f".{name[:24]}-"
        if alone:
            for left in root.glob(f"{prefix}*"):
                _remove(left)
        return _made(root, name, prefix, wanted, make)


def _made(root: Path, name: str, prefix: str, wanted: str, make: Callable[[Path], None]) -> Path:
    target = root / name
    if is_whole(target, wanted):
        with contextlib.suppress(OSError):
            # It is in use again, so that `prune` leaves it.
            os.utime(target)
        return target
    _remove(target)
    try:
        draft = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
    except OSError as error:
        raise _unwritable(root, error) from error
    try:
        make(draft)
        seal(draft)
        try:
            draft.rename(target)
        except OSError:
            # Locks do not work in every file system: what another process made is the same.
            if not is_whole(target, wanted):
                raise
    except OSError as error:
        raise _unwritable(root, error) from error
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return target


def seal(folder: Path) -> None:
    """The folder's list of digests is that of its files."""
    (folder / DIGESTS).unlink(missing_ok=True)
    (folder / DIGESTS).write_text(json.dumps(digests_of(folder)))


def is_whole(folder: Path, wanted: str) -> bool:
    """True if the folder is ours, has the file, and its files are those of its list."""
    try:
        if not is_ours(folder) or not (folder / wanted).is_file():
            return False
        listed = json.loads((folder / DIGESTS).read_text())
        return bool(listed == digests_of(folder))
    except (OSError, ValueError):
        return False


def digests_of(folder: Path) -> dict[str, str]:
    """The SHA-256 digest of every file in the folder but the list; a link has none."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            found[name] = "a link"
        elif path.is_file() and name != DIGESTS:
            with path.open("rb") as file:
                found[name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found


@contextlib.contextmanager
def _turn(root: Path, name: str) -> Iterator[bool]:
    """Nobody else is making `root/name`; false where the file system has no locks."""
    with contextlib.ExitStack() as held:
        alone = False
        with contextlib.suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
            lock = os.open(root / f".{name}.lock", flags, 0o600)
            held.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_EX)
            alone = True
        yield alone


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
    if path.is_dir() and not path.is_symlink():
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
