"""Custom forms of CIRCT's loopschedule dialect.

Source: CIRCT's documentation of the loopschedule dialect.
"""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.parser import Parser

from loom.dialects.ops.staticlogic.loopschedule import (
    LoopPipelineOp,
    LoopRegisterOp,
    LoopStageOp,
    LoopTerminatorOp,
)
from loom.frontend.mlir.syntax_pieces import Assignment, Syntax, close, parse_assignments


def parse_pipeline(parser: Parser) -> Operation:
    """``loopschedule.pipeline II = 1 iter_args(%a = %b) : (i32) -> i32 { .. } do { .. }``."""
    parser.parse_keyword("II")
    parser.parse_punctuation("=")
    ii = parser.parse_integer()
    trips: int | None = None
    if parser.parse_optional_keyword("trip_count"):
        parser.parse_punctuation("=")
        trips = parser.parse_integer()
    carried: list[Assignment] = []
    if parser.parse_optional_keyword("iter_args"):
        carried = parse_assignments(parser)
    parser.parse_punctuation(":")
    position = parser.pos
    type_ = parser.parse_function_type()
    types = list(type_.inputs.data)
    initial = parser.resolve_operands([operand for _, operand in carried], types, position)
    arguments = [argument.resolve(t) for (argument, _), t in zip(carried, types, strict=True)]
    condition = parser.parse_region(arguments)
    parser.parse_keyword("do")
    stages = parser.parse_region(arguments)
    return LoopPipelineOp(ii, trips, initial, condition, stages, type_.outputs.data)


def parse_stage(parser: Parser) -> Operation:
    """``loopschedule.pipeline.stage start = 1 when %p { .. } : i32, i1``."""
    parser.parse_keyword("start")
    parser.parse_punctuation("=")
    start = parser.parse_integer()
    when = parser.parse_operand(i1) if parser.parse_optional_keyword("when") else None
    region = parser.parse_region(())
    close(region, LoopRegisterOp)
    types: list[Attribute] = []
    if parser.parse_optional_punctuation(":"):
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    return LoopStageOp(start, region, types, when)


def parse_register(parser: Parser) -> Operation:
    """``loopschedule.register %a, %b : i32, i1``."""
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    values: list[SSAValue] = []
    if names:
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
        values = list(parser.resolve_operands(names, types, position))
    return LoopRegisterOp(values)


def parse_terminator(parser: Parser) -> Operation:
    """``loopschedule.terminator iter_args(%a), results(%b) : (i32) -> i32``."""
    parser.parse_keyword("iter_args")
    carried = parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(",")
    parser.parse_keyword("results")
    results = parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    position = parser.pos
    type_ = parser.parse_function_type()
    return LoopTerminatorOp(
        parser.resolve_operands(carried, type_.inputs.data, position),
        parser.resolve_operands(results, type_.outputs.data, position),
    )


LOOPSCHEDULE_SYNTAX: dict[str, Syntax] = {
    "loopschedule.pipeline": parse_pipeline,
    "loopschedule.pipeline.stage": parse_stage,
    "loopschedule.register": parse_register,
    "loopschedule.terminator": parse_terminator,
}
"""Functions that read what follows the operation's name."""
