"""Where the elements of a memref lie in memory, from its type and through the view operations.

Source: MLIR's documentation of the memref dialect and of strided layouts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from math import prod
from typing import Generic, Protocol, TypeVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.utils.hints import isa

from loom.dialects.ops.memref_more import TransposeOp

Number = TypeVar("Number")
"""An offset or a stride [elements]: ``int | None`` where None is unknown, ``int | SSAValue``."""


@dataclass(frozen=True, slots=True)
class Layout(Generic[Number]):
    """Element (i, j, ..) lies at ``offset + i*strides[0] + j*strides[1] + ..`` of its memory."""

    sizes: tuple[int, ...]
    offset: Number
    strides: tuple[Number, ...]


class Arithmetic(Protocol[Number]):
    """What offsets and strides are computed with."""

    def add(self, lhs: Number, rhs: Number) -> Number:
        """Their sum."""
        ...

    def multiply(self, lhs: Number, rhs: Number) -> Number:
        """Their product."""
        ...

    def number(self, value: int | SSAValue) -> Number:
        """An operand or a constant as a number."""
        ...


class StaticArithmetic:
    """Integers, with None for what only the run will tell."""

    def add(self, lhs: int | None, rhs: int | None) -> int | None:
        """Their sum."""
        return None if lhs is None or rhs is None else lhs + rhs

    def multiply(self, lhs: int | None, rhs: int | None) -> int | None:
        """Their product."""
        return None if lhs is None or rhs is None else lhs * rhs

    def number(self, value: int | SSAValue) -> int | None:
        """A constant, or None for an operand."""
        return value if isinstance(value, int) else None


def row_major(sizes: Sequence[int]) -> tuple[int, ...]:
    """Strides of an array without gaps, the last dimension fastest [elements]."""
    return tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))


def layout_of(type_: MemRefType) -> Layout[int | None] | None:
    """The layout that a memref type of static shape states; None if it is not strided."""
    sizes = type_.get_shape()
    layout = type_.layout
    if isinstance(layout, NoneAttr):
        return Layout(sizes, 0, row_major(sizes))
    if isinstance(layout, StridedLayoutAttr):
        strides = tuple(layout.get_strides())
        return Layout(sizes, layout.get_offset(), strides) if len(strides) == len(sizes) else None
    return linear_layout(layout.data, sizes) if isinstance(layout, AffineMapAttr) else None


def linear_layout(map_: AffineMap, sizes: tuple[int, ...]) -> Layout[int | None] | None:
    """The strided layout that an affine map is, or None if it is something else."""
    rank = len(sizes)
    if map_.num_symbols or map_.num_dims != rank:
        return None
    if map_ == AffineMap.identity(rank):
        return Layout(sizes, 0, row_major(sizes))
    if len(map_.results) != 1:
        return None
    found = coefficients(map_.results[0], rank)
    return None if found is None else Layout(sizes, found[rank], tuple(found[:rank]))


def coefficients(expression: AffineExpr, rank: int) -> list[int] | None:
    """Factors of the dimensions and then the constant term; None if it is not linear in them."""
    if isinstance(expression, AffineConstantExpr):
        return [0] * rank + [expression.value]
    if isinstance(expression, AffineDimExpr):
        return [int(axis == expression.position) for axis in range(rank)] + [0]
    if not isinstance(expression, AffineBinaryOpExpr):
        return None
    lhs, rhs = coefficients(expression.lhs, rank), coefficients(expression.rhs, rank)
    if lhs is None or rhs is None:
        return None
    if expression.kind is AffineBinaryOpKind.Add:
        return [a + b for a, b in zip(lhs, rhs, strict=True)]
    if expression.kind is AffineBinaryOpKind.Mul and not any(rhs[:rank]):
        return [a * rhs[rank] for a in lhs]
    if expression.kind is AffineBinaryOpKind.Mul and not any(lhs[:rank]):
        return [b * lhs[rank] for b in rhs]
    return None


def is_static(layout: Layout[int | None]) -> bool:
    """True if offset and strides are all known and none is negative."""
    return all(number is not None and number >= 0 for number in (layout.offset, *layout.strides))


def positions(layout: Layout[int | None]) -> Iterator[int]:
    """Where each element lies, in row-major order; the layout is static [elements]."""
    return chain.from_iterable(rows(layout))


def rows(layout: Layout[int | None]) -> Iterator[range]:
    """Where the elements of each row of the last dimension lie; the layout is static [elements].

    A layout without gaps is one row; where all elements of a row lie in one place, each is a row.
    """
    first = layout.offset or 0
    if layout.strides == row_major(layout.sizes):
        yield range(first, first + prod(layout.sizes))
        return
    strides = [stride or 0 for stride in layout.strides]
    step = strides[-1]
    for place in product(*map(range, layout.sizes[:-1])):
        start = first + sum(i * s for i, s in zip(place, strides, strict=False))
        if step:
            yield range(start, start + layout.sizes[-1] * step, step)
        else:
            yield from [range(start, start + 1)] * layout.sizes[-1]


def extent(layout: Layout[int | None]) -> int:
    """Length of the memory that a static layout needs, from its start [elements]."""
    if 0 in layout.sizes:
        return 0
    last = layout.offset or 0
    for size, stride in zip(layout.sizes, layout.strides, strict=True):
        last += (size - 1) * (stride or 0)
    return last + 1


View = (
    memref.CastOp
    | memref.SubviewOp
    | memref.ReinterpretCastOp
    | memref.CollapseShapeOp
    | memref.ExpandShapeOp
    | memref.ViewOp
    | TransposeOp
)
"""The operations that give a memory another shape."""


def source_of(view: View) -> SSAValue:
    """The memref that is viewed."""
    if isinstance(view, memref.CollapseShapeOp | memref.ExpandShapeOp):
        return view.src
    return view.source


def mixed(static: DenseArrayBase, dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
    """Constants and operands in the order in which the operation means them."""
    rest = iter(dynamic)
    assert isa(static, DenseArrayBase[IntegerType])
    numbers = static.get_values()
    return [next(rest) if number == DYNAMIC_INDEX else number for number in numbers]


def groups_of(view: memref.CollapseShapeOp | memref.ExpandShapeOp) -> list[list[int]]:
    """The dimensions of the longer shape that stand for each dimension of the shorter one."""
    groups: list[list[int]] = []
    for group in view.reassociation.data:
        assert isinstance(group, ArrayAttr)
        groups.append([int(axis.value.data) for axis in group if isinstance(axis, IntegerAttr)])
    return groups


def viewed(view: View, source: Layout[Number], arithmetic: Arithmetic[Number]) -> Layout[Number]:
    """The layout of the view's result in the memory of its source."""
    result = view.results[0].type
    assert isinstance(result, MemRefType)
    sizes = result.get_shape()
    if isinstance(view, memref.CastOp):
        return source
    if isinstance(view, memref.SubviewOp):
        return _subview(view, source, sizes, arithmetic)
    if isinstance(view, memref.ReinterpretCastOp):
        # The offset counts from the start of the memory: the source's own does not take part.
        offset = mixed(view.static_offsets, view.offsets)[0]
        strides = mixed(view.static_strides, view.strides)
        number = arithmetic.number
        return Layout(sizes, number(offset), tuple(map(number, strides)))
    if isinstance(view, memref.ViewOp):
        shift = arithmetic.number(view.byte_shift)
        dense = tuple(map(arithmetic.number, row_major(sizes)))
        return Layout(sizes, arithmetic.add(source.offset, shift), dense)
    if isinstance(view, TransposeOp):
        axes = view.axes()
        return Layout(sizes, source.offset, tuple(source.strides[axis] for axis in axes))
    if isinstance(view, memref.CollapseShapeOp):
        return _collapse(groups_of(view), source, sizes, arithmetic)
    return _expand(groups_of(view), source, sizes, arithmetic)


def _subview(
    view: memref.SubviewOp,
    source: Layout[Number],
    sizes: tuple[int, ...],
    arithmetic: Arithmetic[Number],
) -> Layout[Number]:
    add, multiply, number = arithmetic.add, arithmetic.multiply, arithmetic.number
    offset = source.offset
    for index, stride in zip(mixed(view.static_offsets, view.offsets), source.strides, strict=True):
        offset = add(offset, multiply(number(index), stride))
    steps = mixed(view.static_strides, view.strides)
    strides: list[Number] = []
    for size, step, stride in zip(
        mixed(view.static_sizes, view.sizes), steps, source.strides, strict=True
    ):
        # A dimension of size 1 that the result's shape does not have is dropped; which of several
        # is dropped does not matter, as their index is 0.
        if len(strides) < len(sizes) and size == sizes[len(strides)]:
            strides.append(multiply(number(step), stride))
    return Layout(sizes, offset, tuple(strides))


def _collapse(
    groups: list[list[int]],
    source: Layout[Number],
    sizes: tuple[int, ...],
    arithmetic: Arithmetic[Number],
) -> Layout[Number]:
    def stride(group: list[int]) -> Number:
        # The stride of a dimension of size 1 says nothing about its neighbours.
        long = [axis for axis in group if source.sizes[axis] != 1]
        return source.strides[(long or group)[-1]]

    return Layout(sizes, source.offset, tuple(map(stride, groups)))


def _expand(
    groups: list[list[int]],
    source: Layout[Number],
    sizes: tuple[int, ...],
    arithmetic: Arithmetic[Number],
) -> Layout[Number]:
    strides: list[Number] = [arithmetic.number(1)] * len(sizes)
    for group, stride in zip(groups, source.strides, strict=False):
        for axis in reversed(group):
            strides[axis] = stride
            stride = arithmetic.multiply(stride, arithmetic.number(sizes[axis]))
    return Layout(sizes, source.offset, tuple(strides))
