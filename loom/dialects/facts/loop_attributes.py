"""The attributes of loops that ask for another shape of the loop, or promise something of it."""

from __future__ import annotations

from xdsl.dialects import affine, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

LOOPS = (scf.ForOp, affine.ForOp, scf.WhileOp)
"""The operations that may have them."""

UNROLL = "loom.unroll"
"""How many turns become one, or "full": all of them."""
FLATTEN = "loom.flatten"
"""The loop and the one in it become one loop."""
INTERCHANGE = "loom.interchange"
"""The loop in it becomes the outer one of the two."""
INTERVAL = "loom.ii"
"""The most cycles from one iteration to the next that the loop may take [cycles]."""
PIPELINE = "loom.pipeline"
"""Iterations overlap, as they do in any case."""
MEMORY_ORDER = "loom.memory_order"
"""Of the top function: "serial" if all accesses of a memory wait for each other, or "auto"."""
HINT = "loom.hint"
"""What is asked is done where it can be, and is no error where it cannot."""
UNROLLED = "loom.unrolled"
"""LOOM's own mark of what has copies of a body in it, until sums are balanced."""

FULL = "full"


def number_of(attribute: Attribute | None) -> int | None:
    """The number that the attribute is, or None if it is none."""
    return int(attribute.value.data) if isinstance(attribute, IntegerAttr) else None


def is_count(attribute: Attribute) -> bool:
    """True for a number of 1 and more."""
    number = number_of(attribute)
    return number is not None and number >= 1


def is_count_or_full(attribute: Attribute) -> bool:
    """True for a number of 1 and more, and for the word "full"."""
    return is_count(attribute) or (isinstance(attribute, StringAttr) and attribute.data == FULL)


def is_unit(attribute: Attribute) -> bool:
    """True for an attribute without a value."""
    return isinstance(attribute, UnitAttr)


LOOP_ATTRIBUTES = {
    UNROLL: (is_count_or_full, f'a number of 1 and more, or "{FULL}"'),
    FLATTEN: (is_unit, "no value"),
    INTERCHANGE: (is_unit, "no value"),
    INTERVAL: (is_count, "a number of 1 and more"),
    PIPELINE: (is_unit, "no value"),
    HINT: (is_unit, "no value"),
}
"""For each attribute of loops whether a value is one of its, and its values in words."""

RESHAPING = (FLATTEN, INTERCHANGE)
"""Attributes of loops that change the turns of loops in them, too."""
