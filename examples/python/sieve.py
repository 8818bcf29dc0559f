"""The sieve of Eratosthenes."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

LIMIT = 128


@loom.kernel
def sieve(is_prime: Annotated[NDArray[np.bool_], LIMIT]) -> np.int32:
    for i in range(LIMIT):
        is_prime[i] = i >= 2
    i = 2
    while i * i < LIMIT:
        if is_prime[i]:
            for multiple in range(i * i, LIMIT, i):
                is_prime[multiple] = False
        i += 1
    count: np.int32 = 0
    for prime in is_prime:
        if prime:
            count += 1
    return count


if __name__ == "__main__":
    flags = np.zeros(LIMIT, dtype=np.bool_)
    assert sieve(flags) == 31
    assert [k for k in range(20) if flags[k]] == [2, 3, 5, 7, 11, 13, 17, 19]
