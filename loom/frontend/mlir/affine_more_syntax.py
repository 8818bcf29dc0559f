"""Custom forms of affine loops in no order and of index arithmetic.

Source: the assembly formats in MLIR's documentation of the affine dialect.
"""

from __future__ import annotations

from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.parser import Parser

from loom.dialects.ops.affine_more import (
    DelinearizeIndexOp,
    LinearizeIndexOp,
    MaxOp,
    ParallelOp,
    PrefetchOp,
)
from loom.dialects.ops.atomic_kinds import NUMBERS, REDUCTIONS
from loom.frontend.mlir.affine_syntax import MapOperands, parse_access
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    Syntax,
    parse_attributes_and_colon,
    parse_hints,
    parse_indices,
    parse_memref_type,
    parse_mixed_indices,
    parse_region_until,
    parse_types,
    parse_variables,
)


def parse_max(parser: Parser) -> Operation:
    """``affine.max affine_map<(d0)[s0] -> (d0, s0)>(%a)[%b]``."""
    position = parser.pos
    map_ = parser.parse_attribute()
    if not isinstance(map_, AffineMapAttr):
        parser.raise_error("an affine map expected", position)
    operands: list[SSAValue] = []
    for delimiter in (Parser.Delimiter.PAREN, Parser.Delimiter.SQUARE):
        found = parser.parse_optional_comma_separated_list(
            delimiter, lambda: parser.parse_operand(INDEX)
        )
        operands += found or []
    return MaxOp.create(
        operands=operands,
        result_types=[INDEX],
        properties={"map": map_},
        attributes=parser.parse_optional_attr_dict(),
    )


Bounds = tuple[AffineMapAttr, DenseIntElementsAttr, list[SSAValue]]


def parse_bounds(parser: Parser, word: str) -> Bounds:
    """``(0, max(%n, 4))``: all bounds in one map, how many each dimension has, the operands."""
    operands = MapOperands(parser)

    def bound() -> list[AffineExpr]:
        if parser.parse_optional_keyword(word) is None:
            return [operands.expression()]
        return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, operands.expression)

    groups = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, bound)
    type_ = TensorType(i32, [len(groups)])
    counts = DenseIntElementsAttr.from_list(type_, [len(group) for group in groups])
    map_ = operands.map([expression for group in groups for expression in group])
    return map_, counts, operands.values()


def parse_reduction(parser: Parser) -> Attribute:
    """``"addi"`` as its number."""
    position = parser.pos
    word = parser.parse_str_literal()
    if word not in NUMBERS:
        parser.raise_error(f"one of {REDUCTIONS} expected, not {word!r}", position)
    return IntegerAttr(NUMBERS[word], i64)


def parse_parallel(parser: Parser) -> Operation:
    """``affine.parallel (%i) = (0) to (min(%n, 8)) step (2) reduce ("addi") -> (i32) { .. }``."""
    variables = parse_variables(parser)
    parser.parse_punctuation("=")
    lower, lower_groups, lower_values = parse_bounds(parser, "max")
    parser.parse_keyword("to")
    upper, upper_groups, upper_values = parse_bounds(parser, "min")
    steps = [1] * len(variables)
    if parser.parse_optional_keyword("step"):
        steps = parser.parse_comma_separated_list(Parser.Delimiter.PAREN, parser.parse_integer)
    reductions: list[Attribute] = []
    types: list[Attribute] = []
    if parser.parse_optional_keyword("reduce"):
        reductions = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, lambda: parse_reduction(parser)
        )
        parser.parse_punctuation("->")
        types = parse_types(parser)
    arguments = [variable.resolve(INDEX) for variable in variables]
    body = parse_region_until(parser, affine.YieldOp.get, arguments)
    return ParallelOp.create(
        operands=[*lower_values, *upper_values],
        result_types=types,
        properties={
            "reductions": ArrayAttr(reductions),
            "lowerBoundsMap": lower,
            "lowerBoundsGroups": lower_groups,
            "upperBoundsMap": upper,
            "upperBoundsGroups": upper_groups,
            "steps": ArrayAttr([IntegerAttr(step, i64) for step in steps]),
        },
        regions=[body],
        attributes=parser.parse_optional_attr_dict(),
    )


def parse_delinearize(parser: Parser) -> Operation:
    """``affine.delinearize_index %i into (%n, 4) : index, index``."""
    index = parser.parse_operand(INDEX)
    parser.parse_keyword("into")
    values, basis = parse_mixed_indices(parser)
    attributes = parse_attributes_and_colon(parser)
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    return DelinearizeIndexOp.create(
        operands=[index, *values],
        result_types=types,
        properties={"static_basis": DenseArrayBase.from_list(i64, basis)},
        attributes=attributes,
    )


def parse_linearize(parser: Parser) -> Operation:
    """``affine.linearize_index disjoint [%i, %j] by (%n, 4) : index``."""
    disjoint = parser.parse_optional_keyword("disjoint")
    indices = parse_indices(parser, Parser.Delimiter.SQUARE)
    parser.parse_keyword("by")
    values, basis = parse_mixed_indices(parser)
    attributes = parse_attributes_and_colon(parser)
    parser.parse_type()
    op = LinearizeIndexOp.build(
        operands=[indices, values],
        result_types=[INDEX],
        properties={
            "static_basis": DenseArrayBase.from_list(i64, basis),
            "disjoint": UnitAttr() if disjoint else None,
        },
    )
    op.attributes |= attributes
    return op


def parse_prefetch(parser: Parser) -> Operation:
    """``affine.prefetch %m[%i + 1], read, locality<3>, data : memref<4xi32>``."""
    memory = parser.parse_unresolved_operand()
    map_, values = parse_access(parser)
    parse_hints(parser)
    attributes = parse_attributes_and_colon(parser)
    operand = parser.resolve_operand(memory, parse_memref_type(parser))
    return PrefetchOp.create(
        operands=[operand, *values], properties={"map": map_}, attributes=attributes
    )


AFFINE_MORE_SYNTAX: dict[str, Syntax] = {
    "affine.max": parse_max,
    "affine.parallel": parse_parallel,
    "affine.delinearize_index": parse_delinearize,
    "affine.linearize_index": parse_linearize,
    "affine.prefetch": parse_prefetch,
}
"""Functions that read what follows the operation's name."""
