"""The functions of a program: which one is compiled, and which ones it calls."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from loom.dialects.facts.places import place_of
from loom.errors import LoomError


def functions_of(module: ModuleOp) -> dict[str, FuncOp]:
    """The functions of the module by name, in the order of the text."""
    return {op.sym_name.data: op for op in module.body.block.ops if isinstance(op, FuncOp)}


def top_function(module: ModuleOp, top: str | None = None) -> FuncOp:
    """The function to compile: the one called `top`, else the only one that is not private.

    Refused: modules in the module, a name that no function with a body has (MLIR_NO_TOP), several
    candidates (MLIR_SEVERAL_TOPS).
    """
    nested = next((op for op in module.body.block.ops if isinstance(op, ModuleOp)), None)
    if nested is not None:
        accepted = "one module around all functions"
        raise LoomError("MLIR_NO_TOP", place_of(nested), "a module inside the module", accepted)
    bodies = {name: op for name, op in functions_of(module).items() if op.body.blocks}
    names = ", ".join(f"@{name}" for name in bodies) or "no function"
    if top is not None:
        if top in bodies:
            return bodies[top]
        what = f"no function @{top} with a body"
        raise LoomError("MLIR_NO_TOP", place_of(module), what, f"a name out of: {names}")
    public = [op for op in bodies.values() if not is_private(op)]
    if len(public) == 1:
        return public[0]
    if not public:
        what = f"{names} with a body, all of them private" if bodies else "no function with a body"
        accepted = "one func.func that is not private, or the name of the top function"
        raise LoomError("MLIR_NO_TOP", place_of(module), what, accepted)
    what = "several functions: " + ", ".join(f"@{op.sym_name.data}" for op in public)
    accepted = "one that is not private, or the name of the top function"
    raise LoomError("MLIR_SEVERAL_TOPS", place_of(public[1]), what, accepted)


def is_private(function: FuncOp) -> bool:
    """True if the function is not for callers outside the module."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def calls_of(function: FuncOp) -> Iterator[CallOp]:
    """The calls in the function's body, in the order of the text."""
    for op in function.walk():
        if isinstance(op, CallOp):
            yield op


def callee_of(call: CallOp) -> str:
    """The name of the called function."""
    return call.callee.root_reference.data


def reachable(module: ModuleOp, top: FuncOp) -> tuple[list[FuncOp], list[LoomError]]:
    """The functions that `top` uses, callees first, and a problem for each call that recurs."""
    functions = functions_of(module)
    order: list[FuncOp] = []
    problems: list[LoomError] = []
    state: dict[str, str] = {top.sym_name.data: "open"}
    # An explicit stack: a chain of calls may be longer than Python's own.
    stack = [(top, calls_of(top))]
    while stack:
        function, calls = stack[-1]
        call = next(calls, None)
        if call is None:
            stack.pop()
            state[function.sym_name.data] = "done"
            order.append(function)
            continue
        name = callee_of(call)
        if state.get(name) == "open":
            problems.append(
                LoomError(
                    "MLIR_RECURSION",
                    place_of(call),
                    f"a call of @{name} from within @{name}",
                    "calls without recursion; a loop carries the values instead",
                )
            )
        elif name not in state and name in functions:
            state[name] = "open"
            stack.append((functions[name], calls_of(functions[name])))
    return order, problems
