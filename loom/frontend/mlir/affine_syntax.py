"""Custom forms of the affine dialect that mlir-opt prints and xDSL does not read.

Source: the assembly formats in MLIR's documentation of the affine dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser, UnresolvedOperand

from loom.frontend.mlir.affine_expressions import ExpressionParser
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    Syntax,
    parse_attributes_and_colon,
    parse_indices,
    parse_memref_type,
    parse_pair,
    parse_region_until,
    parse_result_types,
)


def parse_affine_if(parser: Parser) -> Operation:
    """``affine.if #set(%i)[%n] -> i32 { .. } else { .. }``."""
    position = parser.pos
    condition = parser.parse_attribute()
    if not isinstance(condition, AffineSetAttr):
        parser.raise_error("an integer set expected", position)
    operands = parse_indices(parser, Parser.Delimiter.PAREN)
    symbols = parser.parse_optional_comma_separated_list(
        Parser.Delimiter.SQUARE, lambda: parser.parse_operand(INDEX)
    )
    types = parse_result_types(parser)
    then = parse_region_until(parser, affine.YieldOp.get)
    otherwise = Region()
    if parser.parse_optional_keyword("else"):
        otherwise = parse_region_until(parser, affine.YieldOp.get)
    return affine.IfOp.create(
        operands=[*operands, *(symbols or [])],
        result_types=types,
        properties={"condition": condition},
        regions=[then, otherwise],
        attributes=parser.parse_optional_attr_dict(),
    )


class MapOperands:
    """Values that affine expressions name, in the order in which they are met, as symbols."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self.names: dict[tuple[str, int], int] = {}
        self.operands: list[UnresolvedOperand] = []

    def expression(self) -> AffineExpr:
        """An expression such as ``%i + symbol(%n) * 2``."""
        return ExpressionParser(self.parser._parser_state)._parse_affine_expr(self._symbol)

    def _symbol(self) -> AffineExpr | None:
        parser = self.parser
        if parser.parse_optional_keyword("symbol") is not None:
            with parser.in_parens():
                return self._symbol()
        operand = parser.parse_optional_unresolved_operand()
        if operand is None:
            return None
        number = self.names.setdefault((operand.operand_name, operand.index), len(self.names))
        if number == len(self.operands):
            self.operands.append(operand)
        return AffineExpr.symbol(number)

    def map(self, expressions: Sequence[AffineExpr]) -> AffineMapAttr:
        """The map of these expressions."""
        return AffineMapAttr(AffineMap(0, len(self.names), tuple(expressions)))

    def values(self) -> list[SSAValue]:
        """The map's operands."""
        return [self.parser.resolve_operand(operand, INDEX) for operand in self.operands]


def parse_access(parser: Parser) -> tuple[AffineMapAttr, list[SSAValue]]:
    """``[%i + 1, symbol(%n) * 2]`` as a map of symbols and its operands."""
    operands = MapOperands(parser)
    expressions = parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, operands.expression)
    return operands.map(expressions), operands.values()


def parse_affine_load(parser: Parser) -> Operation:
    """``affine.load %m[%i + 1] {attributes} : memref<4xi32>``."""
    memory = parser.parse_unresolved_operand()
    map_, values = parse_access(parser)
    attributes = parse_attributes_and_colon(parser)
    type_ = parse_memref_type(parser)
    op = affine.LoadOp(parser.resolve_operand(memory, type_), values, map_, type_.element_type)
    op.attributes |= attributes
    return op


def parse_affine_store(parser: Parser) -> Operation:
    """``affine.store %v, %m[%i + 1] {attributes} : memref<4xi32>``."""
    value, memory = parse_pair(parser)
    map_, values = parse_access(parser)
    attributes = parse_attributes_and_colon(parser)
    type_ = parse_memref_type(parser)
    stored = parser.resolve_operand(value, type_.element_type)
    op = affine.StoreOp(stored, parser.resolve_operand(memory, type_), values, map_)
    op.attributes |= attributes
    return op


AFFINE_SYNTAX: dict[str, Syntax] = {
    "affine.if": parse_affine_if,
    "affine.load": parse_affine_load,
    "affine.store": parse_affine_store,
}
"""Functions that read what follows the operation's name."""
