"""Python kernels on random arguments: NumPy, watched, against LOOM."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

from loom.errors import LoomError
from loom.frontend.imperative.types import Float
from loom.frontend.python.read import PythonProgram, read_python
from loom.frontend.python.types import ArgumentType, ArrayType, Scalar
from loom.model.bundles.activation import Activation
from loom.model.reference.reference import Reference, compile_reference
from loom.native.python.numpy_types import find_dtype
from loom.native.python.watch import record_call

EDGES = (0, 1, -1, 2, 7, 100, -128, 127, 255, 1 << 31)


def number(random: Random, scalar: Scalar) -> Any:
    """A value of the type."""
    type_ = scalar.type
    if isinstance(type_, Float):
        drawn = random.choice((0.0, -0.0, 1.5, -2.25, 1e3, 0.1, random.uniform(-300, 300)))
        return find_dtype(scalar)(drawn)
    if type_.is_truth:
        return random.random() < 0.5
    drawn = random.choice((random.choice(EDGES), random.randint(-9, 9), random.getrandbits(64)))
    return type_.decode(drawn)


def argument(random: Random, form: ArgumentType) -> Any:
    """An argument of the form."""
    if isinstance(form, ArrayType):
        count = int(np.prod(form.sizes))
        words = [number(random, form.element) for _ in range(count)]
        return np.array(words, dtype=find_dtype(form.element)).reshape(form.sizes)
    return number(random, form)


def activations(program: PythonProgram, text: str, seed: int, count: int) -> Iterator[Activation]:
    """Calls that NumPy does not refuse; what it gives is what must come out."""
    random = Random(seed)
    names: dict[str, Any] = {}
    exec(compile(text.replace("@loom.kernel", ""), program.kernel.source.file, "exec"), names)
    for _ in range(count):
        given = {name: argument(random, form) for name, form in program.kernel.parameters}
        try:
            yield record_call(program.kernel, names, given)
        except LoomError:
            continue


def program_of(text: str) -> PythonProgram:
    """The kernel of the text."""
    return read_python(text, "k.py")


def reference_of(program: PythonProgram) -> Reference:
    """The kernel as the source reference."""
    return compile_reference(program.module, program.kernel.name)


def differences(reference: Reference, given: Activation) -> list[str]:
    """What the source reference gives that NumPy does not."""
    outcome = reference.run([*given.inputs.values()])
    expected = given.expected
    found: list[str] = []
    if not same(outcome.results, expected.results or ()):
        found.append(f"results {outcome.results} are not {expected.results}")
    for name, words in expected.memories.items():
        if not same(outcome.memories[name], words):
            found.append(f"{name} is {outcome.memories[name]}, not {words}")
    return found


def same(left: Any, right: Any) -> bool:
    """True for the same words, any NaN for each other."""
    return all(a == b or (is_nan(a) and is_nan(b)) for a, b in zip(left, right, strict=True))


def is_nan(word: int) -> bool:
    """True for a NaN of either format, as far as its word tells."""
    return word & 0x7FFFFFFF > 0x7F800000 or word & (1 << 63) - 1 > 0x7FF << 52
