"""Calls become the bodies of the functions they call; only the top function is left."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import SSAValue

from loom.analysis.program.calls import callee_of, calls_in, functions_of, top_of
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace


def inline_calls(module: ModuleOp, options: Options) -> None:
    """The function that nobody calls holds the bodies of all others, which are gone.

    Recursion is refused by the reader; without it one function is called by none.
    """
    functions, top = functions_of(module), top_of(module)
    # Bodies that come in may call in turn; each round goes one level deeper.
    while calls := list(calls_in(top)):
        for call in calls:
            inline_call(call, functions[callee_of(call)])
    for op in functions.values():
        if op is not top:
            op.detach()
            op.erase(safe_erase=False)


def inline_single_calls(module: ModuleOp, options: Options) -> None:
    """Every function but the top one has several calls: with one it is inlined, with none gone."""
    top, functions = top_of(module), functions_of(module)
    while True:
        calls: dict[str, list[CallOp]] = {name: [] for name in functions}
        for call in calls_in(module):
            calls[callee_of(call)].append(call)
        name = next((n for n, each in calls.items() if len(each) < 2 and functions[n] != top), None)
        if name is None:
            return
        function = functions.pop(name)
        for call in calls[name]:
            inline_call(call, function)
        function.detach()
        function.erase(safe_erase=False)


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
