"""The layouts the models take: static shapes, and for whole buffers static strides."""

from __future__ import annotations

from xdsl.dialects.builtin import MemRefType

from loom.dialects.facts import layouts
from loom.dialects.facts.layouts import Layout
from loom.errors import LoomError, Place

MAX_WORDS = 1 << 24
"""The largest buffer the models keep [words]."""


def layout_of(type_: MemRefType, place: Place) -> Layout[int | None]:
    """The layout that a memref type states; refused if it has none that is strided."""
    if not type_.has_static_shape():
        raise LoomError("REF_SHAPE", place, f"{type_}", "memrefs of static shape")
    layout = layouts.layout_of(type_)
    if layout is None:
        raise LoomError("REF_SHAPE", place, f"the layout of {type_}", "strided layouts")
    return layout


def buffer_layout(type_: MemRefType, place: Place) -> Layout[int | None]:
    """The layout of a memref that is a buffer of its own; refused if too large or not static."""
    layout = layout_of(type_, place)
    if not layouts.is_static(layout):
        raise LoomError("REF_SHAPE", place, f"{type_}", "a static layout here")
    if layouts.extent(layout) > MAX_WORDS:
        raise LoomError(
            "REF_MEMORY",
            place,
            f"a memory of {layouts.extent(layout)} words",
            f"memories of up to {MAX_WORDS} words",
        )
    return layout
