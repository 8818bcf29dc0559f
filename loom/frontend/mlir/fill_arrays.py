"""New arrays of MLIR hold what the user wants them to, by operations that write it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.ub import PoisonOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.utils.hints import isa

from loom.dialects.facts.places import place_of
from loom.dialects.floats.attributes import dense_of
from loom.dialects.ops.types import width_of
from loom.elements import Elements, Fill, draw_elements, repeat_element

INDEX_BITS = 7
"""Bits of a number by chance of type index, which fits the narrowest indices that are of use."""


def fill_arrays(module: ModuleOp, fill: Fill) -> None:
    """Each array has its contents where the program makes it, as often as it does.

    They are zeros, or the numbers of a constant array that is copied. A global without contents is
    an array with contents, which it holds from the reset on. With numbers by chance poison is one.
    """
    if fill == "refuse":
        return
    taken = {op.sym_name.data for op in module.walk() if isinstance(op, memref.GlobalOp)}
    for op in list(module.walk()):
        if isinstance(op, memref.GlobalOp):
            if not isinstance(op.initial_value, DenseIntOrFPElementsAttr):
                assert isa(op.type, MemRefType)
                op.properties["initial_value"] = make_contents(op, op.type, fill)
        elif isinstance(op, memref.AllocOp | memref.AllocaOp):
            added = write_zeros(op.memref) if fill == "0" else copy_constant(module, op, taken)
            insert_behind(op, added)
        elif isinstance(op, PoisonOp) and fill == "random":
            added = make_number(op)
            insert_behind(op, added)
            op.result.replace_all_uses_with(added[-1].results[0])
            Rewriter.erase_op(op)


def insert_behind(op: Operation, added: Sequence[Operation]) -> None:
    """The operations follow, at the same place of the text."""
    block = op.parent
    assert block is not None
    block.insert_ops_after(added, op)
    for each in added:
        for inner in each.walk():
            inner.location = op.location


def make_number(op: PoisonOp) -> list[Operation]:
    """Operations of which the last one gives a number by chance in place of the poison."""
    type_ = op.result.type
    width = find_width(type_)
    integer = type_ if isinstance(type_, IndexType) else IntegerType(width)
    number = draw_elements(str(place_of(op)), width, 1)[0]
    constant = arith.ConstantOp(IntegerAttr(number, integer, truncate_bits=True))
    if integer == type_:
        return [constant]
    return [constant, arith.BitcastOp(constant, type_)]


def find_width(type_: Attribute) -> int:
    """How many bits a number by chance has [bits]."""
    return INDEX_BITS if isinstance(type_, IndexType) else width_of(type_, 64)


def make_contents(op: Operation, type_: MemRefType, fill: Fill) -> DenseIntOrFPElementsAttr:
    """The contents of an array that `op` makes."""
    count, element = prod(type_.get_shape()), type_.element_type
    given: Elements = repeat_element(0, count)
    if fill == "random":
        given = draw_elements(str(place_of(op)), find_width(element), count)
    assert isinstance(element, IntegerType | IndexType | AnyFloat)
    return dense_of(TensorType(element, type_.get_shape()), given)


def copy_constant(module: ModuleOp, op: Operation, taken: set[str]) -> list[Operation]:
    """Operations that copy a new constant array to the array that `op` makes."""
    type_ = cast(MemRefType, op.results[0].type)
    number = len(taken)
    while (name := f"fill_{number}") in taken:
        number += 1
    taken.add(name)
    plain = MemRefType(type_.element_type, type_.get_shape())
    constant = memref.GlobalOp.get(
        StringAttr(name), plain, make_contents(op, type_, "random"), constant=UnitAttr()
    )
    constant.location = op.location
    first = module.body.block.first_op
    assert first is not None
    module.body.block.insert_op_before(constant, first)
    found = memref.GetGlobalOp(name, plain)
    return [found, memref.CopyOp(found.memref, op.results[0])]


def write_zeros(array: SSAValue) -> list[Operation]:
    """Loops that store zero in every element."""
    type_ = cast(MemRefType, array.type)
    zero = arith.ConstantOp(make_zero(type_.element_type))
    first, step = (arith.ConstantOp(IntegerAttr(k, IndexType())) for k in (0, 1))
    ends = [arith.ConstantOp(IntegerAttr(size, IndexType())) for size in type_.get_shape()]
    bodies = [Block(arg_types=[IndexType()]) for _ in ends]
    inner: Operation = memref.StoreOp.get(zero, array, [body.args[0] for body in bodies])
    for end, body in zip(reversed(ends), reversed(bodies), strict=True):
        body.add_ops([inner, scf.YieldOp()])
        inner = scf.ForOp(first, end, step, [], Region(body))
    return [zero, first, step, *ends, inner]


def make_zero(type_: Attribute) -> IntegerAttr | FloatAttr:
    """The zero of a type of elements."""
    if isinstance(type_, AnyFloat):
        return FloatAttr(0.0, type_)
    assert isinstance(type_, IntegerType | IndexType)
    return IntegerAttr(0, type_)
