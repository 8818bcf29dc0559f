"""The return does not wait for the done token of a load whose datum it waits for anyway.

A load gives its datum after its memory has served it, so whatever comes after the datum comes after
the load. The datum is required if something is that cannot be there without it, whichever way the
conditions go: a store, for whose done token the return waits, or a result. The rules below follow a
value from its readers back; each holds for all tokens of an activation:

- A pure unit, and a mux, give a token only after they took those that it is made of.
- A loop's condition ends each burst with a 0. A branch under it takes its tokens in order, so what
  leaves on the false side comes after all that the loop kept before.
- Any other branch has taken all its tokens only when both sides have given theirs.
- A carry, an invariant and a rotated replicate give a token for each that enters.

So the return waits for what is left of its done tokens and, if data are needed by results alone,
for these results: `done` then still comes after every access of the activation. The carries,
branches and FIFOs that took the other done tokens there reach nothing (`remove_dead_units`).
Done tokens that order accesses of a memory stay: those of a memory with stores come to the return
together with the stores'.

Source: docs/spec/memory-order.md, "What done means".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from xdsl.dialects.builtin import ModuleOp, NoneType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from loom.dialects.operators.catalogue import find
from loom.dialects.ops.dataflow import CarryOp, InvariantOp, ReplicateOp, StreamOp
from loom.dialects.ops.handshake import CondBranchOp, JoinOp, MuxOp
from loom.dialects.ops.handshake_function import FuncOp, ReturnOp
from loom.dialects.ops.handshake_memory import LoadOp, MemoryInterface, StoreOp
from loom.dialects.ops.handshake_routing import ShareOp
from loom.lower.options import Options


def drop_implied_dones(module: ModuleOp, options: Options) -> None:
    """The return of every handshake function waits for no done token that its data imply."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            shorten_return(function.body.block)


def shorten_return(block: Block) -> None:
    """The return waits for what no datum implies, and for the results that imply the rest."""
    end = block.last_op
    assert isinstance(end, ReturnOp)
    *results, done = end.operands
    parts = list(joined(done))
    loads = {part: loads_behind(part) for part in parts}
    stores = [part for part in parts if loads[part] is None]
    by_stores = required_values(block, ())
    implied = [p for p in parts if (found := loads[p]) is not None and found <= by_stores]
    open_ = [p for p in parts if p not in stores and p not in implied]
    needed, more = choose_results(block, results, {p: loads[p] or set() for p in open_})
    if len(needed) > len(more):
        needed, more = [], []
    gone = {*implied, *more}
    left = [part for part in parts if part not in gone]
    if gone and (left or needed):
        join_at_return(end, [*left, *needed])


def joined(token: SSAValue) -> Iterator[SSAValue]:
    """The tokens that joins make this token of, each once."""
    work, seen = [token], set[SSAValue]()
    while work:
        value = work.pop(0)
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value.owner, JoinOp):
            work += value.owner.operands
        else:
            yield value


def loads_behind(token: SSAValue) -> set[SSAValue] | None:
    """The data of the loads whose done tokens lead to this token; None if a store's does.

    None too where control comes from what is no control, which no lowering makes.
    """
    found: set[SSAValue] = set()
    work, seen = [token], set[SSAValue]()
    while work:
        value = work.pop()
        if value in seen:
            continue
        seen.add(value)
        owner = value.owner
        match owner:
            case MemoryInterface():
                assert isinstance(value, OpResult)
                access = owner.access_of_result(value.index)
                if access < owner.store_count:
                    return None
                found.add(owner.results[access - owner.store_count])
            case Block():
                pass
            case CondBranchOp():
                work.append(owner.data)
            case MuxOp():
                work += owner.data
            case CarryOp():
                work += [owner.a, owner.b]
            case InvariantOp() | ReplicateOp():
                work.append(owner.a)
            case JoinOp():
                work += owner.operands
            case _:
                return None
    return found


def choose_results(
    block: Block, results: Sequence[SSAValue], loads: dict[SSAValue, Set[SSAValue]]
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Results, and the tokens whose loads' data these await: the fewest results that await most.

    `loads` are the data of the loads behind each token.
    """
    chosen: list[SSAValue] = []
    implied: list[SSAValue] = []
    for result in results:
        required = required_values(block, [*chosen, result])
        now = [token for token, data in loads.items() if data <= required]
        if len(now) > len(implied):
            chosen, implied = [*chosen, result], now
    return chosen, implied


def join_at_return(end: ReturnOp, tokens: Sequence[SSAValue]) -> None:
    """The return's done token comes after all of these."""
    token = tokens[0]
    if len(tokens) > 1 or not isinstance(token.type, NoneType):
        join = JoinOp(tokens)
        join.location = end.location
        block = end.parent
        assert block is not None
        block.insert_op_before(join, end)
        token = join.out
    end.operands = [*list(end.operands)[:-1], token]


def required_values(block: Block, results: Iterable[SSAValue]) -> set[SSAValue]:
    """The values all of whose tokens are there before the stores are done, and these results."""
    bursts = conditions_of_loops(block)
    required: set[SSAValue] = set()
    work: list[SSAValue] = list(results)
    for operation in block.ops:
        if isinstance(operation, StoreOp):
            work += operation.operands
    while work:
        value = work.pop()
        if value in required:
            continue
        required.add(value)
        owner = value.owner
        if isinstance(owner, Operation):
            work += [v for v in taken_before(owner, value, required, bursts) if v not in required]
    return required


def conditions_of_loops(block: Block) -> set[SSAValue]:
    """Conditions whose bursts end with a 0: those of streams, and what decides about a carry."""
    found: set[SSAValue] = set()
    for operation in block.ops:
        if isinstance(operation, StreamOp):
            found.add(operation.cont)
        elif isinstance(operation, CarryOp):
            found.add(operation.d)
    return found


def taken_before(
    unit: Operation, value: SSAValue, required: Set[SSAValue], bursts: Set[SSAValue]
) -> Sequence[SSAValue]:
    """The operands of which the unit has taken all tokens when all of its result `value` are there.

    `required` are results whose tokens are there too, `bursts` the conditions of loops.
    """
    match unit:
        case LoadOp() if value is unit.data:
            return (unit.address, unit.ctrl, unit.data_in)
        case CarryOp():
            return (unit.a, unit.b)
        case InvariantOp():
            return (unit.a,)
        case ReplicateOp():
            return (unit.a, unit.d) if unit.rotated is not None else ()
        case CondBranchOp():
            last = unit.false_result in required and unit.condition in bursts
            both = unit.false_result in required and unit.true_result in required
            return (unit.condition, unit.data) if last or both else ()
        case ShareOp():
            return unit.taken_before(value)
        case MuxOp() | StreamOp():
            return tuple(unit.operands)
        case LoadOp() | StoreOp():
            return ()
        case _:
            operator = find(unit.name)
            pure = operator is not None and operator.semantics.meaning is not None
            return tuple(unit.operands) if pure else ()
