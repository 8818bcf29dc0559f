"""A product of two matrices."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

N = 8
Matrix = Annotated[NDArray[np.int32], N, N]


@loom.kernel
def matmul(a: Matrix, b: Matrix, c: Matrix) -> None:
    for i in range(N):
        for j in range(N):
            total = np.int32(0)
            for k in range(N):
                total += a[i, k] * b[k, j]
            c[i, j] = total


if __name__ == "__main__":
    random = np.random.default_rng(2)
    a, b = (random.integers(-100, 100, (N, N), dtype=np.int32) for _ in range(2))
    c = np.zeros((N, N), dtype=np.int32)
    matmul(a, b, c)
    assert (c == a @ b).all()
