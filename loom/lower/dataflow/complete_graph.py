"""A graph from elsewhere becomes one that is a netlist, operation by operation."""

from __future__ import annotations

from xdsl.dialects.arith import SelectOp as ArithSelectOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.handshake_function import FuncOp, ReturnOp
from loom.dialects.ops.handshake_routing import BranchOp, InstanceOp, MergeOp, SelectOp
from loom.lower.dataflow.materialize_forks import materialize_forks
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import replace


def complete_graph(module: ModuleOp, top: FuncOp, options: Options) -> None:
    """The module holds `top` alone, without wires, every value with one reader.

    Its only instances are those of external functions, which are units.

    Instances must fit and not recur (`loom.frontend.graph_functions`).
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    # Bodies that come in may hold instances in turn; each round goes one level deeper.
    while instances := [
        op for op in top.body.block.ops if isinstance(op, InstanceOp) and op.external_type is None
    ]:
        for instance in instances:
            inline(instance, functions[instance.function])
    for operation in list(module.ops):
        if operation is not top:
            operation.detach()
            operation.erase(safe_erase=False)
    for operation in list(top.body.block.ops):
        simplify(operation)
    materialize_forks(module, options)


def inline(instance: InstanceOp, function: FuncOp) -> None:
    """A copy of the function's body stands in place of the instance."""
    block = instance.parent
    assert block is not None
    body = function.body.clone().block
    for argument, value in zip(body.args, instance.operands, strict=True):
        argument.replace_all_uses_with(value)
    returned: list[SSAValue] = []
    for operation in list(body.ops):
        operation.detach()
        if isinstance(operation, ReturnOp):
            returned = list(operation.values)
            operation.erase()
        else:
            block.insert_op_before(operation, instance)
    replace(instance, *returned)


def simplify(operation: Operation) -> None:
    """A wire is gone; a select is the arithmetic one."""
    if isinstance(operation, BranchOp | MergeOp) and len(operation.operands) == 1:
        if operation.operands[0] is operation.results[0]:
            return  # a ring of nothing: the cycle is found later
        replace(operation, operation.operands[0])
    elif isinstance(operation, SelectOp):
        select = ArithSelectOp(operation.condition, operation.true_value, operation.false_value)
        select.location = operation.location
        block = operation.parent
        assert block is not None
        block.insert_op_before(select, operation)
        replace(operation, select.result)
