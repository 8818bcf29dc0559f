"""Store-to-load forwarding over iterations, through registers.

``h[x[i]] += w[i]`` may load what the last iteration stored. The loop carries address and datum of
its last stores, as many as iterations begin before the RAM has one. An iteration takes the datum of
the youngest with its address, else what it loads, so the load waits for none of these stores
(`FORWARDED`): the II no longer counts the way through the RAM, whatever the addresses are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.analysis.program.memory_accesses import Accesses, Root
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.arrays import is_behind_channel, order_behind
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import LOOPS, MEMORY_ORDER
from loom.dialects.facts.program_facts import FORWARDED, FORWARDED_LOOPS
from loom.lower.memory.promote_to_iter_args import carry_more
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace, zero_of
from loom.lower.static.body_problem import cycles_of_ports
from loom.lower.static.units import is_pipelined, load_latency


class Update(NamedTuple):
    """A load and a store of a loop, of one array.

    `forwarded` of the last stores go to the load, through the `loops` innermost loops around.
    """

    load: memref.LoadOp
    store: memref.StoreOp
    forwarded: int
    loops: int


def forward_carried_stores(module: ModuleOp, options: Options) -> None:
    """Loads take what the last iterations have stored from registers, where that bounds the II.

    Where the function, the array or one of the accesses says an order, loads wait.
    """
    for function in module.ops:
        if (
            isinstance(function, FuncOp)
            and requested_order(function, options.memory_order) == "auto"
        ):
            accesses = Accesses(function, options.index_width)
            known = Dependences(accesses, "auto")
            found = [
                update
                for loop in function.walk()
                if isinstance(loop, scf.ForOp) and not loops_inside(loop)
                for update in updates_of(loop, accesses, known, options)
                if order_behind(update.load.memref, function, module) in (None, "auto")
                and {MEMORY_ORDER.of(update.load), MEMORY_ORDER.of(update.store)} <= {None, "auto"}
            ]
            for update in found:
                forward(update)


def updates_of(
    loop: scf.ForOp, accesses: Accesses, known: Dependences, options: Options
) -> Iterator[Update]:
    """The arrays with one load and one store in the loop, which the next iteration may meet.

    Not where ports bound the II as much.
    """
    inside = accesses.inside(loop)
    accessing = [op for op in loop.walk() if isinstance(op, memref.LoadOp | memref.StoreOp)]
    most = cycles_of_ports(accessing)
    for root, found in inside.items():
        if len(found) != 2 or any(each.loops[-1].operation is not loop for each in found):
            continue
        loading, storing = found
        load, store = (op for op in accessing if accesses.access_of(op) in found)
        if not (isinstance(load, memref.LoadOp) and isinstance(store, memref.StoreOp)):
            continue
        if is_behind_channel(load.memref):  # no load is under way together with such a store
            continue
        depth = len(loading.loops)
        # A store under a branch takes its datum from a register.
        count = load_latency(load) + (store.parent is not loop.body.block)
        levels = levels_of(loop, root, accesses)
        if (
            levels is not None
            and most <= load_latency(load)
            and known.distance(storing, loading, depth - 1) == 1
            and (levels == 1 or not is_made_by_registers(store.value, options))
        ):
            yield Update(load, store, count, levels)


def levels_of(loop: scf.ForOp, root: Root, accesses: Accesses) -> int | None:
    """How many loops are a nest around the array's accesses, which may become one pipeline.

    None if the nest has others of the array: those bound its II too.
    """
    levels = 1
    around = loop.parent_op()
    while isinstance(around, scf.ForOp) and len(loops_inside(around)) == levels:
        if len(accesses.inside(around)[root]) > 2:
            return None
        levels, around = levels + 1, around.parent_op()
    return levels


def loops_inside(loop: scf.ForOp) -> list[Operation]:
    """The loops in a loop, at any depth."""
    return [op for op in loop.walk() if op is not loop and isinstance(op, LOOPS)]


def is_made_by_registers(value: SSAValue, options: Options) -> bool:
    """True of the result of an operator with registers: no nest that carries it is one pipeline."""
    return isinstance(value, OpResult) and is_pipelined(value.op, options)


def forward(update: Update) -> None:
    """The loops carry address and datum of the last stores, and users of the load take them."""
    load, store, count, levels = update
    loops = loops_around(load)[:levels]
    body, end = loops[0].body.block, last_of(loops[0].body.block)
    assert load.next_op is not None and store.next_op is not None
    type_ = load.memref.type
    assert isinstance(type_, MemRefType)
    size = prod(type_.get_shape())
    place = IntegerType(size.bit_length())
    # No access has the address behind the array, which stands for no store.
    before = Arithmetic(loops[-1])
    none = [before.constant(size, place), before.insert(arith.ConstantOp(zero_of(load.res.type)))]
    last = [body.insert_arg(each.type, len(body.args)) for each in none * count]
    uses, value = list(load.res.uses), SSAValue.get(load.res)
    behind = Arithmetic(load.next_op)
    address = behind.insert(arith.IndexCastOp(load.indices[0], place))
    for earlier, datum in reversed([*zip(last[::2], last[1::2], strict=True)]):
        equal = behind.insert(arith.CmpiOp(address, earlier, "eq"))
        value = behind.insert(arith.SelectOp(equal, datum, value))
    for use in uses:
        use.operation.operands[use.index] = value
    stored = Arithmetic(store.next_op).insert(arith.IndexCastOp(store.indices[0], place))
    given = leave_branches(store, [stored, store.value], none[0])
    end.operands = [*end.operands, *given, *last[:-2]]
    FORWARDED.put(load, count)
    FORWARDED_LOOPS.put(load, levels)
    for number, loop in enumerate(loops, 1):
        outer = loops[number].body.block if number < levels else None
        inits = none * count
        if outer is not None:
            inits = [outer.insert_arg(each.type, len(outer.args)) for each in inits]
        kept, results = len(loop.results), carry_more(loop, inits)
        replace(loop, *results[:kept])
        if outer is not None:
            last_of(outer).operands = [*last_of(outer).operands, *results[kept:]]


def loops_around(operation: Operation) -> list[scf.ForOp]:
    """The counted loops around an operation, the innermost first."""
    holder = operation.parent_op()
    if holder is None:
        return []
    return [*([holder] if isinstance(holder, scf.ForOp) else []), *loops_around(holder)]


def leave_branches(
    store: memref.StoreOp, values: Sequence[SSAValue], none: SSAValue
) -> Sequence[SSAValue]:
    """Address and datum at the end of the loop's body: `none` and any where nothing is stored."""
    branch = store.parent_op()
    block = store.parent
    while isinstance(branch, scf.IfOp):
        for region in branch.regions:
            if not region.blocks:
                region.add_block(Block([scf.YieldOp()]))
            own = values
            if region.block is not block:
                own = [none, Arithmetic(last_of(region.block)).insert(PoisonOp(values[1].type))]
            last_of(region.block).operands = [*last_of(region.block).operands, *own]
        taken, other = branch.regions
        new = scf.IfOp(
            branch.cond,
            [*(result.type for result in branch.results), *(value.type for value in values)],
            branch.detach_region(taken),
            branch.detach_region(other),
        )
        new.attributes |= branch.attributes
        Arithmetic(branch).put(new)
        values = new.results[len(branch.results) :]
        replace(branch, *new.results[: len(branch.results)])
        block, branch = new.parent, new.parent_op()
    return values
