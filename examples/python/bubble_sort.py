"""Sorting by exchanges, which ends early where nothing was exchanged."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

SIZE = 16


@loom.kernel
def bubble_sort(a: Annotated[NDArray[np.int16], SIZE]) -> np.int32:
    swaps: np.int32 = 0
    for last in range(SIZE - 1, 0, -1):
        done = True
        for i in range(last):
            if a[i] > a[i + 1]:
                a[i], a[i + 1] = a[i + 1], a[i]
                swaps += 1
                done = False
        if done:
            break
    return swaps


if __name__ == "__main__":
    random = np.random.default_rng(3)
    for given in (random.integers(-99, 99, SIZE), np.arange(SIZE), np.arange(SIZE)[::-1]):
        a = given.astype(np.int16)
        bubble_sort(a)
        assert (a == np.sort(given)).all()
