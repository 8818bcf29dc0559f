"""Attributes of graphs as text that reads back bit by bit: floats that xDSL would round or cut."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr
from xdsl.ir import Attribute
from xdsl.printer import Printer

from loom.dialects.floats.attributes import elements_of, form_of, pattern_of
from loom.dialects.floats.text import literal
from loom.elements import CHUNK


def print_attributes(
    printer: Printer, attributes: Mapping[str, Attribute], without: Collection[str] = ()
) -> None:
    """Print `` {name = value, ..}``, or nothing if no attribute is left."""
    left = [(name, value) for name, value in attributes.items() if name not in without]
    if not left:
        return
    printer.print_string(" {")
    for number, (name, value) in enumerate(left):
        printer.print_string(", " if number else "")
        text = exact_text(value)
        if text:
            printer.print_string(f"{name} = {text}")
        else:
            printer._print_attr_string((name, value))
    printer.print_string("}")


def exact_text(attribute: Attribute) -> str:
    """The text of a float or of dense floats; empty for what xDSL prints well."""
    if isinstance(attribute, FloatAttr):
        form = form_of(attribute.type)
        return f"{literal(pattern_of(attribute), form)} : {form.name}" if form else ""
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        form = form_of(attribute.get_element_type())
        if form is not None and len(attribute) > CHUNK:
            elements, data = elements_of(attribute), attribute.data.data
            text = literal(elements[0], form) if elements.is_splat else f'"0x{data.hex().upper()}"'
            return f"dense<{text}> : {attribute.type}"
        if form is not None:
            words = [literal(pattern, form) for pattern in elements_of(attribute)]
            return f"dense<{nested(words, attribute.get_shape())}> : {attribute.type}"
    return ""


def nested(words: Sequence[str], shape: Sequence[int]) -> str:
    """The words in brackets, as deep as the shape is long."""
    if not shape:
        return words[0]
    size = len(words) // shape[0] if shape[0] else 0
    rows = (words[k * size : (k + 1) * size] for k in range(shape[0]))
    return f"[{', '.join(nested(row, shape[1:]) for row in rows)}]"
