"""The dataflow limit: the cycles of a run's longest dependence chain, with unlimited units."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from loom.dialects.facts.places import place_of
from loom.errors import Place
from loom.model.limits.timed_run import TimedRun, TooLong
from loom.model.limits.timestamps import LoopTotals, Timestamp


@dataclass(frozen=True)
class DataflowLimit:
    """The limit of one activation.

    `cycles` from the start token to the last result or store, both included [cycles]. `path` are
    the steps of the longest chain of dependences: place, operation and cycles, largest first.
    `loops` by place, copies of a loop together. `uses` are how often each port of a memory, and
    each loop, is used: one use a cycle.
    """

    cycles: int
    path: tuple[tuple[Place, str, int], ...]
    loops: Mapping[Place, LoopTotals]
    uses: Mapping[str, int]


def dataflow_limit(
    module: ModuleOp,
    inputs: Sequence[int | list[int]],
    index_width: int,
    latencies: Mapping[str, int] | None = None,
    access_cycles: Mapping[str, int] | None = None,
) -> DataflowLimit | None:
    """The limit of one activation of a program in normal form; None if the run is too long.

    `inputs` has a bit pattern for each scalar argument and the buffer for each memref. Faults of
    the program (a division by zero, an access outside) are not looked for. `latencies` are those of
    the operators' units [cycles], none where an operator is not among them; without them each
    operator has its usual one. `access_cycles` are those from an access to what comes of it, by
    array, where a memory is slower than a RAM that answers in the next cycle.
    """
    run = TimedRun(module, index_width, latencies, access_cycles)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    try:
        run.run_function(function, inputs)
    except TooLong:
        return None
    steps: Counter[tuple[Place, str]] = Counter()
    timestamp: Timestamp | None = run.last
    while timestamp is not None and timestamp.before is not None:
        assert timestamp.cause is not None
        name = timestamp.cause.name
        steps[place_of(timestamp.cause), name] += timestamp.time - timestamp.before.time
        timestamp = timestamp.before
    return DataflowLimit(
        run.last.time + 1,
        tuple((place, name, n) for (place, name), n in steps.most_common() if n),
        by_place(run),
        uses_of(run),
    )


def by_place(run: TimedRun) -> dict[Place, LoopTotals]:
    """The loops' totals by place: the copies of a loop, where calls are put in place, together."""
    found: dict[Place, LoopTotals] = {}
    for loop, totals in run.loops.items():
        place = place_of(loop)
        found[place] = found[place] + totals if place in found else totals
    return found


def uses_of(run: TimedRun) -> dict[str, int]:
    """How often each port and each loop is used, copies of a loop on their own."""
    found = {f"{kind} of {name}": count for (name, kind), count in run.accesses.items()}
    for loop, totals in run.loops.items():
        name = f"iterations of the loop at line {place_of(loop).line}"
        found[name] = max(found.get(name, 0), totals.rounds)
    return found
