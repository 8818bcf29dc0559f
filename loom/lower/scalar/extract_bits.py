"""One bit of a value is selected, where a shift would move all of them.

`value >> place & 1` takes one bit. A shift by a value that is no constant is a selector for each
bit of its result, `dataflow.bit` one selector in all. Both look at the same bits of the place, and
of a signed shift the lowest bit is the same: the sign comes in above.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.dataflow import BitOp
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import constant_of, replace

SHIFTS = arith.ShRUIOp | arith.ShRSIOp
"""Shifts whose lowest bit is that of the value at the place."""


def extract_bits(module: ModuleOp, options: Options) -> None:
    """No shift by a value has one reader that takes the lowest bit alone."""
    for op in list(module.walk()):
        if isinstance(op, arith.AndIOp | arith.TruncIOp):
            shift = shift_of_bit(op)
            if shift is not None:
                replace(op, build_bit(shift, op))


def shift_of_bit(op: Operation) -> arith.ShRUIOp | arith.ShRSIOp | None:
    """The shift of which the operation takes the lowest bit, and nobody anything else."""
    if isinstance(op, arith.AndIOp):
        masks = [(op.lhs, op.rhs), (op.rhs, op.lhs)]
        value = next((one for one, other in masks if constant_of(other) == 1), None)
    else:
        value = op.operands[0] if op.results[0].type == IntegerType(1) else None
    if value is None or not isinstance(value.owner, SHIFTS):
        return None
    shift = value.owner
    is_integer = isinstance(value.type, IntegerType)
    is_constant = constant_of(shift.lhs) is not None or constant_of(shift.rhs) is not None
    return None if not is_integer or is_constant or value.uses.get_length() > 1 else shift


def build_bit(shift: arith.ShRUIOp | arith.ShRSIOp, before: Operation) -> SSAValue:
    """The bit, in the type of the operation's result."""
    block = before.parent
    assert block is not None
    bit = BitOp(shift.lhs, shift.rhs)
    bit.location = shift.location
    block.insert_op_before(bit, before)
    type_ = before.results[0].type
    assert isinstance(type_, IntegerType)
    if type_.width.data == 1:
        return bit.result
    wide = arith.ExtUIOp(bit.result, type_)
    wide.location = before.location
    block.insert_op_before(wide, before)
    return wide.result
