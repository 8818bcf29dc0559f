"""The float units there are: every row, in every format, beside integers of several sizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_shapes import float_shapes, with_powers
from loom.emit.modules import Module, module_of
from loom.emit.render import Rendered, render_module

INTEGERS = (8, 32, 64)
"""Of the integers beside a float [bits]."""
POWERS = (0, 1, 7, 5000, -1, -3, -30, -5000)
"""Exponents of two of constant factors, from 1 on and below."""


@dataclass(frozen=True)
class FloatUnit:
    """One unit: its module, and the text of it."""

    module: Module
    rendered: Rendered

    @property
    def integers(self) -> Mapping[str, int]:
        """Widths by type variable that no format says [bits]."""
        fixed = {
            f"{variable}_WIDTH" for variable in self.module.operator.signature.formats.values()
        }
        widths = self.module.widths.items()
        return {name.removesuffix("_WIDTH"): width for name, width in widths if name not in fixed}

    @property
    def name(self) -> str:
        """The operator, its formats, and the integer's width where there is one."""
        words = [self.module.operator.name, *map(str, self.module.attributes.values())]
        words += [f"by {value:#x}" for value in self.module.shape.constants.values()]
        return " ".join([*words, *(f"i{width}" for width in self.integers.values())])

    @property
    def takes_integers(self) -> bool:
        """True if the operand is an integer."""
        return self.module.operator.signature.inputs[0].type in self.integers


def float_units() -> Iterator[FloatUnit]:
    """All units, in the order of the catalogue."""
    for operator in CATALOGUE.values():
        if operator.signature.formats and operator.hardware.template:
            for shape in float_shapes(operator, INTEGERS):
                for each in (shape, *with_powers(operator, shape, POWERS)):
                    module = module_of(operator, each, None, "floats")
                    yield FloatUnit(module, render_module(module))
