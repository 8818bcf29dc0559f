"""SystemVerilog without what does not count, so that a measurement outlives a new layout."""

from __future__ import annotations

import re

COMMENT = re.compile(r" *//.*")


def bare(text: str) -> str:
    """The text without comments, however it is laid out."""
    lines = (COMMENT.sub("", line) for line in text.splitlines())
    return "".join("".join(lines).split())
