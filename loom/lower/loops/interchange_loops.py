"""Loop interchange, on request, where it reverses no dependence."""

from __future__ import annotations

from itertools import product

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses
from loom.analysis.program.memory_dependence import Dependences
from loom.dialects.facts.loop_attributes import FLATTEN, HINT, INTERCHANGE
from loom.dialects.facts.places import place_of
from loom.errors import LoomError
from loom.lower.loops.perfect_nests import Nest, hoist_values, match_perfect_nest
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace

REQUEST = "interchanged"


def interchange_loops(module: ModuleOp, options: Options) -> None:
    """No loop is left with the directive `INTERCHANGE`; inner ones first."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        for op in reversed(list(function.walk())):
            if not INTERCHANGE.drop(op):
                continue
            try:
                nest = match_perfect_nest(op, REQUEST)
                check_carried(nest)
                bounds = [nest.inner.lb, nest.inner.ub, nest.inner.step]
                low, high, step = hoist_values(nest, bounds, REQUEST)
                check_accesses(nest, function, options.index_width)
            except LoomError:
                if not HINT.is_on(op):
                    raise
            else:
                interchange(nest, low, high, step)


def check_carried(nest: Nest) -> None:
    """No value is carried: its order of computation would change (LOWER_LOOP)."""
    if nest.outer.iter_args or nest.inner.iter_args:
        what = f"a loop to be {REQUEST} with loop-carried values"
        accepted = "loops whose values pass through memories alone"
        raise LoomError("LOWER_LOOP", place_of(nest.outer), what, accepted)


def check_accesses(nest: Nest, function: FuncOp, index_width: int) -> None:
    """No two accesses, one of them a store, may come in the other order (LOWER_LOOP)."""
    accesses = Accesses(function, index_width)
    known = Dependences(accesses, "auto")
    operations: dict[Access, Operation] = {}
    for op in nest.inner.walk():
        access = accesses.access_of(op)
        if access is not None:
            operations[access] = op
    for first, second in product(operations, operations):
        same = len(enclosing_loops(nest.outer))
        if first.root == second.root and known.crosses(first, second, same):
            ends = [place_of(operations[each]) for each in (first, second)]
            at = ends[1]
            on = f"{at.line}:{at.column}"
            what = f"a loop to be {REQUEST} whose dependence on {on} would be reversed"
            accepted = "dependences whose order the interchange keeps"
            raise LoomError("LOWER_LOOP", ends[0], what, accepted)


def enclosing_loops(op: Operation) -> list[Operation]:
    """The loops around an operation."""
    holder = op.parent_op()
    above = enclosing_loops(holder) if holder is not None else []
    return [holder, *above] if isinstance(holder, scf.ForOp | scf.WhileOp) else above


def interchange(nest: Nest, low: SSAValue, high: SSAValue, step: SSAValue) -> None:
    """The inner loop stands around the outer one."""
    outer, inner = nest.outer, nest.inner
    body = inner.body.block
    first = body.first_op
    assert first is not None
    for op in nest.pure:
        op.detach()
        body.insert_op_before(op, first)
    rows = Block(arg_types=[outer.lb.type])
    columns = Block(arg_types=[inner.lb.type])
    for block, loop in ((rows, outer), (columns, inner)):
        old, new = loop.body.block.args[0], block.args[0]
        new.name_hint, new.location = old.name_hint, old.location
        old.replace_all_uses_with(new)
    for op in list(body.ops):
        op.detach()
        rows.add_op(op)
    within = scf.ForOp(outer.lb, outer.ub, outer.step, [], rows)
    within.location = outer.location
    end = scf.YieldOp()
    end.location = inner.location
    columns.add_ops([within, end])
    around = scf.ForOp(low, high, step, [], columns)
    within.attributes, around.attributes = outer.attributes, inner.attributes
    for fact in (FLATTEN, HINT):
        fact.copy(within, around)
    FLATTEN.drop(within)
    Arithmetic(outer).put(around)
    around.location = inner.location
    replace(outer)
