"""A scaled vector added to another."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

Vector = Annotated[NDArray[np.float32], 32]


@loom.kernel
def saxpy(a: np.float32, x: Vector, y: Vector) -> None:
    for i in range(len(x)):
        y[i] += a * x[i]


if __name__ == "__main__":
    random = np.random.default_rng(5)
    x, y = (random.normal(size=32).astype(np.float32) for _ in range(2))
    expected = y + np.float32(2.5) * x
    saxpy(2.5, x, y)
    assert (y == expected).all()
