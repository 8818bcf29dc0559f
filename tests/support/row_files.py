"""Files of rows: sections that begin with ``=== name``, whose parts a line ``---`` divides."""

from __future__ import annotations

from tests.support.folders import ROWS


def read_sections(*files: str) -> dict[str, str]:
    """The text of each section by its name."""
    found: dict[str, str] = {}
    for file in files:
        text = (ROWS / file).read_text(encoding="utf-8").removesuffix("\n")
        for section in text.removeprefix("=== ").split("\n=== "):
            name, _, body = section.partition("\n")
            assert name not in found, f"{file}: two sections {name}"
            found[name] = body
    return found


def read_rows(*files: str) -> dict[str, tuple[str, ...]]:
    """The parts of each section by its name."""
    return {name: tuple(body.split("\n---\n")) for name, body in read_sections(*files).items()}
