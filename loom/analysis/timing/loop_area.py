"""The area of the operations of a loop, before it is a circuit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.dataflow import CarryOp
from loom.dialects.ops.handshake import CondBranchOp, MuxOp
from loom.dialects.ops.handshake_buffer import BufferOp

Bits = Callable[[SSAValue], int]
"""The bits that a value needs, none of an array [bits]."""
LOOP, ACCESS, BRANCH = 100, 50, 40
"""What steers the tokens of a loop, of an access and of a branch, at least [LUT4]."""


def luts_of_operation(op: Operation, index_width: int, bits: Bits | None = None) -> float:
    """The LUTs of an operation alone, 0 of one that is none of the catalogue [LUT4].

    With `bits` its numbers have no more than these.
    """
    operator = find(op.name)
    if operator is None or op.regions:
        return 0.0
    shape = shape_of(op, operator, index_width)
    if bits is not None:
        values = (*op.operands, *op.results)
        most = max(map(bits, values), default=0)
        inputs = tuple(min(width, most) for width in shape.inputs)
        outputs = tuple(min(width, most) for width in shape.outputs)
        shape = replace(shape, inputs=inputs, outputs=outputs)
    return luts_of_unit(operator.name, shape)


def luts_of_loop(loop: Operation, index_width: int, bits: Bits) -> float:
    """The LUTs of the operations in the loop, and of what carries its numbers [LUT4]."""
    inside = sum(luts_of_operation(op, index_width, bits) for op in loop.walk())
    loops = (op for op in loop.walk() if isinstance(op, scf.ForOp | scf.WhileOp))
    carried = (bits(value) for op in loops for value in op.results)
    return inside + sum(luts_of_carrying(width) for width in carried if width)


def luts_of_carrying(width: int) -> float:
    """The LUTs of the carry, branch and register of a value of `width` bits [LUT4]."""
    carry = luts_of_unit(CarryOp.name, Shape((1, width, width), (width,)))
    split = luts_of_unit(CondBranchOp.name, Shape((1, width), (width, width)))
    return carry + split + luts_of_register(width)


def luts_of_selection(given: Sequence[int], back: Sequence[int]) -> float:
    """The LUTs by which an operation is one of two [LUT4].

    Its operands, of so many bits each, are branched, its results are merged, and both wait on
    either side.
    """
    branches = (luts_of_unit(CondBranchOp.name, Shape((1, w), (w, w))) for w in given)
    merges = (luts_of_unit(MuxOp.name, Shape((1, w, w), (w,))) for w in back)
    return sum(branches) + sum(merges) + 2 * sum(map(luts_of_register, (*given, *back)))


def luts_of_register(width: int) -> float:
    """The LUTs of a buffer that cuts data and ready [LUT4]."""
    shape = Shape((width,), (width,), {"kind": "seq", "slots": 2, "initial": ()})
    return luts_of_unit(BufferOp.name, shape)


def luts_of_unit(name: str, shape: Shape) -> float:
    """The measured LUTs of a unit, 0 where there are none [LUT4]."""
    cost = unit_cost(CATALOGUE[name], shape)
    return cost.area.luts if cost else 0.0
