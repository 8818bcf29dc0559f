"""An operation of the graph as an instance of its operator: attributes and widths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import (
    ArrayAttr,
    FloatAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute, Operation, SSAValue

from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.floats.attributes import pattern_of
from loom.dialects.operators.cores import FUNCTION
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_buffer import BufferOp
from loom.dialects.ops.handshake_memory import MemoryInterface
from loom.dialects.ops.handshake_routing import InstanceOp
from loom.dialects.ops.partition_attribute import PartitionAttr
from loom.dialects.ops.types import width_of

PREFIX = "loom."
"""Of attributes that choose the hardware of an operation; they say nothing about its meaning."""
BANKS = ("partition", "load_banks", "store_banks", "load_requesters", "store_requesters")
"""What a memory says of its banks and of who requests their ports, each with the prefix."""


def attributes_of(
    operation: Operation, operator: Operator, index_width: int
) -> dict[str, AttributeValue]:
    """What the operator's row asks of an instance, as Python values."""
    if isinstance(operation, MemoryInterface):
        return {
            "memory": operation.array_name,
            "stores": operation.store_count,
            "loads": operation.load_count,
            **banks_of(operation),
            **({"in_range": True} if IN_RANGE.is_on(operation) else {}),
            **({"accepts": True} if operation.accepts else {}),
            **options_of(operation, operator),
        }
    if isinstance(operation, BufferOp):
        return buffer_attributes(operation, index_width)
    given: Mapping[str, Attribute] = {**operation.attributes, **operation.properties}
    if isinstance(operation, InstanceOp):
        return external_attributes(operation)
    found: dict[str, AttributeValue] = {}
    for name in operator.signature.attributes:
        attribute = given.get(name)
        if name in operator.signature.formats:
            found[name] = str(type_of(operation, operator, operator.signature.formats[name]))
        elif attribute is None:
            found[name] = operator.signature.defaults[name]
        elif isinstance(attribute, IntegerAttr) and name in operator.signature.choices:
            found[name] = operator.signature.choices[name][int(attribute.value.data)]
        elif isinstance(attribute, IntegerAttr):
            width = width_of(attribute.type, index_width)
            found[name] = int(attribute.value.data) % (1 << width)
        elif isinstance(attribute, FloatAttr):
            found[name] = pattern_of(attribute)
        elif isinstance(attribute, StringAttr):
            found[name] = attribute.data
        else:
            assert isinstance(attribute, UnitAttr)
            found[name] = True
    return found | options_of(operation, operator)


def external_attributes(operation: InstanceOp) -> dict[str, AttributeValue]:
    """The function of an instance, and the names of its ports: those declared, or in0, out0, ..."""
    inputs = names_in(operation.arg_names) or [f"in{k}" for k in range(len(operation.operands))]
    outputs = names_in(operation.res_names) or [f"out{k}" for k in range(len(operation.results))]
    return {
        FUNCTION: operation.function, "inputs": ",".join(inputs), "outputs": ",".join(outputs),
    }  # fmt: skip


def names_in(given: ArrayAttr[Attribute] | None) -> list[str]:
    """The names that a declaration lists."""
    return [] if given is None else [each.data for each in given if isinstance(each, StringAttr)]


def options_of(operation: Operation, operator: Operator) -> dict[str, AttributeValue]:
    """What the operation says about its hardware, as `choose_units` let it pass."""
    given = {
        name: operation.attributes.get(f"{PREFIX}{name}") for name in operator.hardware.options
    }
    return {name: to_value(value) for name, value in given.items() if value is not None}


def banks_of(operation: Operation) -> dict[str, AttributeValue]:
    """What a memory says of its banks, and of the bank of each of its accesses."""
    found: dict[str, AttributeValue] = {}
    for name in BANKS:
        given = operation.attributes.get(f"{PREFIX}{name}")
        if isinstance(given, ArrayAttr) and all(isinstance(each, IntegerAttr) for each in given):
            found[name] = tuple(int(each.value.data) for each in given)
        elif isinstance(given, PartitionAttr):
            found[name] = given.data
        elif given is not None:
            found[name] = to_value(given)
    return found


def hardware_of(operation: Operation) -> dict[str, Attribute]:
    """The attributes that say something about hardware, for an operation in its place."""
    return {name: a for name, a in operation.attributes.items() if name.startswith(PREFIX)}


def to_value(attribute: Attribute) -> AttributeValue:
    """A number or a word as a value; of anything else its text."""
    if isinstance(attribute, IntegerAttr):
        return int(attribute.value.data)
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)


def type_of(operation: Operation, operator: Operator, variable: str) -> Attribute:
    """The type that the type variable of the row stands for in this operation."""
    pairs = (
        *zip(operator.signature.inputs, operation.operands, strict=True),
        *zip(operator.signature.outputs, operation.results, strict=True),
    )
    return next(value.type for port, value in pairs if port.type == variable)


def buffer_attributes(operation: BufferOp, index_width: int) -> dict[str, AttributeValue]:
    """Kind, slots and, where there are some, initial values, those that leave first in front.

    A buffer that begins full gets one slot more: on a cycle its token must leave before the next
    can come, and a unit between gives and takes in the same cycle.
    """
    slots = int(operation.slots.value.data)
    found: dict[str, AttributeValue] = {"kind": operation.kind.data, "slots": slots}
    if operation.initial is not None and operation.initial.data:
        mask = (1 << width_of(operation.source.type, index_width)) - 1
        values = [int(v.value.data) for v in operation.initial.data if isinstance(v, IntegerAttr)]
        found["slots"] = slots + 1
        found["initial"] = tuple(value & mask for value in reversed(values))
    return found


def shape_of(operation: Operation, operator: Operator, index_width: int) -> Shape:
    """Widths of the ports and attributes of one instance."""
    return Shape(
        tuple(
            width_of(operand.type, index_width)
            for operand in operation.operands
            if not isinstance(operand.type, MemRefType)
        ),
        tuple(width_of(result.type, index_width) for result in operation.results),
        attributes_of(operation, operator, index_width),
        constants_of(operation, index_width),
    )


def signal_shape(operation: Operation, operator: Operator, index_width: int) -> Shape:
    """The shape of an instance whose operands are signals, constants too.

    A constant for which the operator has a circuit of its own is a parameter of that.
    """
    found = shape_of(operation, operator, index_width)
    plain = replace(found, constants={})
    if not operator.hardware.with_constants:
        return plain
    names = [port.name for port in operator.signature.inputs]
    known = {
        place: value
        for place, value in found.constants.items()
        if names[place] in operator.signature.constants
    }
    fitting = replace(found, constants=known)
    return fitting if operator.signature.fits(fitting) else plain


def is_constant(value: SSAValue) -> bool:
    """True of a value that is no token: of an `arith.constant` in a graph."""
    return isinstance(value.owner, ConstantOp)


def constants_of(operation: Operation, index_width: int) -> dict[int, int]:
    """The operands that are parameters of the unit: place to bit pattern."""
    return {
        place: constant_pattern(operand.owner, index_width)
        for place, operand in enumerate(operation.operands)
        if isinstance(operand.owner, ConstantOp)
    }


def constant_pattern(constant: ConstantOp, index_width: int) -> int:
    """The bit pattern of a constant."""
    if isinstance(constant.value, FloatAttr):
        return pattern_of(constant.value)
    assert isinstance(constant.value, IntegerAttr)
    width = width_of(constant.value.type, index_width)
    return int(constant.value.value.data) % (1 << width)
