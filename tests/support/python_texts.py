"""Texts of Python kernels for the tests, which begin with one line of imports."""

from __future__ import annotations

PRELUDE = (
    "import math; import numpy as np; from typing import Annotated; "
    "from numpy.typing import NDArray; import loom; A4 = Annotated[NDArray[np.int32], 4]; "
    "M2 = Annotated[NDArray[np.int32], 2, 3]; F4 = Annotated[NDArray[np.float32], 4]\n"
)


def kernel(body: str, head: str = "x: np.int32, a: A4") -> str:
    """A file with one kernel `f`, whose body is given."""
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"{PRELUDE}@loom.kernel\ndef f({head}):\n{lines}"
