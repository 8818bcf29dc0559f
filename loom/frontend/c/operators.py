"""The operators of C, as libclang numbers them, and the operations that they are."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.ir import Operation

from loom.frontend.imperative.tree import Relation
from loom.frontend.imperative.types import Int, Type

# Of one operand
POST_INCREMENT, POST_DECREMENT, PRE_INCREMENT, PRE_DECREMENT = 1, 2, 3, 4
ADDRESS, DEREFERENCE, PLUS, MINUS, COMPLEMENT, NOT = 5, 6, 7, 8, 9, 10
STEPS = (POST_INCREMENT, POST_DECREMENT, PRE_INCREMENT, PRE_DECREMENT)

# Of two operands
MULTIPLY, DIVIDE, REMAINDER, ADD, SUBTRACT, SHIFT_LEFT, SHIFT_RIGHT = 3, 4, 5, 6, 7, 8, 9
AND, EXCLUSIVE_OR, OR, LOGICAL_AND, LOGICAL_OR, ASSIGN = 17, 18, 19, 20, 21, 22
COMMA = 33

RELATIONS = {
    11: Relation.LT,
    12: Relation.GT,
    13: Relation.LE,
    14: Relation.GE,
    15: Relation.EQ,
    16: Relation.NE,
}
COMPOUND = {
    23: MULTIPLY,
    24: DIVIDE,
    25: REMAINDER,
    26: ADD,
    27: SUBTRACT,
    28: SHIFT_LEFT,
    29: SHIFT_RIGHT,
    30: AND,
    31: EXCLUSIVE_OR,
    32: OR,
}
"""The operator that a compound assignment computes with."""
SHIFTS = (SHIFT_LEFT, SHIFT_RIGHT)

SIGNED: dict[int, type[Operation]] = {
    MULTIPLY: arith.MuliOp,
    DIVIDE: arith.DivSIOp,
    REMAINDER: arith.RemSIOp,
    ADD: arith.AddiOp,
    SUBTRACT: arith.SubiOp,
    SHIFT_LEFT: arith.ShLIOp,
    SHIFT_RIGHT: arith.ShRSIOp,
    AND: arith.AndIOp,
    EXCLUSIVE_OR: arith.XOrIOp,
    OR: arith.OrIOp,
}
UNSIGNED: dict[int, type[Operation]] = {
    **SIGNED,
    DIVIDE: arith.DivUIOp,
    REMAINDER: arith.RemUIOp,
    SHIFT_RIGHT: arith.ShRUIOp,
}
FLOAT: dict[int, type[Operation]] = {
    MULTIPLY: arith.MulfOp,
    DIVIDE: arith.DivfOp,
    ADD: arith.AddfOp,
    SUBTRACT: arith.SubfOp,
}


def operation_of(operator: int, type_: Type) -> type[Operation]:
    """The operation that the operator is on values of this type."""
    if isinstance(type_, Int):
        return (SIGNED if type_.signed else UNSIGNED)[operator]
    return FLOAT[operator]
