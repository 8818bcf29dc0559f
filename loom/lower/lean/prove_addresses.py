"""An access whose index is proved to lie in its array says so: its memory needs no compare.

A memory compares each address with the size of its array, keeps an access outside from the RAM and
raises an error. Where `analysis.program.value_ranges` proves that the index of every access is from
0 to below the size, for every input, that compare is never true: the memory without it reads and
writes the same elements in the same cycles and raises the same errors, none. The ranges follow from
constants, types and the bounds of loops alone, never from the sizes of arrays; so an access that
may miss keeps its error. A memory with one access that is not proved compares all of them.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.ops import order
from loom.lower.options import Options


def prove_addresses(module: ModuleOp, options: Options) -> None:
    """Every load and store whose index is proved to lie in its array has the fact `IN_RANGE`."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            ranges = value_ranges(function, options.index_width)
            for access in function.walk():
                if isinstance(access, order.LoadOp | order.StoreOp):
                    array, index = access.memory, access.index
                elif isinstance(access, memref.LoadOp | memref.StoreOp):
                    array, index = access.memref, access.indices[0]
                else:
                    continue
                assert isinstance(array.type, MemRefType)
                found = ranges.get(index)
                if found is not None and found.low >= 0 and found.high < array.type.get_shape()[0]:
                    IN_RANGE.put(access, True)
