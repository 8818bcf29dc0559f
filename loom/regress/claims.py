"""Claims: which run, of those that share a folder of rows, judges a case now.

A claim is a lock of one byte of one file, at the place that the key names. It ends with the process
that has it, however that ends, so that no claim of a killed run is left behind.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "claims"
BITS = 62
"""Of the place of a byte: places are up to 2**63 - 1."""


class Claims:
    """The claims of this process in a folder; where the folder takes no locks, none is refused."""

    def __init__(self, descriptor: int | None) -> None:
        self._descriptor = descriptor
        self._held: set[int] = set()

    def take(self, key: str) -> bool:
        """The key is ours from now on; False: another run has it, or this one already."""
        place = place_of(key)
        if place in self._held or not self._lock(fcntl.LOCK_EX | fcntl.LOCK_NB, place):
            return False
        self._held.add(place)
        return True

    def wait(self, key: str) -> None:
        """The run that had the key has given it up, or is gone."""
        place = place_of(key)
        if place not in self._held and self._lock(fcntl.LOCK_EX, place):
            self._lock(fcntl.LOCK_UN, place)

    def release(self, key: str) -> None:
        """The key is nobody's."""
        self._held.discard(place_of(key))
        self._lock(fcntl.LOCK_UN, place_of(key))

    def _lock(self, operation: int, place: int) -> bool:
        """False if another process has the byte."""
        if self._descriptor is None:
            return True
        try:
            fcntl.lockf(self._descriptor, operation, 1, place)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:  # a file system without locks
            self._descriptor = None
        return True


@contextmanager
def claims_in(folder: Path) -> Iterator[Claims]:
    """Claims that are given up at the end."""
    descriptor = None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:  # who writes the rows says what is wrong
        descriptor = None
    try:
        yield Claims(descriptor)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def place_of(key: str) -> int:
    """The byte of a key."""
    return int(key, 16) >> max(0, 4 * len(key) - BITS)
