"""The shapes of control that the lowering knows, each as a small program.

Indices have 3 bits and data 1 or 2, so that every trip count from none to three turns occurs and
the states stay few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loom.front.api import compile_text
from loom.lower.options import Options
from loom.netlist.netlist import Netlist

Policy = Literal["raw", "guard"]
INDEX_WIDTH = 3
"""Of the programs [bits]."""
POLICIES: tuple[Policy, ...] = ("raw", "guard")


@dataclass(frozen=True)
class Shape:
    """A program, and the policies for loops that may not run under which it differs."""

    name: str
    program: str

    @property
    def policies(self) -> tuple[Policy, ...]:
        """Both where there is a counted loop, else one."""
        return POLICIES if "scf.for" in self.program else POLICIES[:1]

    def netlist(self, policy: Policy, clock_period: float | None = None) -> Netlist:
        """The circuit of the program, for a clock period [ns] or none."""
        options = Options(
            index_width=INDEX_WIDTH, zero_trip=policy, widths="keep", clock_period=clock_period
        )
        return compile_text(self.program, f"{self.name}.mlir", options=options).netlist


def shapes() -> Iterator[Shape]:
    """The programs of ``shapes.mlir``, each after a line with its name."""
    text = (Path(__file__).parent / "shapes.mlir").read_text(encoding="utf-8")
    for section in text.split("// === ")[1:]:
        name, _, program = section.partition("\n")
        yield Shape(name, program)


SHAPES = tuple(shapes())
