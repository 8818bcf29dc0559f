"""What regions take and give, in words: pieces of the rules of operations that hold regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Attribute, Block, Region

Rule = Callable[..., str | None]
"""From an operation to the rule that it breaks, in words, or None."""


def listed(types: Sequence[Attribute]) -> str:
    """Types as they stand in the text."""
    return f"({', '.join(map(str, types))})"


def yields(region: Region, name: str, types: Sequence[Attribute]) -> str | None:
    """None if the region is one block that ends in `name` with these types."""
    if len(region.blocks) != 1:
        return f"a region of {len(region.blocks)} blocks"
    last = region.block.last_op
    assert last is not None
    if last.name != name:
        return f"a region that ends in {last.name}, not in {name}"
    found = last.operand_types
    if tuple(found) != tuple(types):
        return f"{listed(found)} yielded where {listed(types)} is expected"
    return None


def takes(block: Block, types: Sequence[Attribute]) -> str | None:
    """None if the block's arguments have these types."""
    if tuple(block.arg_types) != tuple(types):
        return f"block arguments {listed(block.arg_types)} where {listed(types)} is expected"
    return None


def no_args(region: Region) -> str | None:
    """None if the region's block takes nothing."""
    return takes(region.block, ()) if len(region.blocks) == 1 else None


def first(*problems: str | None) -> str | None:
    """The first problem there is."""
    return next((problem for problem in problems if problem is not None), None)
