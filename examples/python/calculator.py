"""A stack machine: its program is in one array, its stack in another."""

from typing import Annotated

import numpy as np
from numpy.typing import NDArray

import loom

PUSH, ADD, MULTIPLY, NEGATE, END = 0, 1, 2, 3, 4


@loom.kernel
def calculator(program: Annotated[NDArray[np.int16], 32]) -> np.int32:
    stack = np.zeros(8, dtype=np.int32)
    top = -1
    at = 0
    while True:
        match program[at]:
            case 0:
                at += 1
                top += 1
                stack[top] = program[at]
            case 1:
                top -= 1
                stack[top] += stack[top + 1]
            case 2:
                top -= 1
                stack[top] *= stack[top + 1]
            case 3:
                stack[top] = -stack[top]
            case _:
                return stack[top]
        at += 1


if __name__ == "__main__":
    code = [PUSH, 7, PUSH, 5, ADD, PUSH, -3, MULTIPLY, NEGATE, PUSH, 6, ADD, END]
    assert calculator(np.array(code + [0] * (32 - len(code)), dtype=np.int16)) == 42
