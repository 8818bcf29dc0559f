"""Python text for the affine dialect: index arithmetic, loops, branches and accesses."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from loom.dialects.ops.affine_more import (
    DelinearizeIndexOp,
    ExtremeOp,
    LinearizeIndexOp,
    MaxOp,
    PrefetchOp,
)
from loom.model.reference.affine_numbers import (
    Number,
    evaluate,
    numbers_of,
    operand_of,
    results_of,
    short,
)
from loom.model.reference.generate_control import counted_loop, write_two
from loom.model.reference.generate_memory import ignore, read, write
from loom.model.reference.generator import FunctionWriter, Handler
from loom.model.reference.views import View, is_literal


def define_index(writer: FunctionWriter, result: SSAValue, text: str) -> None:
    """The result is the number modulo 2^width."""
    mask = (1 << writer.program.index_width) - 1
    if is_literal(text):
        writer.names[result] = str(int(text) & mask)
    else:
        writer.line(f"{writer.define(result)} = {text} & {mask}")


def apply(writer: FunctionWriter, op: Operation) -> None:
    """The result is the map's only result."""
    assert isinstance(op, affine.ApplyOp)
    writer.scope.cost += 1
    (text,) = results_of(writer, op, op.map.data, op.mapOperands)
    define_index(writer, op.result, text)


def pick(writer: FunctionWriter, op: Operation) -> None:
    """The result is the smallest, or the largest, of the map's results."""
    assert isinstance(op, ExtremeOp)
    function = "max" if isinstance(op, MaxOp) else "min"
    writer.scope.cost += 1
    texts = results_of(writer, op, op.map.data, op.arguments)
    define_index(writer, op.result, extreme(function, texts))


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
    numbers = [operand_of(writer, op, operand) for operand in op.args]
    dims, symbols = numbers[: condition.num_dims], numbers[condition.num_dims :]
    tests = []
    for constraint in condition.constraints:
        lhs, rhs = (
            evaluate(writer, op, side, dims, symbols).text
            for side in (constraint.lhs, constraint.rhs)
        )
        tests.append(f"{lhs} {constraint.kind.value} {rhs}")
    regions = (op.then_region, op.else_region)
    blocks = [region.block if region.blocks else None for region in regions]
    write_two(writer, op, " and ".join(tests) or "True", blocks)


def load(writer: FunctionWriter, op: Operation) -> None:
    """The result is the element at the map's results."""
    assert isinstance(op, affine.LoadOp)
    view = writer.views[op.memref]
    indices = checked(writer, op, view, numbers_of(writer, op, op.map.data, op.indices))
    read(writer, op, view, indices)


def store(writer: FunctionWriter, op: Operation) -> None:
    """The element at the map's results has the value."""
    assert isinstance(op, affine.StoreOp)
    view = writer.views[op.memref]
    indices = checked(writer, op, view, numbers_of(writer, op, op.map.data, op.indices))
    write(writer, op, view, indices, op.value)


def checked(
    writer: FunctionWriter, op: Operation, view: View, indices: Sequence[Number]
) -> list[str]:
    """The indices as variables or literals, after the text has refused those outside."""
    names, tests = [], []
    for index, size in zip(indices, view.sizes, strict=True):
        name = index.text
        if not (is_literal(name) or name.isidentifier()):
            name = writer.program.fresh("x")
            writer.line(f"{name} = {index.text}")
        names.append(name)
        if index.low < 0 or index.high >= size:
            tests.append(f"not 0 <= {name} < {size}")
    if tests:
        number = writer.program.faults.number(op)
        shown = "".join(f"{name}, " for name in names)
        writer.line(f"if {' or '.join(tests)}: bounds({number}, {view.sizes}, ({shown}))")
    return names


def basis_of(
    writer: FunctionWriter, op: DelinearizeIndexOp | LinearizeIndexOp, count: int
) -> list[Number]:
    """The last `count` numbers of the basis, which the text has found positive."""
    dynamic = iter(op.dynamic_basis)
    numbers = [
        operand_of(writer, op, next(dynamic)) if n == DYNAMIC_INDEX else Number(str(n), n, n)
        for n in op.static_basis.get_values()
    ]
    for number in numbers:
        if number.low <= 0:
            place = writer.program.faults.number(op)
            writer.line(f"if {number.text} <= 0: illegal({place}, {BASIS!r})")
    return numbers[len(numbers) - count :]


def delinearize(writer: FunctionWriter, op: Operation) -> None:
    """The results are the remainders from the last on, the first is what is left."""
    assert isinstance(op, DelinearizeIndexOp)
    writer.scope.cost += 1
    rest = writer.program.fresh("x")
    writer.line(f"{rest} = {operand_of(writer, op, op.linear_index).text}")
    outer, *inner = op.multi_index
    basis = basis_of(writer, op, len(inner))
    for result, number in zip(reversed(inner), reversed(basis), strict=True):
        name = writer.define(result)
        writer.line(f"{rest}, {name} = divmod({rest}, {number.text})")
    define_index(writer, outer, rest)


def linearize(writer: FunctionWriter, op: Operation) -> None:
    """The result is the sum of the indices, each times the numbers of the basis after its own."""
    assert isinstance(op, LinearizeIndexOp)
    writer.scope.cost += 1
    total = "0"
    numbers = [Number("1", 1, 1), *basis_of(writer, op, max(len(op.multi_index) - 1, 0))]
    for index, number in zip(op.multi_index, numbers, strict=False):
        total = short(writer, f"{total} * {number.text} + {operand_of(writer, op, index).text}")
    define_index(writer, op.linear_index, total)


BASIS = "a basis with a number that is not positive"
AFFINE_HANDLERS: dict[type[Operation], Handler] = {
    affine.ApplyOp: apply,
    affine.MinOp: pick,
    MaxOp: pick,
    DelinearizeIndexOp: delinearize,
    LinearizeIndexOp: linearize,
    PrefetchOp: ignore,
    affine.ForOp: for_loop,
    affine.IfOp: branch,
    affine.LoadOp: load,
    affine.StoreOp: store,
}
