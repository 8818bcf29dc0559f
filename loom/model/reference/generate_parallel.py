"""Python text for loops in no order, run in the order of their indices: one loop for all of them.

Their iterations do not depend on each other but through reductions, which combine in that order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Block, Operation, SSAValue

from loom.dialects.facts.places import place_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import Shape
from loom.dialects.ops.affine_more import ParallelOp
from loom.dialects.ops.atomic_kinds import KINDS
from loom.dialects.ops.scf_more import ForallOp
from loom.model.reference.affine_numbers import results_of
from loom.model.reference.generate_affine import extreme
from loom.model.reference.generate_control import WRAPS, checked_step
from loom.model.reference.generate_scalars import expression
from loom.model.reference.generator import (
    MAX_DEPTH,
    Count,
    FunctionWriter,
    Handler,
    Scope,
    refuse_memrefs,
)
from loom.model.reference.views import is_literal

Range = tuple[str, str, str]
"""First index, bound and step of a dimension, as signed expressions."""

Combine = Callable[[tuple[str, ...], Scope], Sequence[str]]
"""From what the body passes on to the new values of the results, written inside the loop."""


def loop_nest(
    writer: FunctionWriter,
    op: Operation,
    ranges: Sequence[Range],
    body: Block,
    results: Sequence[str],
    combine: Combine,
) -> None:
    """The body runs for all indices, the last dimension fastest; `results` are names of values."""
    program = writer.program
    number = program.faults.number(op)
    outer = writer.scope
    outer.cost += 1
    names = [write_range(writer, op, bounds) for bounds in ranges]
    trip_count, counter = program.fresh("n"), writer.counter()
    # Not len(), which stops at what an array can hold.
    lengths = [f"max(0, -(({r}.start - {r}.stop) // {r}.step))" for r in names]
    writer.line(f"{trip_count} = {' * '.join(lengths) or '1'}")
    most = (1 << (program.index_width - 1)) - 1
    for name in names:
        past = f"{trip_count} and {name}[-1] + {name}.step > {most}"
        writer.line(f"if {past}: illegal({number}, {WRAPS!r})")
    charge = writer.reserve()
    writer.line(f"if B[0] < 0: over({number})")
    writer.line(f"{counter} += {trip_count}")
    scope = Scope(Count(1, counter))
    mask = (1 << program.index_width) - 1
    listed = [writer.define(index, "i") for index in body.args]
    for index, (low, high, _) in zip(body.args, ranges, strict=True):
        if is_literal(low) and is_literal(high) and int(low) >= 0:
            writer.bounded[index] = (int(low), int(high))
    targets = "".join(f"{name}, " for name in listed)
    values = "".join(f"{name} & {mask}, " for name in listed)
    clauses = "".join(f" for {i} in {r}" for i, r in zip(listed, names, strict=True))
    source = f"(({values}){clauses})" if names else "((),)"
    writer.line(f"for {targets or '()'} in {source}:")
    passed = writer.block(body, scope)
    writer.depth += 1
    writer.line("pass")  # the body may be empty
    writer.assign(results, combine(passed, scope))
    writer.depth -= 1
    writer.fill(charge, f"B[0] -= {scope.cost + 1} * {trip_count}")
    writer.iterations.append((f"(path, {program.site(str(place_of(op)))})", scope.count))


def write_range(writer: FunctionWriter, op: Operation, bounds: Range) -> str:
    """The name of the Python range of a dimension, after the text has refused a step of 0."""
    low, high, step = bounds
    step = checked_step(writer, step, writer.program.faults.number(op))
    name = writer.program.fresh("r")
    writer.line(f"{name} = range({low}, {high}, {step})")
    return name


def nothing(passed: tuple[str, ...], scope: Scope) -> Sequence[str]:
    """A loop without results combines nothing."""
    return ()


def parallel(writer: FunctionWriter, op: Operation) -> None:
    """The results are the initial values, combined with what each iteration reduces."""
    assert isinstance(op, scf.ParallelOp)
    if writer.depth > MAX_DEPTH:
        writer.outline(op)
        return
    refuse_memrefs(op, op.results, "a loop's result")
    ranges: list[Range] = [
        (writer.signed(low, op), writer.signed(high, op), writer.signed(step, op))
        for low, high, step in zip(op.lowerBound, op.upperBound, op.step, strict=True)
    ]
    results = [writer.define(result) for result in op.results]
    writer.assign(results, [writer.value(initial) for initial in op.initVals])
    reduce = op.body.block.last_op
    assert isinstance(reduce, scf.ReduceOp)

    def combine(passed: tuple[str, ...], scope: Scope) -> Sequence[str]:
        """The regions of scf.reduce stand at the end of the loop's body."""
        found: list[str] = []
        writer.depth -= 1
        for region, result, value in zip(reduce.reductions, results, passed, strict=True):
            lhs, rhs = region.block.args
            writer.names[lhs], writer.names[rhs] = result, value
            found += writer.block(region.block, scope)
        writer.depth += 1
        return found

    loop_nest(writer, op, ranges, op.body.block, results, combine)


def forall(writer: FunctionWriter, op: Operation) -> None:
    """The body runs for all indices."""
    assert isinstance(op, ForallOp)
    if writer.depth > MAX_DEPTH:
        writer.outline(op)
        return

    def mixed(static: Sequence[int], dynamic: Sequence[SSAValue]) -> list[str]:
        operands = iter(dynamic)
        return [writer.signed(next(operands), op) if n == DYNAMIC_INDEX else str(n) for n in static]

    lower = mixed(op.static_lower.get_values(), op.lower)
    upper = mixed(op.static_upper.get_values(), op.upper)
    step = mixed(op.static_step.get_values(), op.step)
    ranges = list(zip(lower, upper, step, strict=True))
    loop_nest(writer, op, ranges, op.body.block, (), nothing)


def affine_parallel(writer: FunctionWriter, op: Operation) -> None:
    """The results are what the body yields, combined from the reductions' neutral values on."""
    assert isinstance(op, ParallelOp)
    if writer.depth > MAX_DEPTH:
        writer.outline(op)
        return
    lower, lower_operands, upper, upper_operands = op.bounds()
    ranges: list[Range] = [
        (
            extreme("max", results_of(writer, op, low, lower_operands)),
            extreme("min", results_of(writer, op, high, upper_operands)),
            str(step.value.data),
        )
        for low, high, step in zip(lower, upper, op.steps, strict=True)
    ]
    kinds = [KINDS[kind.value.data] for kind in op.reductions]
    widths = [writer.program.width(result.type, op) for result in op.results]
    results = [writer.define(result) for result in op.results]
    initial: list[str] = []
    for kind, width in zip(kinds, widths, strict=True):
        assert kind.identity is not None
        initial.append(str(kind.identity(width) & ((1 << width) - 1)))
    writer.assign(results, initial)

    def combine(passed: tuple[str, ...], scope: Scope) -> Sequence[str]:
        """One operation for each result."""
        scope.cost += len(results)
        found: list[str] = []
        for kind, width, result, value in zip(kinds, widths, results, passed, strict=True):
            assert kind.operation is not None
            row = find(kind.operation.name)
            assert row is not None
            shape = Shape((width, width), (width,))
            found.append(f"({expression(writer.program, row, shape, [result, value])})")
        return found

    loop_nest(writer, op, ranges, op.body.block, results, combine)


PARALLEL_HANDLERS: dict[type[Operation], Handler] = {
    scf.ParallelOp: parallel,
    ForallOp: forall,
    ParallelOp: affine_parallel,
}
