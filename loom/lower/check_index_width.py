"""Refuse programs whose own index numbers do not fit the chosen width of an index."""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation

from loom.dialects.places import place_of
from loom.errors import LoomError, raise_all
from loom.lower.options import Options


def check_index_width(module: ModuleOp, options: Options) -> None:
    """Every index constant fits `options.index_width`, read signed or unsigned."""
    width = options.index_width
    least, most = -(1 << (width - 1)), (1 << width) - 1
    raise_all(
        [
            LoomError(
                "LOWER_INDEX_WIDTH",
                place_of(operation),
                f"the index {value} where an index has {width} bits",
                "constants that fit an index (--index-width)",
            )
            for operation, value in index_constants(module)
            if not least <= value <= most
        ]
    )


def index_constants(module: ModuleOp) -> Iterator[tuple[Operation, int]]:
    """Every constant of type index, of arith and of index, with its value."""
    for operation in module.walk():
        if len(operation.results) == 1 and isinstance(operation.results[0].type, IndexType):
            value = operation.properties.get("value", operation.attributes.get("value"))
            if isinstance(value, IntegerAttr) and not operation.operands:
                yield operation, int(value.value.data)
