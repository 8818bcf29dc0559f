"""Insert the buffers that `analysis.schedule` plans, for a clock period too."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from loom.analysis.schedule.event_graph import Edge
from loom.analysis.timing.clocked_units import Buffer
from loom.dialects.facts.program_facts import CLOCK_PERIOD, PERIOD_NOTE
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.dataflow.choose_period import choose_period
from loom.lower.options import Options


def place_buffers(module: ModuleOp, options: Options) -> None:
    """Insert the buffers of every handshake function, those of the clock's period too.

    The period itself is a fact (`CLOCK_PERIOD`), and why it is longer than the default
    (`PERIOD_NOTE`). Refused: LOWER_CLOCK_PERIOD for a period that the user chose and no register
    brings about, and LOWER_NO_SOLVER with `--buffers=optimal` and no OR-tools.
    """
    for function in module.ops:
        if isinstance(function, FuncOp):
            chosen = choose_period(function, options)
            if chosen.note:
                PERIOD_NOTE.put(module, chosen.note)
            if chosen.period is not None:
                CLOCK_PERIOD.put(module, f"{chosen.period:g}")
            for edge, buffer in chosen.buffers.items():
                insert_buffer(edge, buffer)


def insert_buffer(edge: Edge, buffer: Buffer) -> None:
    """Put the buffer on the edge."""
    operation = edge.operation
    value = operation.operands[edge.index]
    new = BufferOp(value, buffer.slots, buffer.kind)
    new.location = operation.location
    new.out.name_hint = value.name_hint
    block = operation.parent
    assert block is not None
    block.insert_op_before(new, operation)
    operation.operands[edge.index] = new.out
