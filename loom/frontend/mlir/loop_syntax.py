"""Custom forms of scf.index_switch and of scf's loops in no order.

Source: the assembly formats in MLIR's documentation of the scf dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import DenseArrayBase, IndexType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand

from loom.dialects.ops.scf_more import ForallOp, InParallelOp
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    Assignment,
    Syntax,
    parse_assignments,
    parse_indices,
    parse_mixed_indices,
    parse_passed,
    parse_region_until,
    parse_types,
    parse_variables,
)


def parse_index_switch(parser: Parser) -> Operation:
    """``scf.index_switch %i -> i32 case 2 { .. } default { .. }``."""
    argument = parser.parse_operand(INDEX)
    attributes = parser.parse_optional_attr_dict()
    types: list[Attribute] = []
    if parser.parse_optional_punctuation("->"):
        types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    values: list[int] = []
    regions: list[Region] = []
    while parser.parse_optional_keyword("case"):
        values.append(parser.parse_integer())
        regions.append(parse_region_until(parser, scf.YieldOp))
    parser.parse_keyword("default")
    default = parse_region_until(parser, scf.YieldOp)
    cases = DenseArrayBase.from_list(i64, values)
    return scf.IndexSwitchOp(argument, cases, default, regions, types, attributes)


def parse_parallel(parser: Parser) -> Operation:
    """``scf.parallel (%i) = (%a) to (%b) step (%c) init (%x) -> i32 { .. }``."""
    variables = parse_variables(parser)
    parser.parse_punctuation("=")
    bounds = [parse_indices(parser, Parser.Delimiter.PAREN)]
    for word in ("to", "step"):
        parser.parse_keyword(word)
        bounds.append(parse_indices(parser, Parser.Delimiter.PAREN))
    initial: list[UnresolvedOperand] = []
    types: list[Attribute] = []
    position = parser.pos
    if parser.parse_optional_keyword("init"):
        initial = parser.parse_comma_separated_list(
            Parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        parser.parse_punctuation("->")
        types = parse_types(parser)
    values = parser.resolve_operands(initial, types, position)
    arguments = [variable.resolve(INDEX) for variable in variables]
    body = parse_region_until(parser, scf.ReduceOp, arguments)
    op = scf.ParallelOp.build(operands=[*bounds, values], result_types=[types], regions=[body])
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def parse_reduce(parser: Parser) -> Operation:
    """``scf.reduce(%v : i32) { ^bb0(%a: i32, %b: i32): .. }``, a region for each operand."""
    values = parse_passed(parser)
    regions: list[Region] = []
    while len(regions) < len(values):
        if regions:
            parser.parse_optional_punctuation(",")  # xDSL prints none
        regions.append(parser.parse_region())
    op = scf.ReduceOp(values, regions)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


Mixed = tuple[list[SSAValue], list[int]]


def parse_forall(parser: Parser) -> Operation:
    """``scf.forall (%i) in (%n) { .. }`` or ``(%i) = (0) to (%n) step (2) { .. }``."""
    variables = parse_variables(parser)
    rank = len(variables)
    lower: Mixed = [], [0] * rank
    step: Mixed = [], [1] * rank
    if parser.parse_optional_keyword("in"):
        upper = parse_mixed_indices(parser)
    else:
        parser.parse_punctuation("=")
        lower = parse_mixed_indices(parser)
        parser.parse_keyword("to")
        upper = parse_mixed_indices(parser)
        parser.parse_keyword("step")
        step = parse_mixed_indices(parser)
    arguments = [variable.resolve(IndexType()) for variable in variables]
    outputs, types = parse_outputs(parser)
    arguments += [argument.resolve(t) for (argument, _), t in zip(outputs, types, strict=True)]
    values = [parser.resolve_operand(o, t) for (_, o), t in zip(outputs, types, strict=True)]
    body = parse_region_until(parser, empty_in_parallel, arguments)
    op = ForallOp.build(
        operands=[lower[0], upper[0], step[0], values],
        result_types=[types],
        properties={
            name: DenseArrayBase.from_list(i64, numbers)
            for name, (_, numbers) in (
                ("staticLowerBound", lower),
                ("staticUpperBound", upper),
                ("staticStep", step),
            )
        },
        regions=[body],
    )
    op.attributes |= parser.parse_optional_attr_dict()
    if "mapping" in op.attributes:
        op.properties["mapping"] = op.attributes.pop("mapping")
    return op


def parse_outputs(parser: Parser) -> tuple[Sequence[Assignment], Sequence[Attribute]]:
    """``shared_outs(%a = %b) -> (tensor<4xi32>)``, or nothing."""
    if parser.parse_optional_keyword("shared_outs") is None:
        return [], []
    found = parse_assignments(parser)
    parser.parse_punctuation("->")
    return found, parse_types(parser)


def empty_in_parallel() -> InParallelOp:
    """The terminator that the text may leave out."""
    return InParallelOp(regions=[Region(Block())])


def parse_in_parallel(parser: Parser) -> Operation:
    """``scf.forall.in_parallel { .. }``."""
    region = parser.parse_region()
    if not region.blocks:
        region.add_block(Block())
    return InParallelOp(regions=[region], attributes=parser.parse_optional_attr_dict())


LOOP_SYNTAX: dict[str, Syntax] = {
    "scf.index_switch": parse_index_switch,
    "scf.parallel": parse_parallel,
    "scf.reduce": parse_reduce,
    "scf.forall": parse_forall,
    "scf.forall.in_parallel": parse_in_parallel,
}
"""Functions that read what follows the operation's name."""
