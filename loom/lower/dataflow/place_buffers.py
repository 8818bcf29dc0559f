"""Insert the buffers that `analysis.schedule.buffers` plans."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.schedule.event_graph import Edge
from loom.analysis.schedule.optimal_buffers import plan_optimal_buffers
from loom.analysis.schedule.plan_buffers import plan_buffers
from loom.analysis.timing.clocked_units import Buffer, Clock, measured_delays
from loom.analysis.timing.unit_costs import overhead
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.options import Options


def place_buffers(module: ModuleOp, options: Options) -> None:
    """Insert the buffers of every handshake function, those of the clock's period too.

    Refused: LOWER_CLOCK_PERIOD, and LOWER_NO_SOLVER with `--buffers=optimal` and no OR-tools.
    """
    ways = {"fast": plan_buffers, "optimal": plan_optimal_buffers}
    period = options.clock_period
    clock = None if period is None else Clock(period, measured_delays, overhead())
    for function in module.ops:
        if isinstance(function, FuncOp):
            found = ways[options.buffers](
                function.body.block, options.index_width, options.cores, clock
            )
            for edge, buffer in found.items():
                insert_buffer(edge, buffer)


def insert_buffer(edge: Edge, buffer: Buffer) -> None:
    """Put the buffer on the edge."""
    operation = edge.operation
    value = operation.operands[edge.index]
    new = BufferOp(value, buffer.slots, "seq" if buffer.registered else "fifo")
    new.location = operation.location
    new.out.name_hint = value.name_hint
    block = operation.parent
    assert block is not None
    block.insert_op_before(new, operation)
    operation.operands[edge.index] = new.out
