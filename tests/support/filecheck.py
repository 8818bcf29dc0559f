"""Patterns against printed text, line after line; what stands between them does not matter."""

from __future__ import annotations

import re


def expression(line: str, known: dict[str, str]) -> str:
    """The regular expression of a line; ``[[NAME]]`` is a value, the same wherever it stands."""
    found = ""
    new: set[str] = set()
    for part in re.split(r"(\[\[\w+\]\]|\.\.\.)", " ".join(line.split())):
        name = part[2:-2]
        if part == "...":
            found += ".*"
        elif part.startswith("[[") and name in known:
            found += re.escape(known[name]) + r"(?!\w)"
        elif part.startswith("[[") and name in new:
            found += f"(?P={name})(?!\\w)"
        elif part.startswith("[["):
            new.add(name)
            found += f"(?P<{name}>%[\\w#]+)"
        else:
            found += re.escape(part)
    return found


def missing(text: str, patterns: str) -> str | None:
    """The first line of `patterns` that is not found below the one before, or None."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    known: dict[str, str] = {}
    left = iter(lines)
    for pattern in filter(None, map(str.strip, patterns.splitlines())):
        sought = re.compile(expression(pattern, known))
        match = next(filter(None, map(sought.search, left)), None)
        if match is None:
            return pattern
        known |= match.groupdict()
    return None
