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
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.utils.mlir_lexer import MLIRTokenKind

from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.frontend.mlir.affine_more_syntax import AFFINE_MORE_SYNTAX
from loom.frontend.mlir.affine_syntax import AFFINE_SYNTAX
from loom.frontend.mlir.float_syntax import FLOAT_SYNTAX
from loom.frontend.mlir.intrinsic_syntax import INTRINSIC_SYNTAX
from loom.frontend.mlir.loop_syntax import LOOP_SYNTAX
from loom.frontend.mlir.memory_syntax import MEMORY_SYNTAX
from loom.frontend.mlir.syntax_pieces import (
    INDEX,
    close,
    parse_memref_type,
    parse_region_until,
    parse_types,
)

Assignment = tuple[Parser.UnresolvedArgument, UnresolvedOperand]


def parse_assignments(parser: Parser) -> list[Assignment]:
    """``(%argument = %operand, ..)``."""

    def assignment() -> Assignment:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    return parser.parse_comma_separated_list(Parser.Delimiter.PAREN, assignment)


def parse_global(parser: Parser) -> Operation:
    """``memref.global "private" constant @name : memref<4xi32> = dense<0> {alignment = 8}``."""
    visibility = parser.parse_optional_str_literal()
    constant = parser.parse_optional_keyword("constant") is not None
    position = parser.pos
    name = parser.parse_symbol_name()
    parser.parse_punctuation(":")
    type_ = parse_memref_type(parser)
    if parser.parse_optional_punctuation("=") is None:
        what = f"@{name.data} has its words elsewhere; an initial value or 'uninitialized' expected"
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


def parse_cast(parser: Parser) -> Operation:
    """``memref.cast %a : memref<4xi32> to memref<4xi32, strided<[1], offset: ?>>``."""
    source = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    parser.parse_keyword("to")
    operand = parser.resolve_operand(source, type_)
    op = memref.CastOp.build(operands=[operand], result_types=[parser.parse_type()])
    op.attributes |= attributes
    return op


def parse_copy(parser: Parser) -> Operation:
    """``memref.copy %a, %b : memref<4xi32> to memref<4xi32>``."""
    source = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    destination = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    from_value = parser.resolve_operand(source, parser.parse_type())
    parser.parse_keyword("to")
    op = memref.CopyOp(from_value, parser.resolve_operand(destination, parser.parse_type()))
    op.attributes |= attributes
    return op


def parse_scf_if(parser: Parser) -> Operation:
    """``scf.if %c -> i32 { .. } else { .. }``, the types also in parentheses."""
    condition = parser.parse_operand(i1)
    types = parse_types(parser) if parser.parse_optional_punctuation("->") else []
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
    """``scf.execute_region -> i32 no_inline { .. }``; whether it may be inlined is not asked."""
    types = parse_types(parser) if parser.parse_optional_punctuation("->") else []
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


def parse_passed(parser: Parser) -> list[SSAValue]:
    """``(%x, %y : i32, i8)``, or nothing."""
    if parser.parse_optional_punctuation("(") is None:
        return []
    position = parser.pos
    operands = parser.parse_comma_separated_list(
        Parser.Delimiter.NONE, parser.parse_unresolved_operand
    )
    parser.parse_punctuation(":")
    types = parser.parse_comma_separated_list(Parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return list(parser.resolve_operands(operands, types, position))


def parse_with_promise(class_: type[Operation], word: str) -> Callable[[Parser], Operation]:
    """A cast whose `word` promises that no information is lost; the promise is not needed."""

    def parse(parser: Parser) -> Operation:
        operand = parser.parse_unresolved_operand()
        if parser.parse_optional_keyword(word) and parser.parse_optional_punctuation("<"):
            while parser.parse_optional_punctuation(">") is None:
                parser.parse_identifier()
                parser.parse_optional_punctuation(",")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        value = parser.resolve_operand(operand, parser.parse_type())
        parser.parse_keyword("to")
        return class_.create(
            operands=[value], result_types=[parser.parse_type()], attributes=attributes
        )

    return parse


def parse_exact(class_: type[Operation]) -> Callable[[Parser], Operation]:
    """A division or shift that may promise to be exact; the promise is not needed."""

    def parse(parser: Parser) -> Operation:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        parser.parse_optional_keyword("exact")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return class_.create(
            operands=[parser.resolve_operand(lhs, type_), parser.resolve_operand(rhs, type_)],
            result_types=[type_],
            attributes=attributes,
        )

    return parse


CUSTOM_SYNTAX: dict[str, Callable[[Parser], Operation]] = {
    "memref.global": parse_global,
    "memref.cast": parse_cast,
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
    "arith.trunci": parse_with_promise(arith.TruncIOp, "overflow"),
    "arith.extui": parse_with_promise(arith.ExtUIOp, "nneg"),
    "arith.divui": parse_exact(arith.DivUIOp),
    "arith.divsi": parse_exact(arith.DivSIOp),
    "arith.shrui": parse_exact(arith.ShRUIOp),
    "arith.shrsi": parse_exact(arith.ShRSIOp),
}
"""Functions that read what follows the operation's name."""
