"""Affine expressions in which symbols multiply and divide, as MLIR's semi-affine maps have them.

Source: MLIR's documentation of the affine dialect. xDSL's parser takes constants only.
"""

from __future__ import annotations

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.parser.affine_parser import AffineParser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRToken

KINDS = {
    "*": AffineBinaryOpKind.Mul,
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
    "mod": AffineBinaryOpKind.Mod,
}


class ExpressionParser(AffineParser):
    """Reads affine expressions; a factor or divisor may be made of symbols and numbers."""

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        kind = KINDS.get(binop.text)
        if kind is AffineBinaryOpKind.Mul and (
            isinstance(lhs, AffineConstantExpr) or not is_symbolic(rhs)
        ):
            lhs, rhs = rhs, lhs
        if kind is None or isinstance(rhs, AffineConstantExpr):
            return super()._create_binop_expr(lhs, rhs, binop)
        if not is_symbolic(rhs):
            what = "a product of two dimensions" if kind is KINDS["*"] else "a dimension as divisor"
            raise ParseError(binop.span, what)
        return AffineBinaryOpExpr(kind, lhs, rhs)


def is_symbolic(expression: AffineExpr) -> bool:
    """True if no dimension takes part."""
    return not any(isinstance(part, AffineDimExpr) for part in expression.dfs())
