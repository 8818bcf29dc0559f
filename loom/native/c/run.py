"""A native C program run to its end, and what its sanitizers find."""

from __future__ import annotations

import re
import signal
from collections.abc import Mapping
from pathlib import Path

from loom.errors import LoomError, Place
from loom.native.c.compile import Source
from loom.native.c.wrap import WRAPPER
from loom.native.run_options import RunOptions, format_elements, refuse_excess
from loom.processes.child import KEEP_ERRORS, run_child

AT_RUN_TIME = re.compile(r"^(.+?):(\d+):(\d+): runtime error: (.+)$", re.MULTILINE)
ADDRESS = re.compile(r"ERROR: AddressSanitizer: (\S+)")
FRAME = re.compile(r"^\s*#\d+ 0x[0-9a-f]+ in (\S+) (.+?):(\d+)(?::(\d+))?$", re.MULTILINE)
NAMES = {
    "stack-buffer-overflow": "an access outside of a local array",
    "global-buffer-overflow": "an access outside of a global array",
    "heap-buffer-overflow": "an access outside of allocated memory",
    "heap-use-after-free": "an access to freed memory",
    "SEGV": "an access to an address where nothing is",
    "FPE": "a division by zero",
}


def run_program(
    program: Path, source: Source, environment: Mapping[str, str], options: RunOptions
) -> int:
    """The exit status of the program, which has ended by itself.

    Refused: what sanitizers find (C_UNDEFINED), a crash (C_CRASHED), a run that does not end
    (C_TIMEOUT) or is over another limit (C_LIMIT).
    """
    given = {"ASAN_OPTIONS": "detect_leaks=0", "PATH": "/usr/bin:/bin", **environment}
    done = run_child([str(program)], None, given, options.limits, streams=KEEP_ERRORS)
    refuse_excess(done, options, source.file, "a main()", ("C_TIMEOUT", "C_LIMIT"))
    output = done.output
    refuse_undefined(output, source)
    if done.status < 0:
        name = signal.Signals(-done.status).name
        what = f"a main() that ends by the signal {name}"
        raise LoomError("C_CRASHED", Place(source.file), what, "programs that end by themselves")
    if "loom: the recording failed: too many elements" in output:
        what = "calls with more elements than a recording holds"
        raise LoomError("C_LIMIT", Place(source.file), what, format_elements(options.elements))
    if "loom: the recording failed" in output:
        raise LoomError("C_CRASHED", Place(source.file), output.strip(), "room for the recording")
    return done.status


def refuse_undefined(output: str, source: Source) -> None:
    """Refuse a program in which a sanitizer found a step that C does not define."""
    accepted = "programs whose every step C defines"
    found = AT_RUN_TIME.search(output)
    if found:
        place = Place(found[1], int(found[2]), int(found[3]))
        raise LoomError("C_UNDEFINED", place, found[4], accepted)
    kind = ADDRESS.search(output)
    if not kind:
        return
    what = NAMES.get(kind[1], kind[1])
    for frame in FRAME.finditer(output):
        if Path(frame[2]).name == WRAPPER:
            what = "an array that is shorter than the kernel's parameter says"
            raise LoomError("C_UNDEFINED", Place(source.file), what, accepted)
        name = find_name(frame[2], source)
        if name is not None:
            place = Place(name, int(frame[3]), int(frame[4] or 1))
            raise LoomError("C_UNDEFINED", place, what, accepted)
    raise LoomError("C_UNDEFINED", Place(source.file), what, accepted)


def find_name(path: str, source: Source) -> str | None:
    """The file of the user's that the path of a frame ends in, as it is called in places."""
    names = [source.file, *sorted(source.names)]
    return next((each for each in names if Path(each).name == Path(path).name), None)
