"""Speculative loads: a `while` loop loads what later iterations test before it knows that they run.

In `while (i < n && a[i] != key) i++` an iteration tests an element that it loads itself, so the
next one begins after load and test. Its address is made of counters alone. So the loop loads the
element of some iterations later, and carries what it has loaded until then. The first iterations
load alone: their tests hold, and they change nothing else.

This is done where all loads that the test needs are such loads, of RAMs that the loop does not
store to, and the loop is in no other one: each entry costs some iterations more. Other such loads
of the body are made ahead with them.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from loom.analysis.program.memory_accesses import root_of
from loom.analysis.program.requested_order import requested_order
from loom.analysis.timing.static_chains import operation_delay
from loom.dialects.facts.blocks import last_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, zero_of
from loom.lower.scalar.convert_ifs import MOST_OPERATIONS, convert_if, is_cheap
from loom.lower.scalar.known_conditions import selected, ways_to
from loom.lower.static.build_pipeline import holds_loop, is_combinational, loops_around
from loom.lower.static.loads_inside import load_at, may_load_more, merge_equal, size_of
from loom.lower.static.units import Units, is_pipelined

DISTANCE = 2
"""Iterations from a load to the one whose element it is: the word is then in a register, of a RAM
of latency 1 at an II of 1, else of 2."""
MOST_COPIES = 16
"""Operations that may be made once more for addresses."""


def speculate_loads(module: ModuleOp, options: Options) -> None:
    """With a serial memory order every load stays where it is."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        if requested_order(function, options.memory_order) == "serial":
            continue
        for loop in [op for op in function.walk() if isinstance(op, scf.WhileOp)]:
            inside = [*loop.before_region.block.ops, *loop.after_region.block.ops]
            if not loops_around(loop) and not any(map(holds_loop, inside)):
                speculate_in(loop, function, options)


def speculate_in(loop: scf.WhileOp, function: FuncOp, options: Options) -> None:
    """Replace the loop by one that loads ahead, if its test needs such loads alone."""
    holder = loop.parent
    assert holder is not None
    tried = loop.clone()
    holder.insert_op_before(tried, loop)
    branches = [op for op in tried.before_region.walk() if isinstance(op, scf.IfOp)]
    for branch in reversed(branches):
        select_loads(branch)
    merge_equal(tried.before_region.block)
    plan = plan_of(tried, function, options)
    if plan is not None:
        ahead = ahead_of(plan)
        ahead.attributes, ahead.location = dict(loop.attributes), loop.location
        holder.insert_op_before(ahead, loop)
        for old, new in zip(loop.results, ahead.results, strict=False):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        for op in list(ahead.after_region.block.ops):
            if isinstance(op, scf.IfOp):
                convert_if(op, set())
        loop.detach()
        loop.erase()
    tried.detach()
    tried.erase()


def select_loads(branch: scf.IfOp) -> None:
    """A branch of loads and of operations without latency is gone: its results are selected."""
    sides = [region.block for region in branch.regions if region.blocks]
    inner = [op for side in sides for op in side.ops if op is not side.last_op]
    holder = branch.parent
    assert holder is not None
    if len(sides) == 2 and all(
        isinstance(op, memref.LoadOp) or is_cheap(op, set()) for op in inner
    ):
        for op in inner:
            op.detach()
            holder.insert_op_before(op, branch)
        convert_if(branch, set())


class Body:
    """A loop whose blocks are read as one, for an iteration behind which another one follows."""

    def __init__(self, loop: scf.WhileOp) -> None:
        self.loop = loop
        self.before, self.after = loop.before_region.block, loop.after_region.block
        test = last_of(self.before)
        assert isinstance(test, scf.ConditionOp)
        self.test = test
        self.following = last_of(self.after).operands
        """The carried values of the next iteration."""
        ways = ways_to(test.condition, True)
        self.truths = ways[0] if len(ways) == 1 else {}
        """What is known where the loop goes on."""

    @property
    def operations(self) -> Iterator[Operation]:
        """What stands in no branch, without the ends of the blocks."""
        for block in (self.before, self.after):
            yield from (op for op in block.ops if op is not block.last_op)

    def plain(self, value: SSAValue, goes_on: bool = True) -> SSAValue:
        """What a value is, if the loop goes on or whatever it does."""
        if not goes_on:
            return value
        value = selected(value, self.truths)
        while isinstance(value, BlockArgument) and value.block is self.after:
            value = selected(self.test.args[value.index], self.truths)
        return value

    def is_outside(self, value: SSAValue) -> bool:
        """True if the loop does not make the value."""
        owner = value.owner
        holder = owner.parent_op() if isinstance(owner, Block) else owner
        return holder is None or not self.loop.is_ancestor(holder)

    def results(self) -> list[SSAValue]:
        """What the loop gives where its test fails."""
        ways = ways_to(self.test.condition, False)
        found = []
        for value in self.test.args:
            choices = {selected(value, truths) for truths in ways}
            found.append(choices.pop() if len(choices) == 1 else value)
        return found

    def sources(self, counters: Iterable[int], goes_on: bool = True) -> dict[SSAValue, set[int]]:
        """Of values made of these carried ones without latency: of which, by their places."""
        found: dict[SSAValue, set[int]] = {self.before.args[k]: {k} for k in counters}
        for op in self.operations:
            operands = [self.plain(value, goes_on) for value in op.operands]
            if is_cheap(op, set()) and all(v in found or self.is_outside(v) for v in operands):
                found[op.results[0]] = set().union(*(found.get(v, set()) for v in operands))
        return found

    def needed(
        self, values: Iterable[SSAValue], goes_on: bool = True, known: Container[SSAValue] = ()
    ) -> set[Operation]:
        """The operations of the loop that make values of carried ones, or of those `known`."""
        found, left = set[Operation](), list(values)
        while left:
            value = self.plain(left.pop(), goes_on)
            owner = value.owner
            if value in known or isinstance(owner, Block) or self.is_outside(value):
                continue
            if owner not in found:
                found.add(owner)
                left += owner.operands
        return found

    def goes_on_behind(self, load: memref.LoadOp) -> bool:
        """Whether the loop goes on where it makes a load."""
        return load.parent is self.after

    def sizes(self, loads: Sequence[memref.LoadOp]) -> dict[SSAValue, int]:
        """How many operations make a value of carried ones and of these loads, if few do."""
        found: dict[SSAValue, int] = dict.fromkeys(self.before.args, 0)
        found |= dict.fromkeys((load.res for load in loads), 0)
        for op in self.operations:
            operands = [self.plain(value) for value in op.operands]
            if is_cheap(op, set()) and all(v in found or self.is_outside(v) for v in operands):
                size = 1 + sum(found.get(v, 0) for v in operands)
                if size <= MOST_OPERATIONS:
                    found[op.results[0]] = size
        return found


@dataclass(frozen=True)
class Plan:
    """The loads that a loop makes ahead."""

    body: Body
    loads: Sequence[memref.LoadOp]
    counters: Sequence[int]
    """The carried values that their addresses are made of, by their places."""


def plan_of(loop: scf.WhileOp, function: FuncOp, options: Options) -> Plan | None:
    """The loads of a test, if all of them can be made ahead and there are some; with them those of
    the body for which that holds too.
    """
    body = Body(loop)
    first = [op for op in body.before.ops if isinstance(op, memref.LoadOp)]
    needed = dict.fromkeys([*loads_of_test(body), *first])
    if not needed or not is_short_test(body, options) or not has_short_body(body, options):
        return None
    found = counters_of_loads(body, function, options.index_width)
    if not all(load in found for load in needed):
        return None
    sources = body.sources(range(len(loop.arguments)))
    counters = set[int]().union(*found.values())
    while True:
        more = counters.union(*(sources[body.plain(body.following[k])] for k in counters))
        if more == counters:
            break
        counters = more
    copied = body.needed([body.following[k] for k in counters])
    for load in found:
        copied |= body.needed([load.indices[0]], body.goes_on_behind(load))
    return Plan(body, [*found], sorted(counters)) if len(copied) <= MOST_COPIES else None


def is_short_test(body: Body, options: Options) -> bool:
    """Whether loads and pure operations alone make the test, in a cycle behind the loads."""
    units = Units(options)
    ends: dict[SSAValue, float] = {}
    for op in body.before.ops:
        if op is body.test or isinstance(op, memref.LoadOp):
            continue
        if not is_combinational(op):
            return False
        begin = max((ends.get(value, 0.0) for value in op.operands), default=0.0)
        ends[op.results[0]] = begin + operation_delay(op, options.index_width).through
    longest = ends.get(body.test.condition, 0.0)
    return units.period is None or longest <= units.period


def has_short_body(body: Body, options: Options) -> bool:
    """Whether no operator but products has a register: each entry costs some iterations more."""
    return not any(
        is_pipelined(op, options) and not isinstance(op, arith.MuliOp) for op in body.after.walk()
    )


def counters_of_loads(
    body: Body, function: FuncOp, index_width: int
) -> dict[memref.LoadOp, set[int]]:
    """Of each load that can be made ahead the carried values that its address is made of."""
    counters = set(range(len(body.before.args)))
    while True:
        sources = {goes_on: body.sources(counters, goes_on) for goes_on in (False, True)}
        left = {k for k in counters if body.plain(body.following[k]) in sources[True]}
        if left == counters:
            break
        counters = left
    stored = {root_of(op.memref) for op in body.loop.walk() if isinstance(op, memref.StoreOp)}
    found: dict[memref.LoadOp, set[int]] = {}
    for op in body.operations:
        if isinstance(op, memref.LoadOp) and root_of(op.memref) not in stored:
            goes_on = body.goes_on_behind(op)
            known = sources[goes_on].get(body.plain(op.indices[0], goes_on))
            is_small = size_of(op.memref) < 1 << index_width
            if known and is_small and may_load_more(op):
                found[op] = known
    return found


def loads_of_test(body: Body) -> Iterator[memref.LoadOp]:
    """The loads that the test needs, of its own iteration or an earlier one."""
    left, seen = [body.test.condition], set[SSAValue]()
    while left:
        value = left.pop()
        if value in seen or body.is_outside(value):
            continue
        seen.add(value)
        owner = value.owner
        if isinstance(owner, Operation):
            if isinstance(owner, memref.LoadOp):
                yield owner
            left += [each for op in owner.walk() for each in op.operands]
        else:
            assert isinstance(value, BlockArgument)
            left.append((body.following if owner is body.before else body.test.args)[value.index])


class Copies:
    """Copies of values of a body, made of other values than its carried ones."""

    def __init__(
        self,
        body: Body,
        build: Arithmetic,
        known: Mapping[SSAValue, SSAValue],
        goes_on: bool = True,
    ) -> None:
        self.body, self.build, self.known, self.goes_on = body, build, dict(known), goes_on

    def of(self, value: SSAValue) -> SSAValue:
        """The copy of a value, if the loop goes on or whatever it does."""
        needed = self.body.needed([value], self.goes_on, self.known)
        for op in self.body.operations:
            if op in needed:
                copy = op.clone({v: self.copied(v) for v in op.operands})
                self.build.put(copy)
                copy.location = op.location
                self.known[op.results[0]] = copy.results[0]
        return self.copied(value)

    def plain(self, value: SSAValue) -> SSAValue:
        """What a value is."""
        return self.body.plain(value, self.goes_on)

    def copied(self, value: SSAValue) -> SSAValue:
        """A copy that has been made, or what needs none."""
        value = self.plain(value)
        return self.known.get(value, value)


class State:
    """What the new loop carries: the old values, counters ahead, words of loads, and bits."""

    def __init__(self, plan: Plan, values: Sequence[SSAValue]) -> None:
        carried, counters = len(plan.body.before.args), len(plan.counters)
        self.carried = values[:carried]
        self.ahead = values[carried : carried + counters]
        rows = [
            values[start : start + DISTANCE]
            for start in range(carried + counters, len(values), DISTANCE)
        ]
        *self.words, self.bits = rows
        self.is_first = self.bits[0]
        """Whether the iteration is one of the first, which load alone."""
        self.known: dict[SSAValue, SSAValue] = dict(
            zip(plan.body.before.args, self.carried, strict=True)
        )
        """Of the old carried values and of the loads the new values."""
        self.known |= {
            load.res: words[0] for load, words in zip(plan.loads, self.words, strict=True)
        }


def ahead_of(plan: Plan) -> scf.WhileOp:
    """The loop whose iterations load what later ones test; its first results are the old ones."""
    body = plan.body
    build = Arithmetic(body.loop)
    first = build.insert(arith.ConstantOp.from_int_and_width(1, i1))
    words = [build.insert(arith.ConstantOp(zero_of(load.res.type))) for load in plan.loads]
    carried = list(body.loop.arguments)
    inits = [*carried, *(carried[k] for k in plan.counters)]
    inits += [word for word in words for _ in range(DISTANCE)]
    inits += [first] * DISTANCE
    types = [value.type for value in inits]
    passed = [value.type for value in body.test.args] * 2
    before, after = Block(arg_types=types), Block(arg_types=[*passed, *types])
    for old, new in zip(body.before.args, before.args, strict=False):
        new.name_hint = old.name_hint
    add_test(plan, before)
    add_body(plan, after, after.args[len(passed) // 2 : len(passed)], after.args[len(passed) :])
    return scf.WhileOp(inits, [*passed, *types], Region(before), Region(after))


def add_test(plan: Plan, before: Block) -> None:
    """The test of the old loop, which holds in the first iterations; it passes on results,
    what the old body gets, and all that is carried."""
    body, state = plan.body, State(plan, before.args)
    copies = state.known
    for op in body.before.ops:
        if op is not body.test and op not in plan.loads:
            before.add_op(op.clone(copies))
    again = arith.OrIOp(state.is_first, copies.get(body.test.condition, body.test.condition))
    passed = (copies.get(value, value) for value in (*body.results(), *body.test.args))
    end = scf.ConditionOp(again.result, *passed, *before.args)
    again.location = end.location = body.test.location
    before.add_ops([again, end])


def add_body(
    plan: Plan, after: Block, given: Sequence[SSAValue], values: Sequence[SSAValue]
) -> None:
    """The old body, but in the first iterations; the loads; what the next iteration gets."""
    body, state = plan.body, State(plan, values)
    end = scf.YieldOp()
    end.location = body.loop.location
    after.add_op(end)
    build = Arithmetic(end)
    kept = scf.YieldOp(*state.carried)
    kept.location = end.location
    branch = scf.IfOp(
        state.is_first,
        [value.type for value in state.carried],
        [kept],
        [old_body(plan, state, given)],
    )
    build.put(branch)
    counters = (body.before.args[k] for k in plan.counters)
    known: dict[SSAValue, SSAValue] = dict(zip(counters, state.ahead, strict=True))
    ahead = {goes_on: Copies(body, build, known, goes_on) for goes_on in (False, True)}
    words: list[SSAValue] = []
    for load, held in zip(plan.loads, state.words, strict=True):
        address = ahead[body.goes_on_behind(load)].of(load.indices[0])
        word = load_at(load, address)
        words += [*held[1:], build.insert(word)]
        word.location = load.location
    following = [ahead[True].of(body.following[k]) for k in plan.counters]
    last = build.insert(arith.ConstantOp.from_int_and_width(0, i1))
    end.operands = [*branch.results, *following, *words, *state.bits[1:], last]


def old_body(plan: Plan, state: State, given: Sequence[SSAValue]) -> Block:
    """The body as it was; what few operations make waits for nothing that the test does not."""
    body, block = plan.body, Block()
    copies = state.known | dict[SSAValue, SSAValue](zip(body.after.args, given, strict=True))
    for op in body.after.ops:
        if op not in plan.loads and op is not body.after.last_op:
            block.add_op(op.clone(copies))
    end = scf.YieldOp()
    end.location = body.loop.location
    block.add_op(end)
    short, sizes = Copies(body, Arithmetic(end), state.known), body.sizes(plan.loads)
    end.operands = [
        short.of(value) if body.plain(value) in sizes else copies.get(value, value)
        for value in body.following
    ]
    return block
