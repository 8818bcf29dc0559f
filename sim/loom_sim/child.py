"""Child processes that end when they should: by themselves, at their time limits, or with us."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

KEPT_OUTPUT = 400_000
"""A longer output loses its middle [bytes]."""
LAST_BREATH = 10.0
"""A child that has closed its output has so long to end [s]."""

Listener = Callable[[str], bool]


@dataclass(frozen=True)
class Finished:
    """How a child ended: exit status (negative: the signal), its output, whether we ended it."""

    status: int
    output: str
    timed_out: bool


@dataclass(frozen=True)
class Limits:
    """How long children may run, and how long they may say nothing; None: for ever [s]."""

    time: float | None = None
    silence: float | None = None


def run_child(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    on_line: Listener | None = None,
) -> Finished:
    """The child has ended, with all its own children, however this function is left.

    `on_line` sees each line of output and says whether it has dealt with it. The child's standard
    input is a pipe that closes when this process ends, even by a signal: a child that reads it
    need not outlive us.
    """
    return run_children([command], folder, environment, limits, on_line)[0]


def run_children(
    commands: Sequence[Sequence[str]],
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    on_line: Listener | None = None,
) -> list[Finished]:
    """All children have run side by side and ended; else as `run_child`."""
    children: list[_Child] = []
    try:
        for command in commands:
            children.append(_Child(_start(command, folder, environment), on_line))
        in_time = _listen(children, limits)
        for child in children:
            if in_time:
                # One that goes on without an output is ended below.
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.process.wait(LAST_BREATH)
            child.timed_out = child.process.poll() is None
    finally:
        # In sessions of their own they do not see the terminal's interrupt: end them here.
        for child in children:
            child.end()
    return [child.finished() for child in children]


@dataclass
class _Child:
    process: subprocess.Popen[bytes]
    on_line: Listener | None
    kept: bytearray = field(default_factory=bytearray)
    rest: bytes = b""
    timed_out: bool = False

    def read(self) -> bool:
        """Some output has been read; False at its end."""
        assert self.process.stdout is not None
        data = os.read(self.process.stdout.fileno(), 65536)
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            if self.on_line is None or not self.on_line(line.decode(errors="replace")):
                self.kept += line + b"\n"
        if len(self.kept) > KEPT_OUTPUT:
            part = KEPT_OUTPUT // 4
            self.kept = self.kept[:part] + b"\n...\n" + self.kept[-part:]
        return bool(data)

    def end(self) -> None:
        """The process and its children are gone, its pipes closed."""
        if self.process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()

    def finished(self) -> Finished:
        text = (self.kept + self.rest).decode(errors="replace")
        return Finished(self.process.returncode, text, self.timed_out)


def _start(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _listen(children: Sequence[_Child], limits: Limits) -> bool:
    """All output of all children has been read; False if a limit came first."""
    deadline = None if limits.time is None else time.monotonic() + limits.time
    with selectors.DefaultSelector() as selector:
        for child in children:
            assert child.process.stdout is not None
            selector.register(child.process.stdout, selectors.EVENT_READ, child)
        while selector.get_map():
            waits = [] if limits.silence is None else [limits.silence]
            if deadline is not None:
                waits.append(deadline - time.monotonic())
            wait = min(waits, default=None)
            ready = [] if wait is not None and wait <= 0 else selector.select(wait)
            if not ready:
                return False
            for key, _ in ready:
                if not key.data.read():
                    selector.unregister(key.fileobj)
    return True
