"""The elements of tables at addresses that are known."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp

from loom.dialects.floats.attributes import elements_of
from loom.elements import Elements
from loom.lower.scalar.arith_builder import constant_of

NO_ELEMENTS = Elements(())


def globals_of(module: ModuleOp) -> Iterator[memref.GlobalOp]:
    """The globals of the module."""
    for op in module.body.block.ops:
        if isinstance(op, memref.GlobalOp):
            yield op


class Tables:
    """The constant globals of a module, by name, each a one-dimensional array."""

    def __init__(self, module: ModuleOp) -> None:
        self.elements: dict[str, Elements] = {}
        for op in globals_of(module):
            value = op.initial_value
            if op.constant is not None and isinstance(value, DenseIntOrFPElementsAttr):
                self.elements[op.sym_name.data] = elements_of(value)

    def element(self, load: memref.LoadOp) -> int | None:
        """The bit pattern that the load gives for certain, or None."""
        owner = load.memref.owner
        address = constant_of(load.indices[0])
        if address is None or not isinstance(owner, memref.GetGlobalOp):
            return None
        elements = self.elements.get(owner.name_.string_value(), NO_ELEMENTS)
        # An address outside is an error of the program, which only a run finds.
        return elements[address] if 0 <= address < len(elements) else None
