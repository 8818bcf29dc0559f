"""Heat on a rod by slices, and a layer of weights on it by a product of matrices."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

STEPS = 6
Rod = Annotated[NDArray[np.int32], 16]
Weights = Annotated[NDArray[np.int32], 4, 16]
Outputs = Annotated[NDArray[np.int32], 4]


@loom.kernel
def heat(rod: Rod, weights: Weights, outputs: Outputs) -> np.int32:
    for _ in range(STEPS):
        rod[1:-1] += (rod[:-2] - 2 * rod[1:-1] + rod[2:]) // 4
    outputs[:] = weights @ rod
    for i in loom.unroll(range(len(outputs)), 2):
        outputs[i] = max(outputs[i], 0)
    assert min(outputs) >= 0, f"an output of {min(outputs)}"
    return sum(outputs[::2]) - max(rod)


if __name__ == "__main__":
    random = np.random.default_rng(7)
    for _ in range(3):
        heat(
            random.integers(-1000, 1000, 16).astype(np.int32),
            random.integers(-8, 8, (4, 16)).astype(np.int32),
            np.zeros(4, dtype=np.int32),
        )
