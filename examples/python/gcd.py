"""The greatest common divisor."""

import numpy as np

import loom


@loom.kernel
def gcd(a: np.uint32, b: np.uint32) -> np.uint32:
    while b != 0:
        a, b = b, a % b
    return a


if __name__ == "__main__":
    assert [gcd(48, 36), gcd(7, 5), gcd(0, 9), gcd(4294967290, 12)] == [12, 1, 9, 2]
