"""Loops whose initiation interval (II) is longer than the program requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loom.analysis.schedule.initiation_intervals import LoopII
from loom.dialects.facts.loop_attributes import FLATTEN, LOOPS, required_ii
from loom.dialects.facts.places import place_of
from loom.errors import LoomError


def check_ii(source: ModuleOp, loops: Callable[[], Sequence[LoopII]]) -> None:
    """Every loop of the circuit with a requested II has it, or a shorter one.

    `loops` are those of the circuit, computed only if an II is requested. The first loop with a
    longer II is refused with its limit (LOWER_II). The request of a fully unrolled loop is void,
    and so is a hint; the II of an unrolled loop is that between its unrolled iterations; a
    flattened nest has to meet the requests of all its loops.
    """
    requested = [op for op in source.walk() if isinstance(op, LOOPS) and required_ii(op)]
    found = loops() if requested else ()
    for op in requested:
        wanted = required_ii(op)
        assert wanted is not None
        places = [place_of(each) for each in flattened_around(op)]
        for loop in found:
            if loop.place in places and loop.ii > wanted:
                excluded = "" if loop.innermost else " without its inner loops"
                what = f"a loop with II = {loop.ii}{excluded}, where ii({wanted}) is requested"
                raise LoomError(
                    "LOWER_II",
                    loop.place,
                    f"{what}: {loop.limited_by}",
                    f"II = {wanted} or less; shorten what limits it, or request a longer II",
                )


def flattened_around(op: Operation) -> Iterator[Operation]:
    """The loop, and those around it that become one with it."""
    yield op
    holder = op.parent_op()
    while isinstance(holder, LOOPS) and FLATTEN.is_on(holder):
        yield holder
        holder = holder.parent_op()
