"""What orders the accesses of a program, by the passes that decide it and the values they leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.order.explained_order import ExplainedOrder, explain
from loom.analysis.order.waits_for_datum import Datum, carried_datum, taken_by_all
from loom.analysis.program.memory_accesses import Accesses, root_of
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.fact import number
from loom.dialects.facts.places import place_of
from loom.dialects.facts.program_facts import COMPARED_STORES, STORE_PLACE
from loom.dialects.ops import order
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.ordering.comparators import PendingStoresOp
from loom.dialects.ops.ordering.load_store_queue import LoadStoreQueueOp
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.errors import Place
from loom.lower.dataflow.compare_addresses import compare_addresses, decide
from loom.lower.dataflow.memory_interfaces import count_accesses, name_in_graph
from loom.lower.dataflow.scf_to_dataflow import scf_to_dataflow
from loom.lower.dataflow.share_loops import share_loops
from loom.lower.lean.drop_implied_order import drop_implied_order
from loom.lower.memory.thread_memory_order import thread_memory_order
from loom.lower.options import Options
from loom.lower.pipeline import PASSES

NUMBER = number("loom.access", 0, "the number of an access")
"""Of a load or store: its place among all of the program."""


def explain_order(source: ModuleOp, graph: ModuleOp, options: Options) -> ExplainedOrder:
    """What orders each access of a program whose circuit is `graph`.

    Waits are those of the program when its order is decided; whether data flow keeps one is seen in
    the values that the graph is made of.
    """
    module = source.clone()
    steps = [step.rewrite for step in PASSES]
    first, last = steps.index(thread_memory_order), steps.index(scf_to_dataflow)
    for rewrite in steps[:first]:
        rewrite(module, options)
    (function,) = [op for op in module.ops if isinstance(op, FuncOp)]
    requested = requested_order(function, options.memory_order)
    accesses = Accesses(function, options.index_width)
    found = explain(function, accesses, Dependences(accesses, requested))
    by_array = dict(accesses.inside(function))
    compared = places_of_comparators(function, graph)
    for rewrite in steps[first:last]:
        if rewrite not in (share_loops, drop_implied_order):
            rewrite(module, options)
        if rewrite is thread_memory_order:
            number_accesses(module)
    data: set[tuple[int, int]] = set()
    carried: set[tuple[int, int]] = set()
    after = threaded(module)
    for load in after:
        if not isinstance(load, order.LoadOp):
            continue
        datum, made = Datum(load), carried_datum(load)
        for access in after:
            if access.memory != load.memory or not isinstance(access, order.StoreOp):
                continue
            pair = NUMBER.of(load), NUMBER.of(access)
            assert pair[0] is not None and pair[1] is not None
            if datum.precedes(access):
                data.add((pair[0], pair[1]))
            elif access.parent is load.parent and any(v in made for v in taken_by_all(access)):
                carried.add((pair[0], pair[1]))
    named, beside = set(arrays_with_queue(graph)), set(stores_beside(after))
    queued = {
        access.number
        for number, (root, (memory, *_)) in enumerate(count_accesses([function], {}).items())
        if name_in_graph(number, memory) in named
        for access in by_array.get(root, ())
    }
    return found.with_ways(data, carried, compared, beside, queued, decided(source, options))


def decided(source: ModuleOp, options: Options) -> Mapping[Place, str]:
    """Of each load that may compare addresses, by its place, what is decided and why."""
    module = source.clone()
    for step in PASSES:
        if step.rewrite is compare_addresses:
            decisions = decide(module, options)
            return {place: str(each) for each in decisions for place in each.loads}
        step.rewrite(module, options)
    return {}


def stores_beside(
    accesses: Sequence[order.LoadOp | order.StoreOp],
) -> Iterator[tuple[int, int]]:
    """The numbers of a store, and of a load that may compare its address in the same iteration."""
    for store in accesses:
        place = STORE_PLACE.of(store)
        for load in accesses:
            words = (COMPARED_STORES.of(load) or "").split()
            if place is not None and store.parent is load.parent and f"{place}:0" in words:
                numbers = NUMBER.of(store), NUMBER.of(load)
                assert numbers[0] is not None and numbers[1] is not None
                if store.memory == load.memory:
                    yield numbers[0], numbers[1]


def arrays_with_queue(graph: ModuleOp) -> Iterator[str]:
    """The names of the arrays whose accesses a load-store queue orders."""
    for memory in graph.walk():
        if isinstance(memory, MemoryInterface) and any(
            isinstance(maker_before_buffers(value), LoadStoreQueueOp) for value in memory.channels
        ):
            yield memory.array_name


def maker_before_buffers(value: SSAValue) -> Operation | Block:
    """What makes a value, buffers on its way left out."""
    while isinstance(value.owner, BufferOp):
        value = value.owner.operands[0]
    return value.owner


def number_accesses(module: ModuleOp) -> None:
    """Each access with tokens has its number among all; a static loop has one for each array."""
    count = 0
    for op in module.walk():
        if isinstance(op, order.LoadOp | order.StoreOp):
            NUMBER.put(op, count)
            count += 1
        elif isinstance(op, StaticLoopOp):
            count += len({root_of(memory) for memory in op.memories})


def threaded(module: ModuleOp) -> list[order.LoadOp | order.StoreOp]:
    """The accesses with tokens, in the order of the text."""
    return [op for op in module.walk() if isinstance(op, order.LoadOp | order.StoreOp)]


def places_of_comparators(function: FuncOp, graph: ModuleOp) -> set[Place]:
    """The places of loads with a comparator, where all loads of the place have one."""
    loads = Counter(place_of(op) for op in function.walk() if isinstance(op, memref.LoadOp))
    units = Counter(place_of(op) for op in graph.walk() if isinstance(op, PendingStoresOp))
    return {place for place, count in units.items() if count >= loads[place]}
