"""Where a number stands in a sorted array, or -1."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom


@loom.kernel
def binary_search(a: Annotated[NDArray[np.int32], 50], wanted: np.int32) -> np.int32:
    low, high = 0, len(a) - 1
    while low <= high:
        middle = (low + high) // 2
        if a[middle] == wanted:
            return middle
        if a[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


if __name__ == "__main__":
    a = np.arange(0, 150, 3, dtype=np.int32)
    assert [binary_search(a, k) for k in (0, 147, 75, 76, -1, 200)] == [0, 49, 25, -1, -1, -1]
