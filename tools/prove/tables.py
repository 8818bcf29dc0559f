"""Functions as tables: what a proof compares a module's data with comes from the row's meaning."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from loom.dialects.operators.dataflow_operators import (
    accumulated_function,
    continue_function,
    step_function,
)
from loom.emit.modules import Module


def tables(module: Module) -> dict[str, str]:
    """Name to SystemVerilog constant, the entry of all-zero operands lowest.

    A row with a meaning has a table for each output with data, indexed by its inputs in order.
    An operator with steps has `following`, indexed by index and step, and `proceeds`, by index
    and bound. An accumulator has `following`, indexed by total and operand.
    """
    operator, shape = module.operator, module.shape
    if "step_op" in operator.signature.attributes:
        widths = shape.inputs[:2]
        return {
            "following": table(step_function(shape), widths, shape.inputs[0]),
            "proceeds": table(continue_function(shape), widths, 1),
        }
    if "operator" in operator.signature.attributes:
        widths = (shape.inputs[1],) * 2
        return {"following": table(accumulated_function(shape), widths, shape.inputs[1])}
    if operator.semantics.meaning is None:
        return {}
    function = operator.semantics.function(shape)
    found: dict[str, str] = {}
    for place, (port, width) in enumerate(zip(module.outputs, shape.outputs, strict=True)):
        if width:
            found[port.name] = table(part(function, place), shape.token_inputs, width)
    return found


def part(function: Callable[..., int | tuple[int, ...]], place: int) -> Callable[..., int]:
    """One result of a function that may have several."""

    def result(*operands: int) -> int:
        value = function(*operands)
        return value[place] if isinstance(value, tuple) else value

    return result


def table(function: Callable[..., int], widths: tuple[int, ...], result: int) -> str:
    """All values of `function` over operands of `widths` [bits], each in `result` bits."""
    operands = itertools.product(*(range(1 << width) for width in widths))
    words = [function(*values) & ((1 << result) - 1) for values in operands]
    number = sum(word << (result * place) for place, word in enumerate(words))
    return f"{len(words) * result}'h{number:x}"
