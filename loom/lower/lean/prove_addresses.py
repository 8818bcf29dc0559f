"""An access whose index is proved to lie in its array says so: its memory needs no compare.

A memory compares each address with the size of its array, keeps an access outside from the RAM and
raises an error. Where the index of every access is proved to be from 0 to below the size, for every
input, that compare is never true: the memory without it reads and writes the same elements in the
same cycles and raises the same errors, none. The proof is the range of the value
(`analysis.program.value_ranges`), or that of the sum that it is of the loops' iterations
(`analysis.program.affine_forms`), in which ``16 * i - 2 * i`` is one term. Both follow from
constants, types and the bounds of loops alone, never from the sizes of arrays; so an access that
may miss keeps its error. A memory with one access that is not proved compares all of them.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp

from loom.analysis.program.affine_forms import Forms
from loom.analysis.program.interval import Range
from loom.analysis.program.value_ranges import value_ranges
from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.ops import order
from loom.lower.options import Options


def prove_addresses(module: ModuleOp, options: Options) -> None:
    """Every load and store whose index is proved to lie in its array has the fact `IN_RANGE`."""
    for function in module.ops:
        if isinstance(function, FuncOp):
            ranges = value_ranges(function, options.index_width)
            forms = Forms(options.index_width)
            for access in function.walk():
                if isinstance(access, order.LoadOp | order.StoreOp):
                    array, index = access.memory, access.index
                elif isinstance(access, memref.LoadOp | memref.StoreOp):
                    array, index = access.memref, access.indices[0]
                else:
                    continue
                assert isinstance(array.type, MemRefType)
                size = array.type.get_shape()[0]
                proofs = [Range(*forms.interval(forms.modular(index)))]
                if index in ranges:
                    proofs.append(ranges[index])
                if any(each.low >= 0 and each.high < size for each in proofs):
                    IN_RANGE.put(access, True)
