"""The handshake functions of a graph: which one becomes the circuit, and which it instantiates."""

from __future__ import annotations

from xdsl.dialects.builtin import FunctionType, ModuleOp

from loom.dialects.facts.instances import shape_of
from loom.dialects.facts.places import place_of
from loom.dialects.operators.cores import EXTERNAL_UNIT
from loom.dialects.ops.handshake_function import FuncOp
from loom.dialects.ops.handshake_routing import InstanceOp
from loom.errors import LoomError, Place


def is_graph(module: ModuleOp) -> bool:
    """True if the module holds handshake functions."""
    return any(isinstance(operation, FuncOp) for operation in module.ops)


def graph_functions(module: ModuleOp) -> dict[str, FuncOp]:
    """The handshake functions by name, in the order of the text."""
    return {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}


def top_graph(module: ModuleOp, file: str, top: str | None = None) -> FuncOp:
    """The function called `top`, else the only one that is not private and nobody instantiates.

    Every instance that it needs fits its function, and none is inside itself. Refused:
    DFG_FUNCTIONS for a missing or unclear top, DFG_INSTANCE and DFG_RECURSION for instances.
    """
    functions = graph_functions(module)
    listed = ", ".join(f"@{name}" for name in functions) or "none"
    if top is not None and top not in functions:
        raise LoomError(
            "DFG_FUNCTIONS", Place(file), f"no handshake.func @{top}", f"a name out of: {listed}"
        )
    found = functions[top] if top is not None else find_only_top(functions, file)
    check_instances(found, functions, ())
    return found


def find_only_top(functions: dict[str, FuncOp], file: str) -> FuncOp:
    """The only function that can be the circuit."""
    inside = {name for function in functions.values() for name in instances_of(function)}
    free = [
        function
        for name, function in functions.items()
        if name not in inside and not is_private(function)
    ]
    if len(free) == 1:
        return free[0]
    if len(functions) == 1:
        return next(iter(functions.values()))
    names = ", ".join(f"@{function.sym_name.data}" for function in free) or "none"
    raise LoomError(
        "DFG_FUNCTIONS",
        place_of((free or list(functions.values()))[1]),
        f"{len(functions)} handshake functions of which {len(free)} can be the circuit ({names})",
        "one that no other instantiates, or --top with a name",
    )


def is_private(function: FuncOp) -> bool:
    """True if the function is not for users outside the module."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def instances_of(function: FuncOp) -> dict[str, InstanceOp]:
    """One instance of each function of the module that the body instantiates."""
    return {
        op.function: op
        for op in function.body.block.ops
        if isinstance(op, InstanceOp) and op.external_type is None
    }


def check_instances(
    function: FuncOp, functions: dict[str, FuncOp], around: tuple[str, ...]
) -> None:
    """Return if every instance in `function`, which stands inside `around`, can be put in place."""
    inside = (*around, function.sym_name.data)
    for operation in function.body.block.ops:
        if isinstance(operation, InstanceOp):
            name = operation.function
            if operation.external_type is not None:
                check_types(operation, operation.external_type)
                check_names(operation)
                continue
            if name not in functions:
                listed = ", ".join(f"@{each}" for each in functions)
                raise LoomError(
                    "DFG_INSTANCE",
                    place_of(operation),
                    f"an instance of @{name}, which is no handshake.func in this file",
                    f"instances of {listed}, and of external functions that it declares: "
                    f"handshake.func private @{name}(..)",
                )
            if name in inside:
                raise LoomError(
                    "DFG_RECURSION",
                    place_of(operation),
                    f"an instance of @{name} inside @{name}",
                    "graphs without recursion: a circuit has a fixed size",
                )
            check_types(operation, functions[name].function_type)
    for name in instances_of(function):
        check_instances(functions[name], functions, inside)


def check_names(instance: InstanceOp) -> None:
    """Return if a module can have the names of an external function and its ports."""
    wrong = EXTERNAL_UNIT.signature.misfit
    found = None if wrong is None else wrong(shape_of(instance, EXTERNAL_UNIT, 64))
    if found is not None:
        what = f"an instance of @{instance.function} with {found[0]}"
        raise LoomError("DFG_INSTANCE", place_of(instance), what, found[1])


def check_types(instance: InstanceOp, type_: FunctionType) -> None:
    """Return if the instance has the operands and results of its function."""
    found = ([v.type for v in instance.operands], [v.type for v in instance.results])
    wanted = (list(type_.inputs), list(type_.outputs))
    if found != wanted:
        raise LoomError(
            "DFG_INSTANCE",
            place_of(instance),
            f"an instance of @{instance.function} with other types than the function's",
            str(type_),
        )
