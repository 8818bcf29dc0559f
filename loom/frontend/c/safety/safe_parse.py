"""A C file is read by clang in a process with limits before LOOM reads it itself.

Macros, headers and nests can ask for any time, memory and stack; what goes wrong there goes wrong
in that process. Headers outside of the file's folder and the compiler's are refused before any
message of clang's shows of them.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from loom.errors import LoomError, Place
from loom.frontend.c.safety.includes import ACCEPTED, HeaderFolders, refuse_special_files
from loom.frontend.c.safety.macro_sizes import find_largest_expansion
from loom.frontend.imperative.reading_limits import MOST_LEVELS
from loom.processes.child import Finished, Limits, run_child
from loom.processes.unwind import scratch_folder

Result = TypeVar("Result")
PROBE = Path(__file__).with_name("probe.py")
MOST_NODES = 1 << 18
"""Names, constants and operators of one function, with macros expanded."""
MOST_NESTED = 2000
"""Nodes of clang's tree in each other; the reader's limit, `MOST_LEVELS`, is lower."""
SECONDS = 60.0
"""How long clang may read a file [s]."""
MEMORY = 3 << 30
"""What clang may take for a file [bytes]."""
ADDRESSES = 6 << 30
"""The addresses of that process, with its stack of 1 GiB [bytes]."""
NO_THREADS = "LIBCLANG_NOTHREADS"
"""The environment variable with which libclang parses in the thread that calls it."""
STACK = 1 << 29
"""The stack on which LOOM has clang parse what is within the limits [bytes]."""


def refuse_unsafe(
    text: str, file: str, arguments: Sequence[str], headers: HeaderFolders, clang: str
) -> None:
    """Return if clang reads the file, and finds nothing in it that is beyond the limits.

    `clang` is the folder of that module. Refused: headers that are no regular files, or foreign
    (C_INCLUDE), nests too deep (C_TOO_DEEP), programs too large once macros are expanded, or that
    clang does not read within `SECONDS` and `MEMORY` (C_TOO_LARGE).
    """
    refuse_special_files(text, file, headers)
    request = {
        "path": clang, "file": file, "text": text, "arguments": list(arguments),
        "roots": {"system": headers.system_roots, "user": headers.find_user_roots(file)},
        "nodes": MOST_NODES, "nested": MOST_NESTED, "memory": ADDRESSES,
    }  # fmt: skip
    verdict, finished = run_probe(request)
    if verdict is None:
        refuse_ending(text, file, finished)
    elif verdict["verdict"] != "fine":
        refuse_verdict(file, verdict)


def run_probe(request: dict[str, Any]) -> tuple[dict[str, Any] | None, Finished]:
    """What the process says of the file, and how it ended; None if it crashed or was ended."""
    limits = Limits(time=SECONDS, memory=MEMORY, output=1 << 20)
    found: list[dict[str, Any]] = []

    def hear(line: str) -> bool:
        if line.startswith('{"verdict"'):
            found.append(json.loads(line))
        return True

    with scratch_folder("loom-read-") as folder:
        requested = folder / "request.json"
        requested.write_text(json.dumps(request), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(PROBE), str(requested)]
        finished = run_child(command, None, dict(os.environ), limits, hear)
    return (found[0] if found and not finished.ended else None), finished


def refuse_verdict(file: str, verdict: dict[str, Any]) -> NoReturn:
    """Refuse what the process found."""
    name, line, column = verdict["place"]
    place = Place(name or file, line, column)
    match verdict["verdict"]:
        case "foreign":
            raise LoomError("C_INCLUDE", place, f"the file {verdict['what']}", ACCEPTED)
        case "nested":
            what = "statements, expressions or calls nested too deep"
            raise LoomError("C_TOO_DEEP", place, what, f"nests of up to {MOST_LEVELS}")
        case _:
            what = f"a function of more than {MOST_NODES} names, constants and operators"
            accepted = "functions up to that size, with macros expanded; loops and arrays"
            raise LoomError("C_TOO_LARGE", place, what, accepted)


def refuse_ending(text: str, file: str, finished: Finished) -> NoReturn:
    """Refuse a file that clang did not read to its end, at the largest of its macros."""
    if finished.ended == "stopped":
        raise KeyboardInterrupt
    found = find_largest_expansion(text)
    place = Place(file, 1, 1)
    what = {
        "time": f"a file that clang does not read in {SECONDS:.0f} s",
        "memory": f"a file for which clang needs more than {MEMORY >> 30} GiB",
    }.get(finished.exceeded, "a file for which clang needs too much memory or stack")
    if found is not None:
        position, name, tokens = found
        line = text.count("\n", 0, position) + 1
        place = Place(file, line, position - text.rfind("\n", 0, position))
        what += f"; the macro {name} expands to about {tokens} tokens"
    accepted = "programs of fewer tokens and nests, with macros and headers expanded"
    raise LoomError("C_TOO_LARGE", place, what, accepted)


_ONE_AT_A_TIME = threading.Lock()


def run_on_large_stack(function: Callable[[], Result]) -> Result:
    """What the function returns, called where clang has `STACK` for its recursion.

    By itself libclang parses in a thread of 8 MiB, which a sum of 14,000 terms exceeds.
    """
    results: list[Result] = []
    problems: list[BaseException] = []

    def run() -> None:
        try:
            results.append(function())
        except BaseException as error:
            problems.append(error)

    with _ONE_AT_A_TIME:
        before, size = os.environ.get(NO_THREADS), threading.stack_size(STACK)
        os.environ[NO_THREADS] = "1"
        try:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        finally:
            threading.stack_size(size)
            if before is None:
                del os.environ[NO_THREADS]
            else:
                os.environ[NO_THREADS] = before
    if problems:
        raise problems[0]
    return results[0]
