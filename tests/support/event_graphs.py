"""Event graphs of programs, as buffer placement sees them."""

from __future__ import annotations

from loom.analysis.schedule.event_graph import EventGraph
from loom.dialects.ops.handshake_function import FuncOp
from loom.frontend.mlir.read import read_mlir
from loom.lower.dataflow.choose_units import find_open_latencies, period_of, set_latencies
from loom.lower.options import Options
from loom.lower.pipeline import PASSES


def graph_of(text: str) -> EventGraph:
    """The event graph of a program in MLIR before it gets buffers, for the default period."""
    module = read_mlir(text, "k.mlir")
    options = Options(index_width=32)
    names = [step.name for step in PASSES]
    for step in PASSES[: names.index("place-buffers")]:
        step.rewrite(module, options)
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    block = function.body.block
    set_latencies(find_open_latencies(block.ops, options), options, period_of(options))
    return EventGraph(block, 32, {})
