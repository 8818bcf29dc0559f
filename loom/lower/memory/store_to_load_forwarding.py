"""Store-to-load forwarding in a block: known elements are not read again, dead stores are gone.

What a block knows before a branch is known on both sides of it, so an element that is tested and
then used under the test is loaded once.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import memref, scf
from xdsl.ir import Block, Operation, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses, Element, element_of
from loom.analysis.program.memory_dependence import Dependences
from loom.lower.scalar.arith_builder import replace


class _KnownElements:
    """The elements that a block, which lies in `same` loops, knows at a place in it.

    `unread` are stores whose elements no load has read since. A load is compared with these
    alone, so a table that is only read costs no queries.
    """

    def __init__(self, known: Dependences, same: int) -> None:
        self.known = known
        self.same = same
        self.values: dict[Element, tuple[Access, SSAValue]] = {}
        self.unread: dict[Element, memref.StoreOp] = {}

    def record(self, access: Access, value: SSAValue, store: memref.StoreOp | None = None) -> None:
        """The element at the access's address is `value`; `store` wrote it, if any did."""
        element = element_of(access)
        self.values[element] = access, value
        if store is not None:
            self.unread[element] = store

    def forget(self, element: Element) -> None:
        """Nothing is known of the element."""
        self.values.pop(element, None)
        self.unread.pop(element, None)

    def on_a_side(self) -> _KnownElements:
        """What is known where a side of a branch begins; its stores end none before it."""
        found = _KnownElements(self.known, self.same)
        found.values = dict(self.values)
        return found

    def invalidate(self, access: Access) -> None:
        """An access is made: elements that it may write are unknown, those it may read are read."""
        affected = self.values if access.stores else self.unread
        for element in [element for element in affected if element[0] == access.root]:
            if self.known.may_conflict(self.values[element][0], access, self.same):
                if access.stores:
                    self.forget(element)
                else:
                    del self.unread[element]


def forward_stores(block: Block, accesses: Accesses, known: Dependences, same: int) -> bool:
    """Loads of elements that the block has read or written are gone; true if anything changed.

    The block lies in `same` loops. Stores that the block writes over, unread, are gone too.
    """
    return forward_in(block, accesses, _KnownElements(known, same))


def forward_in(block: Block, accesses: Accesses, elements: _KnownElements) -> bool:
    """As `forward_stores`, with `elements` known at the beginning, and at the end what is then."""
    changed = False
    for operation in list(block.ops):
        access = accesses.access_of(operation)
        if access is None:
            for side in sides_of(operation):
                changed |= forward_in(side, accesses, elements.on_a_side())
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
            # In a block that never runs no access conflicts, not even with its own element.
            elements.forget(element)
            elements.invalidate(access)
            elements.record(access, operation.value, operation)
    return changed


def sides_of(operation: Operation) -> Iterator[Block]:
    """The blocks of a branch, each of which runs once or not at all."""
    if isinstance(operation, scf.IfOp):
        yield from (block for region in operation.regions for block in region.blocks)
