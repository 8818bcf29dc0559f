"""The sum of a polynomial of those numbers that are not negative."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom


@loom.kernel
def gsum(a: Annotated[NDArray[np.float32], 32]) -> np.float32:
    total = np.float32(0)
    for x in a:
        if x >= 0:
            total += (((x + 0.64) * x + 0.7) * x + 0.21) * x + 0.33
    return total


if __name__ == "__main__":
    random = np.random.default_rng(6)
    for _ in range(2):
        gsum(random.normal(size=32).astype(np.float32))
