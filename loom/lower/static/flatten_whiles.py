"""A `while` in another loop becomes one loop with it: an iteration is one test of the inner one.

Each entry of an inner pipeline costs its length, and loops that search end soon. In one loop an
iteration of the inner loop follows the last one of the entry before, as if both were of one entry:
it tests, and runs the body, or what stands behind the inner loop and what the next entry begins
with. The first iteration only begins the first entry.

What stands in branches that are not taken has no effect. Loads from RAMs are made in any case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerType, ModuleOp, i1
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Block, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import Rewriter

from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import ITERATIONS, is_unsigned
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import SPECULATIVE
from loom.dialects.ops.order import PlaceOp
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.errors import Place
from loom.lower.dataflow.expected_cycles import OFTEN, SELDOM
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, zero_of
from loom.lower.static.carry_tests import take_out, under
from loom.lower.static.loads_inside import may_load_more, merge_equal
from loom.lower.static.units import CASTS

LOOPS = (scf.ForOp, scf.WhileOp, StaticLoopOp, CallOp)
Outer = scf.ForOp | scf.WhileOp
ACCESSES = (memref.LoadOp, memref.StoreOp)
REPEATED = (*CASTS, arith.ConstantOp, memref.GetGlobalOp, PlaceOp)
"""What costs nothing where it is made in each iteration."""


class FlattenedWhiles:
    """The loops with a `while` in them that become one; with `chooses`, else they only could."""

    def __init__(self, *, chooses: bool) -> None:
        self.chooses = chooses
        self.taken: list[Place] = []
        """The places of the loops around, in the program."""
        self.is_open = False
        """Whether there are such loops that stay two."""

    def build(self, module: ModuleOp, options: Options) -> None:
        """Rewrite the loops of all functions."""
        for function in module.ops:
            if not isinstance(function, FuncOp):
                continue
            is_free = requested_order(function, options.memory_order) != "serial"
            for outer, inner in list(find_pairs(function)):
                self.is_open |= not self.chooses
                if self.chooses:
                    self.taken.append(place_of(outer))
                    _Flat(outer, inner, is_free=is_free).build()


def find_pairs(function: FuncOp) -> Iterator[tuple[Outer, scf.WhileOp]]:
    """The loops that hold a `while` and no other loop, under no branch, with it."""
    for outer in function.walk():
        if not isinstance(outer, Outer):
            continue
        inside = [op for op in outer.walk() if op is not outer and isinstance(op, LOOPS)]
        inner = inside[0] if len(inside) == 1 else None
        if not isinstance(inner, scf.WhileOp) or inner.parent is not body_of(outer):
            continue
        if not any(isinstance(op, memref.AllocOp) for op in outer.walk()):
            yield outer, inner


def body_of(loop: Outer) -> Block:
    """What a loop repeats, behind its test."""
    return loop.body.block if isinstance(loop, scf.ForOp) else loop.after_region.block


def trips_of(loop: Outer) -> int:
    """The iterations of a loop, if they are not known as many as are expected."""
    if isinstance(loop, scf.ForOp):
        low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        if low is not None and high is not None and step:
            return max(1, -(-(high - low) // step))
    return OFTEN


class _Flat:
    """Two loops on their way to one.

    It carries whether another iteration runs, whether the first entry is still to begin, what the
    outer loop has, what an entry begins with that is read later, what the inner loop carries, and
    what an outer `while` gives.
    """

    def __init__(self, outer: Outer, inner: scf.WhileOp, *, is_free: bool) -> None:
        self.outer, self.inner, self.is_free = outer, inner, is_free
        operations = list(body_of(outer).ops)
        place = operations.index(inner)
        self.begin, self.behind = operations[:place], operations[place + 1 : -1]
        self.repeated = list(find_repeated(self.begin))
        read = {
            operand
            for op in (*self.behind, last_of(body_of(outer)), *self.repeated, *inside_of(inner))
            for each in op.walk()
            for operand in each.operands
        }
        made: list[SSAValue] = []
        made += (value for op in self.begin if op not in self.repeated for value in op.results)
        held: list[int] = []
        if isinstance(outer, scf.WhileOp):
            made += outer.after_region.block.args
        else:
            carried = zip(outer.body.block.args[1:], outer.results, strict=True)
            held += (k for k, (own, result) in enumerate(carried) if own in read or result.uses)
        self.held = held
        """Places of what an outer counted loop carries and is read behind the begin of an entry."""
        self.kept = [value for value in made if value in read]
        """What an entry begins with that is read behind the first test."""
        is_for = isinstance(outer, scf.ForOp)
        self.given = [r.index for r in outer.results if r.uses and not is_for]
        """Places of what an outer `while` gives."""
        self.front = Arithmetic(outer)
        self.counter = Counter(outer, self.front) if isinstance(outer, scf.ForOp) else None

    def build(self) -> None:
        """The one loop stands in place of the two."""
        outer, inner, front = self.outer, self.inner, self.front
        yes = front.constant(1, i1)
        runs, state = yes, list[SSAValue]()
        if self.counter is not None:
            runs = self.counter.runs_at_all(front)
            state = [self.counter.low, *(self.inits[k] for k in self.held)]
        types = [v.type for v in (*self.kept, *inner.arguments)]
        types += [outer.results[k].type for k in self.given]
        zeros = [front.insert(arith.ConstantOp(zero_of(each))) for each in types]
        inits = [runs, yes, *state, *zeros]
        types = [value.type for value in inits]
        before, after = Block(arg_types=types), Block(arg_types=types)
        test, end = scf.ConditionOp(before.args[0], *before.args), scf.YieldOp()
        before.add_op(test)
        after.add_op(end)
        test.location = end.location = outer.location
        self.now, self.block = Arithmetic(end), after
        _, self.is_new, *values = after.args
        self.state, values = values[: len(state)], values[len(state) :]
        end.operands = self.iteration(*split(values, len(self.kept), len(inner.arguments)))
        flat = scf.WhileOp(inits, types, Region(before), Region(after))
        ITERATIONS.put(flat, trips_of(outer) * (SELDOM + 1))
        merge_equal(after)
        front.put(flat)
        self.name(flat)
        results = dict(zip(self.given, flat.results[len(types) - len(self.given) :], strict=True))
        results |= zip(self.held, flat.results[3 : 2 + len(state)], strict=True)
        for place, value in results.items():
            outer.results[place].replace_all_uses_with(value)
        Rewriter.erase_op(outer)

    @property
    def inits(self) -> Sequence[SSAValue]:
        """What the outer loop begins with."""
        return self.outer.iter_args if isinstance(self.outer, scf.ForOp) else self.outer.arguments

    def name(self, flat: scf.WhileOp) -> None:
        """Carried values have the names that they had."""
        names: list[str | None] = ["runs", "begins"]
        if isinstance(self.outer, scf.ForOp):
            index, *carried = self.outer.body.block.args
            names += [index.name_hint, *(carried[k].name_hint for k in self.held)]
        names += [value.name_hint for value in self.kept]
        names += [value.name_hint for value in self.inner.before_region.block.args]
        for region in flat.regions:
            for argument, name in zip(region.block.args, names, strict=False):
                argument.name_hint = name

    def iteration(
        self, kept: Sequence[SSAValue], carried: Sequence[SSAValue], results: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """What the next iteration gets."""
        now, outer, inner = self.now, self.outer, self.inner
        yes = now.constant(1, i1)
        is_old = now.binary(arith.XOrIOp, self.is_new, yes)
        # What this entry has, from its begin on.
        known: dict[SSAValue, SSAValue] = dict(zip(self.kept, kept, strict=True))
        if self.counter is not None:
            index, *arguments = body_of(outer).args
            known[index] = self.counter.index_of(self.state[0], now)
            known |= zip((arguments[k] for k in self.held), self.state[1:], strict=True)
        self.emit(self.repeated, known, is_old)
        known |= zip(inner.before_region.block.args, carried, strict=True)
        self.emit(inner.before_region.block.ops, known, is_old)
        holds, *passed = of(known, last_of(inner.before_region.block).operands)
        goes_on = now.binary(arith.AndIOp, holds, is_old)
        # Another iteration of the entry.
        body = known | dict(zip(inner.after_region.block.args, passed, strict=True))
        self.emit(inner.after_region.block.ops, body, goes_on)
        again = of(body, last_of(inner.after_region.block).operands)
        # The end of the entry.
        fails = now.binary(arith.XOrIOp, holds, yes)
        leaves = now.binary(arith.AndIOp, fails, is_old)
        behind = known | dict[SSAValue, SSAValue](zip(inner.results, passed, strict=True))
        self.emit(self.behind, behind, leaves)
        given: list[SSAValue] = of(behind, last_of(body_of(outer)).operands)
        firsts: list[SSAValue] = [*self.inits]
        for place, value in zip(self.held, self.state[1:], strict=False):
            firsts[place] = value
        pairs = list(zip(firsts, given, strict=True))
        following = [now.select(self.is_new, *pair) for pair in pairs]
        # The begin of the next one.
        ends = now.binary(arith.XOrIOp, goes_on, yes)
        runs, begin = self.advance(following, ends)
        self.emit(self.begin, begin, now.binary(arith.AndIOp, ends, runs))
        same = (*kept, *again)
        others = (*of(begin, self.kept), *of(begin, inner.arguments))
        state = [now.select(leaves, given[k], firsts[k]) for k in self.held]
        if self.counter is not None:
            moved = self.counter.moved(self.state[0], now)
            state.insert(0, now.select(leaves, moved, self.state[0]))
        values = [*state, *(now.select(goes_on, *pair) for pair in zip(same, others, strict=True))]
        if isinstance(outer, scf.WhileOp):
            final = last_of(outer.before_region.block).operands[1:]
            passes = of(begin, [final[k] for k in self.given])
            values += [now.select(ends, *pair) for pair in zip(passes, results, strict=True)]
        more = now.binary(arith.OrIOp, goes_on, runs)
        return [more, now.constant(0, i1), *values]

    def advance(
        self, following: Sequence[SSAValue], ends: SSAValue
    ) -> tuple[SSAValue, dict[SSAValue, SSAValue]]:
        """Whether the outer loop goes on with the values that follow, and what the begin of an
        entry reads, which does not wait for the test."""
        now, outer = self.now, self.outer
        begin: dict[SSAValue, SSAValue] = {}
        if self.counter is not None:
            runs = now.binary(arith.OrIOp, self.is_new, self.counter.goes_on(self.state[0], now))
            counter = now.select(self.is_new, self.state[0], self.counter.moved(self.state[0], now))
            index = self.counter.index_of(counter, now)
            begin |= zip(body_of(outer).args, (index, *following), strict=True)
            return runs, begin
        assert isinstance(outer, scf.WhileOp)
        first = outer.before_region.block
        begin |= zip(first.args, following, strict=True)
        self.emit(first.ops, begin, ends)
        runs, *passed = of(begin, last_of(first).operands)
        begin |= zip(outer.after_region.block.args, passed, strict=True)
        return runs, begin

    def emit(
        self, operations: Iterable[Operation], known: dict[SSAValue, SSAValue], flag: SSAValue
    ) -> None:
        """Copies of operations, which have their effects where the flag is true."""
        for op in operations:
            if isinstance(op, scf.YieldOp | scf.ConditionOp):
                continue
            copy = op.clone(known)
            copy.location = op.location
            self.now.put(copy)
            loads: list[memref.LoadOp] = []
            if self.is_free and isinstance(copy, scf.IfOp):
                loads += take_out(copy)
            elif self.is_free and isinstance(copy, memref.LoadOp) and may_load_more(copy):
                loads.append(copy)
            for load in loads:
                SPECULATIVE.put(load, True)
            made = copy
            if any(isinstance(each, ACCESSES) and each not in loads for each in copy.walk()):
                copy.detach()
                made = under(flag, copy)
                self.now.put(made)
            copy.location = op.location
            known |= zip(op.results, made.results, strict=True)


class Counter:
    """The counter of an outer loop: of few bits where its bounds are constants."""

    def __init__(self, loop: scf.ForOp, front: Arithmetic) -> None:
        self.loop, self.low, self.high, self.step = loop, loop.lb, loop.ub, loop.step
        low, high, step = map(constant_of, (loop.lb, loop.ub, loop.step))
        self.is_short = False
        if low is None or high is None or step is None or not 0 <= low <= high:
            return
        if isinstance(loop.lb.type, IndexType):
            self.is_short = True
            type_ = IntegerType((high + step).bit_length() + 1)
            self.low, self.high, self.step = (
                front.constant(number, type_) for number in (low, high, step)
            )

    @property
    def less(self) -> str:
        """The comparison of the loop."""
        return "ult" if is_unsigned(self.loop) else "slt"

    def runs_at_all(self, front: Arithmetic) -> SSAValue:
        """Whether the loop has an iteration."""
        return front.compare(self.less, self.low, self.high)

    def index_of(self, counter: SSAValue, build: Arithmetic) -> SSAValue:
        """The index of an iteration."""
        if not self.is_short:
            return counter
        return build.insert(arith.IndexCastOp(counter, self.loop.lb.type))

    def moved(self, counter: SSAValue, build: Arithmetic) -> SSAValue:
        """The counter of the next iteration."""
        return build.binary(arith.AddiOp, counter, self.step)

    def goes_on(self, counter: SSAValue, build: Arithmetic) -> SSAValue:
        """Whether an iteration follows that of a counter."""
        if self.is_short:
            return build.compare("slt", self.moved(counter, build), self.high)
        # The bound is above the counter: their difference is no negative number.
        left = build.binary(arith.SubiOp, self.high, counter)
        return build.compare("ult", self.step, left)


def find_repeated(begin: Sequence[Operation]) -> Iterator[Operation]:
    """Of what stands before the inner loop what is made anew in each iteration, in its order."""
    left = set(begin)
    for op in begin:
        made_here = {value.op for value in op.operands if isinstance(value, OpResult)}
        if isinstance(op, REPEATED) and not made_here & left:
            left.discard(op)
            yield op


def inside_of(loop: scf.WhileOp) -> Iterator[Operation]:
    """The operations of both blocks of a loop."""
    yield from loop.before_region.block.ops
    yield from loop.after_region.block.ops


def of(known: Mapping[SSAValue, SSAValue], values: Iterable[SSAValue]) -> list[SSAValue]:
    """The copies of values; of those without one the values."""
    return [known.get(value, value) for value in values]


def split(
    values: Sequence[SSAValue], first: int, second: int
) -> tuple[Sequence[SSAValue], Sequence[SSAValue], Sequence[SSAValue]]:
    """So many, so many more, and the others."""
    return values[:first], values[first : first + second], values[first + second :]
