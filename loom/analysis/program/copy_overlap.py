"""Whether a copy reads an element after it has written it.

Source: MLIR's `memref.copy` says nothing of views that overlap; LOOM reads all elements before it
writes one (docs/decisions/0012-what-structured-programs-mean.md).
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from loom.dialects.facts.layouts import (
    Layout,
    StaticArithmetic,
    View,
    is_static,
    layout_of,
    positions,
    source_of,
    viewed,
)

MOST_COMPARED = 1 << 16
"""Elements of a copy whose places are looked at one by one."""

Root = SSAValue | str
"""A memory: an argument or the result of an allocation, or the name of a global."""


def copy_overlaps(op: memref.CopyOp) -> bool:
    """True unless no element of the copy, in row-major order, is read after it was written."""
    (source_root, source), (target_root, target) = locate(op.source), locate(op.destination)
    if source_root != target_root or op.source is op.destination:
        return False
    if source is None or target is None or not is_static(source) or not is_static(target):
        return True
    count = 1
    for size in source.sizes:
        count *= size
    if count > MOST_COMPARED:
        return True
    first_written: dict[int, int] = {}
    for step, place in enumerate(positions(target)):
        first_written.setdefault(place, step)
    return any(
        first_written.get(place, step) < step for step, place in enumerate(positions(source))
    )


def locate(value: SSAValue) -> tuple[Root, Layout[int | None] | None]:
    """The memory behind a memref and the memref's layout in it; None where that is computed."""
    views: list[View | memref.ExtractStridedMetaDataOp] = []
    owner = value.owner
    while isinstance(owner, View | memref.ExtractStridedMetaDataOp):
        views.append(owner)
        value = source_of(owner) if isinstance(owner, View) else owner.source
        owner = value.owner
    assert isinstance(value.type, MemRefType)
    layout = layout_of(value.type)
    for view in reversed(views):
        if isinstance(view, memref.ExtractStridedMetaDataOp):
            layout = Layout((), 0, ())
        elif layout is not None:
            layout = viewed(view, layout, StaticArithmetic())
    root = owner.name_.string_value() if isinstance(owner, memref.GetGlobalOp) else value
    return root, layout
