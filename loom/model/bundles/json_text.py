"""JSON text of a bundle, read strictly: every misfit has a place in the text."""

from __future__ import annotations

import json
from collections import Counter
from math import isinf
from typing import NoReturn

from loom.errors import LoomError, Place
from loom.model.bundles.json_places import Spot, place_at, spots
from loom.nesting import first_too_deep

MAX_DIGITS = 100
"""Digits of the longest number that is read; more do not fit any width."""


class _Wrong(Exception):
    """A number or an object that is not taken: code, what was found, what is accepted."""


def read_json(text: str, file: str) -> object:
    """The value of the text; objects are dicts of unique keys, numbers integers and floats."""
    position = first_too_deep(text)
    if position is not None:
        place = place_at(text, file, position)
        raise LoomError("BUNDLE_SYNTAX", place, "lists nested too deep", "one list a dimension")
    try:
        return json.loads(
            text,
            object_pairs_hook=unique,
            parse_int=whole,
            parse_float=fraction,
            parse_constant=no_number,
        )
    except json.JSONDecodeError as error:
        place = Place(file, error.lineno, error.colno)
        what = error.msg[:1].lower() + error.msg[1:]
        raise LoomError("BUNDLE_SYNTAX", place, what, "JSON") from None
    except RecursionError:
        raise LoomError(
            "BUNDLE_SYNTAX", Place(file, 1, 1), "lists nested too deep", "one list a dimension"
        ) from None
    except _Wrong as wrong:
        code, what, accepted, token = wrong.args
        raise LoomError(code, wrong_place(text, file, token), what, accepted) from None


def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """The object of these keys and values, each key once."""
    found = dict(pairs)
    if len(found) < len(pairs):
        count = Counter(key for key, _ in pairs)
        twin = next(key for key, number in count.items() if number > 1)
        raise _Wrong("BUNDLE_SYNTAX", f"the key {twin!r} twice", "each key once in an object", "")
    return found


def whole(digits: str) -> int:
    """The number, if no width is too small for it by far."""
    if len(digits) > MAX_DIGITS:
        what = f"a number of {len(digits)} digits"
        raise _Wrong("BUNDLE_RANGE", what, "numbers that fit a type", digits)
    return int(digits)


def fraction(digits: str) -> float:
    """The number, if binary64 reaches it."""
    number = float(digits)
    if isinf(number):
        what = f"the number {digits[:MAX_DIGITS]}"
        raise _Wrong("BUNDLE_RANGE", what, "numbers that fit a type", digits)
    return number


def no_number(word: str) -> NoReturn:
    """Refuse a word that JSON does not know."""
    accepted = 'numbers, and for floats "nan", "inf" and "-inf"'
    raise _Wrong("BUNDLE_SYNTAX", f"the number {word}", accepted, word)


def wrong_place(text: str, file: str, token: str) -> Place:
    """The place of the first value that begins with `token`; without one, of the first twin key.

    What follows the token may be no JSON: nobody has read it yet.
    """

    def is_wrong(spot: Spot) -> bool:
        return spot.is_twin if not token else not spot.is_key and spot.text.startswith(token)

    return place_at(text, file, next(spot.offset for spot in spots(text) if is_wrong(spot)))
