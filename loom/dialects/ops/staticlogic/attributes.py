"""What a static schedule says besides its operations: latencies, ports, dependences."""

from __future__ import annotations

import re
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Data, Operation
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

LATENCY = "lat"
"""The attribute of an operation in a stage that says its latency [cycles]."""
SHARED = "shared"
"""The attribute of an operation in a stage that says how many may take its unit in turn."""


def latency_of(op: Operation) -> int:
    """The latency of an operation [cycles]: 0 is combinational, as is one that says none."""
    found = op.attributes.get(LATENCY)
    return found.value.data if isinstance(found, IntegerAttr) else 0


def sharers_of(op: Operation) -> int:
    """How many operations of its kind may take the operation's unit; 1: it alone."""
    found = op.attributes.get(SHARED)
    return found.value.data if isinstance(found, IntegerAttr) else 1


def set_sharers(op: Operation, most: int) -> None:
    """The operation takes a unit in turn with others of its kind, of which there are so many."""
    op.attributes[SHARED] = IntegerAttr(most, i64)


def set_latency(op: Operation, cycles: int) -> None:
    """The operation has this latency [cycles]; a combinational one says none."""
    op.attributes.pop(LATENCY, None)
    if cycles:
        op.attributes[LATENCY] = IntegerAttr(cycles, i64)


@dataclass(frozen=True)
class Ports:
    """Ports of a memory: of each kind how many accesses a cycle; `shared` ones read or write."""

    reads: int = 0
    writes: int = 0
    shared: int = 0

    def __str__(self) -> str:
        return f"{self.shared}rw" if self.shared else f"{self.reads}r{self.writes}w"


PORTS = re.compile(r"([0-9]{1,4})r(?:([0-9]{1,4})w|w)")


def parse_ports(text: str) -> Ports | None:
    """The ports that ``2r1w`` or ``1rw`` says; None for other texts."""
    found = PORTS.fullmatch(text)
    if found is None:
        return None
    if found[2] is None:
        return Ports(shared=int(found[1]))
    return Ports(int(found[1]), int(found[2]))


@dataclass(frozen=True)
class Dependence:
    """Access `source` comes before access `target` of the iteration `distance` later.

    Both are numbers of memory accesses of the pipeline's stages, in the order of the text from 0.
    """

    source_kind: str
    source: int
    target_kind: str
    target: int
    distance: int


@irdl_attr_definition
class DependenceAttr(Data[Dependence]):
    """``#staticlogic.dep<store 3 -> load 0, dist 1>``."""

    name = "staticlogic.dep"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Dependence:
        """Parse ``<store 3 -> load 0, dist 1>``."""
        with parser.in_angle_brackets():
            source_kind, source = _parse_access(parser)
            parser.parse_punctuation("->")
            target_kind, target = _parse_access(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("dist")
            distance = parser.parse_integer(allow_negative=False, allow_boolean=False)
        return Dependence(source_kind, source, target_kind, target, distance)

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<store 3 -> load 0, dist 1>``."""
        it = self.data
        with printer.in_angle_brackets():
            printer.print_string(
                f"{it.source_kind} {it.source} -> {it.target_kind} {it.target}, dist {it.distance}"
            )


def _parse_access(parser: AttrParser) -> tuple[str, int]:
    """``store 3`` or ``load 0``."""
    position = parser.pos
    kind = parser.parse_identifier()
    if kind not in ("load", "store"):
        parser.raise_error(f"load or store expected, not {kind}", position)
    return kind, parser.parse_integer(allow_negative=False, allow_boolean=False)
