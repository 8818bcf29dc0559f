"""A function of ours on a text of the user's, in a process of its own that has limits."""

from __future__ import annotations

import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn

from loom.processes.guard import SET_DEATH_SIGNAL, call_prctl, limit

Ending = Literal["done", "failed", "time", "memory", "output", "ended"]
DONE, FAILED, MEMORY = b"D", b"F", b"M"
"""First byte of what the process writes."""
LONGEST = 4000
"""Characters of the message of a failure that are kept."""
OURS = Exception
"""What a function may raise without being stopped by anybody."""


@dataclass(frozen=True)
class Bounds:
    """What the call may use: processor time [s], memory besides ours [bytes], output [bytes]."""

    seconds: int
    memory: int
    output: int


@dataclass(frozen=True)
class Answer:
    """How the call has ended, and its text: what it returned, or the message of its failure."""

    ending: Ending
    text: str = ""


def call_bounded(function: Callable[[], str], bounds: Bounds) -> Answer:
    """The function has been called in a copy of this process, which is gone.

    Nothing that it changes is changed here. Raises OSError where no process can be started.
    """
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    ours = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reader)
        answer_and_exit(function, bounds, writer, ours)
    os.close(writer)
    status = 0
    try:
        data, ending = read_answer(reader, bounds)
    finally:
        os.close(reader)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if ending is not None:
        return Answer(ending)
    text = data[1:].decode("utf-8", "replace")
    if data[:1] == DONE:
        return Answer("done", text)
    if data[:1] == FAILED:
        return Answer("failed", text)
    if data[:1] == MEMORY:
        return Answer("memory")
    over_time = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU
    return Answer("time" if over_time else "ended")


def read_answer(reader: int, bounds: Bounds) -> tuple[bytes, Ending | None]:
    """What the process writes until it ends; or the limit that it went beyond.

    By the clock it has ten times its processor time, since others may use the processor too.
    """
    deadline = time.monotonic() + 10 * bounds.seconds
    data = bytearray()
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return b"", "time"
        found = os.read(reader, 1 << 16)
        if not found:
            return bytes(data), None
        data += found
        if len(data) > bounds.output + 1:
            return b"", "output"


def answer_and_exit(
    function: Callable[[], str], bounds: Bounds, writer: int, parent: int
) -> NoReturn:
    """The answer is written, and this process ends, whatever happens."""
    try:
        call_prctl(SET_DEATH_SIGNAL, signal.SIGKILL)
        for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU):
            signal.signal(each, signal.SIG_DFL)
        if os.getppid() != parent:
            os._exit(1)
        limit(resource.RLIMIT_CORE, 0)
        limit(resource.RLIMIT_CPU, int(time.process_time()) + bounds.seconds)
        limit(resource.RLIMIT_AS, measure_address_space() + bounds.memory)
        try:
            answer = DONE + function().encode("utf-8", "replace")
        except MemoryError:
            answer = MEMORY
        except OURS as error:
            answer = FAILED + str(error)[:LONGEST].encode("utf-8", "replace")
        left = memoryview(answer)
        while left:
            left = left[os.write(writer, left) :]
    finally:
        os._exit(0)


def measure_address_space() -> int:
    """The address space of this process [bytes]; where the system does not tell, a usual one."""
    try:
        with open("/proc/self/statm") as counts:
            return int(counts.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 1 << 30
