"""MLIR's own compiler and ours agree on what programs do: two readings of the same language.

`test_random_programs_natively` asks about random programs.
"""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loom.dialects.floats.formats import Format
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import Array, Signature, random_activations, signature_of
from loom.model.reference.reference import compile_reference
from tests.judges.native_judge import NARROW_ARRAY, WORDS, Judged, judge
from tests.model.test_program_meets_model import activations, compiled
from tests.support.folders import EXAMPLES
from tests.support.reference_programs import STRUCTURED

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        importlib.util.find_spec("mlir") is None,
        reason="the extra `judge` (MLIR's own tools) is not installed",
    ),
]
KERNELS = sorted(EXAMPLES.glob("*.mlir"))


def job_of(text: str, signature: Signature, activation: Activation) -> dict[str, Any] | None:
    """The judge's job, or None for types that native code does not keep as C does."""
    arguments: list[dict[str, Any]] = []
    for argument in signature.arguments:
        element = argument.type if argument.form is None else f"i{argument.width}"
        entry: dict[str, Any] = {
            "name": argument.name,
            "value": activation.inputs[argument.name],
        }
        if isinstance(argument, Array):
            element = "index" if argument.is_index else f"i{argument.width}"
            layout = argument.layout
            entry |= {"sizes": layout.sizes, "strides": layout.strides, "offset": layout.offset}
        if element not in WORDS:
            return None
        arguments.append({**entry, "type": element})
    results = [
        result.type if result.form is None else f"i{result.width}" for result in signature.results
    ]
    if NARROW_ARRAY.search(text) or any(type_ not in WORDS for type_ in results):
        return None
    return {"text": text, "top": signature.name, "results": results, "arguments": arguments}


def verdict(text: str, activation: Activation | None, seed: int = 0) -> bool:
    """True if the judge agrees, False if it cannot judge; a difference fails."""
    module = read_mlir(text, "program.mlir")
    function = top_function(module)
    signature = signature_of(function)
    given = activation or random_activations(signature, seed, 1)[0]
    given = quiet(signature, given)
    job = job_of(text, signature, given)
    if job is None:
        return False
    judged = judge(job)
    assert isinstance(judged, Judged), f"{judged}\n{text}"
    outcome = compile_reference(module, signature.name).run(signature.in_order(given))
    arrays = {a.name: a.form for a in signature.arguments if isinstance(a, Array)}
    forms = [result.form for result in signature.results]
    assert list(map(known, judged.results, forms)) == list(map(known, outcome.results, forms)), text
    for name, memory in outcome.memories.items():
        native = [known(word, arrays[name]) for word in judged.memories[name]]
        words = [known(word, arrays[name]) for word in memory]
        assert native == words, (name, first_difference(native, words, given), text)
    return True


def known(word: int, form: Format | None) -> int:
    """The bits, any NaN as the canonical one: MLIR does not say which NaN comes out."""
    return form.nan if form is not None and form.is_nan(word) else word


def quiet(signature: Signature, activation: Activation) -> Activation:
    """The inputs without NaNs but the canonical one: native maxnumf goes by more than MLIR says."""
    inputs: dict[str, int | list[int]] = {}
    for argument in signature.arguments:
        value, form = activation.inputs[argument.name], argument.form
        given = value if isinstance(value, list) else [value]
        words = [known(word, form) for word in given]
        inputs[argument.name] = words if isinstance(value, list) else words[0]
    return replace(activation, inputs=inputs)


def first_difference(native: list[int], words: list[int], given: Activation) -> str:
    """The first place where two memories differ, with what the inputs hold there."""
    k = next(k for k, pair in enumerate(zip(native, words, strict=True)) if len(set(pair)) > 1)
    there = {n: hex(v[k]) for n, v in given.inputs.items() if isinstance(v, list) and k < len(v)}
    return f"word {k}: native {native[k]:#x}, ours {words[k]:#x}, inputs {there}"


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("file", KERNELS, ids=lambda file: file.stem)
def test_examples_agree(file: Path) -> None:
    judged = judge_example(file)
    # The mask of `checksum` is an array of i1, which MLIR's native memrefs do not hold.
    assert all(judged) or file.stem == "checksum"


@pytest.mark.parametrize("name", ["gcd", "fir"])
def test_two_examples_agree_in_every_run(name: str) -> None:
    assert all(judge_example(EXAMPLES / f"{name}.mlir"))


def judge_example(file: Path) -> list[bool]:
    """Of the first two activations of an example's bundle, whether the judge agrees."""
    text = file.read_text(encoding="utf-8")
    signature = signature_of(top_function(read_mlir(text, file.name)))
    bundle = file.with_suffix(".json")
    runs = read_bundle(bundle.read_text(encoding="utf-8"), bundle.name, signature)
    return [verdict(text, run) for run in runs[:2]]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", [name for name in STRUCTURED if "(no judge)" not in name])
def test_structured_programs_agree(name: str) -> None:
    circuit = compiled(STRUCTURED[name], "raw")
    for activation in activations(circuit, Random(name))[2:5]:
        assert verdict(STRUCTURED[name], activation)
