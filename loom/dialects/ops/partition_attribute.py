"""The typed attribute by which arrays and their interfaces say how they are partitioned."""

from __future__ import annotations

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Data, Dialect
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from loom.dialects.operators.partitions import TEXTS, Partition, parse_partition

PARTITION = "loom.partition"
"""Of an array, and of a memory interface: how the array is partitioned into banks."""


@irdl_attr_definition
class PartitionAttr(Data[Partition]):
    """``#loom.partition<"16%4">``."""

    name = "loom.partition"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Partition:
        """Parse ``<"16%4">``."""
        with parser.in_angle_brackets():
            text = parser.parse_str_literal()
        found = parse_partition(text)
        if found is None:
            parser.raise_error(f"a partition {text!r}; LOOM accepts {TEXTS}")
        return found

    def print_parameter(self, printer: Printer) -> None:
        """Print ``<"16%4">``."""
        with printer.in_angle_brackets():
            printer.print_string_literal(str(self.data))


def typed_partition(attribute: Attribute) -> Attribute:
    """A partition's text as the typed attribute; anything else as it is."""
    found = parse_partition(attribute.data) if isinstance(attribute, StringAttr) else None
    return attribute if found is None else PartitionAttr(found)


Loom = Dialect("loom", [], [PartitionAttr])
