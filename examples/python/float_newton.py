"""A square root by Newton's method, in double precision."""

import numpy as np

import loom


@loom.kernel
def float_newton(x: np.float64) -> tuple[np.float64, np.int64]:
    guess, turns = x, 0
    while turns < 20:
        better = 0.5 * (guess + x / guess)
        turns += 1
        if abs(better - guess) < 1e-12 * better:
            break
        guess = better
    return better, turns


if __name__ == "__main__":
    for x in (2.0, 1e6, 0.25):
        root, _ = float_newton(x)
        assert abs(root * root - x) < 1e-9 * x
