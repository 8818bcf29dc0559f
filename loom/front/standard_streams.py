"""Standard output and error of a command: all is written, or the status says that it is not."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import TextIO

from loom.errors import LoomError, Place

BOLD, RED, GREEN, YELLOW = 1, 31, 32, 33
"""Colours of a terminal, by the numbers of ECMA-48."""
ERROR = re.compile(r"^(\S.*?): (error\[[A-Z0-9_]+\])", re.MULTILINE)
MARK = re.compile(r"^( +\| +)(\^)$", re.MULTILINE)
STDOUT = "<stdout>"
"""What places call standard output."""


def escape_what_is_not_encoded() -> None:
    """A name that standard output cannot encode is written with escapes, as on standard error."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def flush_stdout() -> None:
    """All that was printed has left this process; raises OSError where it cannot."""
    if sys.stdout is not None:
        sys.stdout.flush()


def drop_output() -> None:
    """What is still to be written is dropped, also when Python ends: it could not be written."""
    if sys.stdout is sys.__stdout__:
        drop_rest(sys.__stdout__)


def drop_rest(stream: TextIO | None) -> None:
    """What a stream of the process still holds goes nowhere; its last flush then succeeds."""
    with suppress(OSError, ValueError):
        if stream is not None:
            nothing = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nothing, stream.fileno())
            os.close(nothing)
            stream.flush()


def print_error(text: str) -> None:
    """The text stands on standard error, if that takes it; else it is dropped."""
    try:
        print(text, file=sys.stderr, flush=True)
    except (OSError, ValueError):
        if sys.stderr is sys.__stderr__:
            drop_rest(sys.__stderr__)


def is_coloured(stream: TextIO | None) -> bool:
    """True of a terminal that shows colours, unless NO_COLOR says that nobody wants them."""
    if stream is None or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def paint(text: str, colour: int) -> str:
    """The text in a colour of a terminal, then what was before."""
    return f"\x1b[{colour}m{text}\x1b[0m"


def paint_error(text: str, stream: TextIO | None) -> str:
    """A refusal for the stream: on a terminal its place is bold, its code red, its mark green."""
    if not is_coloured(stream):
        return text
    text = ERROR.sub(lambda found: f"{paint(found[1], BOLD)}: {paint(found[2], RED)}", text)
    return MARK.sub(lambda found: found[1] + paint(found[2], GREEN), text)


def paint_status(text: str, colours: Mapping[str, int], stream: TextIO | None) -> str:
    """Lines for the stream: on a terminal the words of `colours` that begin them are painted."""
    if not is_coloured(stream):
        return text
    words = re.compile(rf"^({'|'.join(map(re.escape, colours))})(?= |$)", re.MULTILINE)
    return words.sub(lambda found: paint(found[1], colours[found[1]]), text)


def make_write_error(error: OSError) -> LoomError:
    """The refusal where a write has failed: of standard output if no file is named."""
    place = Place(STDOUT if error.filename is None else os.fsdecode(error.filename))
    what = f"a place where nothing can be written ({error.strerror or error})"
    return LoomError("EMIT_UNWRITABLE", place, what, "an output that takes all that is written")
