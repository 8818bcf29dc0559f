"""Intrinsics of the llvm dialect on integers, and its end that a program never reaches.

Source: MLIR's documentation of the llvm dialect, and LLVM's language reference.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import BoolAttr, IntegerType
from xdsl.dialects.ub import UnreachableOp
from xdsl.ir import Dialect, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException


class IntrinsicOp(IRDLOperation):
    """Integers of one type to one more of it: ``llvm.intr.smax(%a, %b) : (i32, i32) -> i32``."""

    arguments = var_operand_def(IntegerType)
    is_zero_poison = opt_prop_def(BoolAttr)
    is_int_min_poison = opt_prop_def(BoolAttr)
    res = result_def(IntegerType)
    traits = traits_def(Pure())
    OPERANDS: ClassVar[int] = 1

    def verify_(self) -> None:
        """Refuse a wrong number of operands and different types."""
        if len(self.arguments) != self.OPERANDS:
            raise VerifyException(f"{len(self.arguments)} operands, not {self.OPERANDS}")
        if len({*self.operand_types, *self.result_types}) > 1:
            raise VerifyException("operands and result of different types")

    def poison_flag(self) -> bool:
        """True if the flag says that one operand has no result."""
        flag = self.is_zero_poison or self.is_int_min_poison
        return flag is not None and flag.value.data != 0


class CompareOp(IntrinsicOp):
    """-1, 0 or 1: ``llvm.intr.scmp(%a, %b) : (i32, i32) -> i8``."""

    OPERANDS: ClassVar[int] = 2

    def verify_(self) -> None:
        """Refuse a wrong number of operands, different types, and a result of one bit."""
        if len(self.arguments) != 2 or len(set(self.operand_types)) != 1:
            raise VerifyException("two operands of one type expected")
        result = self.res.type
        if isinstance(result, IntegerType) and result.width.data < 2:
            raise VerifyException("a result that holds -1, 0 and 1 expected")


class SwapOp(IntrinsicOp):
    """The bytes in the other order; LLVM has it for an even number of bytes."""

    def verify_(self) -> None:
        """Refuse types of an odd number of bytes."""
        super().verify_()
        type_ = self.res.type
        if isinstance(type_, IntegerType) and type_.width.data % 16:
            raise VerifyException(f"{type_}, which is not an even number of bytes")


class BinaryOp(IntrinsicOp):
    """Two operands."""

    OPERANDS: ClassVar[int] = 2


class TernaryOp(IntrinsicOp):
    """Three operands."""

    OPERANDS: ClassVar[int] = 3


def _define(word: str, base: type[IntrinsicOp] = IntrinsicOp) -> type[IntrinsicOp]:
    """The class of ``llvm.intr.<word>``."""
    listed = ", ".join(("%a", "%b", "%c")[: base.OPERANDS])
    members = {"name": f"llvm.intr.{word}", "__doc__": f"``%r = llvm.intr.{word}({listed})``."}
    title = "".join(part.capitalize() for part in word.split(".")) + "Op"
    return irdl_op_definition(type(title, (base,), members))


CtpopOp = _define("ctpop")
CtlzOp = _define("ctlz")
CttzOp = _define("cttz")
AbsOp = _define("abs")
BswapOp = _define("bswap", SwapOp)
BitreverseOp = _define("bitreverse")
SMaxOp = _define("smax", BinaryOp)
SMinOp = _define("smin", BinaryOp)
UMaxOp = _define("umax", BinaryOp)
UMinOp = _define("umin", BinaryOp)
SAddSatOp = _define("sadd.sat", BinaryOp)
UAddSatOp = _define("uadd.sat", BinaryOp)
SSubSatOp = _define("ssub.sat", BinaryOp)
USubSatOp = _define("usub.sat", BinaryOp)
SShlSatOp = _define("sshl.sat", BinaryOp)
UShlSatOp = _define("ushl.sat", BinaryOp)
SCmpOp = _define("scmp", CompareOp)
UCmpOp = _define("ucmp", CompareOp)
FshlOp = _define("fshl", TernaryOp)
FshrOp = _define("fshr", TernaryOp)
TWINS: dict[type[IntrinsicOp], type[Operation]] = {
    CtpopOp: math.CtPopOp,
    CtlzOp: math.CountLeadingZerosOp,
    CttzOp: math.CountTrailingZerosOp,
    AbsOp: math.AbsIOp,
    SMaxOp: arith.MaxSIOp,
    SMinOp: arith.MinSIOp,
    UMaxOp: arith.MaxUIOp,
    UMinOp: arith.MinUIOp,
}
"""The operation of arith or math with the same meaning, where there is one."""
INTRINSICS: tuple[type[IntrinsicOp], ...] = (
    *(CtpopOp, CtlzOp, CttzOp, AbsOp, BswapOp, BitreverseOp),
    *(SMaxOp, SMinOp, UMaxOp, UMinOp, SCmpOp, UCmpOp, FshlOp, FshrOp),
    *(SAddSatOp, UAddSatOp, SSubSatOp, USubSatOp, SShlSatOp, UShlSatOp),
)
"""The intrinsics that compute."""


@irdl_op_definition
class ExpectOp(IRDLOperation):
    """``llvm.intr.expect %a, %b : i32``: the first operand, with a promise about it."""

    name = "llvm.intr.expect"
    val = operand_def(IntegerType)
    expected = operand_def(IntegerType)
    res = result_def(IntegerType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Refuse different types."""
        if len({*self.operand_types, *self.result_types}) > 1:
            raise VerifyException("operands and result of different types")


@irdl_op_definition
class AssumeOp(IRDLOperation):
    """``llvm.intr.assume %c : i1``: a promise, no action."""

    name = "llvm.intr.assume"
    cond = operand_def(IntegerType(1))
    bundles = var_operand_def()


@irdl_op_definition
class LlvmUnreachableOp(IRDLOperation):
    """``llvm.unreachable``: nothing ever comes here, as with ``ub.unreachable``."""

    name = "llvm.unreachable"
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict"


Unreachable = UnreachableOp | LlvmUnreachableOp
"""Terminators that a program never reaches."""


OPERATIONS: list[type[Operation]] = [*INTRINSICS, ExpectOp, AssumeOp, LlvmUnreachableOp]
LLVM = Dialect("llvm", OPERATIONS, [])
