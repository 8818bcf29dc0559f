"""Python text for operations on scalars: constants and every pure row of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.math import IPowIOp
from xdsl.ir import Operation

from loom.dialects.facts.instances import type_of
from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import pattern_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.integer_meanings import signed
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.index import PredicateAttr, SizeOfOp
from loom.errors import LoomError
from loom.model.reference.generator import FunctionWriter, Handler, Program
from loom.model.reference.integer_expressions import BINARY, UNARY, UNDEFINED


def scalar(writer: FunctionWriter, op: Operation) -> None:
    """The results of a constant, or of an operation that has a pure row, have their values."""
    if not op.operands and len(op.results) == 1:
        constant(writer, op)
        return
    row = find(op.name)
    if row is None or row.semantics.meaning is None or op.regions:
        raise LoomError(
            "REF_UNSUPPORTED", place_of(op), op.name, "the operations of docs/accepted.md"
        )
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
    if len(tokens) == 2 and row.name in BINARY:
        return BINARY[row.name](shape, *tokens)
    if len(tokens) == 1 and row.name in UNARY:
        return UNARY[row.name](shape, *tokens)
    if len(tokens) == 3 and row.semantics.meaning is SELECT.semantics.meaning:
        return f"{tokens[1]} if {tokens[0]} else {tokens[2]}"
    assert row.semantics.meaning is not None
    return f"{program.bind('m', row.semantics.meaning(shape))}({', '.join(tokens)})"


def refuse_undefined(
    writer: FunctionWriter, op: Operation, row: Operator, shape: Shape, tokens: list[str]
) -> None:
    """The text stops where the row says that the source has no result."""
    if row.semantics.undefined is None:
        return
    number = writer.program.faults.number(op)
    writer.program.faults.rows[number] = (row, shape)
    if len(tokens) == 2 and row.name in UNDEFINED:
        if tokens[1].isdigit() and never_undefined(row, shape, int(tokens[1])):
            return
        test = UNDEFINED[row.name](shape, *tokens)
    else:
        bind = writer.program.bind
        test = f"{bind('u', row.semantics.undefined)}({bind('s', shape)}, {', '.join(tokens)})"
    writer.line(f"if {test}: undefined({number}, {', '.join(tokens)})")


def never_undefined(row: Operator, shape: Shape, rhs: int) -> bool:
    """True if the constant right operand leaves nothing to check; shapes of two operands."""
    assert row.semantics.undefined is not None
    worst = (0, 1, 1 << (shape.inputs[0] - 1))
    return not any(row.semantics.undefined(shape, lhs, rhs) for lhs in worst)


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


def power(writer: FunctionWriter, op: Operation) -> None:
    """The result is the signed power; 0 to a negative exponent has none."""
    width = writer.program.width(op.results[0].type, op)
    mask = (1 << width) - 1

    def raise_to(base: int, exponent: int) -> int:
        base, exponent = signed(base, width), signed(exponent, width)
        if exponent >= 0:
            return pow(base, exponent, 1 << width)
        # Rounded towards zero: only 1 and -1 have a negative power that is not 0.
        if base == 1 or (base == -1 and exponent % 2 == 0):
            return 1
        return mask if base == -1 else 0

    writer.scope.cost += 1
    number = writer.program.faults.number(op)
    base, exponent = (writer.value(operand) for operand in op.operands)
    writer.line(f"if {base} == 0 and {exponent} >> {width - 1}: illegal({number}, {ZERO_POWER!r})")
    name = writer.define(op.results[0])
    writer.line(f"{name} = {writer.program.bind('m', raise_to)}({base}, {exponent})")


ZERO_POWER = "0 to a negative power"
SELECT_ROW = find("arith.select")
assert SELECT_ROW is not None
SELECT: Operator = SELECT_ROW
SCALAR_HANDLERS: dict[type[Operation], Handler] = {IPowIOp: power, SizeOfOp: size_of}
