"""The length of a Collatz sequence, and its largest number."""

import numpy as np

import loom


@loom.kernel
def collatz(n: np.uint64) -> tuple[np.int64, np.uint64]:
    steps, most = 0, n
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        most = max(most, n)
        steps += 1
    return steps, most


if __name__ == "__main__":
    assert collatz(27) == (111, 9232)
    assert collatz(1) == (0, 1)
    assert collatz(2) == (1, 2)
