"""JSON text of a bundle, read strictly: every misfit has a place in the text."""

from __future__ import annotations

import json
from typing import NoReturn

from loom.errors import LoomError, Place

MAX_DIGITS = 100
"""Digits of the longest number that is read; more do not fit any width."""


def read_json(text: str, file: str) -> object:
    """The value of the text; objects are dicts whose keys are unique, numbers are integers."""

    def refuse(code: str, what: str, accepted: str) -> NoReturn:
        raise LoomError(code, Place(file), what, accepted)

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twin = next(key for key in keys if keys.count(key) > 1)
            refuse("BUNDLE_SYNTAX", f"the key {twin!r} twice", "each key once in an object")
        return found

    def whole(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            refuse("BUNDLE_RANGE", f"a number of {len(digits)} digits", "numbers that fit a type")
        return int(digits)

    def fraction(digits: str) -> NoReturn:
        refuse("BUNDLE_SYNTAX", f"the number {digits[:MAX_DIGITS]}", "integers")

    try:
        return json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=whole,
            parse_float=fraction,
            parse_constant=fraction,
        )
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        what = error.msg[:1].lower() + error.msg[1:]
        raise LoomError("BUNDLE_SYNTAX", place, what, "JSON") from None
    except RecursionError:
        refuse("BUNDLE_SYNTAX", "lists nested too deep", "one list a dimension")
