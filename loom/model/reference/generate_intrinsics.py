"""Python text for the llvm dialect's intrinsics on integers, from LLVM's own words on them.

Source: LLVM's language reference, "Bit Manipulation Intrinsics" and "Saturation Arithmetic".
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Operation

from loom.dialects.operators.integer_meanings import signed
from loom.dialects.ops.llvm_intrinsics import (
    INTRINSICS,
    AbsOp,
    AssumeOp,
    BitreverseOp,
    BswapOp,
    CtlzOp,
    CtpopOp,
    CttzOp,
    ExpectOp,
    FshlOp,
    FshrOp,
    IntrinsicOp,
    SAddSatOp,
    SCmpOp,
    SMaxOp,
    SMinOp,
    SShlSatOp,
    SSubSatOp,
    UAddSatOp,
    UCmpOp,
    UMaxOp,
    UMinOp,
    UShlSatOp,
    USubSatOp,
)
from loom.model.reference.generator import FunctionWriter, Handler

Exact = Callable[..., int]
"""From the width [bits] and whole numbers to a whole number, to be cut or kept in range."""


def funnel(width: int, high: int, low: int, amount: int) -> int:
    """Twice the width: `high` above `low`, shifted left by the amount modulo the width."""
    return (high << width | low) << amount % width


PLAIN: dict[type[IntrinsicOp], Exact] = {
    CtpopOp: lambda w, a: a.bit_count(),
    CtlzOp: lambda w, a: w - a.bit_length(),
    CttzOp: lambda w, a: (a & -a).bit_length() - 1 if a else w,
    BswapOp: lambda w, a: int.from_bytes(a.to_bytes(w // 8, "little"), "big"),
    BitreverseOp: lambda w, a: int(f"{a:0{w}b}"[::-1], 2),
    UMaxOp: lambda w, a, b: max(a, b),
    UMinOp: lambda w, a, b: min(a, b),
    UCmpOp: lambda w, a, b: (a > b) - (a < b),
    FshlOp: lambda w, a, b, c: funnel(w, a, b, c) >> w,
    FshrOp: lambda w, a, b, c: (a << w | b) >> c % w,
    UAddSatOp: lambda w, a, b: min(a + b, (1 << w) - 1),
    USubSatOp: lambda w, a, b: max(a - b, 0),
    UShlSatOp: lambda w, a, b: min(a << b, (1 << w) - 1),
}
"""What intrinsics mean on unsigned numbers."""


def kept(width: int, value: int) -> int:
    """The signed number of this width that is closest."""
    half = 1 << (width - 1)
    return max(-half, min(value, half - 1))


SIGNED: dict[type[IntrinsicOp], Exact] = {
    AbsOp: lambda w, a: abs(a),
    SMaxOp: lambda w, a, b: max(a, b),
    SMinOp: lambda w, a, b: min(a, b),
    SCmpOp: lambda w, a, b: (a > b) - (a < b),
    SAddSatOp: lambda w, a, b: kept(w, a + b),
    SSubSatOp: lambda w, a, b: kept(w, a - b),
    SShlSatOp: lambda w, a, b: kept(w, a << b % (1 << w)),
}
"""What intrinsics mean on signed numbers."""

SHIFTS = (SShlSatOp, UShlSatOp)


def compute(writer: FunctionWriter, op: Operation) -> None:
    """The result has its value; operands that leave none are refused."""
    assert isinstance(op, IntrinsicOp)
    program = writer.program
    width = program.width(op.operands[0].type, op)
    mask = (1 << program.width(op.res.type, op)) - 1
    tokens = [writer.value(operand) for operand in op.arguments]
    if op.poison_flag():
        worst = 1 << (width - 1) if isinstance(op, AbsOp) else 0
        refuse(writer, op, f"{tokens[0]} == {worst}", f"the operand {worst}, which is poison")
    if isinstance(op, SHIFTS):
        refuse(writer, op, f"{tokens[1]} >= {width}", "a shift by the width or more")
    exact = PLAIN.get(type(op))
    if exact is not None:
        meaning = unsigned_meaning(exact, width, mask)
    else:
        meaning = signed_meaning(SIGNED[type(op)], width, mask)
    writer.scope.cost += 1
    writer.line(f"{writer.define(op.res)} = {program.bind('m', meaning)}({', '.join(tokens)})")


def unsigned_meaning(exact: Exact, width: int, mask: int) -> Callable[..., int]:
    """The meaning on bit patterns."""
    return lambda *tokens: exact(width, *tokens) & mask


def signed_meaning(exact: Exact, width: int, mask: int) -> Callable[..., int]:
    """The meaning on bit patterns that stand for signed numbers."""
    return lambda *tokens: exact(width, *(signed(token, width) for token in tokens)) & mask


def refuse(writer: FunctionWriter, op: Operation, test: str, what: str) -> None:
    """The text stops where the source has no result."""
    number = writer.program.faults.number(op)
    writer.line(f"if {test}: illegal({number}, {what!r})")


def expect(writer: FunctionWriter, op: Operation) -> None:
    """The result is the first operand."""
    assert isinstance(op, ExpectOp)
    writer.names[op.res] = writer.value(op.val)


def assume(writer: FunctionWriter, op: Operation) -> None:
    """What is assumed holds."""
    assert isinstance(op, AssumeOp)
    refuse(writer, op, f"not {writer.value(op.cond)}", "an assumption that does not hold")


INTRINSIC_HANDLERS: dict[type[Operation], Handler] = {
    **dict.fromkeys(INTRINSICS, compute),
    ExpectOp: expect,
    AssumeOp: assume,
}
