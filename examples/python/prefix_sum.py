"""Sums of all beginnings, and the largest sum of a piece."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom


@loom.kernel
def prefix_sum(a: Annotated[NDArray[np.int32], 24]) -> tuple[np.int32, np.int32]:
    best = here = a[0]
    for i in range(1, len(a)):
        here = max(a[i], here + a[i])
        best = max(best, here)
        a[i] += a[i - 1]
    return best, a[-1]


if __name__ == "__main__":
    a = np.random.default_rng(7).integers(-50, 50, 24, dtype=np.int32)
    expected = np.cumsum(a)
    best, total = prefix_sum(a)
    assert (a == expected).all() and total == expected[-1] and best >= expected.max()
