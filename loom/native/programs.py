"""The calls that a program made of its kernel, whatever language it is in."""

from __future__ import annotations

from loom.frontend.languages import is_c, is_python
from loom.native.recorded import Recording, record


def record_program(
    text: str, file: str, top: str | None = None, most: int | None = None
) -> Recording | None:
    """Run a C or Python file and keep the first calls of its kernel; None if nothing calls it."""
    if is_c(file):
        from loom.frontend.c.read import read_c

        interface = read_c(text, file, top=top).interface
        return record(text, interface, most) if interface.has_main else None
    if is_python(file):
        from loom.native.python.record import record_python

        return record_python(text, file, top, most)
    return None
