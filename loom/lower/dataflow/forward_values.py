"""A load takes the value of the pending store that has its address, instead of waiting for it.

Behind a `dataflow.disambiguate` or `dataflow.store_queue` a load whose address a pending store has
waits until that store is done, and reads it from the memory. If all addresses are one, an iteration
takes the cycles of load, operators, store and done token. A `dataflow.forward_store` or
`dataflow.forward_queue` in its place lets every address pass, and gives the store's value instead
of the memory's datum: the cycles of the operators, and one. It has a RAM of values more, so it
stands only where a fourth of the cycles is saved.

The value is made of the loaded datum. Another one would come before that datum and wait for it in
front of the unit, and more loads may be under way than stores are pending.

From a value to the next one is one path, where an iteration has a cycle for it. If that path makes
the clock period or the iteration so long that waiting is better, loads wait (`choose_waiting`).
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, ModuleOp
from xdsl.ir import Block, OpResult, SSAValue

from loom.analysis.schedule.event_graph import EventGraph
from loom.dialects.facts.instances import is_constant
from loom.dialects.facts.program_facts import VALUE_DISTANCE
from loom.dialects.ops.graph_operation import NONE
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
from loom.lower.dataflow.choose_period import plan_by_rules
from loom.lower.dataflow.choose_units import choose_units, period_of
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.options import Options

SAVED = 4
"""Of so many cycles one is saved at least."""


def forward_values(
    units: Sequence[tuple[LoadOp, PendingStoresOp]],
    block: Block,
    options: Options,
    equal: Sequence[int],
    different: Sequence[int],
) -> str:
    """Loads that a unit lets pass take values of its stores where that pays; what is said of it.

    `equal` and `different` are the IIs of all loops, if all addresses are one and if none are alike
    [cycles].
    """
    graph = EventGraph(block, options.index_width, options.cores)
    found = ""
    for load, unit in units:
        done = unit.operands[-1]
        memory, value = done.owner, stored_value(done)
        if value is None or not isinstance(memory, MemoryInterface):
            continue
        if not leads_to(load.data, value):
            continue
        timing = graph.timing_of(memory)
        around = timing.latency + timing.done - 1 + isinstance(unit, StoreQueueOp)
        pairs = zip(equal, different, strict=True)
        slower = [(one, two, max(two, one - around)) for one, two in pairs if one > two]
        if slower and all(SAVED * (one - less) >= one for one, _, less in slower):
            new = take_value(load, unit, value, block)
            VALUE_DISTANCE.put(new, max(less for _, _, less in slower))
            cycles = ", ".join(f"{less} instead of {one}" for one, _, less in slower)
            found = (
                f"; values are forwarded if the clock allows: the II with one address is {cycles}"
            )
    return found


def stored_value(done: SSAValue) -> SSAValue | None:
    """What the store with this done token stores, if it is a token of each iteration."""
    memory = done.owner
    if not isinstance(memory, MemoryInterface) or not isinstance(done, OpResult):
        return None
    store = memory.channels[2 * (done.index - memory.load_count)].owner
    if not isinstance(store, StoreOp) or is_constant(store.data):
        return None
    return store.data


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


def take_value(load: LoadOp, unit: PendingStoresOp, value: SSAValue, block: Block) -> ForwardingOp:
    """The load's datum goes through a unit that gives the value of a pending store instead."""
    *addresses, done = unit.operands
    kind = ForwardQueueOp if isinstance(unit, StoreQueueOp) else ForwardStoreOp
    new = kind([*addresses, load.data, value, done], unit.pending)
    new.location = unit.location
    datum = new.first_datum
    load.data.replace_uses_with_if(
        new.loaded, lambda use: use.operation is not new or use.index != datum
    )
    unit.clear.replace_all_uses_with(new.clear)
    block.insert_op_before(new, unit)
    block.erase_op(unit)
    return new


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


def times_of(module: ModuleOp, units: Sequence[PendingStoresOp], options: Options) -> float:
    """The time of all loops if no addresses at these units are alike, times that if all are one."""
    materialize_forks(module, options)
    choose_units(module, options)
    plans = [plan_by_rules(op, options) for op in module.ops if isinstance(op, FuncOp)]
    different = sum(plan.cycles.total * (plan.period or 0.0) for plan in plans)
    for unit in units:
        if isinstance(unit, ForwardingOp):
            VALUE_DISTANCE.put(unit, 1)
        else:
            unit.attributes["depth"] = IntegerAttr(1, 64)
    equal = sum(plan.cycles.total * (plan.period or 0.0) for plan in plans)
    return different * equal


def wait_instead(module: ModuleOp) -> list[PendingStoresOp]:
    """Comparators without values stand in the place of those with; they are given."""
    made: list[PendingStoresOp] = []
    for unit in units_in(module):
        addresses, done = unit.operands[: unit.first_datum], unit.operands[-1]
        kind = StoreQueueOp if isinstance(unit, ForwardQueueOp) else DisambiguateOp
        made.append(kind([*addresses, done], unit.pending))
        made[-1].location = unit.location
        unit.clear.replace_all_uses_with(made[-1].clear)
        unit.loaded.replace_all_uses_with(unit.operands[unit.first_datum])
        block = unit.parent
        assert block is not None
        block.insert_op_before(made[-1], unit)
        block.erase_op(unit)
    return made
