"""Words of memory that a block knows are not read again, nor written only to be written over."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Block, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses, Element, element_of
from loom.analysis.program.memory_dependence import Dependences
from loom.lower.scalar.arith_builder import replace


class _KnownElements:
    """The words that a block, which lies in `same` loops, knows at a place in it.

    `unread` are stores whose words no load has read since. A load asks of these alone: a table of
    which much is read makes no more questions.
    """

    def __init__(self, known: Dependences, same: int) -> None:
        self.known = known
        self.same = same
        self.values: dict[Element, tuple[Access, SSAValue]] = {}
        self.unread: dict[Element, memref.StoreOp] = {}

    def record(self, access: Access, value: SSAValue, store: memref.StoreOp | None = None) -> None:
        """The word at the access's address is `value`; `store` wrote it, if any did."""
        element = element_of(access)
        self.values[element] = access, value
        if store is not None:
            self.unread[element] = store

    def forget(self, element: Element) -> None:
        """Nothing is known of the word."""
        self.values.pop(element, None)
        self.unread.pop(element, None)

    def invalidate(self, access: Access) -> None:
        """An access is made: what it may write is not known, and what it may read has been read."""
        affected = self.values if access.stores else self.unread
        for element in [element for element in affected if element[0] == access.root]:
            if self.known.may_conflict(self.values[element][0], access, self.same):
                if access.stores:
                    self.forget(element)
                else:
                    del self.unread[element]


def forward_stores(block: Block, accesses: Accesses, known: Dependences, same: int) -> bool:
    """Loads of words that the block has read or written are gone; true if anything changed.

    The block lies in `same` loops. Stores that the block writes over, unread, are gone too.
    """
    elements = _KnownElements(known, same)
    changed = False
    for operation in list(block.ops):
        access = accesses.access_of(operation)
        if access is None:
            inside = accesses.inside(operation)
            for other in (each for found in inside.values() for each in found):
                elements.invalidate(other)
            continue
        element = element_of(access)
        if isinstance(operation, memref.LoadOp):
            if element in elements.values:
                replace(operation, elements.values[element][1])
                changed = True
                continue
            elements.invalidate(access)
            elements.record(access, operation.res)
        else:
            assert isinstance(operation, memref.StoreOp)
            if element in elements.unread:
                elements.unread[element].detach()
                elements.unread[element].erase()
                changed = True
            # In a block that never runs no access meets another, not even one of its own word.
            elements.forget(element)
            elements.invalidate(access)
            elements.record(access, operation.value, operation)
    return changed
