"""Other names for memories: parts and other shapes, as far as the memory has them."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tests.random_programs.print_expressions import address
from tests.random_programs.printing import Place, Text
from tests.random_programs.tree import View

KINDS = ("collapse", "expand", "part", "part from", "every second")


def print_view(text: Text, view: View) -> None:
    """The view is in scope; without its memory, or if that has another shape, nothing is."""
    place = text.places.get(view.memory)
    if place is None or place.layout or not place.memory.shape:
        return
    shape = place.memory.shape
    if view.kind == "collapse" and len(shape) > 1:
        groups = ", ".join(str(k) for k in range(len(shape)))
        made = renamed(text, view, place, (prod(shape),))
        left = f"{made.text} = memref.collapse_shape {place.text} [[{groups}]]"
        text.line(f"{left} : {place.type} into {made.type}")
    elif view.kind == "expand" and len(shape) == 1 and shape[0] % 2 == 0:
        made = renamed(text, view, place, (shape[0] // 2, 2))
        left = f"{made.text} = memref.expand_shape {place.text} [[0, 1]]"
        sizes = f"output_shape [{shape[0] // 2}, 2]"
        text.line(f"{left} {sizes} : {place.type} into {made.type}")
    elif view.kind in KINDS[2:] and len(shape) == 1 and shape[0] > 1:
        made = part(text, view, place, shape[0])
    else:
        return
    text.places[view.name] = made


def renamed(
    text: Text, view: View, place: Place, shape: tuple[int, ...], layout: str = ""
) -> Place:
    """The place that the view is."""
    memory = replace(place.memory, name=view.name, shape=shape)
    return Place(text.fresh(), memory, layout, place.constant)


def part(text: Text, view: View, place: Place, size: int) -> Place:
    """Half of a row of words: the upper one, one from an offset of run time, or every second."""
    half = size // 2
    if view.kind == "part from":
        offset = address(text, view.offset, size - half + 1)
        layout, numbers = "strided<[1], offset: ?>", f"[{offset}] [{half}] [1]"
    elif view.kind == "part":
        layout, numbers = f"strided<[1], offset: {half}>", f"[{half}] [{half}] [1]"
    else:
        layout, numbers = "strided<[2]>", f"[0] [{half}] [2]"
    made = renamed(text, view, place, (half,), f", {layout}")
    text.line(f"{made.text} = memref.subview {place.text}{numbers} : {place.type} to {made.type}")
    return made
