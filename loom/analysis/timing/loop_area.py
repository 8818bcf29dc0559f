"""The area of the operations of a loop, before it is a circuit."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation

from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import CATALOGUE, find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.dataflow import CarryOp
from loom.dialects.ops.handshake import CondBranchOp
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.types import width_of


def luts_of_operation(op: Operation, index_width: int) -> float:
    """The LUTs of an operation alone, 0 of one that is none of the catalogue [LUT4]."""
    operator = find(op.name)
    if operator is None or op.regions:
        return 0.0
    cost = unit_cost(operator, shape_of(op, operator, index_width))
    return cost.area.luts if cost else 0.0


def luts_of_loop(loop: Operation, index_width: int) -> float:
    """The LUTs of the operations in the loop, and of what carries its values [LUT4]."""
    inside = sum(luts_of_operation(op, index_width) for op in loop.walk())
    loops = (op for op in loop.walk() if isinstance(op, scf.ForOp | scf.WhileOp))
    carried = (width_of(value.type, index_width) for op in loops for value in op.results)
    return inside + sum(map(luts_of_carrying, carried))


def luts_of_carrying(width: int) -> float:
    """The LUTs of the carry, branch and register of a value of `width` bits [LUT4]."""
    buffer = Shape((width,), (width,), {"kind": "seq", "slots": 2, "initial": ()})
    units = {
        CarryOp.name: Shape((1, width, width), (width,)),
        CondBranchOp.name: Shape((1, width), (width, width)),
        BufferOp.name: buffer,
    }
    costs = (unit_cost(CATALOGUE[name], shape) for name, shape in units.items())
    return sum(cost.area.luts for cost in costs if cost)
