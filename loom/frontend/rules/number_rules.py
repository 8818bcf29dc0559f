"""Numbers that an operation holds: steps are positive, divisors and bases too, kinds are known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import Operation, SSAValue

from loom.dialects.facts.loop_attributes import UNSIGNED
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import form_of
from loom.dialects.ops.affine_more import (
    DelinearizeIndexOp,
    LinearizeIndexOp,
    MaxOp,
    ParallelOp,
)
from loom.dialects.ops.atomic_kinds import KINDS, REDUCTIONS, atomic_words
from loom.dialects.ops.index import ConstantOp
from loom.dialects.ops.scf_more import ForallOp
from loom.errors import LoomError
from loom.frontend.rules.affine_rules import expression_problem


def constant_of(value: SSAValue) -> int | None:
    """The integer a value always has, or None."""
    owner = value.owner
    if isinstance(owner, arith.ConstantOp | ConstantOp) and isinstance(owner.value, IntegerAttr):
        return int(owner.value.value.data)
    return None


def number_problems(op: Operation) -> Iterator[LoomError]:
    """What is wrong with the numbers in this operation."""
    place = place_of(op)
    if isinstance(op, scf.ForOp):
        yield from step_problems(op, [constant_of(op.step)])
    elif isinstance(op, scf.ParallelOp):
        yield from step_problems(op, [constant_of(step) for step in op.step])
    elif isinstance(op, ForallOp):
        yield from step_problems(op, list(op.static_step.get_values()))
        yield from step_problems(op, [constant_of(step) for step in op.step])
    elif isinstance(op, affine.ApplyOp | affine.MinOp | MaxOp | affine.LoadOp | affine.StoreOp):
        yield from expression_problem(place, op.map.data.results)
    elif isinstance(op, affine.ForOp):
        yield from expression_problem(place, op.lowerBoundMap.data.results)
        yield from expression_problem(place, op.upperBoundMap.data.results)
    elif isinstance(op, affine.IfOp):
        sides = [(c.lhs, c.rhs) for c in op.condition.data.constraints]
        yield from expression_problem(place, [side for pair in sides for side in pair])
    elif isinstance(op, ParallelOp):
        yield from parallel_problems(op)
    elif isinstance(op, DelinearizeIndexOp | LinearizeIndexOp):
        yield from basis_problems(op)
    elif isinstance(op, memref.AtomicRMWOp):
        words = atomic_words(form_of(op.value.type) is not None)
        yield from kind_problems(op, op.kind.value.data, words)


def step_problems(op: Operation, steps: Sequence[int | None]) -> Iterator[LoomError]:
    """A step that is known is positive."""
    unsigned = UNSIGNED.is_on(op)
    for step in steps:
        if step is None or step > 0 or step == DYNAMIC_INDEX or (step < 0 and unsigned):
            continue
        yield LoomError("MLIR_VERIFY", place_of(op), f"a step of {step}", "steps of 1 and more")


def parallel_problems(op: ParallelOp) -> Iterator[LoomError]:
    """Steps are positive, divisors too, and reductions have a value to start from."""
    yield from expression_problem(place_of(op), op.lower_map.data.results)
    yield from expression_problem(place_of(op), op.upper_map.data.results)
    yield from step_problems(op, [int(step.value.data) for step in op.steps])
    for number, result in zip(op.reductions, op.results, strict=False):
        if form_of(result.type) is not None:
            what = f"a reduction to {result.type} in {op.name}"
            accepted = "scf.for with iter_args, which says the order of the sum"
            yield LoomError("MLIR_UNSUPPORTED_OP", place_of(op), what, accepted)
        else:
            yield from kind_problems(op, number.value.data, REDUCTIONS.split(", "))


def kind_problems(op: Operation, number: int, words: Sequence[str]) -> Iterator[LoomError]:
    """The kind of an atomic operation or reduction is one of these."""
    word = KINDS[number].word if 0 <= number < len(KINDS) else str(number)
    if word not in words:
        accepted = f"the kinds {', '.join(words)}"
        yield LoomError(
            "MLIR_UNSUPPORTED_OP", place_of(op), f"the kind {word} in {op.name}", accepted
        )


def basis_problems(op: DelinearizeIndexOp | LinearizeIndexOp) -> Iterator[LoomError]:
    """Numbers of a basis that are known are positive."""
    known = [constant_of(value) for value in op.dynamic_basis]
    for number in (*op.static_basis.get_values(), *known):
        if number is not None and number != DYNAMIC_INDEX and number <= 0:
            what = f"the number {number} in the basis of {op.name}"
            yield LoomError("MLIR_VERIFY", place_of(op), what, "numbers of 1 and more")
