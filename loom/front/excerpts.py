"""A problem as a person reads it: the message, and the line of the source that it is about."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place, shown_line
from loom.frontend.languages import language_of

if TYPE_CHECKING:
    from loom.front.request import Request


def format_error(error: LoomError | LoomErrors, request: Request | None = None) -> str:
    """The message; below it the place in the text, if it is one in a C or Python program."""
    problems = [error] if isinstance(error, LoomError) else error.problems
    if not any(excerpt(problem.where, request) for problem in problems):
        return str(error)
    return "\n".join(f"{problem}{excerpt(problem.where, request)}" for problem in problems)


def excerpt(place: Place, request: Request | None = None) -> str:
    """The line of the place with a mark below its column; empty where there is none."""
    lines = lines_of(place.file, request)
    if not 1 <= place.line <= len(lines):
        return ""
    line = shown_line(lines[place.line - 1].rstrip().expandtabs(1))
    mark = " " * (place.column - 1) + "^" if 1 <= place.column <= len(line) + 1 else ""
    number = f"{place.line:5}"
    return f"\n{number} | {line}" + (f"\n{' ' * len(number)} | {mark}" if mark else "")


def lines_of(file: str, request: Request | None) -> tuple[str, ...]:
    """The lines of a C or Python program, or of a file that it includes; else none."""
    if request is not None and request.file == file:
        language = request.source_language
        return () if language == "mlir" else tuple(request.text.splitlines())
    return () if language_of(file) == "mlir" else read_lines(file)


@cache
def read_lines(file: str) -> tuple[str, ...]:
    """The lines of a file; none if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return tuple(stream.read(1 << 24).splitlines())
    except OSError:
        return ()
