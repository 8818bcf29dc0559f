"""A filter of eight taps over 64 samples."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

TAPS = (3, -1, 4, 1, -5, 9, 2, -6)
Samples = Annotated[NDArray[np.int32], 64]


@loom.kernel
def fir(samples: Samples, filtered: Samples) -> np.int32:
    peak = np.int32(0)
    for i in range(len(samples)):
        total = np.int32(0)
        for k in range(len(TAPS)):
            if i >= k:
                total += TAPS[k] * samples[i - k]
        filtered[i] = total
        peak = max(peak, abs(total))
    return peak


if __name__ == "__main__":
    random = np.random.default_rng(1)
    given = random.integers(-1000, 1000, 64, dtype=np.int32)
    result = np.zeros(64, dtype=np.int32)
    peak = fir(given, result)
    assert result[9] == sum(tap * given[9 - k] for k, tap in enumerate(TAPS))
    assert peak == abs(result).max()
