"""BUNDLE.json: the inputs of one or more activations and what must come out.

One object or a list of them, each ``{"inputs": {NAME: scalar or list}, "expected": {"results":
[..], "memories": {NAME: [..]}}}``. NAME is an argument's name without ``%``, or its number. Lists
are flat or nested as the memref's shape. `expected` and what is in it may be missing. Integers may
be signed or unsigned and count modulo 2^width.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from loom.dialects.layouts import positions
from loom.errors import LoomError, Place
from loom.model.activation import Activation, Expected, Words
from loom.model.json_text import read_json
from loom.model.signature import Array, Scalar, Signature


def read_bundle(text: str, file: str, signature: Signature) -> list[Activation]:
    """The activations that the text describes, in order; refused where they do not fit."""
    value = read_json(text, file)
    if not isinstance(value, list):
        return [_Reader(signature, Place(file), "the activation").activation(value)]
    if not value:
        raise LoomError("BUNDLE_MISSING", Place(file), "an empty list", "at least one activation")
    return [
        _Reader(signature, Place(file), f"activation {number}").activation(each)
        for number, each in enumerate(value)
    ]


@dataclass(frozen=True)
class _Reader:
    """One activation against the signature; `subject` names it in messages."""

    signature: Signature
    place: Place
    subject: str

    def fail(self, code: str, what: str, accepted: str) -> LoomError:
        """The refusal, to be raised."""
        return LoomError(code, self.place, f"{what} in {self.subject}", accepted)

    def activation(self, value: object) -> Activation:
        """The activation that a JSON value describes."""
        entries = self.entries(value, ("inputs", "expected"), "an activation")
        given = self.by_argument(entries.get("inputs", {}), "inputs", "BUNDLE_NAME")
        inputs: dict[str, int | Words] = {}
        for argument in self.signature.arguments:
            if argument.name not in given:
                raise self.fail(
                    "BUNDLE_MISSING",
                    f"no input for argument {argument.name}",
                    f"a value for each of: {self.names()}",
                )
            inputs[argument.name] = self.value(argument, given[argument.name])
        return Activation(inputs, self.expected(entries.get("expected", {})))

    def entries(self, value: object, keys: tuple[str, ...], what: str) -> Mapping[str, object]:
        """The object's entries, refused if there are others than `keys`."""
        if not isinstance(value, dict):
            raise self.fail("BUNDLE_SHAPE", f"{shown(value)} as {what}", "an object there")
        for key in value:
            if key not in keys:
                raise self.fail(
                    "BUNDLE_NAME", f"the key {key!r} of {what}", f"the keys {', '.join(keys)}"
                )
        return value

    def names(self) -> str:
        """The arguments' names, for a message."""
        names = ", ".join(argument.name for argument in self.signature.arguments)
        return names or "nothing, as there are no arguments"

    def by_argument(self, value: object, what: str, code: str) -> Mapping[str, object]:
        """The object's entries by argument name; a number stands for a name."""
        if not isinstance(value, dict):
            raise self.fail("BUNDLE_SHAPE", f"{shown(value)} as {what}", "an object there")
        arguments = self.signature.by_name
        numbers = {str(k): each.name for k, each in enumerate(self.signature.arguments)}
        found: dict[str, object] = {}
        for key, entry in value.items():
            name = key.removeprefix("%")
            name = name if name in arguments else numbers.get(name, "")
            if not name:
                raise self.fail(code, f"{key!r} among the {what}", f"the names {self.names()}")
            if name in found:
                raise self.fail(code, f"argument {name} twice among the {what}", "each one once")
            found[name] = entry
        return found

    def value(self, argument: Scalar | Array, value: object) -> int | Words:
        """The bit pattern of a scalar, or the buffer of an array."""
        if isinstance(argument, Scalar):
            return self.integer(value, argument.width, f"argument {argument.name}")
        return argument.buffer(self.elements(argument, value))

    def elements(self, argument: Array, value: object) -> list[int]:
        """The elements of an array in row-major order."""
        what = f"argument {argument.name}"
        if not argument.layout.sizes and not isinstance(value, list):
            value = [value]
        if not isinstance(value, list):
            raise self.fail("BUNDLE_SHAPE", f"{shown(value)} for {what}", "a list of integers")
        sizes = argument.layout.sizes
        flat = value
        if any(isinstance(each, list) for each in value):
            flat = list(self.flattened(value, sizes, what))
        count = 1
        for size in sizes:
            count *= size
        if len(flat) != count:
            raise self.fail(
                "BUNDLE_SHAPE",
                f"{len(flat)} values for {what}",
                f"{count}, flat or nested as {'x'.join(map(str, sizes)) or 'one value'}",
            )
        return [self.integer(each, argument.width, what) for each in flat]

    def flattened(self, value: object, sizes: tuple[int, ...], what: str) -> Iterator[object]:
        """The leaves of nested lists, which must be as long as `sizes` says."""
        if not sizes:
            yield value
            return
        if not isinstance(value, list) or len(value) != sizes[0]:
            found = f"a list of {len(value)}" if isinstance(value, list) else shown(value)
            raise self.fail(
                "BUNDLE_SHAPE", f"{found} for {what}", f"a list of {sizes[0]} values there"
            )
        for each in value:
            yield from self.flattened(each, sizes[1:], what)

    def integer(self, value: object, width: int, what: str) -> int:
        """The bit pattern of a JSON integer; true and false are 1 and 0 of one bit."""
        if isinstance(value, bool) and width == 1:
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.fail("BUNDLE_SHAPE", f"{shown(value)} for {what}", "integers")
        if not -(1 << max(0, width - 1)) <= value < 1 << width:
            raise self.fail(
                "BUNDLE_RANGE",
                f"{value} for {what}",
                f"{-(1 << (width - 1))} to {(1 << width) - 1}, which fit {width} bits",
            )
        return value & ((1 << width) - 1)

    def expected(self, value: object) -> Expected:
        """What must come out."""
        entries = self.entries(value, ("results", "memories"), "expected")
        results: tuple[int, ...] | None = None
        if "results" in entries:
            results = self.results(entries["results"])
        listed = entries.get("memories", {})
        given = self.by_argument(listed, "expected memories", "BUNDLE_EXPECTED")
        memories: dict[str, list[int | None]] = {}
        for name, words in given.items():
            argument = self.signature.by_name[name]
            if isinstance(argument, Scalar):
                raise self.fail(
                    "BUNDLE_EXPECTED", f"the scalar {name} among the memories", "memref arguments"
                )
            memories[name] = [None] * argument.extent
            elements = self.elements(argument, words)
            for position, element in zip(positions(argument.layout), elements, strict=True):
                memories[name][position] = element
        return Expected(results, memories)

    def results(self, value: object) -> tuple[int, ...]:
        """The expected results as bit patterns."""
        results = self.signature.results
        if not isinstance(value, list) or len(value) != len(results):
            found = f"{len(value)} results" if isinstance(value, list) else shown(value)
            raise self.fail(
                "BUNDLE_EXPECTED", f"{found} as expected results", f"a list of {len(results)}"
            )
        return tuple(
            self.integer(each, result.width, f"result {result.name}")
            for each, result in zip(value, results, strict=True)
        )


def shown(value: object) -> str:
    """A JSON value in few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return f"the string {value[:40]!r}"
    return json.dumps(value)
