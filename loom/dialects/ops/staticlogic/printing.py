"""Pieces of the text of static schedules that several operations share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.arith import CmpfOp, CmpiOp
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.printer import Printer

from loom.dialects.ops.staticlogic.attributes import LATENCY


class StagePrinter(Printer):
    """A printer that writes a latency as ``lat = 3``, without the type that it always has."""

    def _print_attr_string(self, attr_tuple: tuple[str, Attribute]) -> None:
        name, value = attr_tuple
        if name == LATENCY and isinstance(value, IntegerAttr) and value.type == i64:
            self.print_string(f"{name} = {value.value.data}")
        else:
            super()._print_attr_string(attr_tuple)

    def print_op(self, op: Operation) -> None:
        """As always, but comparisons that have attributes in the generic form.

        xDSL's custom forms of them leave the attributes out.
        """
        if isinstance(op, CmpiOp | CmpfOp) and op.attributes and not self.print_generic_format:
            self.print_generic_format = True
            super().print_op(op)
            self.print_generic_format = False
        else:
            super().print_op(op)

    @classmethod
    def behind(cls, printer: Printer) -> StagePrinter:
        """A printer to the same text, at the same place, with the same names."""
        inner = object.__new__(cls)
        inner.__dict__ = printer.__dict__
        return inner


def print_inside(printer: Printer, region: Region, *, is_terminated: bool = True) -> None:
    """Print a region whose block arguments the operation has named; no terminator if it is bare."""
    StagePrinter.behind(printer).print_region(
        region,
        print_entry_block_args=False,
        print_empty_block=False,
        print_block_terminators=is_terminated,
    )


def print_types(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print ``i32, i1``."""
    printer.print_list(values, lambda value: printer.print_attribute(value.type))


def print_typed(printer: Printer, values: Sequence[SSAValue]) -> None:
    """Print ``%a, %b : i32, i1``."""
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(" : ")
    print_types(printer, values)


def print_terminator(
    printer: Printer, values: Sequence[SSAValue], attributes: Mapping[str, Attribute]
) -> None:
    """Print `` {attributes} %a, %b : i32, i1``, each part left out where there is none of it."""
    printer.print_op_attributes(attributes)
    if values:
        printer.print_string(" ")
        print_typed(printer, values)


def is_bare(op: Operation) -> bool:
    """True for a terminator that the text leaves out: it has neither values nor attributes."""
    return not op.operands and not op.attributes
