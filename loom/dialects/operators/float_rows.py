"""How float rows are made: on one format, between formats, from and to integers.

Every row has the attribute `format`, the float type it computes with; a conversion between formats
says with `to` which one it gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from loom.dialects.floats import conversions
from loom.dialects.floats.formats import FORMATS, KNOWN_FORMATS, Format
from loom.dialects.operators import float_hardware as hardware
from loom.dialects.operators.operator import (
    Hardware,
    Meaning,
    Operator,
    Semantics,
    Shape,
    Signature,
    parse_ports,
)

NO_HARDWARE = Hardware()
WIDER, NARROWER = "a wider result", "a narrower result"
UNARY = "operand:T -> result:T"
BINARY = "lhs:T rhs:T -> result:T"
TEST = "operand:T -> result:i1"
CAST = "operand:S -> result:T"


def format_of(shape: Shape) -> Format:
    """The format an instance computes with."""
    return KNOWN_FORMATS[shape.text("format")]


def row(
    name: str,
    ports: str,
    summary: str,
    meaning: Callable[[Format], Callable[..., int]],
    made: Hardware = NO_HARDWARE,
) -> Operator:
    """An operator on one format."""
    return Operator(
        name,
        summary,
        one_format(ports, "T"),
        Semantics(lambda shape: meaning(format_of(shape))),
        replace(made, variant=lambda shape: shape.text("format")),
    )


def scaled(name: str, summary: str, meaning: Callable[[Format], Callable[..., int]]) -> Operator:
    """A product, whose right factor may be a constant power of two."""

    def misfit(shape: Shape) -> tuple[str, str] | None:
        if not shape.constants or hardware.power_of_factor(shape) is not None:
            return None
        return f"{name} with a constant {shape.constants[1]:#x}", "plus or minus a power of two"

    return Operator(
        name,
        summary,
        replace(one_format(BINARY, "T"), constants=("rhs",), misfit=misfit),
        Semantics(lambda shape: meaning(format_of(shape))),
        hardware.MULTIPLIER,
    )


def one_format(ports: str, variable: str) -> Signature:
    """The signature of an operator that states one format, that of a type variable."""
    return Signature(
        *parse_ports(ports),
        attributes=("format",),
        choices={"format": tuple(FORMATS)},
        formats={"format": variable},
    )


def between_formats(
    name: str,
    sources: tuple[str, ...],
    targets: tuple[str, ...],
    summary: str,
    made: Hardware,
    accepted: str,
) -> Operator:
    """A conversion from one format to another; `accepted` says how wide the result is."""

    def misfit(shape: Shape) -> tuple[str, str] | None:
        (source,), (target,) = shape.inputs, shape.outputs
        is_right = source < target if accepted == WIDER else source > target
        return None if is_right else (f"{name} from {source} to {target} bits", accepted)

    def meaning(shape: Shape) -> Callable[[int], int]:
        return conversions.convert(format_of(shape), KNOWN_FORMATS[shape.text("to")])

    return Operator(
        name,
        summary,
        Signature(
            *parse_ports(CAST),
            attributes=("format", "to"),
            choices={"format": sources, "to": targets},
            formats={"format": "S", "to": "T"},
            misfit=misfit,
        ),
        Semantics(meaning),
        replace(made, variant=lambda shape: f"{shape.text('format')}_to_{shape.text('to')}"),
    )


def from_integer(name: str, is_signed: bool, summary: str, made: Hardware) -> Operator:
    """A conversion of an integer of any width to a float."""
    meaning: Meaning = lambda shape: conversions.from_integer(  # noqa: E731
        shape.inputs[0], is_signed, format_of(shape)
    )
    return Operator(
        name,
        summary,
        one_format(CAST, "T"),
        Semantics(meaning),
        replace(made, variant=lambda shape: shape.text("format")),
    )


def to_integer(name: str, is_signed: bool, summary: str) -> Operator:
    """A conversion of a float to an integer of any width."""
    made = hardware.integer_target(is_signed)

    def undefined(shape: Shape, operand: int) -> str:
        return conversions.does_not_fit(format_of(shape), shape.outputs[0], is_signed, operand)

    def meaning(shape: Shape) -> Callable[[int], int]:
        return conversions.to_integer(format_of(shape), shape.outputs[0], is_signed)

    return Operator(
        name,
        summary,
        one_format(CAST, "S"),
        Semantics(meaning, undefined=undefined),
        replace(made, variant=lambda shape: shape.text("format")),
    )
