"""Where in the user's text an operation stands."""

from __future__ import annotations

from xdsl.dialects.builtin import FileLineColLoc
from xdsl.ir import Attribute, Operation

from loom.errors import Place

UNKNOWN_PLACE = Place("<generated>")


def place_of(op: Operation) -> Place:
    """The place of `op` in its source text, or of the closest parent that has one."""
    current: Operation | None = op
    while current is not None:
        location: Attribute = current.location
        if isinstance(location, FileLineColLoc):
            return Place(location.filename.data, int(location.line.data), int(location.column.data))
        current = current.parent_op()
    return UNKNOWN_PLACE
