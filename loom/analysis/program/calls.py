"""The functions of a module and the calls in it."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation


def functions_of(module: Operation) -> dict[str, FuncOp]:
    """The functions of the module by name, in the order of the text."""
    assert isinstance(module, ModuleOp)
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}


def callee_of(call: CallOp) -> str:
    """The name of the called function."""
    return call.callee.root_reference.data


def calls_in(operation: Operation) -> Iterator[CallOp]:
    """The calls in an operation, in the order of the text."""
    return (op for op in operation.walk() if isinstance(op, CallOp))


def top_of(module: Operation) -> FuncOp:
    """The one function that nobody calls."""
    called = {callee_of(call) for call in calls_in(module)}
    (top,) = (op for name, op in functions_of(module).items() if name not in called)
    return top
