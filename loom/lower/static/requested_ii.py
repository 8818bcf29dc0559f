"""The II that a program requests, checked on static schedules."""

from __future__ import annotations

from xdsl.ir import Operation

from loom.dialects.facts.loop_attributes import LOOPS, required_ii
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp
from loom.errors import LoomError, Place


def check_requested_ii(source: Operation, module: Operation) -> None:
    """Every pipelined loop has the II that the program requests, or a shorter one (LOWER_II)."""
    found: dict[Place, int] = {}
    for op in module.walk():
        if isinstance(op, PipelineOp):
            found[place_of(op)] = max(op.ii, found.get(place_of(op), 0))
    for loop in source.walk():
        wanted = required_ii(loop)
        holder: Operation | None = loop
        while wanted is not None and isinstance(holder, LOOPS):  # a nest is one pipeline
            ii = found.get(place_of(holder), 0)
            if ii > wanted:
                what = f"a static schedule with II = {ii}, where ii({wanted}) is requested"
                raise LoomError("LOWER_II", place_of(loop), what, f"a request of {ii} or more")
            holder = holder.parent_op()
