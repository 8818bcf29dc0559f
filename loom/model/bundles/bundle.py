"""BUNDLE.json: the inputs of one or more activations and what must come out.

One object or a list of them, each ``{"inputs": {NAME: scalar or list}, "expected": {"results":
[..], "memories": {NAME: [..]}}}``. NAME is an argument's name without ``%``, or its number. Lists
are flat or nested as the memref's shape. `expected` and what is in it may be missing. Inputs may
be signed or unsigned; what is expected counts modulo 2^width. Floats are numbers, rounded to their
type, or the strings "nan", "inf", "-inf" and ``"0x7FC00000"``.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from loom.dialects.facts.layouts import positions
from loom.dialects.floats.text import number_of
from loom.errors import LoomError
from loom.model.bundles.activation import Activation, Expected, Words
from loom.model.bundles.json_places import Path, place_of_path
from loom.model.bundles.json_text import read_json
from loom.model.bundles.signature import Array, Scalar, Signature
from loom.model.bundles.values import FLOATS, float_pattern


def read_bundle(text: str, file: str, signature: Signature) -> list[Activation]:
    """The activations that the text describes, in order; refused where they do not fit."""
    value = read_json(text, file)
    if not isinstance(value, list):
        return [_Reader(signature, text, file, "the activation").activation(value, ())]
    if not value:
        place = place_of_path(text, file, ())
        raise LoomError("BUNDLE_MISSING", place, "an empty list", "at least one activation")
    return [
        _Reader(signature, text, file, f"activation {number}").activation(each, (number,))
        for number, each in enumerate(value)
    ]


@dataclass(frozen=True)
class _Reader:
    """One activation against the signature; `subject` names it in messages.

    Every value goes with its path in the text, which only a refusal looks up.
    """

    signature: Signature
    text: str
    file: str
    subject: str

    def fail(self, code: str, at: Path, what: str, accepted: str, key: bool = False) -> LoomError:
        """The refusal of the value, or of its key, to be raised."""
        place = place_of_path(self.text, self.file, at, key=key)
        return LoomError(code, place, f"{what} in {self.subject}", accepted)

    def activation(self, value: object, at: Path) -> Activation:
        """The activation that a JSON value describes."""
        entries = self.entries(value, ("inputs", "expected"), "an activation", at)
        listed = (*at, "inputs")
        given = self.by_argument(entries.get("inputs", {}), "inputs", "BUNDLE_NAME", listed)
        inputs: dict[str, int | Words] = {}
        for argument in self.signature.arguments:
            if argument.name not in given and isinstance(argument, Array) and argument.is_output:
                inputs[argument.name] = [0] * argument.extent
                continue
            if argument.name not in given:
                raise self.fail(
                    "BUNDLE_MISSING",
                    listed if "inputs" in entries else at,
                    f"no input for argument {argument.name}",
                    f"a value for each of: {self.names()}",
                )
            key, entry = given[argument.name]
            inputs[argument.name] = self.value(argument, entry, (*listed, key))
        return Activation(inputs, self.expected(entries.get("expected", {}), (*at, "expected")))

    def entries(
        self, value: object, keys: tuple[str, ...], what: str, at: Path
    ) -> Mapping[str, object]:
        """The object's entries, refused if there are others than `keys`."""
        if not isinstance(value, dict):
            raise self.fail("BUNDLE_SHAPE", at, f"{shown(value)} as {what}", "an object there")
        for key in value:
            if key not in keys:
                accepted = f"the keys {', '.join(keys)}"
                what = f"the key {key!r} of {what}"
                raise self.fail("BUNDLE_NAME", (*at, key), what, accepted, key=True)
        return value

    def names(self) -> str:
        """The arguments' names, for a message."""
        names = ", ".join(argument.name for argument in self.signature.arguments)
        return names or "nothing, as there are no arguments"

    def by_argument(
        self, value: object, what: str, code: str, at: Path
    ) -> Mapping[str, tuple[str, object]]:
        """The object's keys and values by argument name; a number stands for a name."""
        if not isinstance(value, dict):
            raise self.fail("BUNDLE_SHAPE", at, f"{shown(value)} as {what}", "an object there")
        arguments = self.signature.by_name
        numbers = {str(k): each.name for k, each in enumerate(self.signature.arguments)}
        found: dict[str, tuple[str, object]] = {}
        for key, entry in value.items():
            name = key.removeprefix("%")
            name = name if name in arguments else numbers.get(name, "")
            if not name:
                found_text, accepted = f"{key!r} among the {what}", f"the names {self.names()}"
                raise self.fail(code, (*at, key), found_text, accepted, key=True)
            if name in found:
                found_text = f"argument {name} twice among the {what}"
                raise self.fail(code, (*at, key), found_text, "each one once", key=True)
            found[name] = key, entry
        return found

    def value(self, argument: Scalar | Array, value: object, at: Path) -> int | Words:
        """The bit pattern of a scalar, or the buffer of an array."""
        if isinstance(argument, Scalar):
            return self.word(value, argument, f"argument {argument.name}", at)
        return argument.buffer(self.elements(argument, value, at))

    def elements(
        self, argument: Array, value: object, at: Path, *, modulo: bool = False
    ) -> list[int]:
        """The elements of an array in row-major order."""
        what = f"argument {argument.name}"
        sizes = argument.layout.sizes
        if not sizes and not isinstance(value, list):
            return [self.word(value, argument, what, at, modulo=modulo)]
        if not isinstance(value, list):
            accepted = f"a list of {'integers' if argument.form is None else 'floats'}"
            raise self.fail("BUNDLE_SHAPE", at, f"{shown(value)} for {what}", accepted)
        flat: Sequence[object] = value
        paths: Iterator[Path] = ((number,) for number in range(len(value)))
        if any(isinstance(each, list) for each in value):
            if argument.any_nesting:
                found = list(leaves(value, ()))
                paths, flat = (path for path, _ in found), [leaf for _, leaf in found]
            else:
                flat = list(self.flattened(value, sizes, what, at))
                paths = product(*map(range, sizes))
        count = 1
        for size in sizes:
            count *= size
        if len(flat) != count:
            raise self.fail(
                "BUNDLE_SHAPE",
                at,
                f"{len(flat)} values for {what}",
                f"{count}, flat or nested as {'x'.join(map(str, sizes)) or 'one value'}",
            )
        return [
            self.word(each, argument, what, (*at, *path), modulo=modulo)
            for each, path in zip(flat, paths, strict=True)
        ]

    def flattened(
        self, value: object, sizes: tuple[int, ...], what: str, at: Path
    ) -> Iterator[object]:
        """The leaves of nested lists, which must be as long as `sizes` says."""
        if not sizes:
            yield value
            return
        if not isinstance(value, list) or len(value) != sizes[0]:
            found = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
            accepted = f"a list of {sizes[0]} values there"
            raise self.fail("BUNDLE_SHAPE", at, f"{found} for {what}", accepted)
        for number, each in enumerate(value):
            yield from self.flattened(each, sizes[1:], what, (*at, number))

    def word(
        self, value: object, like: Scalar | Array, what: str, at: Path, *, modulo: bool = False
    ) -> int:
        """The bit pattern of a JSON value of the type of `like`, or of its elements."""
        if like.form is None:
            return self.integer(value, like.width, what, at, modulo=modulo)
        pattern = float_pattern(value, like.form)
        if pattern is None:
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            code = "BUNDLE_RANGE" if is_number else "BUNDLE_SHAPE"
            largest = number_of(like.form.infinity - 1, like.form)
            accepted = f"numbers up to {largest}" if is_number else FLOATS
            raise self.fail(code, at, f"{shown(value)} for {what}", accepted)
        return pattern

    def integer(
        self, value: object, width: int, what: str, at: Path, *, modulo: bool = False
    ) -> int:
        """The bit pattern of a JSON integer; true and false are 1 and 0 of one bit.

        `modulo` takes integers outside the width too.
        """
        if isinstance(value, bool) and width == 1:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail("BUNDLE_SHAPE", at, f"{shown(value)} for {what}", "integers")
        if not modulo and not -(1 << max(0, width - 1)) <= value < 1 << width:
            accepted = f"{-(1 << (width - 1))} to {(1 << width) - 1}, which fit {width} bits"
            raise self.fail("BUNDLE_RANGE", at, f"{value} for {what}", accepted)
        return value & ((1 << width) - 1)

    def expected(self, value: object, at: Path) -> Expected:
        """What must come out."""
        entries = self.entries(value, ("results", "memories"), "expected", at)
        results: tuple[int, ...] | None = None
        if "results" in entries:
            results = self.results(entries["results"], (*at, "results"))
        listed = (*at, "memories")
        given = self.by_argument(
            entries.get("memories", {}), "expected memories", "BUNDLE_EXPECTED", listed
        )
        memories: dict[str, list[int | None]] = {}
        for name, (key, words) in given.items():
            argument = self.signature.by_name[name]
            if isinstance(argument, Scalar):
                what = f"the scalar {name} among the memories"
                at_key = (*listed, key)
                raise self.fail("BUNDLE_EXPECTED", at_key, what, "memref arguments", key=True)
            memories[name] = [None] * argument.extent
            elements = self.elements(argument, words, (*listed, key), modulo=True)
            for position, element in zip(positions(argument.layout), elements, strict=True):
                memories[name][position] = element
        return Expected(results, memories)

    def results(self, value: object, at: Path) -> tuple[int, ...]:
        """The expected results as bit patterns."""
        results = self.signature.results
        if not isinstance(value, list) or len(value) != len(results):
            found = f"{len(value)} results" if isinstance(value, list) else shown(value)
            accepted = f"a list of {len(results)}"
            raise self.fail("BUNDLE_EXPECTED", at, f"{found} as expected results", accepted)
        return tuple(
            self.word(each, result, f"result {result.name}", (*at, number), modulo=True)
            for number, (each, result) in enumerate(zip(value, results, strict=True))
        )


def leaves(value: object, at: Path) -> Iterator[tuple[Path, object]]:
    """What stands in nested lists, in order, with its place."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from leaves(each, (*at, number))
    else:
        yield at, value


def shown(value: object) -> str:
    """A JSON value in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return json.dumps(value)
