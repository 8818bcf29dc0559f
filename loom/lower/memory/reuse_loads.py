"""Load reuse: an element that an iteration loads stays in registers for the iterations after it.

A stencil reads `a[i - 1]`, `a[i]` and `a[i + 1]`: what it loads as `a[i + 1]` it needs twice more.
Of such loads only the newest is left; the loop carries its last results. Those of the iterations
before the first are loaded before the loop, if it runs.

Where no array is read less often by it, whose read port is what the iteration waits for, the loads
stay: a port that waits for nobody is no reason for registers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from loom.analysis.program.affine_forms import IterationNumber, Variable
from loom.analysis.program.memory_accesses import Access, Accesses, Root
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.analysis.program.trip_counts import constant_of, has_constant_nonzero_trip
from loom.dialects.facts.blocks import last_of
from loom.lower.memory.promote_to_iter_args import (
    address_before,
    carry_more,
    conflicts_with_any,
    load_before,
    nonzero_trip_test,
)
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace

ENTRY = 3
"""Cycles that loads before a loop cost it, each time that it is entered."""


def reuse_loads(module: ModuleOp, options: Options) -> None:
    """No loop loads what one of its last iterations has loaded, if its busiest array gains by it.

    With a serial memory order every access stays.
    """
    for function in module.ops:
        if (
            isinstance(function, FuncOp)
            and requested_order(function, options.memory_order) != "serial"
        ):
            reuse_in(function, options.index_width)


def reuse_in(function: FuncOp, index_width: int) -> None:
    """The loads of a function."""
    accesses = Accesses(function, index_width)
    known = Dependences(accesses, "auto")
    found = [
        (loop, find_reused(loop, accesses, known))
        for loop in function.walk()
        if isinstance(loop, scf.ForOp) and not holds_loop(loop)
    ]
    for loop, loads in found:
        if loads:
            carry_loads(loop, loads, index_width)


@dataclass(frozen=True)
class ReusedLoads:
    """Loads of one array, the newest first.

    What one loads, the next one loaded an iteration before.
    """

    root: Root
    loads: Sequence[memref.LoadOp]

    @property
    def saved(self) -> int:
        """Loads that an iteration makes no more."""
        return len(self.loads) - 1


def find_reused(loop: scf.ForOp, accesses: Accesses, known: Dependences) -> list[ReusedLoads]:
    """What an innermost loop can keep, if its busiest arrays are read less by that."""
    inside = accesses.inside(loop)
    same = loops_around(loop)
    found = [
        reused
        for reused in chains(loop, accesses, same)
        if not conflicts_with_any(
            known, access_of(accesses, reused.loads[0]), inside[reused.root], (), same
        )
    ]
    loads = Counter(access.root for each in inside.values() for access in each if not access.stores)
    less = loads - Counter({root: saved_of(root, found) for root in loads})
    saved = max(loads.values(), default=0) - max(less.values(), default=0)
    trips = constant_trips(loop)
    if not saved or (trips is not None and saved * (trips - 1) <= ENTRY):
        return []
    return [reused for reused in found if loads[reused.root] > max(less.values())]


def saved_of(root: Root, found: Iterable[ReusedLoads]) -> int:
    """Loads of the array that an iteration makes no more."""
    return sum(reused.saved for reused in found if reused.root is root)


def holds_loop(loop: scf.ForOp) -> bool:
    """Whether another loop lies in it."""
    return any(op is not loop and isinstance(op, scf.ForOp | scf.WhileOp) for op in loop.walk())


def loops_around(loop: Operation) -> int:
    """How many loops it lies in."""
    holder = loop.parent_op()
    if holder is None:
        return 0
    return loops_around(holder) + isinstance(holder, scf.ForOp | scf.WhileOp)


def constant_trips(loop: scf.ForOp) -> int | None:
    """How often the loop runs, by constant bounds [iterations]."""
    bounds = [constant_of(value) for value in (loop.lb, loop.ub, loop.step)]
    if None in bounds:
        return None
    lower, upper, step = (bound or 0 for bound in bounds)
    return max(0, -(-(upper - lower) // step)) if step > 0 else None


def access_of(accesses: Accesses, load: memref.LoadOp) -> Access:
    """The access that a load is."""
    found = accesses.access_of(load)
    assert found is not None, "a load is an access"
    return found


def chains(loop: scf.ForOp, accesses: Accesses, same: int) -> list[ReusedLoads]:
    """Loads in each iteration whose addresses are whole numbers of iterations apart."""
    iteration = IterationNumber(loop.body.block)
    groups: dict[tuple[Root, int, int, frozenset[tuple[Variable, int]]], dict[int, memref.LoadOp]]
    groups = {}
    for load in loop.body.block.ops:
        if not isinstance(load, memref.LoadOp):
            continue
        access = access_of(accesses, load)
        step = access.address.terms.get(iteration, 0)
        others = [item for item in access.address.terms.items() if item[0] != iteration]
        if step == 0 or any(accesses.depth[variable] > same for variable, _ in others):
            continue
        place, rest = divmod(access.address.constant, step)
        key = access.root, step, rest, frozenset(others)
        groups.setdefault(key, {}).setdefault(place, load)
    return [
        ReusedLoads(key[0], [group[place] for place in near])
        for key, group in groups.items()
        for near in split(sorted(group, reverse=True))
        if len(near) > 1
    ]


def split(places: Sequence[int]) -> list[list[int]]:
    """Falling places in rows without a gap.

    Over a gap a loop of one iteration would load more before it than in it without registers.
    """
    rows = [[places[0]]]
    for before, place in pairwise(places):
        if before - place > 1:
            rows.append([])
        rows[-1].append(place)
    return rows


def carry_loads(loop: scf.ForOp, found: Sequence[ReusedLoads], index_width: int) -> None:
    """The loop carries what the newest loads gave in the iterations before."""
    body, end = loop.body.block, last_of(loop.body.block)
    runs = None if has_constant_nonzero_trip(loop) else nonzero_trip_test(loop)
    inits = [
        load_before(loop, load, address_before(loop, load), runs, index_width)
        for reused in found
        for load in older(reused)
    ]
    left = iter(inits)
    for reused in found:
        value: SSAValue = reused.loads[0].res
        for load in reused.loads[1:]:
            end.operands = [*end.operands, value]
            value = body.insert_arg(next(left).type, len(body.args))
            replace(load, value)
    replace(loop, *carry_more(loop, inits)[: len(loop.results)])


def older(reused: ReusedLoads) -> Sequence[memref.LoadOp]:
    """The loads whose elements in the first iteration are loaded before the loop."""
    return reused.loads[1:]
