"""Python text for the llvm dialect's intrinsics: what their flags leave undefined, and promises.

Source: LLVM's language reference, "Bit Manipulation Intrinsics" and "llvm.assume".
"""

from __future__ import annotations

from xdsl.ir import Operation

from loom.dialects.ops.llvm_intrinsics import (
    INTRINSICS,
    TWINS,
    AbsOp,
    AssumeOp,
    ExpectOp,
    IntrinsicOp,
)
from loom.model.reference.generate_scalars import compute, find_meaning
from loom.model.reference.generator import FunctionWriter, Handler


def intrinsic(writer: FunctionWriter, op: Operation) -> None:
    """The result has the value of the operator with the same meaning; poison is refused."""
    assert isinstance(op, IntrinsicOp)
    if op.poison_flag():
        width = writer.program.width(op.operands[0].type, op)
        worst = 1 << (width - 1) if isinstance(op, AbsOp) else 0
        operand = writer.value(op.arguments[0])
        refuse(writer, op, f"{operand} == {worst}", f"the operand {worst}, which is poison")
    twin = TWINS.get(type(op))
    compute(writer, op, find_meaning(op, op.name if twin is None else twin.name))


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
    **dict.fromkeys(INTRINSICS, intrinsic),
    ExpectOp: expect,
    AssumeOp: assume,
}
