"""Words of memory that a block knows are not read again, nor written only to be written over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.ir import Block, SSAValue

from loom.analysis.memory_accesses import Access, Accesses
from loom.analysis.memory_dependence import Dependences
from loom.lower.arithmetic import replace


@dataclass(frozen=True)
class Known:
    """The word at an access's address; `unread` is the store that wrote it, if no load has."""

    access: Access
    value: SSAValue
    unread: memref.StoreOp | None = None


def forward_words(block: Block, accesses: Accesses, known: Dependences, same: int) -> bool:
    """Loads of words that the block has read or written are gone; true if anything changed.

    The block lies in `same` loops. Stores that the block writes over, unread, are gone too.
    """
    words: list[Known] = []
    changed = False
    for operation in list(block.ops):
        access = accesses.access_of(operation)
        if access is None:
            inside = accesses.inside(operation)
            for other in (each for found in inside.values() for each in found):
                words = after(words, other, known, same)
            continue
        at = next((word for word in words if is_same_word(word.access, access)), None)
        if isinstance(operation, memref.LoadOp):
            if at is not None:
                replace(operation, at.value)
                changed = True
                continue
            words = [*after(words, access, known, same), Known(access, operation.res)]
        else:
            assert isinstance(operation, memref.StoreOp)
            if at is not None and at.unread is not None:
                at.unread.detach()
                at.unread.erase()
                changed = True
            # In a block that never runs no access meets another, not even one of its own word.
            others = [word for word in words if word is not at]
            words = [*after(others, access, known, same), Known(access, operation.value, operation)]
    return changed


def is_same_word(one: Access, other: Access) -> bool:
    """True if the two have the same address in every turn that both are made in."""
    return one.root == other.root and one.address == other.address


def after(words: Sequence[Known], access: Access, known: Dependences, same: int) -> list[Known]:
    """What is still known after an access; a store that it may read has been read."""
    met = [w.access.root == access.root and known.meet(w.access, access, same) for w in words]
    if access.stores:
        return [word for word, meets in zip(words, met, strict=True) if not meets]
    return [
        Known(word.access, word.value) if meets else word
        for word, meets in zip(words, met, strict=True)
    ]
