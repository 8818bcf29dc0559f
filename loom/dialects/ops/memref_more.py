"""Operations of the memref dialect that xDSL has no classes for.

Source: MLIR's documentation of the memref dialect.
"""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import DYNAMIC_INDEX, AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Operation
from xdsl.ir.affine import AffineDimExpr
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``memref.transpose %m (i, j) -> (j, i)``: dimension k of the result is permutation(k)."""

    name = "memref.transpose"
    source = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)

    def verify_(self) -> None:
        """Refuse a map that does not name each dimension once, and a shape that does not follow."""
        source, result = self.source.type, self.result.type
        assert isinstance(source, MemRefType) and isinstance(result, MemRefType)
        axes = self.axes()
        if sorted(axes) != list(range(source.get_num_dims())):
            raise VerifyException(f"the map {self.permutation.data} for {source}")
        if [source.get_shape()[axis] for axis in axes] != list(result.get_shape()):
            raise VerifyException(f"{source} transposed to {result}")

    def axes(self) -> list[int]:
        """The dimension of the source that each dimension of the result is; -1 for none."""
        return [
            result.position if isinstance(result, AffineDimExpr) else -1
            for result in self.permutation.data.results
        ]


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """``memref.reshape %m(%shape)``: the elements in order, in the dimensions of the result."""

    name = "memref.reshape"
    source = operand_def(MemRefType)
    shape = operand_def(MemRefType)
    result = result_def(MemRefType)

    def verify_(self) -> None:
        """Refuse other elements than the source's, another number, a size too many or too few."""
        source, result = self.source.type, self.result.type
        assert isinstance(source, MemRefType) and isinstance(result, MemRefType)
        sizes = source.get_shape(), result.get_shape()
        known = DYNAMIC_INDEX not in (*sizes[0], *sizes[1])
        differs = known and prod(sizes[0]) != prod(sizes[1])
        if differs or source.element_type != result.element_type:
            raise VerifyException(f"{source} reshaped to {result}")
        shape = self.shape.type
        assert isinstance(shape, MemRefType)
        if list(shape.get_shape()) != [result.get_num_dims()]:
            raise VerifyException(f"a shape of type {shape} for {result}")


@irdl_op_definition
class AtomicYieldOp(IRDLOperation):
    """``memref.atomic_yield %v : i32``."""

    name = "memref.atomic_yield"
    result = operand_def()
    traits = traits_def(IsTerminator())
    assembly_format = "$result attr-dict `:` type($result)"


@irdl_op_definition
class GenericAtomicRMWOp(IRDLOperation):
    """``memref.generic_atomic_rmw %m[%i] : memref<4xi32> { ^bb0(%old: i32): .. }``."""

    name = "memref.generic_atomic_rmw"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    result = result_def()
    atomic_body = region_def("single_block")


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """``memref.prefetch %m[%i], read, locality<3>, data : memref<4xi32>``: a promise, no access."""

    name = "memref.prefetch"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    is_write = opt_prop_def(prop_name="isWrite")
    locality_hint = opt_prop_def(prop_name="localityHint")
    is_data_cache = opt_prop_def(prop_name="isDataCache")


@irdl_op_definition
class DistinctObjectsOp(IRDLOperation):
    """``%a, %b = memref.distinct_objects %c, %d : ..``: a promise about the memrefs."""

    name = "memref.distinct_objects"
    sources = var_operand_def(MemRefType)
    results_ = var_result_def(MemRefType)

    def verify_(self) -> None:
        """Refuse results of other types than the operands."""
        if self.operand_types != self.result_types:
            raise VerifyException("results of other types than the operands")


OPERATIONS: list[type[Operation]] = [
    TransposeOp,
    ReshapeOp,
    AtomicYieldOp,
    GenericAtomicRMWOp,
    PrefetchOp,
    DistinctObjectsOp,
]
