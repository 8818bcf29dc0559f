"""The functions of a module and the calls in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter

from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue


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
    """The function that nobody calls; the first of several, if calls of others are gone."""
    called = {callee_of(call) for call in calls_in(module)}
    return next(op for name, op in functions_of(module).items() if name not in called)


def callers_first(module: Operation) -> list[FuncOp]:
    """The functions of the module, each behind all that call it."""
    functions = functions_of(module)
    order: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(functions, ()))
    for name, function in functions.items():
        for call in calls_in(function):
            order.add(callee_of(call), name)
    return [functions[name] for name in order.static_order()]


def arrays_of_arguments(module: Operation) -> Mapping[SSAValue, SSAValue]:
    """The array that each argument of a called function stands for: all its calls pass one."""
    functions = functions_of(module)
    found: dict[SSAValue, SSAValue] = {}
    for function in callers_first(module):
        for call in calls_in(function):
            arguments = functions[callee_of(call)].body.block.args
            for argument, value in zip(arguments, call.arguments, strict=True):
                if isinstance(value.type, MemRefType):
                    found[argument] = found.get(value, value)
    return found
