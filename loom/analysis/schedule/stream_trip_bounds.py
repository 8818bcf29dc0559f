"""Approximate upper bounds on trip counts of a graph's loops: by constants, or the index width.

They size buffers and decide nothing about results: an index that wraps is not considered.
"""

from __future__ import annotations

from xdsl.dialects.arith import ConstantOp as ParameterOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from loom.analysis.schedule.loop_nest import origin_of
from loom.dialects.ops.dataflow import StreamOp
from loom.dialects.ops.handshake import ConstantOp
from loom.dialects.ops.types import width_of


def max_trip_count(condition: SSAValue, index_width: int) -> int | None:
    """The greatest trip count of the loop with this condition; None for an uncounted loop."""
    stream = condition.owner
    if not isinstance(stream, StreamOp):
        return None
    start, step, bound = map(constant, (stream.start, stream.step, stream.bound))
    half = 1 << (width_of(stream.index.type, index_width) - 1)
    if start is None or bound is None:
        distance = half - (start or 0) if bound is None else bound + half
    else:
        distance = abs(bound - start)
    return -(-distance // abs(step or 1))


def constant(value: SSAValue) -> int | None:
    """The integer that a value always is, or None."""
    owner = origin_of(value).owner
    if isinstance(owner, ConstantOp | ParameterOp) and isinstance(owner.value, IntegerAttr):
        return int(owner.value.value.data)
    return None
