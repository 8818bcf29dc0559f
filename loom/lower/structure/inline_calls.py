"""Calls become the bodies of the functions they call; only the top function is left."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import SSAValue

from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace


def inline_calls(module: ModuleOp, options: Options) -> None:
    """The function that nobody calls holds the bodies of all others, which are gone.

    Recursion is refused by the reader; without it one function is called by none.
    """
    functions = {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}
    called = {call.callee.root_reference.data for call in module.walk() if isinstance(call, CallOp)}
    (top,) = (op for name, op in functions.items() if name not in called)
    # Bodies that come in may call in turn; each round goes one level deeper.
    while calls := [op for op in top.walk() if isinstance(op, CallOp)]:
        for call in calls:
            inline_call(call, functions[call.callee.root_reference.data])
    for op in functions.values():
        if op is not top:
            op.detach()
            op.erase(safe_erase=False)


def inline_call(call: CallOp, function: FuncOp) -> None:
    """A copy of the function's body stands in place of the call."""
    block = call.parent
    assert block is not None
    if len(function.body.blocks) > 1:
        inline_blocks(call, function)
        return
    body = function.body.clone().block
    for argument, value in zip(body.args, call.arguments, strict=True):
        argument.replace_all_uses_with(value)
    returned: tuple[SSAValue, ...] = ()
    for op in list(body.ops):
        op.detach()
        if isinstance(op, ReturnOp):
            returned = tuple(op.arguments)
            op.erase()
        else:
            block.insert_op_before(op, call)
    replace(call, *returned)


def inline_blocks(call: CallOp, function: FuncOp) -> None:
    """A region with copies of the function's blocks stands in place of the call."""
    block = call.parent
    assert block is not None
    body = function.body.clone()
    first = body.blocks[0]
    for argument, value in zip(list(first.args), call.arguments, strict=True):
        argument.replace_all_uses_with(value)
        first.erase_arg(argument)
    for inner in body.blocks:
        last = inner.last_op
        if isinstance(last, ReturnOp):
            end = scf.YieldOp(*last.arguments)
            end.location = last.location
            inner.insert_op_before(end, last)
            last.detach()
            last.erase()
    held = scf.ExecuteRegionOp(list(call.result_types), body)
    held.location = call.location
    block.insert_op_before(held, call)
    replace(call, *held.results)
