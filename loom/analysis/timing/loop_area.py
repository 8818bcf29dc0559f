"""The area of the operations of a loop, before it is a circuit."""

from __future__ import annotations

from xdsl.ir import Operation

from loom.analysis.timing.unit_costs import unit_cost
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import find


def luts_of_operation(op: Operation, index_width: int) -> float:
    """The LUTs of an operation alone, 0 of one that is none of the catalogue [LUT4]."""
    operator = find(op.name)
    if operator is None or op.regions:
        return 0.0
    cost = unit_cost(operator, shape_of(op, operator, index_width))
    return cost.area.luts if cost else 0.0


def luts_of_loop(loop: Operation, index_width: int) -> float:
    """The LUTs of the operations in the loop, without what steers its tokens [LUT4]."""
    return sum(luts_of_operation(op, index_width) for op in loop.walk())
