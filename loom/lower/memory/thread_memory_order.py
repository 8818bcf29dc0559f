"""Thread the order of memory accesses through the program as control tokens.

Source: docs/spec/memory-order.md, "Which accesses wait"; docs/spec D5 and D7. A token enters and
leaves every region for each strand of accesses in it (`analysis.program.memory_order`).
An access takes the done tokens of those of its iteration that it may conflict with, and those of
earlier iterations that the loop carries; where there are none it takes the token that its region
starts with, in a loop the loop's own, in every iteration. Of done tokens the last leaves the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import FunctionType, ModuleOp, NoneType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses, Root, root_of
from loom.analysis.program.memory_dependence import Dependences, MemoryOrder
from loom.analysis.program.memory_order import (
    Carried,
    InOrder,
    Plan,
    Strand,
    WithPairs,
    find_carried,
    find_strands,
    has_conflict,
    loads_behind_one_store,
    plan_order,
    stores_of_loads,
    with_waits_of_stores,
)
from loom.analysis.program.requested_order import requested_order
from loom.analysis.program.serial_accesses import find_requesters
from loom.dialects.facts.arrays import ORDER, arrays_behind_channels, arrays_of
from loom.dialects.facts.instances import hardware_of
from loom.dialects.facts.loop_attributes import MEMORY_ORDER
from loom.dialects.facts.program_facts import (
    CARRIED_STORE,
    COMPARED_STORES,
    ORDER_NOTE,
    OUTER_STORE,
    QUEUED,
    REQUESTER,
    STORE_PLACE,
)
from loom.dialects.ops import order
from loom.dialects.ops.staticlogic.island import StaticLoopOp
from loom.lower.memory.array_orders import (
    accesses_with_order,
    memories_to_queue,
    orders_of_arrays,
    orders_without_effect,
)
from loom.lower.options import Options

NONE = NoneType()
COMPARING = ("auto", "comparators")
"""The orders with comparators of addresses."""


def thread_memory_order(module: ModuleOp, options: Options) -> None:
    """The one function takes a start token and returns a done token; accesses are `order` ops."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            accesses = Accesses(function, options.index_width)
            requested = requested_order(function, options.memory_order)
            orders = orders_of_arrays(module, function)
            apart = {root_of(op.memref) for op in accesses_with_order(function)}
            known = Dependences(accesses, requested)
            queued = {
                root: array
                for root, array in memories_to_queue(function, accesses, known).items()
                if orders.get(root, "tokens" if root in apart else requested) == "queue"
            }
            if notes := list(orders_without_effect(function, orders, queued)):
                ORDER_NOTE.put(module, "\n".join(notes))
            _Threader(function, accesses, known, requested, orders, queued).run()
    for array in arrays_of(module):
        array.say(ORDER, None)


@dataclass(frozen=True)
class Part:
    """A strand of an operation and the token that it starts with."""

    strand: Strand
    entry: SSAValue
    accepts: bool = False
    """Whether other stores of its block begin once this one is accepted."""


class _Strand:
    """A strand in a block: what its steps wait for at least, and the tokens of those behind it."""

    def __init__(self, steps: Plan, entry: SSAValue, in_order: Set[int]) -> None:
        self.plan = steps
        self.entry = entry
        self.in_order = in_order
        """Steps that are stores of one channel: each may begin once those before are accepted."""
        self.waits: dict[int, list[SSAValue]] = {}
        """Tokens from earlier iterations, by step."""
        self.dones: dict[int, SSAValue] = {}
        """Done tokens of the steps so far."""
        self.accepted: dict[int, SSAValue] = {}
        """The tokens that those in order are accepted."""
        self.steps_of: dict[int, list[int]] = {}
        """The steps of an operation, by its place in the block."""
        for number, step in enumerate(steps.steps):
            self.steps_of.setdefault(step.operation, []).append(number)

    def tokens(self, step: int) -> list[SSAValue]:
        """What a step waits for."""
        own = [self.token(k, step) for k in self.plan.steps[step].after]
        return [*own, *self.waits.get(step, ())] or [self.entry]

    def token(self, earlier: int, later: int) -> SSAValue:
        """What step `later` waits for of an earlier one."""
        return (self.accepted if self.follows(earlier, later) else self.dones)[earlier]

    def follows(self, earlier: int, later: int) -> bool:
        """True if step `later` may begin once the other one is accepted."""
        return earlier in self.in_order and later in self.in_order

    def start_stores(self) -> None:
        """Stores wait for what the strand starts with too: no load's wait implies it."""
        for number, step in enumerate(self.plan.steps):
            if step.strand[0].stores:
                self.waits.setdefault(number, []).append(self.entry)

    def last(self) -> list[SSAValue]:
        """What comes after all steps; nothing if there are none."""
        return [self.dones[k] for k in self.plan.last]


class _Carries:
    """What a loop carries for a strand: done tokens of steps that later iterations wait for."""

    def __init__(self, body: Block, strand: _Strand, waits: Sequence[Carried]) -> None:
        self.strand = strand
        farthest: dict[tuple[int, bool], int] = {}
        for wait in waits:
            key = wait.earlier, strand.follows(wait.earlier, wait.later)
            farthest[key] = max(wait.iterations, farthest.get(key, 0))
        self.chains = {
            key: [add_argument(body) for _ in range(iterations)]
            for key, iterations in farthest.items()
        }
        """The tokens of a step: those that it is accepted, or its done tokens."""
        for wait in waits:
            key = wait.earlier, strand.follows(wait.earlier, wait.later)
            token = self.chains[key][wait.iterations - 1]
            strand.waits.setdefault(wait.later, []).append(token)
        last = strand.plan.last
        self.collects = len(last) > 1 or (last[0], False) not in self.chains
        if self.collects:
            add_argument(body)

    def yielded_tokens(self, last: SSAValue) -> list[SSAValue]:
        """What goes into the next iteration, `last` being the token that comes after all steps."""
        found: list[SSAValue] = []
        for (step, accepted), chain in self.chains.items():
            tokens = self.strand.accepted if accepted else self.strand.dones
            found += [tokens[step], *chain[:-1]]
        return [*found, last] if self.collects else found


def leads_to(load: memref.LoadOp, store: memref.StoreOp) -> bool:
    """True if what is stored, or where, is made of the datum of the load in the store's block."""
    reached: set[SSAValue] = {load.res}
    for operation in load.parent.ops if load.parent is not None else ():
        if not reached.isdisjoint(operation.operands):
            reached.update(operation.results)
    return not reached.isdisjoint(store.operands)


class _Threader:
    """One function's rewrite."""

    def __init__(
        self,
        function: FuncOp,
        accesses: Accesses,
        known: Dependences,
        requested: MemoryOrder,
        orders: Mapping[Root, str],
        queued: Mapping[Root, SSAValue],
    ) -> None:
        self.function = function
        self.accesses = accesses
        self.known = known
        self.conflicts = WithPairs(InOrder(known, frozenset(queued)) if queued else known)
        self.requested = requested
        self.orders = orders
        self.queued = queued
        """The memories whose accesses a queue orders."""
        self.channels = arrays_behind_channels(function) - queued.keys()
        """The arrays whose stores are accepted before they are done."""
        self.requesters: Mapping[Access, int] = {}
        self.carried: dict[Access, str] = {}
        """Loads for whose token a comparison of addresses may stand, with their `CARRIED_STORE`."""
        self.outer: dict[Access, str] = {}
        """Of those the loads of nests, with their `OUTER_STORE`."""
        self.compared: dict[Access, str] = {}
        """Of those the loads that wait for several stores, with their `COMPARED_STORES`."""
        self.places: dict[Access, int] = {}
        """The stores that they wait for, with their `STORE_PLACE`."""

    def run(self) -> None:
        block = self.function.body.block
        start = block.insert_arg(NONE, len(block.args))
        start.name_hint = "start"
        found = [self.plan_strand(block, strand, 0, start) for strand in self.of(self.function, 0)]
        self.requesters = find_requesters([each.plan for each in found])
        self.thread_block(block, found, 0)
        end = block.last_op
        assert isinstance(end, ReturnOp)
        dones = [token for each in found for token in self.ended(each, end)]
        done = order.join_tokens(dones or [start], end)
        end.operands = [*end.operands, done]
        type_ = self.function.function_type
        self.function.properties["function_type"] = FunctionType.from_lists(
            [*type_.inputs, NONE], [*type_.outputs, NONE]
        )

    def order_of(self, load: Access, stores: Iterable[Access]) -> str:
        """What orders a load behind these stores: as they say, else the array, else the function.

        By tokens if one of them says so, else by comparators if one does.
        """
        said = {access.order for access in (load, *stores)} - {None, "auto", "queue"}
        if not said:
            return self.orders.get(load.root, self.requested)
        return "comparators" if said == {"comparators"} else "tokens"

    def ended(self, found: _Strand, end: ReturnOp) -> list[SSAValue]:
        """What comes after all accesses of a strand of the function."""
        array = self.queued.get(found.plan.steps[0].strand[0].root)
        if array is None:
            return found.last()
        (last,) = found.last()
        assert end.parent is not None
        if isinstance(array.owner, memref.GetGlobalOp):
            named = array.owner.clone()
            end.parent.insert_op_before(named, end)
            array = named.results[0]
        ended = order.EndOp(array, last)
        ended.location = end.location
        end.parent.insert_op_before(ended, end)
        return [ended.done]

    def of(self, operation: Operation, same: int) -> list[Strand]:
        """The strands of an operation in `same` loops, memory after memory."""
        found = self.accesses.inside(operation)
        return [strand for a in found.values() for strand in find_strands(self.conflicts, a, same)]

    def plan_strand(self, block: Block, strand: Strand, same: int, entry: SSAValue) -> _Strand:
        """A strand in a block that lies in `same` loops."""
        plan = plan_order(self.conflicts, self.accesses, block, strand, same)
        operations = list(block.ops) if strand[0].root in self.channels else []
        in_order = {
            number
            for number, step in enumerate(plan.steps)
            if operations and isinstance(operations[step.operation], memref.StoreOp)
        }
        return _Strand(plan, entry, in_order)

    def thread_block(self, block: Block, found: Sequence[_Strand], same: int) -> None:
        """Rewrite the accesses of a block in `same` loops; `found` get their done tokens."""
        for place, operation in enumerate(list(block.ops)):
            steps = [(each, step) for each in found for step in each.steps_of.get(place, ())]
            # In the order of their accesses, so that loops alike are threaded alike.
            steps.sort(key=lambda part: part[0].plan.steps[part[1]].strand[0].number)
            parts = [
                Part(
                    each.plan.steps[step].strand,
                    order.join_tokens(each.tokens(step), operation),
                    len(each.in_order) > 1 and step in each.in_order,
                )
                for each, step in steps
            ]
            if parts:
                dones = self.thread(operation, parts, same)
                for (each, step), done in zip(steps, dones, strict=True):
                    each.dones[step] = done
                    if isinstance(done.owner, order.StoreOp) and done.owner.accepted is not None:
                        each.accepted[step] = done.owner.accepted

    def thread(self, operation: Operation, parts: Sequence[Part], same: int) -> list[SSAValue]:
        """Rewrite an operation in `same` loops; the done tokens of its strands."""
        match operation:
            case memref.LoadOp():
                (part,) = parts
                load = order.LoadOp(operation.memref, operation.indices[0], part.entry)
                load.attributes |= hardware_of(operation)
                REQUESTER.put(load, self.requesters[part.strand[0]])
                if part.strand[0].root in self.queued:
                    QUEUED.put(load, True)
                MEMORY_ORDER.drop(load)
                if found := self.carried.get(part.strand[0]):
                    CARRIED_STORE.put(load, found)
                if found := self.outer.get(part.strand[0]):
                    OUTER_STORE.put(load, found)
                if stores := self.compared.get(part.strand[0]):
                    COMPARED_STORES.put(load, stores)
                return replace(operation, load, 1)
            case memref.StoreOp():
                (part,) = parts
                store = order.StoreOp(
                    operation.value,
                    operation.memref,
                    operation.indices[0],
                    part.entry,
                    accepts=part.accepts,
                )
                store.attributes |= hardware_of(operation)
                MEMORY_ORDER.drop(store)
                REQUESTER.put(store, self.requesters[part.strand[0]])
                if part.strand[0].root in self.queued:
                    QUEUED.put(store, True)
                if part.strand[0] in self.places:
                    STORE_PLACE.put(store, self.places[part.strand[0]])
                return replace(operation, store, 0)[:1]
            case StaticLoopOp():
                operation.wait_for(order.join_tokens([part.entry for part in parts], operation))
                return [operation.done] * len(parts)
            case scf.ForOp():
                return self.thread_for(operation, parts, same)
            case scf.WhileOp():
                return self.thread_while(operation, parts, same)
            case _:
                assert isinstance(operation, scf.IfOp)
                return self.thread_if(operation, parts, same)

    def thread_for(self, loop: scf.ForOp, parts: Sequence[Part], same: int) -> list[SSAValue]:
        """Loop-carried dependences become carried tokens, and one done token a strand."""
        body = loop.body.block
        found: list[_Strand] = []
        waits: list[Sequence[Carried]] = []
        for part in parts:
            strand = self.plan_strand(body, part.strand, same + 1, part.entry)
            carried = self.find_carried(strand, same + 1)
            self.mark_loads(body, strand.plan, carried, same + 1)
            if carried and self.mark_inner(body, part.strand, same + 1):
                strand = self.plan_strand(body, part.strand, same + 1, part.entry)
                carried = self.find_carried(strand, same + 1)
            found.append(strand)
            waits.append(self.mark_several(body, strand, carried, same + 1))
        carries = [_Carries(body, *each) for each in zip(found, waits, strict=True)]
        self.thread_block(body, found, same + 1)
        end = body.last_op
        assert end is not None
        inits, leaving, places = [*loop.iter_args], [*end.operands], list[int]()
        for each in carries:
            last = order.join_tokens(each.strand.last(), end)
            tokens = each.yielded_tokens(last)
            places.append(len(inits) + tokens.index(last))
            inits += [each.strand.entry] * len(tokens)
            leaving += tokens
        end.operands = leaving
        new = scf.ForOp(loop.lb, loop.ub, loop.step, inits, loop.detach_region(loop.body))
        new.attributes.update(loop.attributes)
        new.properties.update(loop.properties)
        kept = len(loop.results)
        results = replace(loop, new, kept)
        return [results[place - kept] for place in places]

    def mark_loads(self, body: Block, plan: Plan, carried: Sequence[Carried], same: int) -> None:
        """A comparison of addresses may stand for the token of these loads in `same` loops."""
        operations = list(body.ops)
        accesses = [access for step in plan.steps for access in step.strand]
        storing = [step for step in plan.steps if any(access.stores for access in step.strand)]
        if all(len(access.loops) == same for access in accesses) and all(
            self.leads_to_store(operations[step.operation], step.strand)
            and self.waits_for_all(step.strand, same)
            for step in storing
        ):
            # Loads of a branch beside the store's, even of its condition, are in another block.
            apart = {
                step.strand
                for step in plan.steps
                if step not in storing and not isinstance(operations[step.operation], memref.LoadOp)
            }
            stores = [access for access in accesses if access.stores]
            for load in loads_behind_one_store(plan, carried):
                said = self.order_of(load, stores)
                if (load,) not in apart and said in COMPARING:
                    self.carried[load] = said

    def mark_several(
        self, body: Block, found: _Strand, carried: Sequence[Carried], same: int
    ) -> Sequence[Carried]:
        """The same of loads that wait for several stores, or for one of their own iteration.

        Each access is in the body itself. Returned is what the loop carries: in the strand no wait
        of a store follows from one of a load any more.
        """
        plan, operations = found.plan, list(body.ops)
        direct = all(
            isinstance(operations[step.operation], memref.LoadOp | memref.StoreOp)
            for step in plan.steps
        )
        if not direct:
            return carried
        storing = [step.strand[0] for step in plan.steps if step.strand[0].stores]
        stores = {
            load: places
            for load, places in stores_of_loads(self.known, plan, same).items()
            if self.order_of(load, storing) in COMPARING
        }
        if not stores or self.carried.keys() >= stores.keys():
            return carried
        for load, places in stores.items():
            self.carried[load] = self.order_of(load, storing)
            self.compared[load] = " ".join(f"{place}:{distance}" for place, distance in places)
        for step in plan.steps:
            if step.strand[0].stores:
                self.places[step.strand[0]] = step.operation
        found.plan, apart = with_waits_of_stores(
            self.known, self.accesses, body, plan, carried, same
        )
        return apart

    def mark_inner(self, body: Block, strand: Strand, same: int) -> bool:
        """The same of the loads of a loop nest in a loop's body in `same` loops; true if any are.

        They wait for the store of the last iteration around them, by the token of the nest. The
        store waits for each of them, so it comes after loads of earlier iterations without it:
        from now on they are ordered as if they met.
        """
        stores = [access for access in strand if access.stores]
        depth = len(strand[0].loops)
        orders = {each: self.order_of(each, stores) for each in strand if not each.stores}
        if (
            not set(orders.values()) <= set(COMPARING)
            or len(stores) != 1
            or depth == same
            or any(len(access.loops) != depth for access in strand)
        ):
            return False
        plan = plan_order(self.known, self.accesses, body, strand, same)
        for inside in range(same + 1, depth + 1):
            operations = list(body.ops)
            loop, *others = {operations[step.operation] for step in plan.steps}
            if others or not isinstance(loop, scf.ForOp):
                return False
            body = loop.body.block
            plan = plan_order(self.known, self.accesses, body, strand, inside)
            if find_carried(self.known, plan, inside):
                return False
        operations = list(body.ops)
        found = {step.strand: operations[step.operation] for step in plan.steps}
        (store,) = stores
        made = {load: found.get((load,)) for load in strand[:-1]}
        storing = found.get((store,))
        marked = isinstance(storing, memref.StoreOp) and all(
            isinstance(operation, memref.LoadOp)
            and (self.known.may_conflict(load, store, depth) or leads_to(operation, storing))
            for load, operation in made.items()
        )
        for load in made if marked else ():
            conflicts = self.known.distance(store, load, same - 1) is not None
            self.carried[load] = orders[load]
            self.outer[load] = "compared" if conflicts else "apart"
            self.conflicts.pairs.add(frozenset((load.number, store.number)))
        return marked

    def waits_for_all(self, strand: Strand, same: int) -> bool:
        """True if the strand's store may conflict with all of its loads in one iteration."""
        return all(
            one is other or self.known.may_conflict(one, other, same)
            for one in strand
            for other in strand
            if one.stores
        )

    def leads_to_store(self, operation: Operation, strand: Strand) -> bool:
        """True of a store; of a branch one side of which leads to the store, perhaps after loads.

        All loads of the strand are in one block: so each starts with the token of the iteration.
        """
        if not isinstance(operation, scf.IfOp):
            return isinstance(operation, memref.StoreOp)
        sides = [
            [op for op in region.block.ops if self.count(op, strand)]
            for region in operation.regions
            if region.blocks
        ]
        found = [side for side in sides if side]
        if len(found) != 1:
            return False
        *loads, last = found[0]
        if loads and self.count(last, strand) > 1:
            return False
        return all(isinstance(op, memref.LoadOp) for op in loads) and self.leads_to_store(
            last, strand
        )

    def count(self, operation: Operation, strand: Strand) -> int:
        """How many accesses of the strand are the operation, or inside it."""
        inside = self.accesses.inside(operation).get(strand[0].root, ())
        return sum(access in strand for access in inside)

    def find_carried(self, found: _Strand, same: int) -> Sequence[Carried]:
        """The loop-carried dependences of the strand's steps in a loop's body."""
        return find_carried(self.conflicts, found.plan, same)

    def thread_while(self, loop: scf.WhileOp, parts: Sequence[Part], same: int) -> list[SSAValue]:
        """A token goes round for each strand; its accesses wait for it if they may conflict."""
        before, after = loop.before_region.block, loop.after_region.block
        self.thread_region(before, parts, same)
        self.thread_region(after, parts, same)
        new = scf.WhileOp(
            [*loop.arguments, *(part.entry for part in parts)],
            [*(result.type for result in loop.results), *[NONE] * len(parts)],
            *(loop.detach_region(region) for region in list(loop.regions)),
        )
        new.attributes.update(loop.attributes)
        return replace(loop, new, len(loop.results))

    def thread_region(self, block: Block, parts: Sequence[Part], same: int) -> None:
        """Thread one region of a while: tokens arrive as arguments and leave at the end."""
        chained = [has_conflict(self.conflicts, part.strand, same) for part in parts]
        arrived = [add_argument(block) for _ in parts]
        found = [
            self.plan_strand(block, part.strand, same + 1, token if together else part.entry)
            for part, token, together in zip(parts, arrived, chained, strict=True)
        ]
        for each, part in zip(found, parts, strict=True):
            if sum(len(step.strand) for step in each.plan.steps) == len(part.strand):
                carried = self.find_carried(each, same + 1)
                self.mark_loads(block, each.plan, carried, same + 1)
                if self.mark_several(block, each, carried, same + 1) is not carried:
                    each.start_stores()
        self.thread_block(block, found, same + 1)
        end = block.last_op
        assert end is not None
        leaving = [
            order.join_tokens((each.last() if together else [token, *each.last()]) or [token], end)
            for each, token, together in zip(found, arrived, chained, strict=True)
        ]
        end.operands = [*end.operands, *leaving]

    def thread_if(self, branch: scf.IfOp, parts: Sequence[Part], same: int) -> list[SSAValue]:
        """Each strand's token goes into the branch and comes out of it."""
        if not branch.false_region.blocks:
            branch.false_region.add_block(Block([scf.YieldOp()]))
        for region in (branch.true_region, branch.false_region):
            found = [self.plan_strand(region.block, p.strand, same, p.entry) for p in parts]
            self.thread_block(region.block, found, same)
            end = region.block.last_op
            assert end is not None
            leaving = [order.join_tokens(each.last() or [each.entry], end) for each in found]
            end.operands = [*end.operands, *leaving]
        taken, other = branch.true_region, branch.false_region
        new = scf.IfOp(
            branch.cond,
            [*(result.type for result in branch.results), *[NONE] * len(parts)],
            branch.detach_region(taken),
            branch.detach_region(other),
        )
        return replace(branch, new, len(branch.results))


def add_argument(block: Block) -> BlockArgument:
    """A control token as the block's new last argument."""
    return block.insert_arg(NONE, len(block.args))


def replace(old: Operation, new: Operation, kept: int) -> list[SSAValue]:
    """Put `new` in the place of `old`, whose `kept` results come first; return the others."""
    new.location = old.location
    block = old.parent
    assert block is not None
    block.insert_op_before(new, old)
    for result, successor in zip(old.results, new.results[:kept], strict=True):
        successor.name_hint = result.name_hint
        result.replace_all_uses_with(successor)
    old.detach()
    old.erase()
    return list(new.results[kept:])
