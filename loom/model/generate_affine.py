"""Python text for the affine dialect: maps and sets over whole numbers, without wrap-around."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)

from loom.model.generate_control import counted_loop, write_branches
from loom.model.generate_memory import read, write
from loom.model.generator import FunctionWriter, Handler
from loom.model.views import View, is_literal


def whole_number(
    writer: FunctionWriter,
    op: Operation,
    expression: AffineExpr,
    dims: Sequence[str],
    symbols: Sequence[str],
) -> str:
    """A literal or a parenthesised expression of the exact value."""
    if isinstance(expression, AffineConstantExpr):
        return str(expression.value)
    if isinstance(expression, AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, AffineSymExpr):
        return symbols[expression.position]
    assert isinstance(expression, AffineBinaryOpExpr)
    lhs, rhs = (
        whole_number(writer, op, side, dims, symbols) for side in (expression.lhs, expression.rhs)
    )
    if expression.kind in DIVISIONS and not (is_literal(rhs) and int(rhs) > 0):
        number = writer.program.faults.number(op)
        writer.line(f"if {rhs} <= 0: illegal({number}, {NOT_POSITIVE!r})")
    text = TEXTS[expression.kind].format(lhs=lhs, rhs=rhs)
    if is_literal(lhs) and is_literal(rhs) and int(rhs) > 0:
        return str(FOLDS[expression.kind](int(lhs), int(rhs)))
    if len(text) < LONGEST_EXPRESSION:
        return f"({text})"
    name = writer.program.fresh("x")
    writer.line(f"{name} = {text}")
    return name


TEXTS = {
    AffineBinaryOpKind.Add: "{lhs} + {rhs}",
    AffineBinaryOpKind.Mul: "{lhs} * {rhs}",
    AffineBinaryOpKind.Mod: "{lhs} % {rhs}",
    AffineBinaryOpKind.FloorDiv: "{lhs} // {rhs}",
    AffineBinaryOpKind.CeilDiv: "-(-({lhs}) // {rhs})",
}
FOLDS = {
    AffineBinaryOpKind.Add: lambda a, b: a + b,
    AffineBinaryOpKind.Mul: lambda a, b: a * b,
    AffineBinaryOpKind.Mod: lambda a, b: a % b,
    AffineBinaryOpKind.FloorDiv: lambda a, b: a // b,
    AffineBinaryOpKind.CeilDiv: lambda a, b: -(-a // b),
}
DIVISIONS = (AffineBinaryOpKind.Mod, AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv)
LONGEST_EXPRESSION = 300
"""Characters of an expression before it gets a line of its own: Python's nesting is bounded."""
NOT_POSITIVE = "a divisor that is not positive"


def results_of(
    writer: FunctionWriter, op: Operation, map_: AffineMap, operands: Sequence[SSAValue]
) -> list[str]:
    """The map's results for the operands, dimensions first, as signed expressions."""
    numbers = [writer.signed(operand, op) for operand in operands]
    dims, symbols = numbers[: map_.num_dims], numbers[map_.num_dims :]
    return [whole_number(writer, op, result, dims, symbols) for result in map_.results]


def define_index(writer: FunctionWriter, op: Operation, text: str) -> None:
    """The result of `op` is the number modulo 2^width."""
    mask = (1 << writer.program.index_width) - 1
    writer.scope.cost += 1
    if is_literal(text):
        writer.names[op.results[0]] = str(int(text) & mask)
    else:
        writer.line(f"{writer.define(op.results[0])} = {text} & {mask}")


def apply(writer: FunctionWriter, op: Operation) -> None:
    """The result is the map's only result."""
    assert isinstance(op, affine.ApplyOp)
    (text,) = results_of(writer, op, op.map.data, op.mapOperands)
    define_index(writer, op, text)


def minimum(writer: FunctionWriter, op: Operation) -> None:
    """The result is the smallest of the map's results."""
    assert isinstance(op, affine.MinOp)
    define_index(writer, op, extreme("min", results_of(writer, op, op.map.data, op.arguments)))


def extreme(function: str, texts: Sequence[str]) -> str:
    """The only text, or the call that picks the least or the greatest."""
    return texts[0] if len(texts) == 1 else f"{function}({', '.join(texts)})"


def for_loop(writer: FunctionWriter, op: Operation) -> None:
    """The loop runs from the greatest lower bound to the least upper bound."""
    assert isinstance(op, affine.ForOp)
    low = extreme("max", results_of(writer, op, op.lowerBoundMap.data, op.lowerBoundOperands))
    high = extreme("min", results_of(writer, op, op.upperBoundMap.data, op.upperBoundOperands))
    most = (1 << (writer.program.index_width - 1)) - 1
    step = str(op.step.value.data)
    counted_loop(writer, op, low, high, step, op.inits, op.body.block, most)


def branch(writer: FunctionWriter, op: Operation) -> None:
    """The first region runs if every constraint of the set holds."""
    assert isinstance(op, affine.IfOp)
    condition = op.condition.data
    numbers = [writer.signed(operand, op) for operand in op.args]
    dims, symbols = numbers[: condition.num_dims], numbers[condition.num_dims :]
    tests = []
    for constraint in condition.constraints:
        lhs, rhs = (
            whole_number(writer, op, side, dims, symbols)
            for side in (constraint.lhs, constraint.rhs)
        )
        tests.append(f"{lhs} {constraint.kind.value} {rhs}")
    regions = (op.then_region, op.else_region)
    blocks = [region.block if region.blocks else None for region in regions]
    write_branches(writer, op, " and ".join(tests) or "True", blocks)


def load(writer: FunctionWriter, op: Operation) -> None:
    """The result is the element at the map's results."""
    assert isinstance(op, affine.LoadOp)
    indices = results_of(writer, op, op.map.data, op.indices)
    read(writer, op, writer.views[op.memref], checked(writer, op, writer.views[op.memref], indices))


def store(writer: FunctionWriter, op: Operation) -> None:
    """The element at the map's results has the value."""
    assert isinstance(op, affine.StoreOp)
    view = writer.views[op.memref]
    indices = checked(writer, op, view, results_of(writer, op, op.map.data, op.indices))
    write(writer, op, view, indices, op.value)


def checked(writer: FunctionWriter, op: Operation, view: View, indices: list[str]) -> list[str]:
    """The indices as variables or literals, after the text has refused those outside."""
    names, tests = [], []
    for text, size in zip(indices, view.sizes, strict=True):
        name = text
        if not (is_literal(text) or text.isidentifier()):
            name = writer.program.fresh("x")
            writer.line(f"{name} = {text}")
        names.append(name)
        if not (is_literal(name) and 0 <= int(name) < size):
            tests.append(f"not 0 <= {name} < {size}")
    if tests:
        number = writer.program.faults.number(op)
        shown = "".join(f"{name}, " for name in names)
        writer.line(f"if {' or '.join(tests)}: bounds({number}, {view.sizes}, ({shown}))")
    return names


AFFINE_HANDLERS: dict[type[Operation], Handler] = {
    affine.ApplyOp: apply,
    affine.MinOp: minimum,
    affine.ForOp: for_loop,
    affine.IfOp: branch,
    affine.LoadOp: load,
    affine.StoreOp: store,
}
