"""What a person is told of a problem: the message, and the line of the source that it is about."""

from __future__ import annotations

from functools import cache

from loom.errors import LoomError, LoomErrors, Place, shown_line
from loom.frontend.languages import is_source


def told(error: LoomError | LoomErrors) -> str:
    """The message; below it the place in the text, if it is one in a C or Python file."""
    problems = [error] if isinstance(error, LoomError) else error.problems
    if not any(excerpt(problem.where) for problem in problems):
        return str(error)
    return "\n".join(f"{problem}{excerpt(problem.where)}" for problem in problems)


def excerpt(place: Place) -> str:
    """The line of the place with a mark below its column; empty where there is none."""
    if not is_source(place.file):
        return ""
    lines = lines_of(place.file)
    if not 1 <= place.line <= len(lines):
        return ""
    line = shown_line(lines[place.line - 1].rstrip().expandtabs(1))
    mark = " " * (place.column - 1) + "^" if 1 <= place.column <= len(line) + 1 else ""
    number = f"{place.line:5}"
    return f"\n{number} | {line}" + (f"\n{' ' * len(number)} | {mark}" if mark else "")


@cache
def lines_of(file: str) -> tuple[str, ...]:
    """The lines of a file; none if it cannot be read."""
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:
            return tuple(stream.read(1 << 24).splitlines())
    except OSError:
        return ()
