"""Words of memory that a block knows are not read again, nor written only to be written over."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import Block, SSAValue

from loom.analysis.program.memory_accesses import Access, Accesses, Cell, cell_of
from loom.analysis.program.memory_dependence import Dependences
from loom.lower.scalar.arith_builder import replace


class _Words:
    """The words that a block, which lies in `same` loops, knows at a place in it.

    `unread` are stores whose words no load has read since. A load asks of these alone: a table of
    which much is read makes no more questions.
    """

    def __init__(self, known: Dependences, same: int) -> None:
        self.known = known
        self.same = same
        self.values: dict[Cell, tuple[Access, SSAValue]] = {}
        self.unread: dict[Cell, memref.StoreOp] = {}

    def keep(self, access: Access, value: SSAValue, store: memref.StoreOp | None = None) -> None:
        """The word at the access's address is `value`; `store` wrote it, if any did."""
        word = cell_of(access)
        self.values[word] = access, value
        if store is not None:
            self.unread[word] = store

    def forget(self, word: Cell) -> None:
        """Nothing is known of the word."""
        self.values.pop(word, None)
        self.unread.pop(word, None)

    def meet(self, access: Access) -> None:
        """An access is made: what it may write is not known, and what it may read has been read."""
        asked = self.values if access.stores else self.unread
        for word in [word for word in asked if word[0] == access.root]:
            if self.known.meet(self.values[word][0], access, self.same):
                if access.stores:
                    self.forget(word)
                else:
                    del self.unread[word]


def forward_words(block: Block, accesses: Accesses, known: Dependences, same: int) -> bool:
    """Loads of words that the block has read or written are gone; true if anything changed.

    The block lies in `same` loops. Stores that the block writes over, unread, are gone too.
    """
    words = _Words(known, same)
    changed = False
    for operation in list(block.ops):
        access = accesses.access_of(operation)
        if access is None:
            inside = accesses.inside(operation)
            for other in (each for found in inside.values() for each in found):
                words.meet(other)
            continue
        word = cell_of(access)
        if isinstance(operation, memref.LoadOp):
            if word in words.values:
                replace(operation, words.values[word][1])
                changed = True
                continue
            words.meet(access)
            words.keep(access, operation.res)
        else:
            assert isinstance(operation, memref.StoreOp)
            if word in words.unread:
                words.unread[word].detach()
                words.unread[word].erase()
                changed = True
            # In a block that never runs no access meets another, not even one of its own word.
            words.forget(word)
            words.meet(access)
            words.keep(access, operation.value, operation)
    return changed
