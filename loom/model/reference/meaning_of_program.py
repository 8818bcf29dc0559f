"""What a program computes of single numbers, as the meaning of an operator."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp

from loom.dialects.facts.places import place_of
from loom.dialects.operators.operator import Meaning, Shape, Token
from loom.dialects.ops.types import width_of
from loom.errors import LoomError
from loom.model.reference.reference import compile_reference


def meaning_of_program(source: ModuleOp, top: func.FuncOp, index_width: int) -> Meaning:
    """The function `top` of a verified program: from the tokens with data to those with data.

    Refused (EMIT_CORE): one with arrays, and, when an instance is there, one with other widths.
    """
    reference = compile_reference(source, top.sym_name.data, index_width)
    arguments, results = list(top.function_type.inputs), list(top.function_type.outputs)
    if any(isinstance(each, MemRefType) for each in arguments):
        raise unfit(top, "a model with arrays", "numbers: each is one token")
    widths = [[width_of(each, index_width) for each in side] for side in (arguments, results)]

    @cache
    def compute(*values: int) -> tuple[int, ...]:
        return tuple(reference.run(values).results)

    def meaning(shape: Shape) -> Callable[..., Token | tuple[Token, ...]]:
        wanted = [[width for width in side if width] for side in (shape.inputs, shape.outputs)]
        if widths != wanted:
            said = [", ".join(map(str, side)) or "none" for side in (*widths, *wanted)]
            what = f"a model of arguments of {said[0]} bits and results of {said[1]}"
            raise unfit(top, what, f"those of the instance: {said[2]}, and {said[3]}")

        def function(*tokens: Token) -> Token | tuple[Token, ...]:
            data = (token for token, width in zip(tokens, shape.inputs, strict=True) if width)
            found = iter(compute(*data))
            outputs = tuple(next(found) if width else 0 for width in shape.outputs)
            return outputs if len(outputs) > 1 else outputs[0]

        return function

    return meaning


def unfit(top: func.FuncOp, what: str, accepted: str) -> LoomError:
    """The refusal of a model."""
    return LoomError("EMIT_CORE", place_of(top), what, accepted)
