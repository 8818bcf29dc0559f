"""The shapes of control that the lowering knows, each as a small program.

Indices have 3 bits and data 1 or 2, so that every trip count from none to three turns occurs and
the states stay few.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from loom.errors import LoomError
from loom.front.api import compile_text
from loom.lower.options import Options
from loom.netlist.netlist import Netlist

Policy = Literal["raw", "guard"]
INDEX_WIDTH = 3
"""Of the programs [bits]."""
ORDER_DEPTH = 2
"""The addresses of a comparator, and the places of a load-store queue."""
POLICIES: tuple[Policy, ...] = ("raw", "guard")
REACHED = re.compile(r"--clock-period ([0-9.]+) or longer")
"""What a refusal of a period names [ns]."""


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
        """The circuit of the program, for a clock period [ns] or none.

        If no register brings about the period: for the shortest one that is reached.
        """
        options = Options(
            index_width=INDEX_WIDTH,
            zero_trip=policy,
            widths="keep",
            clock_period=clock_period,
            order_depth=ORDER_DEPTH,
        )
        file = f"{self.name}.mlir"
        try:
            return compile_text(self.program, file, options=options).netlist
        except LoomError as error:
            reached = REACHED.match(error.accepted)
            if error.code != "LOWER_CLOCK_PERIOD" or reached is None:
                raise
        options = replace(options, clock_period=float(reached[1]))
        return compile_text(self.program, file, options=options).netlist


def shapes() -> Iterator[Shape]:
    """The programs of ``shapes.mlir``, each after a line with its name."""
    text = (Path(__file__).parent / "shapes.mlir").read_text(encoding="utf-8")
    for section in text.split("// === ")[1:]:
        name, _, program = section.partition("\n")
        yield Shape(name, program)


SHAPES = tuple(shapes())
