"""Refuse programs whose own index numbers do not fit the chosen width of an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    AffineSetAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    ModuleOp,
)
from xdsl.ir import Operation
from xdsl.ir.affine import AffineBinaryOpExpr, AffineConstantExpr, AffineExpr

from loom.dialects.facts.places import place_of
from loom.dialects.ops.affine_more import DelinearizeIndexOp, LinearizeIndexOp, ParallelOp
from loom.dialects.ops.scf_more import ForallOp
from loom.errors import LoomError, format_integer, raise_all
from loom.lower.options import Options


def check_index_width(module: ModuleOp, options: Options) -> None:
    """Every index that the program writes fits `options.index_width`.

    Constants and cases count signed or unsigned; numbers in affine maps, steps and bases signed,
    as those are compared and divided.
    """
    width = options.index_width
    least, most = -(1 << (width - 1)), (1 << width) - 1
    problems: list[LoomError] = []
    for operation in module.walk():
        wrong = [number for number in constants(operation) if not least <= number <= most]
        wrong += [n for n in signed_numbers(operation) if not least <= n <= most // 2]
        for number in wrong:
            what = f"the index {format_integer(number)} where an index has {width} bits"
            accepted = "constants that fit an index (--index-width)"
            problems.append(LoomError("LOWER_INDEX_WIDTH", place_of(operation), what, accepted))
        problems += twin_cases(operation, width)
    raise_all(problems)


def constants(operation: Operation) -> Iterator[int]:
    """The value of a constant of type index, of arith and of index; the cases of a switch."""
    if isinstance(operation, scf.IndexSwitchOp):
        yield from operation.cases.get_values()
    elif len(operation.results) == 1 and isinstance(operation.results[0].type, IndexType):
        value = operation.properties.get("value", operation.attributes.get("value"))
        if isinstance(value, IntegerAttr) and not operation.operands:
            yield int(value.value.data)


def signed_numbers(operation: Operation) -> Iterator[int]:
    """Numbers in maps and sets, steps, bounds and bases."""
    for attribute in (*operation.properties.values(), *operation.attributes.values()):
        if isinstance(attribute, AffineMapAttr):
            yield from in_expressions(attribute.data.results)
        elif isinstance(attribute, AffineSetAttr):
            for constraint in attribute.data.constraints:
                yield from in_expressions((constraint.lhs, constraint.rhs))
    if isinstance(operation, affine.ForOp):
        yield int(operation.step.value.data)
    elif isinstance(operation, ParallelOp):
        yield from (int(step.value.data) for step in operation.steps)
    elif isinstance(operation, ForallOp):
        yield from static_numbers(
            operation.static_lower, operation.static_upper, operation.static_step
        )
    elif isinstance(operation, DelinearizeIndexOp | LinearizeIndexOp):
        yield from static_numbers(operation.static_basis)


def static_numbers(*arrays: DenseArrayBase[IntegerType]) -> Iterator[int]:
    """The constants among bounds of which some are operands."""
    for array in arrays:
        yield from (int(n) for n in array.get_values() if n != DYNAMIC_INDEX)


def in_expressions(expressions: Sequence[AffineExpr]) -> Iterator[int]:
    """The constants in affine expressions."""
    for expression in expressions:
        if isinstance(expression, AffineConstantExpr):
            yield expression.value
        elif isinstance(expression, AffineBinaryOpExpr):
            yield from in_expressions((expression.lhs, expression.rhs))


def twin_cases(operation: Operation, width: int) -> Iterator[LoomError]:
    """Cases of a switch that are the same index at this width [bits]."""
    if not isinstance(operation, scf.IndexSwitchOp):
        return
    seen: dict[int, int] = {}
    for case in operation.cases.get_values():
        other = seen.setdefault(case % (1 << width), case)
        if other != case:
            what = f"the cases {other} and {case}, which are one index of {width} bits"
            accepted = "cases that differ as indices (--index-width)"
            yield LoomError("LOWER_INDEX_WIDTH", place_of(operation), what, accepted)
