"""How often each value occurs, and the one that occurs most."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

BINS = 16


@loom.kernel
def histogram(
    data: Annotated[NDArray[np.uint8], 100], bins: Annotated[NDArray[np.uint32], BINS]
) -> tuple[np.int64, np.uint32]:
    for value in data:
        bins[value % BINS] += 1
    most = 0
    for k in range(1, BINS):
        if bins[k] > bins[most]:
            most = k
    return most, bins[most]


if __name__ == "__main__":
    data = np.random.default_rng(4).integers(0, 256, 100, dtype=np.uint8)
    bins = np.zeros(BINS, dtype=np.uint32)
    most, count = histogram(data, bins)
    assert (bins == np.bincount(data % BINS, minlength=BINS)).all()
    assert count == bins.max() == bins[most]
