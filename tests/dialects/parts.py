"""The parts of an operator, each in the one place where it belongs, and those that are missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from loom.dialects.operators.catalogue import CATALOGUE
from loom.dialects.operators.float_operators import FLOAT_OPERATORS
from loom.dialects.operators.operator import Operator
from loom.dialects.ops.context import LOADERS
from loom.model.timed.circuit import NODES
from tests.rows import ROWS
from tests.support.folders import ROOT
from tools.library.units import is_measured
from tools.prove.text import find_properties

OWN = ("dataflow", "handshake")
"""Dialects of which every operation of a netlist is an operator."""
NO_UNITS = {
    "handshake.func", "handshake.return", "handshake.instance", "handshake.br", "handshake.select",
}  # fmt: skip
"""Operations of these dialects that are gone before a netlist is made."""
ROOMS = ("primitives", "memory", "static")
"""The folders of templates that operators have."""


@dataclass(frozen=True)
class Parts:
    """What there is: rows by name, and who has which part."""

    catalogue: Mapping[str, Operator]
    operations: Collection[str]
    test_rows: Collection[str]
    templates: Collection[str]
    timed_nodes: Collection[str]
    costs: Collection[str]

    def missing(self) -> list[str]:
        """Every missing part of every operator, as ``name: what``."""
        names = [*self.catalogue, *(name for name in self.operations if name not in NO_UNITS)]
        found = [f"{name}: {what}" for name in dict.fromkeys(names) for what in self.of(name)]
        used = {text for each in self.catalogue.values() for text in each.hardware.templates}
        return found + [f"{name}: no operator" for name in self.templates if name not in used]

    def of(self, name: str) -> Iterator[str]:
        """The missing parts of one operator."""
        operator = self.catalogue.get(name)
        if operator is None:
            yield "no row"
            return
        semantics, hardware = operator.semantics, operator.hardware
        if name.partition(".")[0] in OWN and name not in self.operations:
            yield "no operation"
        if name not in self.test_rows:
            yield "no test row"
        if not operator.summary.endswith("."):
            yield "no summary"
        if (semantics.meaning is None) == (semantics.process is None):
            yield "no semantics"
        if semantics.process is not None and not semantics.process.__doc__:
            yield "no docstring"
        if not hardware.templates and operator not in FLOAT_OPERATORS:
            yield "no template"
        for template in hardware.templates:
            if template not in self.templates:
                yield f"no template {template}"
            if find_properties(template) is None:
                yield f"no proof of {template}"
        timed = semantics.meaning is not None or hardware.memory_kind is not None
        if not timed and hardware.template not in self.timed_nodes:
            yield "no timed node"
        if is_measured(operator) and name not in self.costs:
            yield "no cost"


def all_parts(costs: Iterable[str]) -> Parts:
    """The parts of LOOM's operators; `costs` are the names in the table of costs."""
    folder = ROOT / "rtl_templates"
    paths = [file for room in ROOMS for file in folder.glob(f"{room}/*.sv.j2")]
    return Parts(
        CATALOGUE,
        {operation.name for name in OWN for operation in LOADERS[name]().operations},
        {row.operator for row in ROWS},
        {path.relative_to(folder).as_posix().removesuffix(".sv.j2") for path in paths},
        NODES,
        frozenset(costs),
    )
