"""Other names for memories: parts and other shapes, as far as the memory has them."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tests.random_programs.print_expressions import address
from tests.random_programs.printing import Place, Text
from tests.random_programs.tree import View

KINDS = ("collapse", "expand", "part", "part from", "every second")

Shape = tuple[int, ...]


def viewed(kind: str, shape: Shape) -> Shape | None:
    """The shape of the view, or None if a memory of this shape has no such view."""
    if kind == "collapse":
        return (prod(shape),) if len(shape) > 1 else None
    if len(shape) != 1 or shape[0] < 2:
        return None
    half = shape[0] // 2
    if kind == "expand":
        return (half, 2) if shape[0] % 2 == 0 else None
    return (half,)


def print_view(text: Text, view: View) -> None:
    """The view is in scope; without its memory, or if that has another shape, nothing is."""
    place = text.places.get(view.memory)
    if place is None or place.layout:
        return
    shape = viewed(view.kind, place.memory.shape)
    if shape is None:
        return
    size, layout = place.memory.shape[0], ""
    if view.kind == "collapse":
        groups = ", ".join(str(k) for k in range(len(place.memory.shape)))
        operation, how, to = "collapse_shape", f" [[{groups}]]", "into"
    elif view.kind == "expand":
        how = f" [[0, 1]] output_shape [{shape[0]}, 2]"
        operation, to = "expand_shape", "into"
    else:
        operation, to = "subview", "to"
        layout, how = part(text, view, size, shape[0])
    memory = replace(place.memory, name=view.name, shape=shape)
    made = Place(text.fresh(), memory, layout, place.constant)
    text.line(f"{made.text} = memref.{operation} {place.text}{how} : {place.type} {to} {made.type}")
    text.places[view.name] = made


def part(text: Text, view: View, size: int, half: int) -> tuple[str, str]:
    """Layout and numbers of half a row: the upper, one from anywhere, or every second word."""
    if view.kind == "part from":
        offset = address(text, view.offset, size - half + 1)
        return ", strided<[1], offset: ?>", f"[{offset}] [{half}] [1]"
    if view.kind == "part":
        return f", strided<[1], offset: {half}>", f"[{half}] [{half}] [1]"
    return ", strided<[2]>", f"[0] [{half}] [2]"
