"""Independent iterations of an outer loop take turns in the loop in it, as long as one waits.

A float sum waits for its adder in each iteration. With U iterations of the outer loop in turns, the
total of each comes back U iterations of the circuit later: the adder takes one operand a cycle, and
each sum is made in the order of the program. The units of the loop stay what they are; what the
loop carries and repeats goes round with U tokens.

Followed is the directive `INTERLEAVE`. Without one, `--interleave auto` looks for loops whose
carried value takes some cycles.
"""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.independent_iterations import find_carried_value, find_dependence
from loom.analysis.program.memory_accesses import Accesses, root_of
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.loop_attributes import HINT, INTERLEAVE, LANES, MEMORY_ORDER
from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.cores import computed_by
from loom.dialects.operators.dataflow_operators import MOST_LANES
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.dialects.ops.types import is_token_type, width_of
from loom.errors import LoomError
from loom.lower.options import Options
from loom.lower.scalar.known_constants import KnownConstants

NEVER = 1
"""Iterations of a loop with this directive take no turns."""
REGISTER = 1
"""What the register of a loop adds to its recurrence [cycles]."""
FARTHEST = 3
"""Lanes beyond so many times those that the recurrence needs are too many."""
MOST_BITS = 2048
"""What the lanes of a loop may hold without a directive [bits]."""


def interleave_loops(module: ModuleOp, options: Options) -> None:
    """Loops in which entries take turns have their number as `LANES`; no directive is left."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        chooser = LaneChooser(function, options)
        for op in list(function.walk()):
            directive = INTERLEAVE.take(op)
            if directive == NEVER:
                continue
            if directive is not None:
                try:
                    give_lanes(chooser.follow(op, directive), directive)
                except LoomError:
                    if not HINT.is_on(op):
                        raise
            elif options.interleave == "auto" and isinstance(op, scf.ForOp):
                chooser.choose(op)
            HINT.drop(op)


class LaneChooser:
    """One function's loops. Nothing but attributes is changed."""

    def __init__(self, function: FuncOp, options: Options) -> None:
        self.options = options
        self.accesses = Accesses(function, options.index_width)
        requested = requested_order(function, options.memory_order)
        self.known = Dependences(self.accesses, requested)
        self.constants = KnownConstants(options.index_width)

    def follow(self, outer: Operation, lanes: int) -> scf.ForOp:
        """The loop in which the loop's iterations take turns, so many; refused if they cannot
        (LOWER_LOOP)."""
        inner = self.match(outer)
        assert isinstance(outer, scf.ForOp)
        trips = self.trips(outer)
        if lanes > MOST_LANES or trips is None or trips % lanes:
            trip = "not known" if trips is None else f"{trips}"
            what = f"a loop to be interleaved by {lanes} whose trip count is {trip}"
            accepted = f"a factor of a constant trip count, up to {MOST_LANES}"
            raise LoomError("LOWER_LOOP", place_of(outer), what, accepted)
        self.check_independent(outer, inner)
        return inner

    def choose(self, outer: scf.ForOp) -> None:
        """The loop's iterations take turns if that makes the circuit faster."""
        try:
            inner = self.match(outer)
            lanes = self.lanes_for(outer, inner)
            if lanes is not None:
                self.check_independent(outer, inner)
                give_lanes(inner, lanes)
        except LoomError:
            return

    def match(self, outer: Operation) -> scf.ForOp:
        """The one loop in the loop; refused if that is none (LOWER_LOOP)."""
        request = "a loop to be interleaved"
        if not isinstance(outer, scf.ForOp):
            what = f"{request} that does not count"
            raise LoomError("LOWER_LOOP", place_of(outer), what, "counted loops in each other")
        loops = [op for op in outer.walk() if op is not outer and repeats(op)]
        inner = loops[0] if loops else None
        if len(loops) != 1 or not isinstance(inner, scf.ForOp) or inner.parent_op() is not outer:
            found = "without a loop in it" if not loops else "with more in it than one counted loop"
            accepted = "a loop with one counted loop in it, under no branch"
            raise LoomError("LOWER_LOOP", place_of(outer), f"{request} {found}", accepted)
        if not self.trips(inner):
            what = f"{request} whose inner loop's trip count is not known, or is 0"
            accepted = "constant bounds inside, of a loop that runs"
            raise LoomError("LOWER_LOOP", place_of(inner), what, accepted)
        return inner

    def check_independent(self, outer: scf.ForOp, inner: scf.ForOp) -> None:
        """No entry of the inner loop waits for one of an earlier iteration (LOWER_LOOP)."""
        carried = find_carried_value(outer, inner)
        if carried is not None:
            what = "a loop to be interleaved that carries a value to the loop in it"
            accepted = "iterations that wait for none of those before"
            raise LoomError("LOWER_LOOP", place_of(outer), what, accepted)
        pair = find_dependence(outer, inner, self.accesses, self.known)
        if pair is not None:
            at = place_of(pair[1])
            what = (
                "a loop to be interleaved in which an access may alias that on "
                f"{at.line}:{at.column} of a later iteration"
            )
            accepted = "iterations that wait for none of those before"
            raise LoomError("LOWER_LOOP", place_of(pair[0]), what, accepted)

    def trips(self, loop: scf.ForOp) -> int | None:
        """The trip count of a loop, if it is constant."""
        indices = self.constants.indices(loop)
        return None if indices is None else len(indices)

    def lanes_for(self, outer: scf.ForOp, inner: scf.ForOp) -> int | None:
        """The lanes with which the inner loop has the II of its memories; None: as it is."""
        trips, needed = self.trips(outer), self.recurrence(inner)
        if not trips or needed <= 1 + REGISTER or needed <= self.served(inner):
            return None
        factors = [n for n in range(2, min(trips, MOST_LANES) + 1) if trips % n == 0]
        enough = [n for n in factors if needed <= n <= FARTHEST * needed]
        lanes = min(enough, default=max((n for n in factors if n < needed), default=None))
        if lanes is None or lanes * self.held_bits(inner) > MOST_BITS:
            return None
        return lanes

    def recurrence(self, inner: scf.ForOp) -> int:
        """The longest way of a carried value back to itself, register included [cycles]."""
        body = inner.body.block
        end = body.last_op
        assert end is not None
        ways: list[int] = []
        for argument, back in zip(body.args[1:], end.operands, strict=True):
            known: dict[SSAValue, int] = {argument: 0}
            self.follow_value(body, known)
            if back in known:
                ways.append(known[back] + REGISTER)
        return max(ways, default=0)

    def follow_value(self, block: Block, known: dict[SSAValue, int]) -> None:
        """Of all values of the block that are made of those known, the cycles to them are known."""
        for op in block.ops:
            if isinstance(op, scf.IfOp):
                ends = [each.last_op for region in op.regions for each in region.blocks]
                for region in op.regions:
                    for inner in region.blocks:
                        self.follow_value(inner, known)
                for place, result in enumerate(op.results):
                    given = [end.operands[place] for end in ends if end is not None]
                    ways = [known[value] for value in (op.cond, *given) if value in known]
                    known.update({result: max(ways)} if ways else {})
            elif ways := [known[value] for value in op.operands if value in known]:
                latency = self.latency(op)
                known.update((result, max(ways) + latency) for result in op.results)

    def latency(self, op: Operation) -> int:
        """The latency of an operation's unit [cycles]."""
        row = find(op.name)
        if row is None or row.semantics.meaning is None:
            return int(isinstance(op, memref.LoadOp))
        stated = dict(self.options.latencies).get(row.name.partition(".")[2])
        if stated is not None:
            return stated
        shape = shape_of(op, row, self.options.index_width)
        return computed_by(row, shape, self.options.cores).hardware.latency_of(shape)

    def served(self, inner: scf.ForOp) -> int:
        """The cycles in which the memories serve an iteration, a port each for loads and stores."""
        count: dict[object, int] = {}
        for op in inner.walk():
            if isinstance(op, memref.LoadOp | memref.StoreOp):
                key = root_of(op.memref), op.name
                count[key] = count.get(key, 0) + 1
        return max(count.values(), default=1)

    def held_bits(self, inner: scf.ForOp) -> int:
        """The bits that each lane holds: what the loop carries, and what it repeats."""
        repeated = {
            operand: None
            for op in inner.walk()
            for operand in op.operands
            if op is not inner and is_token_type(operand.type) and enters(operand, inner)
        }
        held = [*inner.iter_args, *repeated]
        return sum(width_of(value.type, self.options.index_width) for value in held)


def give_lanes(inner: scf.ForOp, lanes: int) -> None:
    """Entries of the loop take turns; what orders loads and stores of an array around it is tokens.

    Comparators and queues hold the stores of a few iterations: loads of the entries that begin
    would wait for a place behind stores that come when all of them have begun.
    """
    LANES.put(inner, lanes)
    outer = inner.parent_op()
    assert outer is not None
    accesses = [op for op in outer.walk() if isinstance(op, memref.LoadOp | memref.StoreOp)]
    loaded, stored = (
        {root_of(op.memref) for op in accesses if isinstance(op, kind)}
        for kind in (memref.LoadOp, memref.StoreOp)
    )
    for op in accesses:
        if root_of(op.memref) in loaded & stored:
            MEMORY_ORDER.put(op, "tokens")


def repeats(op: Operation) -> bool:
    """True of what is a loop, or may hold one."""
    return isinstance(op, scf.ForOp | scf.WhileOp | StaticLoopOp | CallOp)


def enters(value: SSAValue, inner: scf.ForOp) -> bool:
    """True of a value from outside the loop that is no constant."""
    owner = value.owner
    holder = owner if isinstance(owner, Operation) else owner.parent_op()
    is_constant = isinstance(owner, Operation) and owner.name == "arith.constant"
    return holder is not None and not is_constant and not inner.is_ancestor(holder)
