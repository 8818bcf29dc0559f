"""Work that is undone when a signal ends LOOM: children, drafts of files, folders for a while."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NoReturn

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a process to end."""


class Stopped(BaseException):
    """A signal has asked this process to end."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def unwind_on_signals() -> Iterator[None]:
    """A signal that ends this process first leaves the block, by an exception, through every
    `finally`; then the process ends by that very signal. An interrupt is a KeyboardInterrupt.

    Only signals whose action is the default are taken, and only in the main thread: the handlers
    of a program that uses LOOM as a library stay. A second signal does not disturb the first.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    taken = [each for each in ENDING if is_default(each)]

    def stop(number: int, frame: FrameType | None) -> NoReturn:
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Stopped(number)

    try:
        for each in taken:
            signal.signal(each, stop)
        yield
    except Stopped as stopped:
        if stopped.number in taken:
            signal.signal(stopped.number, signal.SIG_DFL)
            os.kill(os.getpid(), stopped.number)
        raise
    finally:
        for each in taken:
            signal.signal(each, default_of(each))


def is_default(number: signal.Signals) -> bool:
    """True if nobody has chosen what the signal does."""
    return signal.getsignal(number) is default_of(number)


def default_of(number: signal.Signals) -> signal._HANDLER:
    """What Python begins with."""
    return signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL


@contextmanager
def scratch_folder(prefix: str = "loom-") -> Iterator[Path]:
    """A folder for a while; it is gone however the block is left, but for SIGKILL."""
    with unwind_on_signals(), TemporaryDirectory(prefix=prefix) as name:
        yield Path(name)
