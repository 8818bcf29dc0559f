"""A load takes the value of the pending store that has its address, instead of waiting for it.

Behind a `dataflow.disambiguate` or `dataflow.store_queue` a load whose address a pending store has
waits until that store is done, and reads it from the memory. If all addresses are one, an iteration
takes the cycles of load, operators, store and done token. A `dataflow.forward_store` or
`dataflow.forward_queue` in its place lets every address pass, and gives the store's value instead
of the memory's datum: the cycles of the operators, and one. It has a RAM of values more, so it
stands only where a fourth of the cycles is saved.

A load that waits for several stores has one unit, with all stores of an iteration in the program's
order. A store of the load's own iteration that comes before it is compared with the load itself:
behind the unit a select takes its value. A store under a branch of its own has a value in each
iteration: where the branch leaves it out, of the load's address that which was loaded; of another
address any, as the address is none of a load then (`mask`).

A value is made of the loaded datum. Another one would come before that datum and wait for it in
front of the unit, and more loads may be under way than stores are pending.

From a value to the next one is one path, where an iteration has a cycle for it. If that path makes
the clock period or the iteration so long that waiting is better, loads wait (`choose_waiting`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import gt
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.schedule.initiation_intervals import initiation_intervals
from loom.analysis.schedule.loop_nest import loops_of_values
from loom.dialects.facts.instances import is_constant
from loom.dialects.facts.program_facts import (
    ADDRESSES_KEPT,
    OUTER_STORE,
    STORE_DISTANCES,
    VALUE_DISTANCE,
)
from loom.dialects.operators.ordering.comparators import MOST_STORES
from loom.dialects.ops.graph_operation import NONE
from loom.dialects.ops.handshake import CondBranchOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.ordering.comparators import (
    DisambiguateOp,
    ForwardingOp,
    ForwardQueueOp,
    ForwardStoreOp,
    PendingStoresOp,
    StoreQueueOp,
)
from loom.dialects.ops.types import width_of
from loom.lower.dataflow.choose_period import plan_by_rules
from loom.lower.dataflow.choose_units import choose_units, period_of
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.options import Options

SAVED = 4
"""Of so many cycles one is saved at least."""
MADE = (
    *(ForwardingOp, MuxOp, CondBranchOp),
    *(arith.CmpiOp, arith.SelectOp, arith.ExtUIOp, arith.OrIOp, arith.ConstantOp),
)
"""What a unit that forwards values has around it."""

MASKED = " masked"
"""Of a unit whose addresses are as `mask` makes them: behind its `STORE_DISTANCES`."""

Waiting = tuple[LoadOp, Sequence[PendingStoresOp]]
"""A load, and the units that it waits for: one for each store."""


def forward_values(loads: Sequence[Waiting], block: Block, options: Options) -> str:
    """Loads take values of the stores that they wait for where that pays; what is said of it.

    Loads of all arrays are tried together, then those of each array alone.
    """
    arrays: dict[Operation, list[Waiting]] = {}
    for each in loads:
        arrays.setdefault(memory_of(each[0]), []).append(each)
    tried = [[*loads], *arrays.values()] if len(arrays) > 1 else [*arrays.values()]
    return next(filter(None, (try_values(part, block, options) for part in tried)), "")


def try_values(loads: Sequence[Waiting], block: Block, options: Options) -> str:
    """The same of these loads: all of them, or none."""
    equal, different = intervals_if_equal(block, options), intervals(block, options)
    copy, copied = copy_of(block)
    same = [(copied[load], [copied[unit] for unit in units]) for load, units in loads]
    if not take_all(same, copy):
        return ""
    forwarded = intervals_if_equal(copy, options)
    slower = [each for each in zip(equal, different, forwarded, strict=True) if each[0] > each[1]]
    is_slower = any(map(gt, intervals(copy, options), different))
    if not slower or is_slower or any(SAVED * (one - less) < one for one, _, less in slower):
        return ""
    for new in take_all(loads, block):
        VALUE_DISTANCE.put(new, max(-(-less // two) for _, two, less in slower))
    cycles = ", ".join(f"{less} instead of {one}" for one, _, less in slower)
    return f"; values are forwarded if the clock allows: the II with one address is {cycles}"


def copy_of(block: Block) -> tuple[Block, Mapping[Operation, Any]]:
    """A copy of a function's body, and of each operation the one in it."""
    function = block.parent_op()
    assert isinstance(function, FuncOp)
    copy = function.clone().body.block
    return copy, dict(zip(block.ops, copy.ops, strict=True))


def take_all(loads: Sequence[Waiting], block: Block) -> list[ForwardingOp]:
    """The units of all loads that may take values."""
    return [new for load, units in loads if (new := take_values(load, units, block))]


def intervals_if_equal(block: Block, options: Options) -> Sequence[int]:
    """The IIs of all loops, if all addresses that are compared are one [cycles]."""
    units = [op for op in block.ops if isinstance(op, PendingStoresOp)]
    depths = [unit.pending for unit in units]
    wait_for_last(units)
    found = intervals(block, options)
    for unit, depth in zip(units, depths, strict=True):
        VALUE_DISTANCE.drop(unit)
        unit.keep(depth)
    return found


def wait_for_last(units: Sequence[PendingStoresOp]) -> None:
    """The event graph is that of loads whose address is always that of the last store."""
    for unit in units:
        if isinstance(unit, ForwardingOp):
            VALUE_DISTANCE.put(unit, 1)
        else:
            unit.keep(0 if isinstance(unit, StoreQueueOp) else 1)


def memory_of(load: LoadOp) -> Operation:
    """The memory that gives the load's datum."""
    owner = load.data_in.owner
    assert isinstance(owner, Operation)
    return owner


def take_values(
    load: LoadOp, units: Sequence[PendingStoresOp], block: Block
) -> ForwardingOp | None:
    """The load's datum goes through a unit that gives the value of a pending store instead.

    None if a store has no value that is a token, or the values do not come after the datum.
    """
    dones = [unit.operands[-1] for unit in units]
    stores = [store_of(done) for done in dones]
    known = [store.data for store in stores if store is not None and not is_constant(store.data)]
    if len(known) != len(units) or len(known) > MOST_STORES:
        return None
    if not any(leads_to(load.data, value) for value in known):
        return None
    if changes_between(load, [store for store in stores if store is not None], block):
        return None
    made, behind = list[Operation](), list[Operation]()
    address, data = units[0].operands[0], [load.data] * len(units)
    new: ForwardingOp
    if isinstance(units[0], DisambiguateOp) and len(units) == 1:
        new = ForwardStoreOp([address, load.data, *data, *dones], units[0].pending)
    else:
        addresses = [
            unit.operands[1] if isinstance(unit, StoreQueueOp) else address for unit in units
        ]
        if isinstance(dones[0].owner, MuxOp):
            if len(units) > 1 or not isinstance(address.type, IntegerType):
                return None
            address, addresses = mask(address, addresses[0], dones[0], made, behind)
        new = ForwardQueueOp([address, *addresses, load.data, *data, *dones], units[0].pending)
    distances = " ".join(str(distance_of(unit)) for unit in units)
    STORE_DISTANCES.put(new, distances + MASKED * (address is not units[0].operands[0]))
    ADDRESSES_KEPT.put(new, units[0].pending)
    OUTER_STORE.copy(units[0], new)
    made.append(new)
    loaded: SSAValue = new.loaded
    for unit, value in zip(units, known, strict=True):
        if not distance_of(unit):
            is_same = arith.CmpiOp(unit.operands[0], unit.operands[1], "eq")
            made += [is_same, arith.SelectOp(is_same.result, value, loaded)]
            loaded = made[-1].results[0]
    for place, done in zip(new.values, dones, strict=True):
        new.operands[place] = value_behind(done, loaded, behind)
    load.data.replace_uses_with_if(
        loaded, lambda use: use.operation is not new or use.index != new.first_datum
    )
    for where, operations in ((units[0], made), (dones[0].owner, behind)):
        for operation in operations:
            assert isinstance(where, Operation)
            operation.location = load.location
            block.insert_op_before(operation, where)
    replace_tokens([unit.clear for unit in units], new.clear, block)
    for unit in units:
        block.erase_op(unit)
    return new


def changes_between(load: LoadOp, stores: Sequence[StoreOp], block: Block) -> bool:
    """True if other stores change the array between two entries of the load's loop.

    A unit may still have the last entry's stores when the next one begins, whose loads pass it as
    soon as their addresses are there. A value of them is the array's then, if nothing else stores.
    """
    loops = loops_of_values(block)
    around = loops.get(load.ctrl)
    if around is not None and len(around) <= 1:
        return False
    memory = memory_of(load)
    assert isinstance(memory, MemoryInterface)
    makers = {memory.channels[2 * number].owner for number in range(memory.store_count)}
    others = [loops.get(op.ctrl) for op in makers.difference(stores) if isinstance(op, StoreOp)]
    is_known = around is not None and len(others) == len(makers.difference(stores))
    return not is_known or any(
        found is None or around is None or found[:1] == around[:1] for found in others
    )


def distance_of(unit: PendingStoresOp) -> int:
    """The fewest iterations between a store and a load that waits for it."""
    return unit.distance if isinstance(unit, StoreQueueOp) else 1


def replace_tokens(tokens: Sequence[OpResult], new: SSAValue, block: Block) -> None:
    """One token stands for these; where a join reads several of them it reads it once."""
    first, *others = tokens
    for other in others:
        (use,) = other.uses
        joined = use.operation
        assert isinstance(joined, JoinOp)
        left = [operand for operand in joined.operands if operand is not other]
        shorter = JoinOp(left) if len(left) > 1 else None
        if shorter is not None:
            shorter.location = joined.location
            block.insert_op_before(shorter, joined)
        joined.out.replace_all_uses_with(left[0] if shorter is None else shorter.out)
        block.erase_op(joined)
    first.replace_all_uses_with(new)


def store_of(done: SSAValue) -> StoreOp | None:
    """The store with this done token, or of the token that comes out of the branch around it."""
    if isinstance(done.owner, MuxOp):
        found = [store for each in done.owner.data if (store := store_of(each)) is not None]
        return found[0] if len(found) == 1 else None
    memory = done.owner
    if not isinstance(memory, MemoryInterface) or not isinstance(done, OpResult):
        return None
    if not 0 <= done.index - memory.load_count < memory.store_count:
        return None
    maker = memory.channels[2 * (done.index - memory.load_count)].owner
    return maker if isinstance(maker, StoreOp) else None


def value_behind(done: SSAValue, loaded: SSAValue, made: list[Operation]) -> SSAValue:
    """What the store with this done token stores; what was loaded where a branch leaves it out."""
    merged = done.owner
    if not isinstance(merged, MuxOp):
        store = store_of(done)
        assert store is not None
        return store.data
    return part(merged, loaded, made, value_behind, lambda other: other)


def part(
    merged: MuxOp,
    token: SSAValue,
    made: list[Operation],
    inside: Callable[[SSAValue, SSAValue, list[Operation]], SSAValue],
    outside: Callable[[SSAValue], SSAValue],
) -> SSAValue:
    """The token, as it is `inside` of the branch on the way of the store, else as `outside`."""
    way = next(k for k, each in enumerate(merged.data) if store_of(each) is not None)
    branch = CondBranchOp(merged.select, token)
    made.append(branch)
    ways: list[SSAValue] = [branch.false_result, branch.true_result]
    ways[way] = inside(merged.data[way], ways[way], made)
    ways[1 - way] = outside(ways[1 - way])
    mux = MuxOp(merged.select, ways)
    made.append(mux)
    return mux.out


def mask(
    address: SSAValue,
    store: SSAValue,
    done: SSAValue,
    made: list[Operation],
    behind: list[Operation],
) -> tuple[SSAValue, list[SSAValue]]:
    """The load's address and the store's, which is none of a load where a branch leaves it out.

    Both have a bit more, which only the address of no store has set.
    """
    width = width_of(address.type)
    wide = IntegerType(width + 1)

    def widen(token: SSAValue) -> SSAValue:
        made.append(arith.ExtUIOp(token, wide))
        return made[-1].results[0]

    def masked(token: SSAValue) -> SSAValue:
        none = arith.ConstantOp(IntegerAttr(1 << width, wide))
        behind.extend([none, arith.OrIOp(token, none.result)])
        return behind[-1].results[0]

    def inside(done: SSAValue, token: SSAValue, behind: list[Operation]) -> SSAValue:
        if not isinstance(done.owner, MuxOp):
            return token
        return part(done.owner, token, behind, inside, masked)

    return widen(address), [inside(done, widen(store), behind)]


def intervals(block: Block, options: Options) -> Sequence[int]:
    """The IIs of all loops [cycles]."""
    return [each.ii for each in initiation_intervals(block, options.index_width, options.cores)]


def leads_to(datum: SSAValue, value: SSAValue) -> bool:
    """True if the value is made of the datum, of elements at addresses made of it too."""
    work, seen = [datum], {datum}
    while work:
        found = work.pop()
        if found is value:
            return True
        for use in found.uses:
            reader = use.operation
            if isinstance(reader, MemoryInterface):
                continue
            made = reader.results[:1] if isinstance(reader, LoadOp) else reader.results
            new = [each for each in made if each not in seen and each.type != NONE]
            seen.update(new)
            work += new
    return False


def choose_waiting(module: ModuleOp, options: Options) -> None:
    """Loads wait for pending stores after all, where that takes less time.

    Which addresses come is not known: the product of the times counts, if all are one and if none
    are alike.
    """
    if not units_in(module) or period_of(options) is None:
        return
    values, waiting = module.clone(), module.clone()
    times = times_of(values, units_in(values), options)
    if times > times_of(waiting, wait_instead(waiting), options):
        wait_instead(module)


def units_in(module: ModuleOp) -> list[ForwardingOp]:
    """The units that forward values."""
    return [operation for operation in module.walk() if isinstance(operation, ForwardingOp)]


def times_of(
    module: ModuleOp, units: Sequence[PendingStoresOp], options: Options
) -> tuple[bool, float]:
    """Whether a period that the user chose is not met; the time of all loops if no addresses at
    these units are alike, times that if all are one."""
    materialize_forks(module, options)
    choose_units(module, options)
    plans = [plan_by_rules(op, options) for op in module.ops if isinstance(op, FuncOp)]
    different = sum(plan.cycles.total * (plan.period or 0.0) for plan in plans)
    wait_for_last(units)
    equal = sum(plan.cycles.total * (plan.period or 0.0) for plan in plans)
    chosen = None if options.clock_period == "default" else period_of(options)
    is_late = any(chosen is not None and (plan.period or 0.0) > chosen for plan in plans)
    return is_late, different * equal


def wait_instead(module: ModuleOp) -> list[PendingStoresOp]:
    """Comparators without values stand in the place of those with; they are given."""
    return [unit for forwarding in units_in(module) for unit in wait_at(forwarding)]


def wait_at(forwarding: ForwardingOp) -> list[PendingStoresOp]:
    """The same of one unit: a comparator for each of its stores."""
    block = forwarding.parent
    assert block is not None
    said = STORE_DISTANCES.of(forwarding) or "1"
    address, *stores = forwarding.operands[: forwarding.first_datum]
    if said.endswith(MASKED):
        address, stores = unmasked(address), [unmasked(store) for store in stores]
    dones = [forwarding.operands[k] for k in forwarding.dones]
    distances = [int(word) for word in said.removesuffix(MASKED).split()]
    kept = ADDRESSES_KEPT.of(forwarding) or forwarding.pending
    units: list[PendingStoresOp] = []
    loaded: SSAValue = forwarding.loaded
    for number, (done, distance) in enumerate(zip(dones, distances, strict=True)):
        if not stores or (stores[number] is address and distance):
            units.append(DisambiguateOp([address, done], kept))
        else:
            addresses = [address, stores[number]]
            units.append(StoreQueueOp([*addresses, done], kept, distance))
        OUTER_STORE.copy(forwarding, units[-1])
        if not distance:
            loaded = select_of(loaded).result
    joined = JoinOp([unit.clear for unit in units]) if len(units) > 1 else None
    for made in (*units, *([joined] if joined else [])):
        made.location = forwarding.location
        block.insert_op_before(made, forwarding)
    forwarding.clear.replace_all_uses_with(joined.out if joined else units[0].clear)
    loaded.replace_all_uses_with(forwarding.operands[forwarding.first_datum])
    erase_unused(loaded.owner, forwarding)
    return units


def unmasked(address: SSAValue) -> SSAValue:
    """The address as it was before `mask`."""
    while isinstance(merged := address.owner, MuxOp):
        none = next(each.owner for each in merged.data if isinstance(each.owner, arith.OrIOp))
        branch = none.lhs.owner
        assert isinstance(branch, CondBranchOp)
        address = branch.data
    assert isinstance(address.owner, arith.ExtUIOp)
    return address.owner.input


def select_of(loaded: SSAValue) -> arith.SelectOp:
    """What chooses between the value of a store of the load's own iteration and what is loaded."""
    return next(
        use.operation
        for use in loaded.uses
        if isinstance(use.operation, arith.SelectOp) and use.operation.rhs is loaded
    )


def erase_unused(*operations: Operation | Block) -> None:
    """Without these, and without what nothing reads then, as far as it is of `MADE`."""
    work = [*operations]
    while work:
        found = work.pop()
        if isinstance(found, MADE) and not any(result.uses for result in found.results):
            block = found.parent
            if isinstance(block, Block):
                work += [operand.owner for operand in found.operands]
                block.erase_op(found)
