"""Operations on floats of MLIR's arith and math that xDSL does not know."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.arith import FloatingPointLikeBinaryOperation
from xdsl.dialects.builtin import AnyFloatConstr, IntegerType
from xdsl.ir import Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

I1 = IntegerType(1)


@irdl_op_definition
class RemFOp(FloatingPointLikeBinaryOperation):
    """``%r = arith.remf %a, %b : f32``."""

    name = "arith.remf"
    traits = traits_def(Pure())


class FloatTest(IRDLOperation):
    """A question about one float."""

    operand = operand_def(AnyFloatConstr)
    result = result_def(I1)
    traits = traits_def(Pure())
    assembly_format: ClassVar[str] = "$operand attr-dict `:` type($operand)"


@irdl_op_definition
class IsNaNOp(FloatTest):
    """``%r = math.isnan %a : f32``."""

    name = "math.isnan"


@irdl_op_definition
class IsInfOp(FloatTest):
    """``%r = math.isinf %a : f32``."""

    name = "math.isinf"


@irdl_op_definition
class IsFiniteOp(FloatTest):
    """``%r = math.isfinite %a : f32``."""

    name = "math.isfinite"


@irdl_op_definition
class IsNormalOp(FloatTest):
    """``%r = math.isnormal %a : f32``."""

    name = "math.isnormal"


TESTS: tuple[type[Operation], ...] = (IsNaNOp, IsInfOp, IsFiniteOp, IsNormalOp)
