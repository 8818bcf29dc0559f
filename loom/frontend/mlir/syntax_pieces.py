"""Pieces that several custom forms share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, MemRefType
from xdsl.dialects.utils.dynamic_index_list import parse_dynamic_index_list_without_types
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.traits import IsTerminator

INDEX = IndexType()
Assignment = tuple[Parser.UnresolvedArgument, UnresolvedOperand]
Syntax = Callable[[Parser], Operation]
"""A function that reads what follows an operation's name."""


def parse_types(parser: Parser) -> list[Attribute]:
    """Types after an arrow: a list in parentheses, or one type."""
    types = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)


def parse_result_types(parser: Parser) -> list[Attribute]:
    """``-> (i32, i8)``, or nothing."""
    return parse_types(parser) if parser.parse_optional_punctuation("->") else []


def parse_attributes_and_colon(parser: Parser) -> dict[str, Attribute]:
    """``{attributes} :``, the attributes optional."""
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    return attributes


def parse_indices(parser: Parser, delimiter: Parser.Delimiter) -> list[SSAValue]:
    """``(%a, %b)`` in some brackets, of type index."""
    return parser.parse_comma_separated_list(delimiter, lambda: parser.parse_operand(INDEX))


def parse_mixed_indices(parser: Parser) -> tuple[list[SSAValue], list[int]]:
    """``(%n, 4)``: operands, and constants with a mark for each operand."""
    operands, numbers = parse_dynamic_index_list_without_types(
        parser, DYNAMIC_INDEX, delimiter=Parser.Delimiter.PAREN
    )
    return [parser.resolve_operand(operand, INDEX) for operand in operands], list(numbers)


def parse_pair(parser: Parser) -> tuple[UnresolvedOperand, UnresolvedOperand]:
    """``%a, %b``."""
    first = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    return first, parser.parse_unresolved_operand()


def parse_passed(parser: Parser) -> list[SSAValue]:
    """``(%x, %y : i32, i8)``, or nothing."""
    if parser.parse_optional_punctuation("(") is None:
        return []
    position = parser.pos
    names = parser.parse_comma_separated_list(
        Parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(names, types, position))


def parse_variables(parser: Parser) -> list[Parser.UnresolvedArgument]:
    """``(%i, %j)``, names of a region's arguments."""
    return parser.parse_comma_separated_list(
        Parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )


def parse_assignments(parser: Parser) -> list[Assignment]:
    """``(%argument = %operand, ..)``."""

    def assignment() -> Assignment:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, assignment)


def parse_cast(
    class_: type[Operation], parse_flags: Callable[[Parser], dict[str, Attribute]] = lambda _: {}
) -> Syntax:
    """``%a flags {attributes} : i32 to i64``, flags and attributes optional."""

    def parse(parser: Parser) -> Operation:
        source = parser.parse_unresolved_operand()
        flags = parse_flags(parser)
        attributes = parse_attributes_and_colon(parser) | flags
        operand = parser.resolve_operand(source, parser.parse_type())
        parser.parse_keyword("to")
        return class_.create(
            operands=[operand], result_types=[parser.parse_type()], attributes=attributes
        )

    return parse


def parse_memref_type(parser: Parser) -> MemRefType:
    """A ranked memref type."""
    position = parser.pos
    found = parser.parse_type()
    if not isinstance(found, MemRefType):
        parser.raise_error(f"a memref type expected, not {found}", position)
    return found


def parse_region_until(
    parser: Parser, end: Callable[[], Operation], arguments: Sequence[Parser.Argument] | None = None
) -> Region:
    """A region; `end` makes its terminator where the text leaves it out."""
    region = parser.parse_region(arguments)
    close(region, end)
    return region


def parse_hints(parser: Parser) -> None:
    """Skip ``, read, locality<3>, data`` of a prefetch."""
    parser.parse_punctuation(",")
    parser.parse_identifier()
    parser.parse_punctuation(",")
    parser.parse_keyword("locality")
    parser.parse_punctuation("<")
    parser.parse_integer()
    parser.parse_punctuation(">")
    parser.parse_punctuation(",")
    parser.parse_identifier()


def close(region: Region, end: Callable[[], Operation]) -> None:
    """The region's last block ends with a terminator."""
    if not region.blocks:
        region.add_block(Block())
    block = region.blocks.last
    assert block is not None
    if block.last_op is None or not block.last_op.has_trait(IsTerminator):
        block.add_op(end())
