"""Operations of the affine dialect that xDSL has no classes for, or not as mlir-opt 22 prints them.

Source: MLIR's documentation of the affine dialect.
"""

from __future__ import annotations

from xdsl.dialects.affine import MinOp
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
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
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class MaxOp(IRDLOperation):
    """``affine.max affine_map<(d0)[s0] -> (d0, s0)>(%a)[%b]``: the largest of the map's results."""

    name = "affine.max"
    arguments = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Refuse operands that are not one for each dimension and symbol."""
        if len(self.arguments) != self.map.data.num_dims + self.map.data.num_symbols:
            raise VerifyException(f"{len(self.arguments)} operands for the map {self.map.data}")


ExtremeOp = MinOp | MaxOp


@irdl_op_definition
class ParallelOp(IRDLOperation):
    """``affine.parallel (%i) = (0) to (min(%n, 8)) step (2) reduce ("addi") -> (i32) { .. }``.

    The groups say how many results of a bounds map belong to each dimension.
    """

    name = "affine.parallel"
    map_operands = var_operand_def(IndexType)
    reductions = prop_def(ArrayAttr[IntegerAttr[I64]])
    lower_map = prop_def(AffineMapAttr, prop_name="lowerBoundsMap")
    lower_groups = prop_def(DenseIntElementsAttr, prop_name="lowerBoundsGroups")
    upper_map = prop_def(AffineMapAttr, prop_name="upperBoundsMap")
    upper_groups = prop_def(DenseIntElementsAttr, prop_name="upperBoundsGroups")
    steps = prop_def(ArrayAttr[IntegerAttr[I64]])
    res = var_result_def()
    body = region_def("single_block")

    def verify_(self) -> None:
        """Refuse maps, groups, steps and reductions that do not go with each other."""
        rank = len(self.steps)
        for map_, groups in (
            (self.lower_map.data, self.lower_groups),
            (self.upper_map.data, self.upper_groups),
        ):
            counts = list(groups.get_values())
            if len(counts) != rank or any(count < 1 for count in counts):
                raise VerifyException(f"groups {counts} of bounds for {rank} dimensions")
            if sum(counts) != len(map_.results):
                raise VerifyException(f"groups {counts} for {len(map_.results)} bounds")
        inputs = sum(m.data.num_dims + m.data.num_symbols for m in (self.lower_map, self.upper_map))
        if len(self.map_operands) != inputs:
            raise VerifyException(
                f"{len(self.map_operands)} operands for bounds that take {inputs}"
            )
        if len(self.reductions) != len(self.res):
            raise VerifyException(f"{len(self.reductions)} reductions for {len(self.res)} results")

    def bounds(self) -> tuple[list[AffineMap], list[SSAValue], list[AffineMap], list[SSAValue]]:
        """Lower bounds a dimension and their operands, then upper bounds and theirs."""
        lower, upper = self.lower_map.data, self.upper_map.data
        split = lower.num_dims + lower.num_symbols
        operands = list(self.map_operands)
        return (
            _grouped(lower, self.lower_groups),
            operands[:split],
            _grouped(upper, self.upper_groups),
            operands[split:],
        )


def _grouped(map_: AffineMap, groups: DenseIntElementsAttr) -> list[AffineMap]:
    """A map for each dimension, of the results in its group."""
    results = iter(map_.results)
    return [
        AffineMap(map_.num_dims, map_.num_symbols, tuple(next(results) for _ in range(int(count))))
        for count in groups.get_values()
    ]


@irdl_op_definition
class DelinearizeIndexOp(IRDLOperation):
    """``affine.delinearize_index %i into (%n, 4) : index, index``: quotients and remainders.

    A basis of as many numbers as results begins with one that bounds the first result only.
    """

    name = "affine.delinearize_index"
    linear_index = operand_def(IndexType)
    dynamic_basis = var_operand_def(IndexType)
    static_basis = prop_def(DenseArrayBase.constr(i64))
    multi_index = var_result_def(IndexType)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Refuse a basis that is not of one number a result."""
        _check_basis(self.static_basis, self.dynamic_basis, len(self.multi_index))


@irdl_op_definition
class LinearizeIndexOp(IRDLOperation):
    """``affine.linearize_index [%i, %j] by (%n, 4) : index``: the sum of products."""

    name = "affine.linearize_index"
    multi_index = var_operand_def(IndexType)
    dynamic_basis = var_operand_def(IndexType)
    static_basis = prop_def(DenseArrayBase.constr(i64))
    disjoint = opt_prop_def()
    linear_index = result_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        """Refuse a basis that is not of one number an index."""
        _check_basis(self.static_basis, self.dynamic_basis, len(self.multi_index))


def _check_basis(static: Attribute, dynamic: object, count: int) -> None:
    assert isinstance(static, DenseArrayBase)
    numbers = static.get_values()
    if numbers.count(DYNAMIC_INDEX) != len(dynamic):  # type: ignore[arg-type]
        raise VerifyException("a basis of another number of operands")
    if len(numbers) not in (count, count - 1):
        raise VerifyException(f"a basis of {len(numbers)} numbers for {count} indices")


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """``affine.prefetch %m[%i], read, locality<3>, data : memref<4xi32>``: a promise, no access."""

    name = "affine.prefetch"
    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    map = prop_def(AffineMapAttr)
    is_write = opt_prop_def(prop_name="isWrite")
    locality_hint = opt_prop_def(prop_name="localityHint")
    is_data_cache = opt_prop_def(prop_name="isDataCache")


OPERATIONS: list[type[Operation]] = [
    MaxOp,
    ParallelOp,
    DelinearizeIndexOp,
    LinearizeIndexOp,
    PrefetchOp,
]
