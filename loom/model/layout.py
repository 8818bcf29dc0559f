"""Where the elements of a memref lie in the flat buffer that a memory really is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, NoneAttr, StridedLayoutAttr
from xdsl.ir.affine import AffineMap

from loom.errors import LoomError, Place

MAX_WORDS = 1 << 24
"""The largest buffer the models keep [words]."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Element (i, j, ..) lies at ``offset + i*strides[0] + ..``; None is known at run time only."""

    sizes: tuple[int, ...]
    offset: int | None
    strides: tuple[int | None, ...]

    @property
    def count(self) -> int:
        """The number of elements."""
        return prod(self.sizes)

    def extent(self) -> int:
        """Words from the start of the buffer to the last element [words]; all static."""
        if self.count == 0:
            return 0
        assert self.offset is not None
        last = self.offset
        for size, stride in zip(self.sizes, self.strides, strict=True):
            assert stride is not None
            last += (size - 1) * max(stride, 0)
        return last + 1

    def positions(self) -> Iterator[int]:
        """The buffer position of each element, in row-major order; all static."""
        strides = [stride or 0 for stride in self.strides]
        for place in product(*map(range, self.sizes)):
            yield (self.offset or 0) + sum(i * s for i, s in zip(place, strides, strict=True))


def row_major(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array without gaps, last dimension fastest [words]."""
    return tuple(prod(sizes[k + 1 :]) for k in range(len(sizes)))


def layout_of(type_: MemRefType, place: Place) -> Layout:
    """The layout of a memref of static shape; refused if it is not strided."""
    sizes = type_.get_shape()
    if not type_.has_static_shape():
        raise LoomError("REF_SHAPE", place, f"{type_}", "memrefs of static shape")
    layout = type_.layout
    if isinstance(layout, NoneAttr):
        return Layout(sizes, 0, row_major(sizes))
    if isinstance(layout, StridedLayoutAttr):
        return Layout(sizes, layout.get_offset(), tuple(layout.get_strides()))
    if isinstance(layout, AffineMapAttr):
        found = linear_layout(layout.data, sizes)
        if found is not None:
            return found
    raise LoomError("REF_SHAPE", place, f"the layout of {type_}", "strided layouts")


def linear_layout(map_: AffineMap, sizes: tuple[int, ...]) -> Layout | None:
    """The strided layout that `map_` describes, or None if it is not linear in the indices."""
    rank = len(sizes)
    if map_.num_symbols or map_.num_dims != rank:
        return None
    if map_ == AffineMap.identity(rank):
        return Layout(sizes, 0, row_major(sizes))
    if len(map_.results) != 1:
        return None
    expression = map_.results[0]
    offset = expression.eval([0] * rank, [])
    strides = tuple(
        expression.eval([int(k == axis) for k in range(rank)], []) - offset for axis in range(rank)
    )
    layout = Layout(sizes, offset, strides)
    # A map that agrees with its linear part everywhere is linear; the corners do not prove it.
    for place, position in zip(product(*map(range, sizes)), layout.positions(), strict=True):
        if expression.eval(list(place), []) != position:
            return None
    return layout
