"""The passes from the source program to a graph of units, in their order, each with its reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from loom.lower.dataflow.choose_units import check_units, choose_units
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.dataflow.place_buffers import place_buffers
from loom.lower.dataflow.scf_to_dataflow import flatten_control
from loom.lower.loops.divmod_to_counters import count_digits
from loom.lower.loops.guard_loops import guard_loops
from loom.lower.memory.drop_subscripts import drop_subscripts
from loom.lower.memory.thread_memory_order import thread_memory_order
from loom.lower.normalize import NORMALIZE
from loom.lower.options import Options
from loom.lower.scalar.check_index_width import check_index_width
from loom.lower.scalar.narrow_widths import narrow_widths, simplify_casts


@dataclass(frozen=True)
class Pass:
    """One rewrite, with what it is for."""

    name: str
    reason: str
    apply: Callable[[ModuleOp, Options], None]


PIPELINE: tuple[Pass, ...] = (
    Pass("check-index-width", "no index constant is cut silently", check_index_width),
    Pass("check-units", "operations ask for hardware that there is", check_units),
    *(Pass(name, reason, apply) for name, reason, apply in NORMALIZE),
    Pass("thread-memory-order", "memory order becomes data", thread_memory_order),
    Pass("drop-subscripts", "what order was told by costs nothing", drop_subscripts),
    Pass("guard-loops", "loops that are known to run say so; guard: all do", guard_loops),
    Pass("narrow-widths", "no value has bits that it never uses", narrow_widths),
    Pass("simplify-casts", "a number is cast once", simplify_casts),
    Pass("count-digits", "a counter is smaller than a divider", count_digits),
    Pass("flatten-control", "regions become streams of tokens", flatten_control),
    Pass("materialize-forks", "every value gets one reader", materialize_forks),
    Pass("choose-units", "latencies are known before buffers", choose_units),
    Pass("place-buffers", "cycles are cut and paths balanced", place_buffers),
)
"""From a verified module to one handshake function that is a netlist, operation by operation."""


def lower(module: ModuleOp, options: Options) -> None:
    """Run every pass of `PIPELINE` on `module`."""
    for step in PIPELINE:
        step.apply(module, options)
