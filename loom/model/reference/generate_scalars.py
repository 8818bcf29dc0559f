"""Python text for operations on scalars: constants and all that has a meaning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import Operation

from loom.dialects.facts.instances import type_of
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import pattern_of
from loom.dialects.operators.catalogue import EXPANDED, find
from loom.dialects.operators.integer_meanings import Expression, Undefined
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.index import PredicateAttr, SizeOfOp
from loom.errors import LoomError
from loom.model.reference.generator import FunctionWriter, Handler, Program


def scalar(writer: FunctionWriter, op: Operation) -> None:
    """The results of a constant, or of an operation that has a meaning, have their values."""
    if not op.operands and len(op.results) == 1:
        constant(writer, op)
    else:
        compute(writer, op, find_meaning(op, op.name))


def find_meaning(op: Operation, name: str) -> Operator:
    """The operator `name`, which says what `op` means.

    Refused (REF_UNSUPPORTED): an operation without meaning.
    """
    row = find(name) or EXPANDED.get(name)
    if row is None or row.semantics.meaning is None or op.regions:
        raise LoomError(
            "REF_UNSUPPORTED", place_of(op), op.name, "the operations of docs/accepted.md"
        )
    return row


def compute(writer: FunctionWriter, op: Operation, row: Operator) -> None:
    """The results have their values; operands that leave none are refused."""
    program = writer.program
    shape = Shape(
        tuple(program.width(operand.type, op) for operand in op.operands),
        tuple(program.width(result.type, op) for result in op.results),
        attributes_of(op, row),
    )
    writer.scope.cost += 1
    tokens = [writer.value(operand) for operand in op.operands]
    refuse_undefined(writer, op, row, shape, tokens)
    targets = ", ".join(writer.define(result) for result in op.results)
    writer.line(f"{targets} = {expression(program, row, shape, tokens)}")


def expression(program: Program, row: Operator, shape: Shape, tokens: list[str]) -> str:
    """The Python expression of the row's result, or results as a tuple."""
    meaning = row.semantics.meaning
    assert meaning is not None
    if isinstance(meaning, Expression):
        return meaning.write(shape, *tokens)
    return f"{program.bind('m', meaning(shape))}({', '.join(tokens)})"


def refuse_undefined(
    writer: FunctionWriter, op: Operation, row: Operator, shape: Shape, tokens: list[str]
) -> None:
    """The text stops where the row says that the source has no result."""
    undefined = row.semantics.undefined
    if undefined is None:
        return
    number = writer.program.faults.number(op)
    writer.program.faults.rows[number] = (row, shape)
    if isinstance(undefined, Undefined):
        if tokens[-1].isdigit() and never_undefined(undefined, shape, int(tokens[-1])):
            return
        test = undefined.write(shape, *tokens)
    else:
        bind = writer.program.bind
        test = f"{bind('u', undefined)}({bind('s', shape)}, {', '.join(tokens)})"
    writer.line(f"if {test}: undefined({number}, {', '.join(tokens)})")


def never_undefined(undefined: Undefined, shape: Shape, rhs: int) -> bool:
    """True if the constant right operand leaves nothing to check; shapes of two operands."""
    worst = (0, 1, 1 << (shape.inputs[0] - 1))
    return not any(undefined(shape, lhs, rhs) for lhs in worst)


def attributes_of(op: Operation, row: Operator) -> Mapping[str, AttributeValue]:
    """What the row asks of an instance: of borrowed operations a predicate and float formats."""
    found: dict[str, AttributeValue] = {
        name: str(type_of(op, row, variable)) for name, variable in row.signature.formats.items()
    }
    if "predicate" in row.signature.attributes:
        found["predicate"] = predicate_of(op, row.signature.choices["predicate"])
    return found


def predicate_of(op: Operation, predicates: Sequence[str]) -> str:
    """The word for the comparison's number."""
    attribute = op.properties.get("predicate", op.properties.get("pred"))
    if isinstance(attribute, PredicateAttr):
        return attribute.data.value
    if isinstance(attribute, IntegerAttr) and 0 <= attribute.value.data < len(predicates):
        return predicates[attribute.value.data]
    raise LoomError("REF_UNSUPPORTED", place_of(op), f"{op.name} without predicate", "a predicate")


def constant(writer: FunctionWriter, op: Operation) -> None:
    """The result stands for a literal."""
    value = op.properties.get("value", op.attributes.get("value"))
    width = writer.program.width(op.results[0].type, op)
    if isinstance(value, FloatAttr):
        writer.names[op.results[0]] = str(pattern_of(value))
    elif isinstance(value, IntegerAttr):
        writer.names[op.results[0]] = str(value.value.data & ((1 << width) - 1))
    else:
        raise LoomError("REF_UNSUPPORTED", place_of(op), f"{op.name}", "constants of scalars")


def size_of(writer: FunctionWriter, op: Operation) -> None:
    """The result stands for the bits of an index."""
    width = writer.program.index_width
    writer.names[op.results[0]] = str(width & ((1 << width) - 1))


SCALAR_HANDLERS: dict[type[Operation], Handler] = {SizeOfOp: size_of}
