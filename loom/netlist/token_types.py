"""Token types as the netlist writes them, and their widths."""

from __future__ import annotations

import re

INTEGER = re.compile(r"i([1-9][0-9]{0,4})\Z")
TAGGED = re.compile(r"!dataflow\.tagged<(\w+), (i[1-9][0-9]?)>\Z")
FIXED = {"none": 0, "bf16": 16, "f16": 16, "f32": 32, "f64": 64}
MAX_WIDTH = 4096
"""The widest channel [bits]."""


def width_of_text(type_: str, index_width: int) -> int | None:
    """Width of the type [bits], or None if no channel carries it."""
    if type_ == "index":
        return index_width
    if type_ in FIXED:
        return FIXED[type_]
    if found := INTEGER.match(type_):
        width = int(found[1])
        return width if width <= MAX_WIDTH else None
    if found := TAGGED.match(type_):
        value, tag = width_of_text(found[1], index_width), width_of_text(found[2], index_width)
        return None if value is None or tag is None else value + tag
    if type_.startswith("tuple<") and type_.endswith(">"):
        return width_of_tuple(type_[len("tuple<") : -1], index_width)
    return None


def width_of_tuple(elements: str, index_width: int) -> int | None:
    """Width of a tuple of these elements, listed with commas between them [bits]."""
    total = depth = begin = 0
    for place, sign in enumerate(f"{elements},"):
        depth += (sign == "<") - (sign == ">")
        if sign == "," and depth == 0:
            width = width_of_text(elements[begin:place].strip(), index_width)
            if width is None:
                return None
            total, begin = total + width, place + 1
    return total if total <= MAX_WIDTH else None
