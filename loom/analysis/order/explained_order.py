"""What orders each access of a program, and why: the waits of memory order, and what needs none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from xdsl.dialects import memref, scf
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation

from loom.analysis.program.memory_accesses import (
    Access,
    Accesses,
    memories_of,
    name_of,
    root_of,
)
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.memory_order import (
    Strand,
    find_carried,
    find_strands,
    has_conflict,
    plan_order,
)
from loom.dialects.facts.arrays import arrays_behind_channels
from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.errors import Place

Way = Literal[
    "done token", "accepted token", "data flow", "comparator", "queue", "port", "other waits"
]
WORDS: dict[Way, str] = {
    "done token": "by done token",
    "accepted token": "by the token that it is accepted",
    "data flow": "already by data flow",
    "comparator": "by comparator",
    "queue": "by the load-store queue",
    "port": "by the order of its port",
    "other waits": "follows from other waits",
}
SAME = -1
"""The level of a wait within an iteration; others have the number of the loop, outermost first."""


@dataclass(frozen=True)
class Spot:
    """An access as the user wrote it; accesses of one place are told apart by `number`.

    `loop`: all accesses to the array of a static loop, which order takes for a store.
    """

    number: int
    array: str
    stores: bool
    place: Place
    loop: bool = False

    def __str__(self) -> str:
        if self.loop:
            return f"static loop over {self.array} at {self.place}"
        return f"{'store' if self.stores else 'load'} {self.array} at {self.place}"


@dataclass(frozen=True)
class Wait:
    """`later` comes after `earlier`, so many iterations before of a loop, or of the same one."""

    later: Spot
    earlier: Spot
    level: int
    loop: Place | None
    iterations: int
    by: Way

    @property
    def hazard(self) -> str:
        """What would go wrong: a read after a write, a write after a read or after a write."""
        names = {(True, False): "RAW", (False, True): "WAR", (True, True): "WAW"}
        return names[self.earlier.stores, self.later.stores]

    def __str__(self) -> str:
        before = {0: "", 1: " of the previous iteration", 2: " of 2 iterations before"}
        when = before.get(self.iterations, f" of {self.iterations} or more iterations before")
        where = f"{when} of the loop at {self.loop}" if self.loop else ""
        which = "itself" if self.earlier == self.later else str(self.earlier)
        return f"waits for {which}{where}: may alias ({self.hazard}), {WORDS[self.by]}"

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`."""
        return {
            "access": self.earlier.number, "loop": place_json(self.loop),
            "iterations": self.iterations, "hazard": self.hazard, "by": self.by,
        }  # fmt: skip


@dataclass(frozen=True)
class Apart:
    """Two accesses that are proved to need no order, and why."""

    first: Spot
    second: Spot
    why: str


@dataclass(frozen=True)
class ExplainedOrder:
    """All accesses of a program, what each waits for, and what is proved independent."""

    spots: tuple[Spot, ...]
    waits: tuple[Wait, ...]
    apart: tuple[Apart, ...]
    why: Mapping[Place, str] = field(default_factory=dict)
    """Of loads that may compare addresses: whether they do, and why."""

    def lines(self) -> Iterator[str]:
        """The text: an access, and under it what it waits for and what it need not wait for."""
        for spot in self.spots:
            yield str(spot)
            found = [str(wait) for wait in self.waits if wait.later == spot]
            found += [
                f"independent of {each.second if each.first == spot else each.first}: {each.why}"
                for each in self.apart
                if spot in (each.first, each.second)
            ]
            if not spot.stores and spot.place in self.why:
                found.append(self.why[spot.place])
            yield from (f"  {line}" for line in found or ["waits for nothing"])

    def to_json(self) -> list[dict[str, Any]]:
        """The list of accesses that `--json` prints."""
        return [
            {
                "number": spot.number, "array": spot.array, "stores": spot.stores,
                "place": place_json(spot.place),
                "waits": [wait.to_json() for wait in self.waits if wait.later == spot],
                "independent": [
                    {
                        "access": (each.second if each.first == spot else each.first).number,
                        "why": each.why,
                    }
                    for each in self.apart if spot in (each.first, each.second)
                ],
                "comparator": None if spot.stores else self.why.get(spot.place),
            }
            for spot in self.spots
        ]  # fmt: skip

    def with_ways(
        self,
        data: Set[tuple[int, int]],
        carried: Set[tuple[int, int]],
        compared: Set[Place],
        beside: Set[tuple[int, int]],
        queued: Set[int] = frozenset(),
        why: Mapping[Place, str] | None = None,
    ) -> ExplainedOrder:
        """The same, where some loads come before others by their data, or compare addresses.

        `data` and `carried`: numbers of a load and of an access that is made of its datum, of the
        same iteration and of the one before. `compared`: places of loads with a comparator.
        `queued`: numbers of accesses that a load-store queue orders. `why`: of loads that may have
        a comparator, whether they do and why.
        """

        def way(wait: Wait) -> Way:
            pair = (wait.earlier.number, wait.later.number)
            if wait.later.number in queued:
                return "queue"
            if pair in data or (wait.iterations == 1 and pair in carried):
                return "data flow"
            raw = wait.hazard == "RAW" and (wait.iterations == 1 or pair in beside)
            return "comparator" if raw and wait.later.place in compared else wait.by

        waits = tuple(replace(wait, by=way(wait)) for wait in self.waits)
        return replace(self, waits=waits, why=why or {})


def place_json(place: Place | None) -> dict[str, Any] | None:
    """A place as an object."""
    return None if place is None else asdict(place)


def explain(function: FuncOp, accesses: Accesses, known: Dependences) -> ExplainedOrder:
    """What memory order does for each access of a function in normal form."""
    operations: list[Operation] = []
    found: list[Access] = []
    spots: list[Spot] = []
    for op in function.walk():
        names = {root_of(memory): name_of(memory) for memory in memories_of(op)}
        if not names:
            continue
        for root, (access,) in accesses.inside(op).items():
            is_loop = isinstance(op, StaticLoopOp)
            operations.append(op)
            found.append(access)
            spots.append(Spot(access.number, names[root], access.stores, place_of(op), is_loop))
    direct = frozenset(direct_waits(function, accesses, known))
    channels = arrays_behind_channels(function)
    waits: list[Wait] = []
    apart: list[Apart] = []
    for place, second in enumerate(found):
        for first in found[: place + 1]:
            if first.root != second.root or not (first.stores or second.stores):
                continue
            met = list(relations(known, first, second, operations))
            for earlier, later, level, iterations in met:
                loop = place_of(later.loops[level].operation) if level != SAME else None
                token = (earlier.number, later.number, level) in direct
                by: Way = "port" if earlier is later else "done token" if token else "other waits"
                if (
                    by == "done token"
                    and first.root in channels
                    and in_one_block(operations[earlier.number], operations[later.number], level)
                ):
                    by = "accepted token"
                pair = spots[later.number], spots[earlier.number]
                waits.append(Wait(*pair, level, loop, iterations, by))
            if not met and first is not second:
                why = why_apart(known, first, second, operations)
                apart.append(Apart(spots[first.number], spots[second.number], why))
    return ExplainedOrder(tuple(spots), tuple(waits), tuple(apart))


def in_one_block(earlier: Operation, later: Operation, level: int) -> bool:
    """True of stores of one block, of one iteration or of a counted loop that it is the body of."""
    stores = isinstance(earlier, memref.StoreOp) and isinstance(later, memref.StoreOp)
    together = stores and earlier.parent is later.parent
    return together and (level == SAME or isinstance(earlier.parent_op(), scf.ForOp))


def relations(
    known: Dependences, first: Access, second: Access, operations: Sequence[Operation]
) -> Iterator[tuple[Access, Access, int, int]]:
    """The nearest wait for each other of two accesses: earlier, later, level and iterations."""
    shared = shared_loops(first, second)
    within = first is not second and not on_different_ways(
        operations[first.number], operations[second.number]
    )
    if within and known.may_conflict(first, second, shared):
        yield first, second, SAME, 0
    else:
        yield from nearest(known, first, second, shared)
    if first is not second:
        yield from nearest(known, second, first, shared)


def nearest(
    known: Dependences, earlier: Access, later: Access, shared: int
) -> Iterator[tuple[Access, Access, int, int]]:
    """The wait that the innermost loop around both carries."""
    for level in reversed(range(shared)):
        iterations = known.distance(earlier, later, level)
        if iterations is not None:
            yield earlier, later, level, iterations
            return


def shared_loops(first: Access, second: Access) -> int:
    """How many loops are around both."""
    pairs = zip(first.loops, second.loops, strict=False)
    return sum(one is other for one, other in pairs)


def on_different_ways(first: Operation, second: Operation) -> bool:
    """True if a branch has the two on different sides."""
    around: dict[Operation, Block] = {}
    op: Operation | None = first
    while op is not None:
        parent = op.parent_op()
        if isinstance(parent, scf.IfOp) and op.parent is not None:
            around[parent] = op.parent
        op = parent
    op = second
    while op is not None:
        parent = op.parent_op()
        if parent is not None and around.get(parent, op.parent) is not op.parent:
            return True
        op = parent
    return False


def why_apart(
    known: Dependences, first: Access, second: Access, operations: Sequence[Operation]
) -> str:
    """Why two accesses of an array need no order."""
    if not known.may_be_equal(first, second, bounded=False):
        return "their addresses are never equal"
    if not known.may_be_equal(first, second, bounded=True):
        return "their addresses are never equal within the bounds of the loops and the array"
    if on_different_ways(operations[first.number], operations[second.number]):
        return "they are on different ways of a branch"
    return "where one comes after the other, their addresses are not equal"


def direct_waits(
    function: FuncOp, accesses: Accesses, known: Dependences
) -> Iterator[tuple[int, int, int]]:
    """Earlier and later access, and level, of the waits for which tokens are threaded."""
    for found in accesses.inside(function).values():
        for strand in find_strands(known, found, 0):
            yield from waits_in_block(function.body.block, strand, 0, accesses, known)


def waits_in_block(
    block: Block, strand: Strand, same: int, accesses: Accesses, known: Dependences
) -> Iterator[tuple[int, int, int]]:
    """Those of a strand's accesses in a block that lies in `same` loops."""
    plan = plan_order(known, accesses, block, strand, same)
    edges = [(place, step, SAME) for step, each in enumerate(plan.steps) for place in each.after]
    if isinstance(block.parent_op(), scf.ForOp):
        edges += [(e.earlier, e.later, same - 1) for e in find_carried(known, plan, same)]
    for earlier, later, level in edges:
        for one in plan.steps[earlier].strand:
            yield from ((one.number, other.number, level) for other in plan.steps[later].strand)
    operations = list(block.ops)
    for step in plan.steps:
        op = operations[step.operation]
        inner = same + isinstance(op, scf.ForOp | scf.WhileOp)
        if isinstance(op, scf.WhileOp) and has_conflict(known, step.strand, same):
            pairs = [(one.number, other.number) for one in step.strand for other in step.strand]
            yield from ((*pair, level) for pair in pairs for level in (SAME, same))
        for region in op.regions:
            for each in region.blocks:
                yield from waits_in_block(each, step.strand, inner, accesses, known)
