"""How a user's program is run: whether at all, and what it may use."""

from __future__ import annotations

import os
from dataclasses import dataclass

from loom.errors import LoomError, Place
from loom.processes.child import Finished, Limits

NO_RUN = "LOOM_NO_RUN"
"""The environment variable that forbids runs, whatever the command line says; 0 does not."""
SECONDS, MEMORY = 120, 4096
"""The default limits of time [s] and of resident memory [MiB]."""
ELEMENTS = 1 << 24
"""The most elements of arguments and results that are recorded, of all calls together."""
MIB = 1 << 20
BUNDLE = "--inputs BUNDLE.json, which needs no run"


@dataclass(frozen=True)
class RunOptions:
    """The limits of a program, and of all processes that it starts.

    `seconds` by the clock [s]; `memory` resident, `output` on standard error, `file` the size of
    one file [MiB]; `elements` in the recording.
    """

    no_run: bool = False
    seconds: float = SECONDS
    memory: int = MEMORY
    output: int = 64
    file: int = 1024
    processes: int = 256
    elements: int = ELEMENTS

    @property
    def limits(self) -> Limits:
        """What a program may use; processor time is a net for one that nobody watches any more."""
        processors = os.cpu_count() or 1
        return Limits(
            time=self.seconds, memory=self.memory * MIB, processes=self.processes,
            output=self.output * MIB, file=self.file * MIB, cpu=int(self.seconds * processors) + 1,
        )  # fmt: skip

    @property
    def longest_record(self) -> int:
        """The size of the largest recording that is read [bytes]."""
        return 24 * self.elements + 16 * MIB


DEFAULTS = RunOptions()


def is_forbidden(options: RunOptions) -> bool:
    """True if no program may be run, by option or environment."""
    return options.no_run or os.environ.get(NO_RUN, "0") not in ("", "0")


def refuse_run(options: RunOptions, file: str, code: str, what: str, instead: str = BUNDLE) -> None:
    """Return if programs may be run."""
    if is_forbidden(options):
        what = f"{what} to be run, against --no-run or {NO_RUN}"
        raise LoomError(code, Place(file), what, f"{instead}; or a run that is allowed")


def refuse_excess(
    done: Finished, options: RunOptions, file: str, what: str, codes: tuple[str, str]
) -> None:
    """Return if the program kept to its limits; `codes` are those of time and of all others."""
    over = {
        "time": (f"that still runs after {options.seconds:g} s",
                 "programs that end, or a longer --run-time"),
        "memory": (f"that takes more than {options.memory} MiB of memory",
                   "programs that take less, or a larger --run-memory"),
        "output": (f"that writes more than {options.output} MiB to standard error",
                   "programs that write less"),
        "processes": (f"that starts more than {options.processes} processes",
                      "programs that start less"),
        "file": (f"that writes a file of more than {options.file} MiB", "programs that write less"),
        "stopped": ("that somebody has stopped", "programs that end by themselves"),
    }.get(done.exceeded)  # fmt: skip
    if over:
        code = codes[0] if done.exceeded == "time" else codes[1]
        raise LoomError(code, Place(file), f"{what} {over[0]}", over[1])


def refuse_long_record(size: int, options: RunOptions, file: str, code: str) -> None:
    """Return if a recording of that size [bytes] can be read."""
    if size > options.longest_record:
        what = f"a recording of {size} bytes"
        raise LoomError(code, Place(file), what, format_elements(options.elements))


def format_elements(most: int) -> str:
    """What a recording may hold."""
    return f"calls with up to {most} elements in all; --activations N records the first N"
