"""A load takes the value of the pending store that has its address, instead of waiting for it.

Behind a `dataflow.disambiguate` or `dataflow.store_queue` a load whose address a pending store has
waits until that store is done, and reads it from the memory. If all addresses are one, an iteration
takes the cycles of load, operators, store and done token. A `dataflow.forward_store` or
`dataflow.forward_queue` in its place lets every address pass, and gives the store's value instead
of the memory's datum: the cycles of the operators, and one. It has a RAM of values more, so it
stands only where a fourth of the cycles is saved.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, OpResult, SSAValue

from loom.analysis.schedule.event_graph import EventGraph
from loom.dialects.facts.instances import is_constant
from loom.dialects.facts.program_facts import VALUE_DISTANCE
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.ordering.comparators import (
    ForwardingOp,
    ForwardQueueOp,
    ForwardStoreOp,
    PendingStoresOp,
    StoreQueueOp,
)
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
        timing = graph.timing_of(memory)
        around = timing.latency + timing.done - 1 + isinstance(unit, StoreQueueOp)
        pairs = zip(equal, different, strict=True)
        slower = [(one, two, max(two, one - around)) for one, two in pairs if one > two]
        if slower and all(SAVED * (one - less) >= one for one, _, less in slower):
            new = take_value(load, unit, value, block)
            VALUE_DISTANCE.put(new, max(-(-less // two) for one, two, less in slower))
            cycles = ", ".join(f"{less} instead of {one}" for one, _, less in slower)
            found = f"; values are forwarded: with one address the II is {cycles}"
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


def take_value(load: LoadOp, unit: PendingStoresOp, value: SSAValue, block: Block) -> ForwardingOp:
    """The load's datum goes through a unit that gives the value of a pending store instead."""
    *addresses, done = unit.operands
    kind = ForwardQueueOp if isinstance(unit, StoreQueueOp) else ForwardStoreOp
    places = 1 << (unit.pending - 1).bit_length()
    new = kind([*addresses, load.data, value, done], places)
    new.location = unit.location
    load.data.replace_uses_with_if(new.loaded, lambda use: use.operation is not new)
    unit.clear.replace_all_uses_with(new.clear)
    block.insert_op_before(new, unit)
    block.erase_op(unit)
    return new
