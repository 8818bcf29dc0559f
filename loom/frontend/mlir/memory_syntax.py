"""Custom forms of memref operations that xDSL does not read.

Source: the assembly formats in MLIR's documentation of the memref dialect.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser

from loom.dialects.ops.atomic_kinds import NUMBERS
from loom.dialects.ops.memref_more import (
    DistinctObjectsOp,
    GenericAtomicRMWOp,
    PrefetchOp,
    ReshapeOp,
    TransposeOp,
)
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    Syntax,
    parse_attributes_and_colon,
    parse_cast,
    parse_hints,
    parse_indices,
    parse_memref_type,
    parse_pair,
    parse_region_until,
    parse_result_types,
)


def parse_atomic_rmw(parser: Parser) -> Operation:
    """``memref.atomic_rmw addi %v, %m[%i] : (i32, memref<4xi32>) -> i32``."""
    position = parser.pos
    word = parser.parse_identifier()
    if word not in NUMBERS:
        parser.raise_error(f"one of {', '.join(NUMBERS)} expected, not {word!r}", position)
    value, memory = parse_pair(parser)
    indices = parse_indices(parser, Parser.Delimiter.SQUARE)
    attributes = parse_attributes_and_colon(parser)
    position = parser.pos
    type_ = parser.parse_function_type()
    operands = parser.resolve_operands([value, memory], type_.inputs.data, position)
    return memref.AtomicRMWOp.create(
        operands=[*operands, *indices],
        result_types=type_.outputs.data,
        properties={"kind": IntegerAttr(NUMBERS[word], i64)},
        attributes=attributes,
    )


def parse_generic_atomic_rmw(parser: Parser) -> Operation:
    """``memref.generic_atomic_rmw %m[%i] : memref<4xi32> { ^bb0(%old: i32): .. }``."""
    memory = parser.parse_unresolved_operand()
    indices = parse_indices(parser, Parser.Delimiter.SQUARE)
    parser.parse_punctuation(":")
    type_ = parse_memref_type(parser)
    operand = parser.resolve_operand(memory, type_)
    region = parser.parse_region()
    return GenericAtomicRMWOp.create(
        operands=[operand, *indices],
        result_types=[type_.element_type],
        regions=[region],
        attributes=parser.parse_optional_attr_dict(),
    )


def parse_alloca_scope(parser: Parser) -> Operation:
    """``memref.alloca_scope -> (i32) { .. }``."""
    types = parse_result_types(parser)
    region = parse_region_until(parser, lambda: memref.AllocaScopeReturnOp.build(operands=[[]]))
    return memref.AllocaScopeOp.create(
        result_types=types, regions=[region], attributes=parser.parse_optional_attr_dict()
    )


def parse_alloca_scope_return(parser: Parser) -> Operation:
    """``memref.alloca_scope.return %v : i32``."""
    attributes = parser.parse_optional_attr_dict()
    names = parser.parse_optional_undelimited_comma_separated_list(
        parser.parse_optional_unresolved_operand, parser.parse_unresolved_operand
    )
    operands: list[SSAValue] = []
    if names:
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
        operands = list(parser.resolve_operands(names, types, position))
    return memref.AllocaScopeReturnOp.create(operands=operands, attributes=attributes)


def parse_transpose(parser: Parser) -> Operation:
    """``memref.transpose %m (i, j) -> (j, i) : memref<2x3xi32> to memref<3x2xi32, ..>``."""
    source = parser.parse_unresolved_operand()
    names = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_identifier)
    parser.parse_punctuation("->")

    def result() -> AffineExpr:
        position = parser.pos
        name = parser.parse_identifier()
        if name not in names:
            parser.raise_error(f"one of {', '.join(names)} expected, not {name!r}", position)
        return AffineExpr.dimension(names.index(name))

    results = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, result)
    attributes = parse_attributes_and_colon(parser)
    operand = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    return TransposeOp.create(
        operands=[operand],
        result_types=[parser.parse_type()],
        properties={"permutation": AffineMapAttr(AffineMap(len(names), 0, tuple(results)))},
        attributes=attributes,
    )


def parse_reshape(parser: Parser) -> Operation:
    """``memref.reshape %m(%s) : (memref<4xi32>, memref<2xindex>) -> memref<2x2xi32>``."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation("(")
    shape = parser.parse_unresolved_operand()
    parser.parse_punctuation(")")
    attributes = parse_attributes_and_colon(parser)
    position = parser.pos
    type_ = parser.parse_function_type()
    return ReshapeOp.create(
        operands=parser.resolve_operands([source, shape], type_.inputs.data, position),
        result_types=type_.outputs.data,
        attributes=attributes,
    )


def parse_rank(parser: Parser) -> Operation:
    """``memref.rank %m : memref<4xi32>``."""
    source = parser.parse_unresolved_operand()
    attributes = parse_attributes_and_colon(parser)
    operand = parser.resolve_operand(source, parser.parse_type())
    return memref.RankOp.create(operands=[operand], result_types=[INDEX], attributes=attributes)


def parse_prefetch(parser: Parser) -> Operation:
    """``memref.prefetch %m[%i], read, locality<3>, data : memref<4xi32>``."""
    memory = parser.parse_unresolved_operand()
    indices = parse_indices(parser, Parser.Delimiter.SQUARE)
    parse_hints(parser)
    attributes = parse_attributes_and_colon(parser)
    operand = parser.resolve_operand(memory, parse_memref_type(parser))
    return PrefetchOp.create(operands=[operand, *indices], attributes=attributes)


def parse_distinct_objects(parser: Parser) -> Operation:
    """``memref.distinct_objects %a, %b : memref<4xi32>, memref<4xi32>``."""
    names = parser.parse_comma_separated_list(
        Parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    attributes = parse_attributes_and_colon(parser)
    position = parser.pos
    types: list[Attribute] = parser.parse_comma_separated_list(
        Parser.Delimiter.NONE, parser.parse_type
    )
    return DistinctObjectsOp.create(
        operands=parser.resolve_operands(names, types, position),
        result_types=types,
        attributes=attributes,
    )


MEMORY_SYNTAX: dict[str, Syntax] = {
    "memref.atomic_rmw": parse_atomic_rmw,
    "memref.generic_atomic_rmw": parse_generic_atomic_rmw,
    "memref.alloca_scope": parse_alloca_scope,
    "memref.alloca_scope.return": parse_alloca_scope_return,
    "memref.transpose": parse_transpose,
    "memref.memory_space_cast": parse_cast(memref.MemorySpaceCastOp),
    "memref.reshape": parse_reshape,
    "memref.rank": parse_rank,
    "memref.prefetch": parse_prefetch,
    "memref.distinct_objects": parse_distinct_objects,
}
"""Functions that read what follows the operation's name."""
