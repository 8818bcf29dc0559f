"""An image that is blurred by a cross of weights, borders left out."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

Image = Annotated[NDArray[np.uint8], 10, 12]


@loom.kernel
def stencil(image: Image, blurred: Image) -> None:
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            around = (
                np.uint16(image[i - 1, j]) + image[i + 1, j] + image[i, j - 1] + image[i, j + 1]
            )
            blurred[i, j] = (4 * np.uint16(image[i, j]) + around) >> 3


if __name__ == "__main__":
    image = np.random.default_rng(8).integers(0, 256, (10, 12), dtype=np.uint8)
    blurred = np.zeros((10, 12), dtype=np.uint8)
    stencil(image, blurred)
    assert blurred[0].max() == 0 and blurred[1:-1, 1:-1].any()
