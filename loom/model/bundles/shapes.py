"""The sizes of the arrays in a bundle, before anybody knows the program that it is for."""

from __future__ import annotations

import json
from typing import Any

from loom.nesting import first_too_deep


def shapes_of_arrays(text: str) -> dict[str, tuple[int, ...]]:
    """By name the sizes of the inputs that are lists, of the first activation [elements].

    A text that is no bundle has none: what is wrong with it is told when it is read for a program.
    """
    if first_too_deep(text) is not None:
        return {}
    try:
        value: Any = json.loads(text)
    except ValueError:
        return {}
    first = value[0] if isinstance(value, list) and value else value
    inputs = first.get("inputs") if isinstance(first, dict) else None
    if not isinstance(inputs, dict):
        return {}
    return {
        name.removeprefix("%"): shape_of(given)
        for name, given in inputs.items()
        if isinstance(given, list)
    }


def shape_of(given: Any) -> tuple[int, ...]:
    """The lengths of lists in lists, as their first ones have them."""
    shape: list[int] = []
    while isinstance(given, list):
        shape.append(len(given))
        given = given[0] if given else None
    return tuple(shape)
