"""Loads that the program may not make: an address outside the array is replaced."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.utils.hints import isa

from loom.dialects.facts.program_facts import SPECULATIVE
from loom.lower.scalar.arith_builder import Arithmetic, constant_of, exponent_of, integer_type


def size_of(memory: SSAValue) -> int:
    """The elements of an array."""
    type_ = memory.type
    assert isa(type_, MemRefType)
    (size,) = type_.get_shape()
    return size


def inside(load: memref.LoadOp, address: SSAValue, build: Arithmetic) -> SSAValue:
    """An address for a load, or that of another element of its array if it is outside."""
    size, owner = size_of(load.memref), address.owner
    is_cast = isinstance(owner, arith.IndexCastOp)
    number = owner.operands[0] if is_cast and isinstance(owner, Operation) else address
    known = constant_of(number)
    if known is not None and size:
        return build.constant(known if 0 <= known < size else 0)
    if isinstance(number.type, IntegerType) and size >= 1 << number.type.width.data - 1:
        number, is_cast = address, False
    if exponent_of(size) is not None and not is_cast:
        found = build.with_constant(arith.AndIOp, number, size - 1)
    else:
        kind = integer_type(number.type)
        limit, zero = build.constant(size, kind), build.constant(0, kind)
        found = build.select(build.compare("ult", number, limit), number, zero)
    return build.insert(arith.IndexCastOp(found, address.type)) if is_cast else found


def load_at(load: memref.LoadOp, address: SSAValue) -> memref.LoadOp:
    """A load of the same array, which stands nowhere yet; no rule of the program demands it."""
    found = memref.LoadOp.get(load.memref, [address])
    found.attributes = dict(load.attributes)
    SPECULATIVE.put(found, True)
    found.res.name_hint = load.res.name_hint
    return found
