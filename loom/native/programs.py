"""Programs of C and Python, run by their language."""

from __future__ import annotations

from dataclasses import replace

from loom.frontend.c.c_options import COptions
from loom.frontend.languages import Language, language_of
from loom.native.recording import Recording
from loom.native.run_options import DEFAULTS, RunOptions

C_DEFAULTS = COptions()


def record_program(
    text: str,
    file: str,
    top: str | None = None,
    most: int | None = None,
    language: Language | None = None,
    options: RunOptions = DEFAULTS,
    c: COptions = C_DEFAULTS,
) -> Recording | None:
    """Run a C or Python program and keep the first calls of its kernel; None if nothing calls it.

    The language is that of the file's name unless it is given. The program has the rights of
    this process. Refused: a run that is forbidden (C_NO_RUN, PY_NO_RUN).
    """
    match language or language_of(file):
        case "c":
            from loom.frontend.c.read import read_c
            from loom.native.c.record import record_c

            as_written = replace(c, fill="refuse")
            interface = read_c(text, file, top=top, options=as_written).interface
            if not interface.has_main:
                return None
            return record_c(text, interface, most, options, c, file)
        case "python":
            from loom.native.python.record import record_python

            return record_python(text, file, top, most, options)
        case "mlir":
            return None
