"""Loads that the program may not make: an address outside the array is replaced by one inside."""

from __future__ import annotations

from collections.abc import Hashable

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.hints import isa

from loom.dialects.facts.arrays import is_behind_channel
from loom.dialects.facts.program_facts import SPECULATIVE
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import (
    Arithmetic,
    constant_of,
    integer_type,
    replace,
)
from loom.lower.scalar.convert_ifs import is_cheap


def size_of(memory: SSAValue) -> int:
    """The elements of an array."""
    type_ = memory.type
    assert isa(type_, MemRefType)
    (size,) = type_.get_shape()
    return size


def inside(load: memref.LoadOp, address: SSAValue, build: Arithmetic) -> SSAValue:
    """An address for a load, or that of another element of its array if it is outside.

    Bits that no address inside has are gone first, so that few are compared.
    """
    size, owner = size_of(load.memref), address.owner
    is_cast = isinstance(owner, arith.IndexCastOp)
    number = owner.operands[0] if is_cast and isinstance(owner, Operation) else address
    known = constant_of(number)
    if known is not None and size:
        return build.constant(known if 0 <= known < size else 0)
    if isinstance(number.type, IntegerType) and size >= 1 << number.type.width.data - 1:
        number, is_cast = address, False
    places = 1 << (size - 1).bit_length()
    found = build.with_constant(arith.AndIOp, number, places - 1)
    if places != size:
        kind = integer_type(number.type)
        limit, zero = build.constant(size, kind), build.constant(0, kind)
        found = build.select(build.compare("ult", found, limit), found, zero)
    return build.insert(arith.IndexCastOp(found, address.type)) if is_cast else found


def load_at(load: memref.LoadOp, address: SSAValue) -> memref.LoadOp:
    """A load of the same array, which stands nowhere yet; no rule of the program demands it."""
    found = memref.LoadOp.get(load.memref, [address])
    found.attributes = dict(load.attributes)
    SPECULATIVE.put(found, True)
    found.res.name_hint = load.res.name_hint
    return found


def clamp_loads(module: ModuleOp, options: Options) -> None:
    """Speculative loads have addresses inside their arrays, whatever they compute."""
    del options
    for load in [op for op in module.walk() if isinstance(op, memref.LoadOp)]:
        if SPECULATIVE.is_on(load):
            load.operands[1] = inside(load, load.indices[0], Arithmetic(load))


def may_load_more(load: memref.LoadOp) -> bool:
    """Whether an array has an element, and a load more than the program makes is not seen."""
    return not is_behind_channel(load.memref) and size_of(load.memref) > 0


def merge_equal(block: Block) -> None:
    """Of operations alike without latency, and of loads alike between stores, there is one."""
    known: dict[Hashable, Operation] = {}
    for op in list(block.ops):
        if any(isinstance(each, memref.StoreOp) for each in op.walk()):
            known = {k: v for k, v in known.items() if not isinstance(v, memref.LoadOp)}
        if not isinstance(op, memref.LoadOp) and not is_cheap(op, set()):
            continue
        said = {**op.attributes, **op.properties}
        key = op.name, tuple(op.operands), tuple(sorted((k, str(v)) for k, v in said.items()))
        other = known.setdefault((*key, op.results[0].type), op)
        if other is not op:
            replace(op, other.results[0])
