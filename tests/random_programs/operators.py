"""The pure integer operators that random programs use: whatever the catalogue has a row for."""

from __future__ import annotations

from dataclasses import dataclass

from loom.dialects.operators.bit_operators import BIT_OPERATORS
from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.integer_meanings import (
    DIVISION_UNDEFINED,
    PREDICATES,
    SHIFT_UNDEFINED,
    SIGNED_DIVISION_UNDEFINED,
)
from loom.dialects.operators.operator import Operator
from loom.frontend.rules.accepted import PURE

WIDTHS = (1, 2, 3, 7, 8, 16, 17, 32, 33, 63, 64)
"""Widths of random programs [bits]; narrow and odd ones, and those at the borders of words."""
TYPES = (*(f"i{width}" for width in WIDTHS), "index")
VARIABLES = ("S", "T")
"""Type variables of the rows of integers."""
SHIFTS = frozenset({SHIFT_UNDEFINED})
DIVISIONS = frozenset({DIVISION_UNDEFINED, SIGNED_DIVISION_UNDEFINED})


@dataclass(frozen=True)
class Form:
    """An operator under one of its names; `index_only` is what the index dialect has."""

    name: str
    row: Operator
    index_only: bool

    @property
    def inputs(self) -> tuple[str, ...]:
        """Port types of the operands."""
        return tuple(port.type for port in self.row.signature.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Port types of the results."""
        return tuple(port.type for port in self.row.signature.outputs)

    @property
    def predicates(self) -> tuple[str, ...]:
        """The predicates to choose from; none but for comparisons."""
        return PREDICATES if "predicate" in self.row.signature.attributes else ()

    @property
    def on_index(self) -> bool:
        """True if operands may be of type index; xDSL says no where there is a carry."""
        return "i1" not in self.outputs or len(self.outputs) == 1

    def is_cast(self) -> bool:
        """True if operand and result have different types."""
        return "S" in self.inputs


def forms() -> dict[str, Form]:
    """All pure integer operators that the reader accepts, by name."""
    found: dict[str, Form] = {}
    for row in CATALOGUE.values():
        if row in BIT_OPERATORS:
            continue  # intrinsics have a form of their own, and rules for widths
        types = {port.type for port in row.signature.ports}
        integers = types <= {*VARIABLES, "i1"} and not row.signature.formats
        for name in (row.name, *row.signature.aliases):
            if row.semantics.meaning is not None and integers and name in PURE:
                found[name] = Form(name, row, name.startswith("index."))
    return found


FORMS = forms()
OPERATIONS = {name: form for name, form in FORMS.items() if not form.is_cast()}
CASTS = {name: form for name, form in FORMS.items() if form.is_cast()}


def width_of(type_: str, index_width: int = 32) -> int:
    """Bits of a type; of index those that programs count on [bits]."""
    return index_width if type_ == "index" else int(type_[1:])


def cast_fits(name: str, source: str, target: str) -> bool:
    """True if the cast may stand between the two types, by the rules of arith and index."""
    indices = (source == "index") + (target == "index")
    if name.rpartition(".")[2].startswith(("index_cast", "casts", "castu")):
        return indices == 1
    if indices:
        return False
    from_, to = width_of(source), width_of(target)
    if name.endswith("bitcast"):
        return from_ == to
    return from_ > to if name.endswith("trunci") else from_ < to
