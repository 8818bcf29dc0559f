"""Insert the buffers that `analysis.buffers` asks for."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.schedule.buffers import plan
from loom.analysis.schedule.event_graph import Edge
from loom.analysis.schedule.optimal_buffers import optimal_plan
from loom.analysis.timing.cut_long_paths import Clock, Cut, measured_delays
from loom.analysis.timing.unit_costs import overhead
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.options import Options


def place_buffers(module: ModuleOp, options: Options) -> None:
    """Insert the buffers of every handshake function, those of the clock's period too.

    Refused: LOWER_CLOCK_PERIOD, and LOWER_NO_SOLVER where a solver is asked for.
    """
    ways = {"fast": plan, "optimal": optimal_plan}
    period = options.clock_period
    clock = None if period is None else Clock(period, measured_delays, overhead())
    for function in module.ops:
        if isinstance(function, FuncOp):
            found = ways[options.buffers](
                function.body.block, options.index_width, options.cores, clock
            )
            for edge, cut in found.items():
                insert(edge, cut)


def insert(edge: Edge, cut: Cut) -> None:
    """Put the buffer on the edge."""
    operation = edge.operation
    value = operation.operands[edge.index]
    buffer = BufferOp(value, cut.slots, "seq" if cut.registered else "fifo")
    buffer.location = operation.location
    buffer.out.name_hint = value.name_hint
    block = operation.parent
    assert block is not None
    block.insert_op_before(buffer, operation)
    operation.operands[edge.index] = buffer.out
