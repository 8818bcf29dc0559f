"""Promotion to iter_args: a loop carries elements that it would store and load in each iteration.

Two kinds: an element whose address is the same in all iterations is loaded before the loop and
stored after it; an element that the previous iteration has stored comes from there, in the first
iteration from memory. Before a loop that may not run the element is loaded, and after it stored,
only if it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref, scf
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.affine_forms import Form, IterationNumber
from loom.analysis.program.memory_accesses import (
    Access,
    Accesses,
    Element,
    element_at,
    element_of,
    root_of,
)
from loom.analysis.program.memory_dependence import Dependences
from loom.analysis.program.trip_counts import has_constant_nonzero_trip
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.loop_attributes import MEMORY_ORDER, is_unsigned
from loom.lower.scalar.arith_builder import replace
from loom.lower.scalar.simplify import constant_attribute

AccessOp = memref.LoadOp | memref.StoreOp


@dataclass(frozen=True)
class PromotedElement:
    """The accesses of an element that a loop carries, in order; `back` stores it after the loop.

    Without `back` there are loads, and the store at the end, which stays and whose value they get
    in the next iteration.
    """

    accesses: tuple[AccessOp, ...]
    back: bool


def find_promotable(
    loop: scf.ForOp, accesses: Accesses, known: Dependences, same: int
) -> list[PromotedElement]:
    """The elements that the loop, which lies in `same` loops, can carry."""
    body = loop.body.block
    own = {
        access: operation
        for operation in body.ops
        if isinstance(operation, AccessOp) and (access := accesses.access_of(operation)) is not None
    }
    iteration = IterationNumber(body)

    def is_fixed(address: Form) -> bool:
        return all(accesses.depth[v] <= same for v in address.terms if v != iteration)

    inside = accesses.inside(loop)
    by_element: dict[Element, list[Access]] = {}
    for access in own:
        by_element.setdefault(element_of(access), []).append(access)
    found: list[PromotedElement] = []
    taken = set[Access]()
    for store in (access for access in own if access.stores and is_fixed(access.address)):
        step = store.address.terms.get(iteration, 0)
        address = store.address.plus(Form(-step, {}))  # of the previous iteration
        element = by_element.get(element_at(store.root, address), [])
        loads = [access for access in element if not access.stores]
        if not loads or not taken.isdisjoint(loads):  # of two stores, in a loop that runs once
            continue
        mine = {*loads, store} if step else {*element}
        others = inside[store.root]
        if conflicts_with_any(known, loads[0], others, mine, same):
            continue
        if step % (1 << accesses.forms.index_width):
            found.append(PromotedElement((*(own[access] for access in loads), own[store]), False))
            taken.update(loads)
            continue
        is_last = store is [access for access in element if access.stores][-1]
        if not step and is_last and not conflicts_with_any(known, store, others, mine, same):
            found.append(PromotedElement(tuple(own[access] for access in element), True))
            taken.update(loads)
    return found


def conflicts_with_any(
    known: Dependences, access: Access, others: Iterable[Access], but: Collection[Access], same: int
) -> bool:
    """True if an access may conflict with one of the others, but for those of `but`."""
    return any(known.may_conflict(access, other, same) for other in others if other not in but)


def find_read_only_loads(
    loop: scf.ForOp, accesses: Accesses, known: Dependences, same: int
) -> list[memref.LoadOp]:
    """Loads of the loop, which lies in `same` loops, whose element is one and is not written in it.

    Only of the memory that each iteration loads most often from: a port that waits for nobody is no
    reason to repeat an element, which may be wider than its address.
    """
    inside = accesses.inside(loop)
    loads = [op for op in loop.body.block.ops if isinstance(op, memref.LoadOp)]
    (root, most), (_, second) = [
        *Counter(root_of(op.memref) for op in loads).most_common(2),
        *[(None, 0)] * 2,
    ][:2]
    if most == second or most < 2:
        return []
    return [
        op
        for op in loads
        if root_of(op.memref) == root
        and (access := accesses.access_of(op)) is not None
        and all(accesses.depth[v] <= same for v in access.address.terms)
        and not any(known.may_conflict(access, other, same) for other in inside[access.root])
    ]


def promote_to_iter_args(
    loop: scf.ForOp, elements: Sequence[PromotedElement], index_width: int
) -> None:
    """The loop carries the elements."""
    body, end = loop.body.block, last_of(loop.body.block)
    runs = None if has_constant_nonzero_trip(loop) else nonzero_trip_test(loop)
    places = [address_before(loop, element.accesses[0]) for element in elements]
    orders = [order_of(element.accesses) for element in elements]
    for element, order in zip(elements, orders, strict=True):
        say_order(element.accesses[0], order)
    inits = [
        load_before(loop, element.accesses[0], place, runs, index_width)
        for element, place in zip(elements, places, strict=True)
    ]
    memories = [element.accesses[0].memref for element in elements]
    for element, init in zip(elements, inits, strict=True):
        value: SSAValue = body.insert_arg(init.type, len(body.args))
        for access in element.accesses:
            if isinstance(access, memref.LoadOp):
                replace(access, value)
                continue
            value = access.value
            if element.back:
                replace(access)
        end.operands = [*end.operands, value]
    results = carry_more(loop, inits)
    count = len(loop.results)
    for element, memory, place, order, result in zip(
        elements, memories, places, orders, results[count:], strict=True
    ):
        if element.back:
            store = memref.StoreOp.get(result, memory, [place])
            say_order(store, order)
            store_after(loop, store, runs)
    replace(loop, *results[:count])


def order_of(accesses: Sequence[AccessOp]) -> str | None:
    """What orders the one access that stands for these: what the first one says that says it."""
    said = (MEMORY_ORDER.of(access) for access in accesses)
    return next((order for order in said if order not in (None, "auto")), None)


def say_order(access: AccessOp, order: str | None) -> None:
    """The access says this order, if there is one."""
    if order is not None:
        MEMORY_ORDER.put(access, order)


def carry_more(loop: scf.ForOp, inits: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """The results of a loop before this one, with its body, that starts with more `inits`.

    Their block arguments and what each iteration gives the next are in the body already.
    """
    new = scf.ForOp(
        loop.lb, loop.ub, loop.step, [*loop.iter_args, *inits], loop.detach_region(loop.body)
    )
    new.attributes.update(loop.attributes)
    new.properties.update(loop.properties)
    put_before(loop, new)
    return new.results


def put_before(loop: scf.ForOp, operation: Operation) -> None:
    """The operation stands before the loop, and comes from where it comes."""
    operation.location = loop.location
    block = loop.parent
    assert block is not None
    block.insert_op_before(operation, loop)


def nonzero_trip_test(loop: scf.ForOp) -> SSAValue:
    """1 if the loop runs at least once."""
    test = arith.CmpiOp(loop.lb, loop.ub, "ult" if is_unsigned(loop) else "slt")
    put_before(loop, test)
    return test.result


def address_before(loop: scf.ForOp, access: AccessOp) -> SSAValue:
    """The address of the access in the loop's first iteration, made before the loop."""
    starts = [loop.lb, *loop.iter_args]
    made: dict[SSAValue, SSAValue] = dict(zip(loop.body.block.args, starts, strict=False))

    def before(value: SSAValue) -> SSAValue:
        owner = value.owner
        if value not in made and isinstance(owner, Operation) and loop.is_ancestor(owner):
            copy = owner.clone({operand: before(operand) for operand in owner.operands})
            put_before(loop, copy)
            made[value] = copy.results[0]
        return made.get(value, value)

    return before(access.indices[0])


def load_before(
    loop: scf.ForOp,
    access: AccessOp,
    place: SSAValue,
    runs: SSAValue | None,
    index_width: int,
) -> SSAValue:
    """The element that the memory has before the loop; anything if the loop does not run."""
    load = memref.LoadOp.get(access.memref, [place])
    MEMORY_ORDER.copy(access, load)
    if runs is None:
        put_before(loop, load)
        return load.res
    nothing = arith.ConstantOp(constant_attribute(0, load.res.type, index_width))
    load.location = nothing.location = access.location
    taken = Block([load, scf.YieldOp(load.res)])
    branch = scf.IfOp(runs, [load.res.type], [taken], [Block([nothing, scf.YieldOp(nothing)])])
    put_before(loop, branch)
    return branch.results[0]


def store_after(loop: scf.ForOp, store: memref.StoreOp, runs: SSAValue | None) -> None:
    """Store the element where the loop stands, whose place another takes, if it has run."""
    if runs is None:
        put_before(loop, store)
        return
    store.location = loop.location
    put_before(loop, scf.IfOp(runs, [], [Block([store, scf.YieldOp()])]))
