"""Programs run to their end: by themselves, at their limits, or with us."""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Literal

from loom.processes.output import Listener, Output
from loom.processes.unwind import unwind_on_signals

STANDARD = 2
"""The last file descriptor of the standard streams."""
GUARD = Path(__file__).with_name("guard.py")
LAST_BREATH = 10.0
"""A program that has closed its output, and has no limit of time, has so long to end [s]."""
GUARD_PATIENCE = 20.0
"""So long a guard has to end its program and all that this has started [s]."""

Ending = Literal["", "time", "silence", "output", "memory", "processes", "stopped"]
"""Why a program was ended; empty if it ended by itself."""
OVER: Mapping[str, Ending] = {"memory": "memory", "processes": "processes"}
"""What a guard has ended its program for."""


@dataclass(frozen=True)
class Limits:
    """What one program may use, None: any amount.

    `time` and `silence`, the longest time without an output, are by the clock [s]; `memory` is
    resident, of all its processes together [bytes]; `output` [bytes]; `file` the size of one file
    [bytes]; `cpu` the processor time of one process [s].
    """

    time: float | None = None
    silence: float | None = None
    memory: int | None = None
    processes: int | None = None
    output: int | None = None
    file: int | None = None
    cpu: int | None = None


@dataclass(frozen=True)
class Finished:
    """How a program ended: exit status (negative: the signal), its output, why we ended it."""

    status: int
    output: str
    ended: Ending = ""
    memory: int = field(default=0, compare=False)
    """The most resident memory that was seen [bytes]."""

    @property
    def timed_out(self) -> bool:
        """True if it ran, or was silent, for too long."""
        return self.ended in ("time", "silence")

    @property
    def exceeded(self) -> str:
        """The limit it went beyond, in words; empty if it kept to all."""
        if self.ended:
            return self.ended
        return {-signal.SIGXFSZ: "file", -signal.SIGXCPU: "time"}.get(self.status, "")


@dataclass(frozen=True)
class Streams:
    """`output`: standard output is kept, together with standard error, which always is.

    `held`: standard input is a pipe that closes when this process ends; else it is empty.
    """

    output: bool = True
    held: bool = False


KEEP_ALL, HOLD, KEEP_ERRORS = Streams(), Streams(held=True), Streams(output=False)


def run_child(
    command: Sequence[str],
    folder: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
    on_line: Listener | None = None,
    *,
    streams: Streams = KEEP_ALL,
) -> Finished:
    """The program has ended, with all processes it has started, however this function is left.

    `on_line` sees each line of output and says whether it has dealt with it.
    Raises OSError where the program cannot be started.
    """
    return run_children([command], folder, environment, limits, on_line, streams=streams)[0]


def run_children(
    commands: Sequence[Sequence[str]],
    folder: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
    on_line: Listener | None = None,
    *,
    streams: Streams = KEEP_ALL,
) -> list[Finished]:
    """All programs have run side by side and ended; else as `run_child`."""
    children: list[_Child] = []
    with unwind_on_signals():
        try:
            for command in commands:
                children.append(_start(command, folder, environment, limits, on_line, streams))
            _listen(children, limits)
        finally:
            for child in children:
                child.end()
    return [child.finished() for child in children]


@dataclass
class _Child:
    """A program, and its guard: the process that we see."""

    program: str
    guard: subprocess.Popen[bytes]
    pipe: IO[bytes]
    report: int
    output: Output
    limits: Limits
    ended: Ending = ""
    reported: bytes = b""

    def read_output(self) -> bool:
        """Some output has been read; False at its end."""
        data = os.read(self.pipe.fileno(), 65536)
        self.output.add(data)
        most = self.limits.output
        if most is not None and self.output.total > most and not self.ended:
            self.ended = "output"
            self.guard.terminate()
        return bool(data)

    def read_report(self) -> bool:
        """Some of the guard's report has been read; False at its end.

        Raises OSError if the program could not be started.
        """
        data = os.read(self.report, 256)
        self.reported += data
        number, _, reason = self.reported.decode().partition(" ")
        if not data and reason.startswith("unstarted"):
            raise OSError(int(number), os.strerror(int(number)), self.program)
        return bool(data)

    def end(self) -> None:
        """The guard, its program and all below are gone, and the pipes closed."""
        if self.guard.poll() is None:
            self.guard.terminate()
            try:
                self.guard.wait(GUARD_PATIENCE)
            except subprocess.TimeoutExpired:
                # The system ends the program with its guard.
                self.guard.kill()
                self.guard.wait()
        with contextlib.suppress(OSError):  # which `_listen` has raised
            while self.read_report():
                pass
        os.close(self.report)
        self.pipe.close()
        if self.guard.stdin is not None:
            self.guard.stdin.close()

    def finished(self) -> Finished:
        words = self.reported.decode().split()
        if len(words) != 3:
            # Somebody has killed the guard.
            return Finished(
                self.guard.returncode or -signal.SIGKILL, self.output.text(), self.ended
            )
        status, reason, peak = int(words[0]), words[1], int(words[2])
        if reason == "-":  # it was quicker than we
            ended: Ending = "output" if self.ended == "output" else ""
        else:
            ended = OVER.get(reason) or self.ended or "stopped"
        return Finished(status, self.output.text(), ended, peak)


def _start(
    command: Sequence[str],
    folder: Path | None,
    environment: Mapping[str, str],
    limits: Limits,
    on_line: Listener | None,
    streams: Streams,
) -> _Child:
    reader, writer = map(move_up, os.pipe())
    numbers = (writer, os.getpid(), limits.memory, limits.processes, limits.cpu, limits.file,
               "LC_CTYPE" in environment)  # fmt: skip
    guard = [sys.executable, "-I", "-S", str(GUARD), *(str(int(each or 0)) for each in numbers)]
    try:
        process = subprocess.Popen(
            [*guard, *command],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE if streams.held else subprocess.DEVNULL,
            stdout=subprocess.PIPE if streams.output else subprocess.DEVNULL,
            stderr=subprocess.STDOUT if streams.output else subprocess.PIPE,
            pass_fds=[writer],
            start_new_session=True,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
    pipe = process.stdout or process.stderr
    assert pipe is not None
    return _Child(command[0], process, pipe, reader, Output(on_line), limits)


def move_up(descriptor: int) -> int:
    """The file descriptor, or a copy of one that could be taken for a standard stream.

    Where a standard stream of this process is closed, its number is the next to be given.
    """
    if descriptor > STANDARD:
        return descriptor
    copy = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, STANDARD + 1)
    os.close(descriptor)
    return copy


def _listen(children: Sequence[_Child], limits: Limits) -> None:
    """All output of all programs has been read and their guards have ended; or a limit came."""
    deadline = None if limits.time is None else time.monotonic() + limits.time
    with selectors.DefaultSelector() as selector:
        for child in children:
            selector.register(child.pipe, selectors.EVENT_READ, (child, child.read_output))
            selector.register(child.report, selectors.EVENT_READ, (child, child.read_report))
        talking = len(children)
        while selector.get_map():
            waits: list[tuple[float, Ending]] = []
            if limits.silence is not None and talking:
                waits.append((limits.silence, "silence"))
            if not talking and deadline is None:
                deadline = time.monotonic() + LAST_BREATH
            if deadline is not None:
                waits.append((deadline - time.monotonic(), "time"))
            wait, ending = min(waits, default=(None, ""))
            ready = [] if wait is not None and wait <= 0 else selector.select(wait)
            if not ready:
                for child in {id(key.data[0]): key.data[0] for key in selector.get_map().values()
                              }.values():  # fmt: skip
                    child.ended = child.ended or ending
                return
            for key, _ in ready:
                child, read = key.data
                if not read():
                    selector.unregister(key.fileobj)
                    talking -= read == child.read_output
