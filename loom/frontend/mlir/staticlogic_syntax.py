"""Custom forms of the staticlogic dialect: pipelines with their stages, and sequences of steps.

Source: docs/staticlogic.md.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.parser import Parser

from loom.dialects.ops.staticlogic import (
    PipelineOp,
    RegisterOp,
    ReturnOp,
    SeqOp,
    StageOp,
    YieldOp,
    parse_ports,
)
from loom.frontend.mlir.syntax_pieces import (
    Syntax,
    close,
    parse_memref_type,
    parse_passed,
    parse_result_types,
)

Variable = tuple[Parser.Argument, SSAValue]


def parse_pipeline(parser: Parser) -> Operation:
    """``staticlogic.pipeline II = 1 iv(%i = %a : index) -> (index) condition { .. } ..``."""
    properties = parse_schedule(parser)
    memories = parse_limits(parser, properties)
    ivs = parse_variables(parser, "iv")
    iter_args = parse_variables(parser, "iter_args")
    types = parse_result_types(parser)
    attributes = parser.parse_optional_attr_dict_with_keyword()
    arguments = [argument for argument, _ in (*ivs, *iter_args)]
    regions: list[Region] = []
    for word in ("condition", "update", "stages"):
        parser.parse_keyword(word)
        region = parser.parse_region(arguments)
        close(region, ReturnOp if word == "stages" else YieldOp)
        regions.append(region)
    op = PipelineOp.build(
        operands=[[value for _, value in ivs], [value for _, value in iter_args], memories],
        result_types=[types],
        properties=properties,
        regions=regions,
    )
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def parse_schedule(parser: Parser) -> dict[str, Attribute | None]:
    """``II = 2 trip_count = 64 clock = 4.0``, all but the first optional."""
    parser.parse_keyword("II")
    parser.parse_punctuation("=")
    properties: dict[str, Attribute | None] = {"II": IntegerAttr(parser.parse_integer(), i64)}
    if parser.parse_optional_keyword("trip_count"):
        parser.parse_punctuation("=")
        properties["trip_count"] = IntegerAttr(parser.parse_integer(), i64)
    if parser.parse_optional_keyword("clock"):
        parser.parse_punctuation("=")
        position = parser.pos
        period = float(parser.parse_number())
        if not math.isfinite(period):
            parser.raise_error("a finite clock period expected", position)
        properties["clock"] = FloatAttr(period, f64)
    return properties


def parse_limits(parser: Parser, properties: dict[str, Attribute | None]) -> list[SSAValue]:
    """``ports = {%A = 1r1w : memref<4xi32>} res = {arith.muli = 1} memdep = [..]``, all optional.

    Returns the memories that ports are said of.
    """
    memories: list[SSAValue] = []
    if parser.parse_optional_keyword("ports"):
        words: list[Attribute] = []
        parser.parse_punctuation("=")

        def port() -> None:
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation("=")
            words.append(parse_port_words(parser))
            parser.parse_punctuation(":")
            memories.append(parser.resolve_operand(name, parse_memref_type(parser)))

        parser.parse_comma_separated_list(Parser.Delimiter.BRACES, port)
        properties["ports"] = ArrayAttr(words)
    if parser.parse_optional_keyword("res"):
        units: dict[str, Attribute] = {}
        parser.parse_punctuation("=")

        def unit() -> None:
            position = parser.pos
            name = parser.parse_identifier()
            if name in units:
                parser.raise_error(f"the units of {name} are given twice", position)
            parser.parse_punctuation("=")
            units[name] = IntegerAttr(parser.parse_integer(), i64)

        parser.parse_comma_separated_list(Parser.Delimiter.BRACES, unit)
        properties["res"] = DictionaryAttr(units)
    if parser.parse_optional_keyword("memdep"):
        parser.parse_punctuation("=")
        dependences = parser.parse_comma_separated_list(
            Parser.Delimiter.SQUARE, parser.parse_attribute
        )
        properties["memdep"] = ArrayAttr(dependences)
    return memories


def parse_port_words(parser: Parser) -> StringAttr:
    """``1r1w`` or ``1rw``."""
    position = parser.pos
    text = f"{parser.parse_integer(allow_boolean=False, allow_negative=False)}"
    text += parser.parse_identifier()
    if parse_ports(text) is None:
        parser.raise_error(f"ports such as 1r1w and 2rw expected, not {text}", position)
    return StringAttr(text)


def parse_variables(parser: Parser, word: str) -> list[Variable]:
    """``iv(%i = %a : index, %j = %b : index)``, or nothing."""

    def variable() -> Variable:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        initial = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return argument.resolve(type_), parser.resolve_operand(initial, type_)

    if parser.parse_optional_keyword(word) is None:
        return []
    return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, variable)


def parse_stage(parser: Parser) -> Operation:
    """``staticlogic.stage start = 1 when %p { .. } : i32, i1``."""
    parser.parse_keyword("start")
    parser.parse_punctuation("=")
    start = parser.parse_integer()
    when = parser.parse_operand(i1) if parser.parse_optional_keyword("when") else None
    attributes = parser.parse_optional_attr_dict_with_keyword()
    region = parser.parse_region(())
    types: list[Attribute] = []
    if parser.parse_optional_punctuation(":"):
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    op = StageOp(start, region, types, when)
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def parse_terminator(class_: type[YieldOp | RegisterOp]) -> Syntax:
    """``{attributes} %a, %b : i32, i1``, or nothing."""

    def parse(parser: Parser) -> Operation:
        attributes = parser.parse_optional_attr_dict()
        names = parser.parse_optional_undelimited_comma_separated_list(
            parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
        )
        values: list[SSAValue] = []
        if names:
            parser.parse_punctuation(":")
            position = parser.pos
            types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
            values = list(parser.resolve_operands(names, types, position))
        op = class_(values)
        op.attributes |= attributes
        return op

    return parse


def parse_return(parser: Parser) -> Operation:
    """``staticlogic.return cond(%c : i1) iter_args(%a, %b : i32, i1)``."""
    condition: SSAValue | None = None
    if parser.parse_optional_keyword("cond"):
        with parser.in_parens():
            name = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            condition = parser.resolve_operand(name, parser.parse_type())
    values = parse_passed(parser) if parser.parse_optional_keyword("iter_args") else []
    op = ReturnOp(values, condition)
    attributes = parser.parse_optional_attr_dict_with_keyword()
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def parse_seq(parser: Parser) -> Operation:
    """``staticlogic.seq -> (i32) { .. }``."""
    types = parse_result_types(parser)
    attributes = parser.parse_optional_attr_dict_with_keyword()
    region = parser.parse_region(())
    close(region, YieldOp)
    op = SeqOp(region, types)
    if attributes is not None:
        op.attributes |= attributes.data
    return op


STATICLOGIC_SYNTAX: dict[str, Syntax] = {
    "staticlogic.pipeline": parse_pipeline,
    "staticlogic.stage": parse_stage,
    "staticlogic.register": parse_terminator(RegisterOp),
    "staticlogic.yield": parse_terminator(YieldOp),
    "staticlogic.return": parse_return,
    "staticlogic.seq": parse_seq,
}
"""Functions that read what follows the operation's name."""
