"""Child processes that end when they should: by themselves, at their timeout, or with us."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

KEPT_OUTPUT = 400_000
"""Of a longer output, the first and the last half are kept [bytes]."""


@dataclass(frozen=True)
class Finished:
    """How a child ended: exit status (negative: the signal), its output, whether we ended it."""

    status: int
    output: str
    timed_out: bool


def run_child(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    timeout: float | None,
    on_line: Callable[[str], bool] | None = None,
) -> Finished:
    """The child has ended, with all its own children, however this function is left.

    `on_line` sees each line of output and says whether it has dealt with it.
    """
    process = subprocess.Popen(
        list(command),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        with process.stdout:
            output, in_time = _read(process.stdout, timeout, on_line)
        if in_time:
            process.wait()
    finally:
        # In a session of its own it does not see the terminal's interrupt: end it here.
        _end(process)
    return Finished(process.returncode, output, not in_time)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _read(
    stream: IO[bytes], timeout: float | None, on_line: Callable[[str], bool] | None
) -> tuple[str, bool]:
    """All output up to its end, and whether the end came before the timeout."""
    deadline = None if timeout is None else time.monotonic() + timeout
    kept = bytearray()
    rest = b""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if (left is not None and left <= 0) or not selector.select(left):
                return _text(kept + rest), False
            data = os.read(stream.fileno(), 65536)
            if not data:
                return _text(kept + rest), True
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if on_line is None or not on_line(line.decode(errors="replace")):
                    kept += line + b"\n"
            if len(kept) > KEPT_OUTPUT:
                half = KEPT_OUTPUT // 4
                kept = kept[:half] + b"\n...\n" + kept[-half:]


def _text(data: bytes | bytearray) -> str:
    return data.decode(errors="replace")
