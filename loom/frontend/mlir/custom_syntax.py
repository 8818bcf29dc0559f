"""Custom forms that mlir-opt prints and xDSL does not read, one function an operation.

Source: the assembly formats in MLIR's documentation of memref, scf and arith.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, cf, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerType,
    MemRefType,
    StringAttr,
    TensorType,
    UnitAttr,
    i1,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.parser import Parser
from xdsl.utils.mlir_lexer import MLIRTokenKind

from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.frontend.mlir.affine_more_syntax import AFFINE_MORE_SYNTAX
from loom.frontend.mlir.affine_syntax import AFFINE_SYNTAX
from loom.frontend.mlir.float_syntax import FLOAT_SYNTAX
from loom.frontend.mlir.intrinsic_syntax import INTRINSIC_SYNTAX
from loom.frontend.mlir.loop_syntax import LOOP_SYNTAX
from loom.frontend.mlir.loopschedule_syntax import LOOPSCHEDULE_SYNTAX
from loom.frontend.mlir.memory_syntax import MEMORY_SYNTAX
from loom.frontend.mlir.staticlogic_syntax import STATICLOGIC_SYNTAX
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    Assignment,
    Syntax,
    close,
    parse_assignments,
    parse_attributes_and_colon,
    parse_cast,
    parse_memref_type,
    parse_pair,
    parse_passed,
    parse_region_until,
    parse_result_types,
    parse_types,
)


def parse_global(parser: Parser) -> Operation:
    """``memref.global "private" constant @name : memref<4xi32> = dense<0> {alignment = 8}``."""
    visibility = parser.parse_optional_str_literal()
    constant = parser.parse_optional_keyword("constant") is not None
    position = parser.pos
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    type_ = parse_memref_type(parser)
    if parser.parse_optional_punctuation("=") is None:
        what = f"@{name.data} is external; an initial value or 'uninitialized' expected"
        parser.raise_error(what, position)
    value: Attribute = UnitAttr()
    if parser.parse_optional_keyword("uninitialized") is None:
        value = parse_initial_value(parser, type_)
    attributes = parser.parse_optional_attr_dict()
    alignment = attributes.pop("alignment", None)
    op = memref.GlobalOp.build(
        properties={
            "sym_name": name,
            "type": type_,
            "initial_value": value,
            "sym_visibility": StringAttr(visibility or "public"),
            "constant": UnitAttr() if constant else None,
            "alignment": alignment,
        }
    )
    op.attributes |= attributes
    return op


def parse_initial_value(parser: Parser, type_: MemRefType) -> Attribute:
    """Dense elements whose type follows from the memref's."""
    element = type_.element_type
    if not isinstance(element, IntegerType | IndexType | AnyFloat):
        return parser.parse_attribute()
    parser.parse_keyword("dense")
    tensor = TensorType(element, type_.get_shape())
    value: DenseIntOrFPElementsAttr = parser.parse_dense_int_or_fp_elements_attr(tensor)
    if parser.parse_optional_punctuation(":") is not None:
        parser.parse_type()
    return value


def parse_copy(parser: Parser) -> Operation:
    """``memref.copy %a, %b : memref<4xi32> to memref<4xi32>``."""
    source, destination = parse_pair(parser)
    attributes = parse_attributes_and_colon(parser)
    from_value = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    op = memref.CopyOp(from_value, parser.resolve_operand(destination, parser.parse_type()))
    op.attributes |= attributes
    return op


def parse_scf_if(parser: Parser) -> Operation:
    """``scf.if %c -> i32 { .. } else { .. }``, the types also in parentheses."""
    condition = parser.parse_operand(i1)
    types = parse_result_types(parser)
    then = parse_region_until(parser, scf.YieldOp)
    otherwise = Region()
    if parser.parse_optional_keyword("else"):
        otherwise = parse_region_until(parser, scf.YieldOp)
    return scf.IfOp(condition, types, then, otherwise, parser.parse_optional_attr_dict())


def parse_scf_for(parser: Parser) -> Operation:
    """``scf.for unsigned %i = %a to %b step %c iter_args(%x = %y) -> (i32) : i32 { .. }``."""
    unsigned = parser.parse_optional_keyword("unsigned") is not None
    variable = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=")
    bounds = [parser.parse_unresolved_operand()]
    for word in ("to", "step"):
        parser.parse_keyword(word)
        bounds.append(parser.parse_unresolved_operand())
    carried, types, position = [], [], parser.pos
    if parser.parse_optional_keyword("iter_args"):
        carried = parse_assignments(parser)
        parser.parse_punctuation("->")
        types = parse_types(parser)
    type_ = parser.parse_type() if parser.parse_optional_punctuation(":") else INDEX
    values = [parser.resolve_operand(bound, type_) for bound in bounds]
    initial = parser.resolve_operands([operand for _, operand in carried], types, position)
    arguments = [argument.resolve(t) for (argument, _), t in zip(carried, types, strict=True)]
    body = parser.parse_region((variable.resolve(type_), *arguments))
    if not carried:
        close(body, scf.YieldOp)
    op = scf.ForOp(values[0], values[1], values[2], initial, body)
    op.attributes |= parser.parse_optional_attr_dict()
    if unsigned:
        UNSIGNED.put(op, True)
    return op


def parse_scf_while(parser: Parser) -> Operation:
    """``scf.while (%x = %y) : (i32) -> i32 { .. } do { .. }``, the assignments optional."""
    carried: list[Assignment] = []
    if parser._current_token.kind is MLIRTokenKind.L_PAREN:
        carried = parse_assignments(parser)
    parser.parse_punctuation(":")
    position = parser.pos
    type_ = parser.parse_function_type()
    types = list(type_.inputs.data)
    initial = parser.resolve_operands([operand for _, operand in carried], types, position)
    arguments = [argument.resolve(t) for (argument, _), t in zip(carried, types, strict=True)]
    before = parser.parse_region(arguments)
    parser.parse_keyword("do")
    after = parse_region_until(parser, scf.YieldOp)
    op = scf.WhileOp(initial, type_.outputs.data, before, after)
    attributes = parser.parse_optional_attr_dict_with_keyword()
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def parse_execute_region(parser: Parser) -> Operation:
    """``scf.execute_region -> i32 no_inline { .. }``; it may always be inlined."""
    types = parse_result_types(parser)
    parser.parse_optional_keyword("no_inline")
    region = parser.parse_region()
    if not types:
        close(region, scf.YieldOp)
    op = scf.ExecuteRegionOp(types, region)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def parse_cond_br(parser: Parser) -> Operation:
    """``cf.cond_br %c weights([1, 2]), ^bb1(%x : i32), ^bb2``; the weights are not needed."""
    condition = parser.parse_operand(i1)
    if parser.parse_optional_keyword("weights"):
        with parser.in_parens():
            parser.parse_comma_separated_list(Parser.Delimiter.SQUARE, parser.parse_integer)
    sides: list[tuple[Block, list[SSAValue]]] = []
    for _ in range(2):
        parser.parse_punctuation(",")
        sides.append((parser.parse_successor(), parse_passed(parser)))
    (then, given), (otherwise, others) = sides
    op = cf.ConditionalBranchOp(condition, then, given, otherwise, others)
    op.attributes |= parser.parse_optional_attr_dict()
    return op


def parse_assumption(word: str) -> Callable[[Parser], dict[str, Attribute]]:
    """``word<nsw, nuw>`` or nothing: it says that no information is lost, and is not needed."""

    def parse(parser: Parser) -> dict[str, Attribute]:
        if parser.parse_optional_keyword(word) and parser.parse_optional_punctuation("<"):
            while parser.parse_optional_punctuation(">") is None:
                parser.parse_identifier()
                parser.parse_optional_punctuation(",")
        return {}

    return parse


def parse_exact(class_: type[Operation]) -> Syntax:
    """A division or shift that may say that it is exact, which is not needed."""

    def parse(parser: Parser) -> Operation:
        lhs, rhs = parse_pair(parser)
        parser.parse_optional_keyword("exact")
        attributes = parse_attributes_and_colon(parser)
        type_ = parser.parse_type()
        return class_.create(
            operands=[parser.resolve_operand(lhs, type_), parser.resolve_operand(rhs, type_)],
            result_types=[type_],
            attributes=attributes,
        )

    return parse


CUSTOM_SYNTAX: dict[str, Syntax] = {
    "memref.global": parse_global,
    "memref.cast": parse_cast(memref.CastOp),
    "memref.copy": parse_copy,
    "scf.if": parse_scf_if,
    "scf.for": parse_scf_for,
    "scf.while": parse_scf_while,
    "scf.execute_region": parse_execute_region,
    "cf.cond_br": parse_cond_br,
    **AFFINE_SYNTAX,
    **FLOAT_SYNTAX,
    **AFFINE_MORE_SYNTAX,
    **LOOP_SYNTAX,
    **MEMORY_SYNTAX,
    **INTRINSIC_SYNTAX,
    **STATICLOGIC_SYNTAX,
    **LOOPSCHEDULE_SYNTAX,
    "arith.trunci": parse_cast(arith.TruncIOp, parse_assumption("overflow")),
    "arith.extui": parse_cast(arith.ExtUIOp, parse_assumption("nneg")),
    "arith.divui": parse_exact(arith.DivUIOp),
    "arith.divsi": parse_exact(arith.DivSIOp),
    "arith.shrui": parse_exact(arith.ShRUIOp),
    "arith.shrsi": parse_exact(arith.ShRSIOp),
}
"""Functions that read what follows the operation's name."""
