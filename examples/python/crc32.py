"""The checksum of Ethernet and zip files, bit by bit."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

POLYNOMIAL = 0xEDB88320


def step(crc):
    return (crc >> 1) ^ POLYNOMIAL if crc & 1 else crc >> 1


@loom.kernel
def crc32(data: Annotated[NDArray[np.uint8], 32], length: np.uint8) -> np.uint32:
    crc = np.uint32(0xFFFFFFFF)
    for i in range(length):
        crc ^= data[i]
        for _ in range(8):
            crc = step(crc)
    return ~crc


if __name__ == "__main__":
    import zlib

    text = b"123456789 and some more"
    data = np.zeros(32, dtype=np.uint8)
    data[: len(text)] = list(text)
    for length in (0, 1, 9, len(text)):
        assert crc32(data, length) == zlib.crc32(text[:length])
