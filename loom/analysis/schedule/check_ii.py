"""Loops that take more cycles an iteration than the program asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from loom.analysis.schedule.initiation_intervals import LoopII
from loom.dialects.facts.loop_attributes import FLATTEN, INTERVAL, LOOPS, number_of
from loom.dialects.facts.places import place_of
from loom.errors import LoomError


def check_ii(source: ModuleOp, loops: Callable[[], Sequence[LoopII]]) -> None:
    """Every loop of the circuit that is asked for an interval has it, or a shorter one.

    `loops` are those of the circuit, which are only looked at if something is asked. Refused is
    the first loop that is slower, with what binds it (LOWER_INTERVAL). A loop that the circuit has
    no more asks for nothing; one that is unrolled is asked for the cycles between its iterations
    then; the loop that a nest was flattened to for those of any of its loops.
    """
    wished = [op for op in source.walk() if isinstance(op, LOOPS) and INTERVAL in op.attributes]
    found = loops() if wished else ()
    for op in wished:
        wanted = number_of(op.attributes[INTERVAL])
        assert wanted is not None
        places = [place_of(each) for each in flattened_around(op)]
        for loop in found:
            if loop.place in places and loop.ii > wanted:
                what = f"a loop of {loop.ii} cycles an iteration, of which {wanted} are asked"
                besides = "" if loop.innermost else ", besides the loops in it"
                raise LoomError(
                    "LOWER_INTERVAL",
                    loop.place,
                    f"{what}{besides}: {loop.limited_by}",
                    f"at most {wanted}; what binds must be shorter, or the interval longer",
                )


def flattened_around(op: Operation) -> Iterator[Operation]:
    """The loop, and those around it that become one with it."""
    yield op
    holder = op.parent_op()
    while isinstance(holder, LOOPS) and FLATTEN in holder.attributes:
        yield holder
        holder = holder.parent_op()
