"""Where in the user's text an operation stands."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc, IntAttr, LocationAttr
from xdsl.ir import Attribute, BlockArgument, Operation

from loom.errors import Place

UNKNOWN_PLACE = Place("<generated>")


def place_of(op: Operation) -> Place:
    """The place of `op` in its source text, or of the closest parent that has one."""
    current: Operation | None = op
    while current is not None:
        found = parse_location(current.location)
        if found is not None:
            return found
        current = current.parent_op()
    return UNKNOWN_PLACE


def place_of_value(argument: BlockArgument) -> Place:
    """The place of a block argument, or of the operation it belongs to."""
    found = parse_location(argument.location)
    if found is not None:
        return found
    parent = argument.block.parent_op()
    assert parent is not None
    return place_of(parent)


def parse_location(location: Attribute) -> Place | None:
    """The place that a location attribute states, if it is one in a file."""
    if isinstance(location, FileLineColLoc):
        return Place(location.filename.data, int(location.line.data), int(location.column.data))
    return None


def place_row(location: Attribute) -> LocationAttr:
    """The place of a loop that stands for several: the line of one of them, but no column.

    So it is not taken for that one where loops are told apart by their places.
    """
    if isinstance(location, FileLineColLoc):
        return FileLineColLoc(location.filename, location.line, IntAttr(0))
    assert isinstance(location, LocationAttr)
    return location
