"""The first place of a word in a text, or -1."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom


@loom.kernel
def string_search(
    text: Annotated[NDArray[np.uint8], 64], word: Annotated[NDArray[np.uint8], 4]
) -> np.int32:
    for start in range(len(text) - len(word) + 1):
        for k, letter in enumerate(word):
            if text[start + k] != letter:
                break
        else:
            return start
    return -1


if __name__ == "__main__":
    text = b"she sells sea shells by the sea shore, and shell after shell...."
    for word in ("shel", "shor", "ells", "none", "...."):
        given = [np.frombuffer(each, dtype=np.uint8) for each in (text, word.encode())]
        assert string_search(*given) == text.find(word.encode())
