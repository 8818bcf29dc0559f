"""Texts of Python kernels for the tests, which begin with one line of imports."""

from __future__ import annotations

from tests.support.folders import ROWS

PRELUDE = (
    "import math; import numpy as np; from typing import Annotated; "
    "from numpy.typing import NDArray; import loom; A4 = Annotated[NDArray[np.int32], 4]; "
    "M2 = Annotated[NDArray[np.int32], 2, 3]; F4 = Annotated[NDArray[np.float32], 4]\n"
)


def rows_of(name: str) -> dict[str, tuple[str, ...]]:
    """The sections of a file of rows: name, parts."""
    text = (ROWS / name).read_text().removesuffix("\n")
    found: dict[str, tuple[str, ...]] = {}
    for section in text.removeprefix("=== ").split("\n=== "):
        title, _, row = section.partition("\n")
        found[title] = tuple(row.split("\n---\n"))
    return found


def kernel(body: str, head: str = "x: np.int32, a: A4") -> str:
    """A file with one kernel `f`, whose body is given."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{PRELUDE}@loom.kernel\ndef f({head}):\n{lines}"
