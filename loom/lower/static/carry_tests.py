"""A `while` whose test takes cycles carries it: each iteration tests whether another one follows.

Such a loop would be a sequence of its test and its body. With the body behind the test in one
iteration, and the bit of the test carried, the next iteration begins as soon as that bit is there,
while this one may still store; the last one tests alone. Stores, and what else the program makes
under the test, wait for the bit. Loads from RAMs do not. Loops with loops in them stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import ModuleOp, i1
from xdsl.dialects.func import FuncOp
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Block, Operation, Region, SSAValue

from loom.analysis.program.requested_order import requested_order
from loom.dialects.facts.blocks import last_of
from loom.dialects.facts.program_facts import SPECULATIVE
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic, replace, zero_of
from loom.lower.static.build_pipeline import can_pipeline_while, holds_loop
from loom.lower.static.loads_inside import may_load_more, merge_equal


def carry_tests(module: ModuleOp, options: Options) -> None:
    """Each innermost loop whose test has loads, or operators with a register, carries its test."""
    for function in module.ops:
        if not isinstance(function, FuncOp):
            continue
        is_free = requested_order(function, options.memory_order) != "serial"
        for loop in [op for op in function.walk() if isinstance(op, scf.WhileOp)]:
            held = [*loop.before_region.block.ops, *loop.after_region.block.ops]
            if not can_pipeline_while(loop) and not any(map(holds_loop, held)):
                carry_test(loop, is_free)


def carry_test(loop: scf.WhileOp, is_free: bool) -> None:
    """Replace the loop by one that carries whether it goes on, the old values and its results.

    With `is_free` it may load more than the program does.
    """
    first = loop.before_region.block
    number = 1 + len(first.args)
    after = Block(arg_types=[i1, *(each.type for each in first.args)])
    end = add_body(loop, after, is_free)
    # A result that is carried as an old value, too, is that: an iteration has run.
    places: list[int] = []
    build, inits = Arithmetic(loop), list(loop.arguments)
    for passed in end.operands[number:]:
        known = next((k for k in range(1, number) if end.operands[k] is passed), None)
        places.append(1 + len(inits) if known is None else known)
        if known is None:
            inits.append(build.insert(arith.ConstantOp(zero_of(passed.type))))
            after.insert_arg(passed.type, len(after.args))
    end.operands = [
        *end.operands[:number],
        *(value for k, value in zip(places, end.operands[number:], strict=True) if k >= number),
    ]
    inits.insert(0, build.constant(1, i1))
    types = [value.type for value in inits]
    before = Block(arg_types=types)
    test = scf.ConditionOp(before.args[0], *before.args)
    test.location = last_of(first).location
    before.add_op(test)
    carried = scf.WhileOp(inits, types, Region(before), Region(after))
    carried.attributes, carried.location = dict(loop.attributes), loop.location
    assert loop.parent is not None
    loop.parent.insert_op_before(carried, loop)
    for block in (before, after):
        for old, new in zip(first.args, block.args[1:], strict=False):
            new.name_hint = old.name_hint
    results = [carried.results[place] for place in places]
    for result, new_result in zip(loop.results, results, strict=True):
        new_result.name_hint = new_result.name_hint or result.name_hint
    replace(loop, *results)


def add_body(loop: scf.WhileOp, block: Block, is_free: bool) -> scf.YieldOp:
    """Test and body of an iteration, and its end: the bit, what only an iteration that follows
    reads, and what the loop gives."""
    before, after = loop.before_region.block, loop.after_region.block
    test, last = last_of(before), last_of(after)
    assert isinstance(test, scf.ConditionOp)
    copies: dict[SSAValue, SSAValue] = dict(zip(before.args, block.args[1:], strict=True))
    speculative: list[memref.LoadOp] = []
    for op in before.ops:
        if op is not test:
            copy = op.clone(copies)
            block.add_op(copy)
            if isinstance(copy, scf.IfOp) and is_free:
                speculative += take_out(copy)
    passed = [copies.get(value, value) for value in test.args]
    goes_on = copies.get(test.condition, test.condition)
    copies.update(zip(after.args, passed, strict=True))
    for op in after.ops:
        if op is last:
            break
        copy = op.clone(copies)
        if isinstance(copy, memref.LoadOp) and is_free and may_load_more(copy):
            speculative.append(copy)
            block.add_op(copy)
        elif op.regions or isinstance(op, memref.LoadOp | memref.StoreOp):
            branch = under(goes_on, copy)
            block.add_op(branch)
            copies.update(zip(op.results, branch.results, strict=True))
        else:
            block.add_op(copy)
    following = (copies.get(value, value) for value in last.operands)
    end = scf.YieldOp(goes_on, *following, *passed)
    end.location = loop.location
    block.add_op(end)
    for load in speculative:
        SPECULATIVE.put(load, True)
    merge_equal(block)
    return end


def under(condition: SSAValue, operation: Operation) -> scf.IfOp:
    """A branch with one operation, whose results nobody reads where it is not taken."""
    types = [result.type for result in operation.results]
    poisons = [PoisonOp(each) for each in types]
    branch = scf.IfOp(
        condition,
        types,
        [operation, scf.YieldOp(*operation.results)],
        [*poisons, scf.YieldOp(*poisons)],
    )
    branch.location = operation.location
    return branch


def take_out(branch: scf.IfOp) -> Iterator[memref.LoadOp]:
    """Loads of a branch that hold nothing up there stand before it; they are given."""
    for region in branch.regions:
        for block in region.blocks:
            yield from take_out_of(block, branch)


def take_out_of(block: Block, branch: scf.IfOp) -> Iterator[memref.LoadOp]:
    """The loads of one side, with what has no register, up to the first other operation."""
    holder = branch.parent
    assert holder is not None
    for op in list(block.ops):
        is_load = isinstance(op, memref.LoadOp) and may_load_more(op)
        if op is block.last_op or not (is_load or can_run_always(op)):
            return
        op.detach()
        holder.insert_op_before(op, branch)
        if isinstance(op, memref.LoadOp):
            yield op


def can_run_always(operation: Operation) -> bool:
    """Whether nobody sees that an operation runs."""
    return not operation.regions and not isinstance(operation, memref.LoadOp | memref.StoreOp)
