"""A memref as the generated text sees it: a Python list and how indices lead into it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class View:
    """Python expressions, each a variable or a literal, for one memref value.

    `words` is the list below, `key` the key its accesses count under, `extent` its length [words]
    or None if only the list knows. `unset` is true if elements may never have been written.
    """

    words: str
    key: str
    extent: int | None
    sizes: tuple[int, ...]
    offset: str
    strides: tuple[str, ...]
    unset: bool
    constant: bool = False

    def variables(self) -> Iterator[str]:
        """The variables of the text that the view needs."""
        yield self.words
        if self.key.isidentifier():
            yield self.key
        for text in (self.offset, *self.strides):
            if text.isidentifier():
                yield text

    def stays_inside(self) -> bool:
        """True if indices inside `sizes` are known to lead inside the buffer."""
        try:
            offset, strides = int(self.offset), [int(stride) for stride in self.strides]
        except ValueError:
            return False
        if self.extent is None or 0 in self.sizes:
            return 0 in self.sizes
        reach = [(size - 1) * stride for size, stride in zip(self.sizes, strides, strict=True)]
        low = offset + sum(min(step, 0) for step in reach)
        high = offset + sum(max(step, 0) for step in reach)
        return low >= 0 and high < self.extent

    def address(self, indices: Sequence[str]) -> str:
        """The expression of the word that `indices` name."""
        terms = [self.offset] if self.offset != "0" else []
        for index, stride in zip(indices, self.strides, strict=True):
            if stride == "0" or index == "0":
                continue
            terms.append(index if stride == "1" else f"{index} * {stride}")
        return " + ".join(terms) or "0"


def product_of(lhs: str, rhs: str) -> str:
    """A literal or variable expression of the product, folded where both are literals."""
    if is_literal(lhs) and is_literal(rhs):
        return str(int(lhs) * int(rhs))
    if lhs == "1":
        return rhs
    return lhs if rhs == "1" else f"{lhs} * {rhs}"


def is_literal(text: str) -> bool:
    """True for an integer literal, also a negative one."""
    return text.lstrip("-").isdigit()
