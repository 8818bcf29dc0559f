"""A load waits for those pending stores alone that have its address.

`thread_memory_order` carries the done token of a store to the load of the next iteration, if the
two may alias: one iteration begins when the last one has stored. Where that token orders nothing
else (`CARRIED_STORE`) a unit takes its place that keeps the addresses of stores that are not done,
and lets an address pass that is none of them. If the store has the address of its iteration's load,
as in `h[k] += w`, that is a `dataflow.disambiguate`, else a `dataflow.store_queue`. The load still
waits for what is done before its loop: the token that the loop begins with.

A load that may conflict with several stores (`COMPARED_STORES`) has a unit for each, and one that a
store of its own iteration precedes has a store queue with a distance of 0. Stores wait by tokens of
their own there. Where loads take values of stores (`forward_values`) one unit serves all of them.

A store under a branch gives an address and a done token in each iteration: the address that goes
into the branch and the token that comes out of it. If load and store are under the same branches,
the unit is there with them.

Only the bits in which places of the array differ are compared. The unit has as many addresses as
iterations are under way (`size_comparators`): the cycles from its token to the store's done, by the
loop's II. With `auto` all loads behind the same stores have one if that makes the II shorter, or
none; groups that gain nothing alone are tried together.

Source: address comparison in front of memories as in load-store queues, Sethumadhavan et al.,
Scalable hardware memory disambiguation for high ILP processors, MICRO 2003; without data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.schedule.loop_nest import Loops, loops_of_values
from loom.dialects.facts.instances import is_constant
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import (
    ADDRESSES_KEPT,
    CARRIED_STORE,
    COMPARED_STORES,
    COMPARISON_FACTS,
    OUTER_STORE,
    STORE_DISTANCES,
    STORE_PLACE,
    VALUE_DISTANCE,
)
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp, StreamOp
from loom.dialects.ops.handshake import CondBranchOp, ConstantOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    PendingStoresOp,
    StoreQueueOp,
)
from loom.errors import Place
from loom.lower.dataflow.choose_units import choose_units
from loom.lower.dataflow.control_tokens import values_after_start, waits_for_access
from loom.lower.dataflow.forward_values import forward_values, intervals
from loom.lower.options import Options

LEAST, MOST = 2, 16
"""Addresses that are compared, if the user gives no number."""

IN_NESTS = 8
"""The same before buffers are placed, of loads that wait for stores of a loop around: registers
on the way of one address make entries slower, not iterations."""
SPARE = 3
"""The addresses of these beyond what the II needs: what the clock's registers and one late entry
take, else a gap goes round with each row of addresses."""


@dataclass(frozen=True)
class PendingStore:
    """A store that may be pending when a load comes; each iteration has an address and a done."""

    address: SSAValue
    done: SSAValue
    distance: int = 1
    """The least dependence distance [iterations]: 0 if the store comes before the load."""


@dataclass(frozen=True)
class Comparison:
    """A load, and the stores that it waits for."""

    load: LoadOp
    first: SSAValue
    """The token that its loops begin with."""
    loops: Sequence[tuple[SSAValue, bool]]
    """The condition of each loop around both, from outside in, and whether it is rotated."""
    ways: Sequence[tuple[SSAValue, bool]]
    """The branches around both, as the condition and the way of each from outside in."""
    stores: Sequence[PendingStore]
    merged: tuple[MuxOp, int] | None = None
    """Where the store's done token leaves those branches: the mux, and the operand."""


@dataclass(frozen=True)
class Decision:
    """Whether loads, at these places of the text, compare addresses, and why."""

    loads: Sequence[Place]
    compares: bool
    why: str

    def __str__(self) -> str:
        return f"{'comparator' if self.compares else 'no comparator'}: {self.why}"


Body = tuple[Loops, MemoryInterface | None]
"""The loop of an access, nothing outside of loops, and the memory."""


def compare_addresses(module: ModuleOp, options: Options) -> None:
    """Loads that may compare addresses do, wherever they can or where a loop's II is shorter."""
    decide(module, options)


def decide(module: ModuleOp, options: Options) -> Sequence[Decision]:
    """The same; given is what is decided about the loads that may."""
    decisions: list[Decision] = []
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            loads = [op for op in block.ops if isinstance(op, LoadOp) and CARRIED_STORE.is_on(op)]
            found = [*behind_one_store(loads), *behind_several_stores(loads, block)]
            groups = [part for group in found for part in by_request(group)]
            if groups:
                choose_units(module, options)
            alone = [(group, compare([group], block, options)) for group in groups]
            left = [group for group, found in alone if not found.compares]
            together = compare(left, block, options) if len(left) > 1 else None
            if together is not None and together.compares:
                alone = [each for each in alone if each[1].compares]
                decisions.append(together)
            decisions += [found for _, found in alone]
            for access in block.ops:
                for fact in COMPARISON_FACTS if isinstance(access, LoadOp | StoreOp) else ():
                    fact.drop(access)
    return decisions


def by_request(group: Sequence[Comparison]) -> Iterator[Sequence[Comparison]]:
    """The loads of a group that compare in any case, and those for which `auto` decides."""
    for requested in ("comparators", "auto"):
        if part := [each for each in group if CARRIED_STORE.of(each.load) == requested]:
            yield part


def behind_one_store(loads: Sequence[LoadOp]) -> Iterable[Sequence[Comparison]]:
    """The comparisons of loads that wait for one store of earlier iterations, by the store."""
    found: dict[SSAValue, list[Comparison]] = {}
    for load in loads:
        if not COMPARED_STORES.is_on(load) and (comparison := find_comparison(load)) is not None:
            found.setdefault(comparison.stores[0].done, []).append(comparison)
    return found.values()


def behind_several_stores(loads: Sequence[LoadOp], block: Block) -> Iterable[Sequence[Comparison]]:
    """The comparisons of loads with `COMPARED_STORES`, of all of a memory in a loop or of none."""
    marked = [load for load in loads if COMPARED_STORES.is_on(load)]
    loops = loops_of_values(block) if marked else {}

    def body_of(access: LoadOp | StoreOp) -> Body:
        return loops.get(access.ctrl, ())[-1:], memory_of(access)

    stores = {
        (body_of(op), STORE_PLACE.of(op)): op
        for op in block.ops
        if isinstance(op, StoreOp) and STORE_PLACE.is_on(op)
    }
    found: dict[Body, list[Comparison | None]] = {}
    for load in marked:
        body = body_of(load)
        words = [word.split(":") for word in (COMPARED_STORES.of(load) or "").split()]
        places = sorted((int(place), int(far)) for place, far in words)
        pending = [(stores.get((body, place)), far) for place, far in places]
        known = [(store, far) for store, far in pending if store is not None]
        whole = all(body) and len(known) == len(pending)
        found.setdefault(body, []).append(compare_several(load, known) if whole else None)
    for together in found.values():
        if None not in together:
            yield [each for each in together if each is not None]


def size_comparators(module: ModuleOp, options: Options) -> None:
    """Comparators keep no more addresses than the IIs of their loops need.

    In nests they keep some more: an entry that begins late catches up then. So do those of several
    stores, which wait for each other at the memory's port.
    """
    for function in module.ops:
        if isinstance(function, FuncOp):
            block = function.body.block
            for unit in [op for op in block.ops if isinstance(op, PendingStoresOp)]:
                if options.order_depth is None:
                    shorten(unit, block, options)
                    waits = len(unit.dones) - 1
                    spare = SPARE * OUTER_STORE.is_on(unit) + waits
                    unit.keep(max(unit.pending, min(MOST, unit.pending + spare)))
                OUTER_STORE.drop(unit)
                for fact in (VALUE_DISTANCE, STORE_DISTANCES, ADDRESSES_KEPT):
                    fact.drop(unit)


def shorten(unit: PendingStoresOp, block: Block, options: Options) -> None:
    """The unit has the least depth at which no loop is slower."""
    VALUE_DISTANCE.drop(unit)  # Loads with other addresses wait for no value.
    unit.keep(MOST)
    needed = intervals(block, options)
    low, high = LEAST, MOST
    while low < high:
        middle = (low + high) // 2
        unit.keep(middle)
        if intervals(block, options) == needed:
            high = middle
        else:
            low = middle + 1
    unit.keep(high)


def find_comparison(load: LoadOp) -> Comparison | None:
    """The load with the store that it waits for; None if the store's address is not known in each
    iteration, both are constants, which are equal then, or entries of a loop take turns."""
    found = find_outer(load) if OUTER_STORE.is_on(load) else find_inner(load)
    if found is None or are_constant(found.stores[0].address, load.address):
        return None
    return found


def compare_several(load: LoadOp, stores: Sequence[tuple[StoreOp, int]]) -> Comparison | None:
    """The load with the stores of its loop at these distances; None if entries take turns, or if
    no token says what the loop begins with."""
    accesses: list[LoadOp | StoreOp] = [load, *(store for store, _ in stores)]
    tokens = [token for access in accesses for token in tokens_of(access.ctrl)]
    carries = [found for token in tokens if (found := find_carry(token)) is not None]
    if not carries:
        return None
    carry, _, rotated = carries[0]
    pending = [PendingStore(store.address, done_of(store), far) for store, far in stores]
    if carry.lanes > 1 or any(are_constant(each.address, load.address) for each in pending):
        return None
    return Comparison(load, carry.a, [(carry.d, rotated)], (), pending)


def tokens_of(token: SSAValue) -> Iterator[SSAValue]:
    """The token, or those that joins make it of."""
    if isinstance(token.owner, JoinOp):
        for operand in token.owner.operands:
            yield from tokens_of(operand)
    else:
        yield token


def memory_of(access: LoadOp | StoreOp) -> MemoryInterface | None:
    """The memory of an access; None if what is behind its address is none, as of a shared loop."""
    users = [use.operation for use in access.results[-1].uses]
    return users[0] if len(users) == 1 and isinstance(users[0], MemoryInterface) else None


def done_of(store: StoreOp) -> SSAValue:
    """The done token of a store."""
    (use,) = store.address_out.uses
    memory = use.operation
    assert isinstance(memory, MemoryInterface)
    return memory.results[memory.load_count + memory.access_of_operand(use.index)]


def find_inner(load: LoadOp) -> Comparison | None:
    """The load with a store of its own loop."""
    token, ways = load.ctrl, list[tuple[SSAValue, bool]]()
    found = find_carry(token)
    while found is None:
        branch = token.owner
        if not isinstance(branch, CondBranchOp):
            return None
        ways.insert(0, (branch.condition, token is branch.true_result))
        token = branch.data
        found = find_carry(token)
    carry, done, rotated = found
    leaves: tuple[MuxOp, int] | None = None
    for condition, way in ways:
        merged = done.owner
        if not isinstance(merged, MuxOp) or merged.select is not condition:
            return None
        leaves, done = (merged, 1 + way), merged.data[way]
    store = address_of(done)
    if store is None or carry.lanes > 1:
        return None
    stores = [PendingStore(store, done)]
    return Comparison(load, carry.a, [(carry.d, rotated)], ways, stores, leaves)


def find_outer(load: LoadOp) -> Comparison | None:
    """The load with the store of its loop, which it waits for once an iteration of a loop around.

    The token of the loop around comes back as the last done token of the loops inside it.
    """
    token, entries = load.ctrl, list[ReplicateOp]()
    while (carried := find_carry(token)) is None:
        if not isinstance(token.owner, ReplicateOp):
            return None
        entries.insert(0, token.owner)
        token = token.owner.a
    outer, done, rotated = carried
    lanes = outer.lanes
    for entry in entries:
        end = done.owner
        if not isinstance(end, CondBranchOp) or done is not end.false_result:
            return None
        if end.condition is not entry.d:
            return None
        done = end.data
        if not entry.rotated:
            inner = done.owner
            if not isinstance(inner, CarryOp) or inner.d is not entry.d:
                return None
            done, lanes = inner.b, max(lanes, inner.lanes)
    store = address_of(done)
    if store is None or not entries or lanes > 1:
        return None
    loops = [(outer.d, rotated), *((entry.d, bool(entry.rotated)) for entry in entries)]
    return Comparison(load, outer.a, loops, (), [PendingStore(store, done)])


def find_carry(token: SSAValue) -> tuple[CarryOp, SSAValue, bool] | None:
    """The carry of a token that each iteration begins with, what the iteration before gives to it,
    and whether the loop is rotated; None if no carry gives the token."""
    owner = token.owner
    if isinstance(owner, CondBranchOp) and token is owner.true_result:
        carry = owner.data.owner
        if isinstance(carry, CarryOp) and carry.d is owner.condition:
            return carry, carry.b, False
    elif isinstance(owner, CarryOp):
        back = owner.b.owner
        if isinstance(back, CondBranchOp) and owner.b is back.true_result:
            return (owner, back.data, True) if back.condition is owner.d else None
    return None


def are_constant(*addresses: SSAValue) -> bool:
    """True of addresses that are constants: as parameters, or as tokens."""
    return all(is_constant(a) or isinstance(a.owner, ConstantOp) for a in addresses)


def address_of(done: SSAValue) -> SSAValue | None:
    """The address of the store whose done token this is; None of any other token.

    Of a store under a branch, the address that goes into the branch: it is there in each iteration,
    and so is the token that comes out of the branch.
    """
    memory = done.owner
    if isinstance(memory, MuxOp):
        return address_before(memory)
    if not isinstance(memory, MemoryInterface) or not isinstance(done, OpResult):
        return None
    number = done.index - memory.load_count
    if not 0 <= number < memory.store_count:
        return None
    address = memory.channels[2 * number + 1]
    return address.owner.address if isinstance(address.owner, StoreOp) else address


def address_before(merged: MuxOp) -> SSAValue | None:
    """The address of the one store on ways that meet, before they part; None if none is there."""
    found = [
        (way, address) for way, token in enumerate(merged.data) if (address := address_of(token))
    ]
    if len(found) != 1 or len(merged.data) != 2:
        return None
    ((way, address),) = found
    branch = address.owner
    if not isinstance(branch, CondBranchOp) or branch.condition is not merged.select:
        return None
    return branch.data if address is branch.results[0 if way else 1] else None


def compare(groups: Sequence[Sequence[Comparison]], block: Block, options: Options) -> Decision:
    """The loads take tokens of comparisons, if that is faster or requested; whether they do.

    The groups are of loads behind the same stores. Two arrays may limit one loop: what compares
    one of them alone gains nothing then.
    """
    loads = [each for group in groups for each in group]
    before = [each.load.ctrl for each in loads]
    tokens = intervals(block, options)
    inserted = [(each, insert_comparison(each, block, 1, options)) for each in loads]
    made = [operation for _, operations in inserted for operation in operations]
    units = [operation for operation in made if isinstance(operation, PendingStoresOp)]
    alone = intervals(block, options)
    nested = any(len(each.loops) > 1 for each in loads)
    cycles = max([*tokens, *alone, IN_NESTS * nested])
    for unit in units:
        unit.keep(options.order_depth or depth_for(cycles))
    is_auto = any(CARRIED_STORE.of(each.load) == "auto" for each in loads)
    # Loads that start with one token in each iteration wait for each other at their port; those
    # of an inner loop waited for all of the last entry. No II says so.
    shortest = intervals(block, options)
    gained = sum(len(each.loops) == 1 for group in groups for each in group[1:])
    saves = is_auto and nested and saves_waits(loads, alone, shortest)
    places = [place_of(each.load) for each in loads]
    why = "" if is_auto else "it is asked for"
    if is_auto and sum(shortest) < sum(tokens):
        pairs = zip(shortest, tokens, strict=True)
        shorter = ", ".join(f"{one} instead of {two}" for one, two in pairs if one < two)
        why = f"the loop's II is {shorter} by tokens"
    elif is_auto and sum(shortest) < sum(tokens) + gained + saves:
        why = "loads that wait for one store need not start together"
        if saves:
            why = "an inner loop's entry need not wait for stores of the last one"
    if why:
        waiting = [
            (each.load, [op for op in operations if isinstance(op, PendingStoresOp)])
            for each, operations in inserted
            if len(each.loops) == 1
        ]
        why += forward_values([each for each in waiting if each[1]], block, options)
        return Decision(places, True, why)
    for each, token in zip(loads, before, strict=True):
        set_control(each.load, token)
    for operation in reversed(made):
        if isinstance(operation, JoinOp):
            operation.out.replace_all_uses_with(operation.operands[0])  # of what leaves branches
        operation.detach()
        operation.erase()
    return Decision(places, False, "no loop's II is shorter by one")


def saves_waits(loads: Sequence[Comparison], alone: Sequence[int], shortest: Sequence[int]) -> bool:
    """True if loads of an inner loop need not wait for the store of the last iteration.

    One cycle passes between entries in any case, so the store has to be done later than that: with
    one address, the loop's II is the cycles from load to done (`alone`). Of loads that never have
    the address of such a store, what they lead to may take any time.
    """
    if any(OUTER_STORE.of(each.load) == "apart" for each in loads):
        return True
    return any(one > two + 1 for one, two in zip(alone, shortest, strict=True))


def set_control(load: LoadOp, token: SSAValue) -> None:
    """The load starts with this token."""
    load.operands[list(load.operands).index(load.ctrl)] = token


def depth_for(cycles: int) -> int:
    """The addresses to compare if a store is done so many cycles after its load's token.

    No more than the II needs, with which registers for the clock period do not lengthen the way
    that iterations with one address go: they would make the loop slower too.
    """
    return max(LEAST, -(-cycles // -(-cycles // MOST)))


def insert_comparison(
    comparison: Comparison, block: Block, depth: int, options: Options
) -> list[Operation]:
    """The load waits for comparisons, and for what the loop begins with; what is new."""
    load = comparison.load
    made: list[Operation] = []
    tokens: list[SSAValue] = []
    if OUTER_STORE.of(load) != "apart":
        for store in comparison.stores:
            unit = comparator(load, store, depth, options, made)
            OUTER_STORE.copy(load, unit)
            tokens.append(unit.clear)
    from_start = load.address in values_after_start(block)
    if not tokens or waits_for_access(comparison.first) or not from_start:
        token = comparison.first
        for condition, rotated in comparison.loops:
            token = repeat(token, condition, rotated, made)
        for condition, way in comparison.ways:
            branch = CondBranchOp(condition, token)
            made.append(branch)
            token = branch.true_result if way else branch.false_result
        tokens.append(token)
    if len(tokens) > 1:
        both = JoinOp(tokens)
        made.append(both)
        tokens = [both.out]
    for operation in made:
        operation.location = load.location
        block.insert_op_before(operation, load)
    if comparison.merged is not None:
        made += leave_together(*comparison.merged, load, block)
    set_control(load, tokens[0])
    return made


def leave_together(merged: MuxOp, index: int, load: LoadOp, block: Block) -> Iterator[JoinOp]:
    """The token that the load waited for leaves the branches with the store's done token.

    What leaves on the other way is what came before, so it is on each way.
    """
    done, token = merged.operands[index], load.ctrl
    if token not in tokens_of(done):
        both = JoinOp([done, token])
        both.location = load.location
        block.insert_op_before(both, merged)
        merged.operands[index] = both.out
        yield both


def repeat(token: SSAValue, condition: SSAValue, rotated: bool, made: list[Operation]) -> SSAValue:
    """The token in each iteration of a loop.

    Of a rotated loop without a trip count the first one is there before the condition is.
    """
    unit: InvariantOp | ReplicateOp
    if rotated and not isinstance(condition.owner, StreamOp):
        unit = InvariantOp(condition, token)
    else:
        unit = ReplicateOp(condition, token, rotated)
    made.append(unit)
    return unit.o


def comparator(
    load: LoadOp, store: PendingStore, depth: int, options: Options, made: list[Operation]
) -> PendingStoresOp:
    """The unit that compares the load's address, behind casts to the bits that count."""
    bits = bits_of_places(load)

    def narrow(address: SSAValue) -> SSAValue:
        if isinstance(address.type, IntegerType) and address.type.width.data > bits:
            made.append(arith.TruncIOp(address, IntegerType(bits)))
        elif isinstance(address.type, IndexType) and options.index_width > bits:
            made.append(arith.IndexCastOp(address, IntegerType(bits)))
        else:
            return address
        return made[-1].results[0]

    unit: PendingStoresOp
    if store.address is load.address and store.distance:
        unit = DisambiguateOp([narrow(load.address), store.done], depth)
    else:
        addresses = [narrow(load.address), narrow(store.address)]
        unit = StoreQueueOp([*addresses, store.done], depth, store.distance)
    made.append(unit)
    return unit


def bits_of_places(load: LoadOp) -> int:
    """The bits in which the places of the load's array differ."""
    memory = load.data_in.owner
    assert isinstance(memory, MemoryInterface) and isinstance(memory.array_type, MemRefType)
    return max(1, (memory.array_type.get_shape()[0] - 1).bit_length())
