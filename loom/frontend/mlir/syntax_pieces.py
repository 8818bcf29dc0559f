"""Pieces that several custom forms share."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.parser import Parser
from xdsl.traits import IsTerminator

INDEX = IndexType()


def parse_types(parser: Parser) -> list[Attribute]:
    """Types after an arrow: a list in parentheses, or one type."""
    types = parser.parse_optional_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_type)
    return [parser.parse_type()] if types is None else list(types)


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
