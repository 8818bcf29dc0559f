"""Options that shorten the paths of a unit, for the messages about a clock period."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from loom.analysis.timing.clocked_units import array_of, measured_delays
from loom.analysis.timing.unit_costs import Array
from loom.dialects.facts.instances import shape_of
from loom.dialects.operators.catalogue import find
from loom.dialects.operators.operator import AttributeValue, Operator, Shape
from loom.dialects.ops.handshake_function import FuncOp
from loom.lower.options import Options


def format_units(units: Sequence[str]) -> str:
    """The units of a path, each once."""
    return ", ".join(dict.fromkeys(units))


def list_choices(function: FuncOp, units: Collection[str], options: Options) -> list[str]:
    """Options with which a unit of the path has shorter paths of its own, as measured."""
    choices: dict[str, None] = {}
    for operation in function.body.block.ops:
        operator = find(operation.name) if operation.name in units else None
        if operator is None or operator.hardware.core:
            continue
        if operator.hardware.memory_kind and operator.hardware.memory_kind.is_outside:
            continue  # what it states is that of the memory, and no choice
        shape = shape_of(operation, operator, options.index_width)
        array = array_of(operation, options.index_width)
        for option, values in operator.hardware.options.items():
            delay = {
                value: longest_delay(operator, with_attribute(shape, option, value), array)
                for value in (shape.attributes.get(option, values[0]), *values)
            }
            now, *others = delay
            best = min(others, key=lambda value: delay[value], default=now)
            if delay[best] < delay[now] and option in OPTIONS:
                choices[OPTIONS[option].format(operator.name, best)] = None
    return list(choices)


OPTIONS = {"latency": "--latency {0}={1}", "form": "--divider {1}"}
"""The options of the command line, by the choice that an operator leaves open."""


def with_attribute(shape: Shape, name: str, value: AttributeValue) -> Shape:
    """The shape of an instance with another attribute."""
    return replace(shape, attributes={**shape.attributes, name: value})


def longest_delay(operator: Operator, shape: Shape, array: Array | None) -> float:
    """The longest path inside an instance [ns]."""
    return max(measured_delays(operator, shape, array).values(), default=0.0)
