"""Copies of memories become loops of loads and stores."""

from __future__ import annotations

from xdsl.dialects import memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    i64,
)
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.copy_overlap import copy_overlaps
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic

INDEX = IndexType()


def expand_copies(module: ModuleOp, options: Options) -> None:
    """No memref.copy is left: one loop for arrays without gaps, a nest for others.

    Where views overlap such that elements would be read after they were written, all go to a memory
    of their own first.
    """
    for op in list(module.walk()):
        if isinstance(op, memref.CopyOp):
            expand(op)
            op.detach()
            op.erase()


def expand(op: memref.CopyOp) -> None:
    """The loops stand before the copy."""
    if not copy_overlaps(op):
        copy(op, op.source, op.destination)
        return
    type_ = memref_type(op.source)
    kept = memref.AllocOp.get(type_.element_type, None, type_.get_shape())
    Arithmetic(op).put(kept)
    copy(op, op.source, kept.memref)
    copy(op, kept.memref, op.destination)


def copy(op: memref.CopyOp, source: SSAValue, destination: SSAValue) -> None:
    """Before `op`, the elements of `destination` become those of `source` one by one."""
    arithmetic = Arithmetic(op)
    if all(isinstance(memref_type(v).layout, NoneAttr) for v in (source, destination)):
        source, destination = (
            collapse_shape(arithmetic, source),
            collapse_shape(arithmetic, destination),
        )
    sizes = memref_type(source).get_shape()
    if 0 in sizes:
        return
    zero, one = arithmetic.constant(0), arithmetic.constant(1)
    ends = [arithmetic.constant(size) for size in sizes]
    blocks = [Block(arg_types=[INDEX]) for _ in sizes]
    places: list[SSAValue] = [block.args[0] for block in blocks]
    load = memref.LoadOp.get(source, places)
    body: list[Operation] = [load, memref.StoreOp.get(load.res, destination, places)]
    for block, end in zip(reversed(blocks), reversed(ends), strict=True):
        block.add_ops([*body, scf.YieldOp()])
        body = [scf.ForOp(zero, end, one, [], block)]
    for outer in body:
        arithmetic.put(outer)
        for inner in outer.walk():
            inner.location = op.location


def memref_type(value: SSAValue) -> MemRefType:
    """The type of a value that is a memref."""
    assert isinstance(value.type, MemRefType)
    return value.type


def collapse_shape(arithmetic: Arithmetic, value: SSAValue) -> SSAValue:
    """The array with all its dimensions in one."""
    type_ = memref_type(value)
    rank = type_.get_num_dims()
    if rank < 2:
        return value
    count = 1
    for size in type_.get_shape():
        count *= size
    group = ArrayAttr([IntegerAttr(axis, i64) for axis in range(rank)])
    return arithmetic.insert(
        memref.CollapseShapeOp.create(
            operands=[value],
            result_types=[MemRefType(type_.element_type, [count])],
            properties={"reassociation": ArrayAttr([group])},
        )
    )
