"""MLIR's own compiler and ours agree on what programs do: two readings of the same language.

`test_random_programs_natively` asks about random programs.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random
from typing import Any

import pytest

from loom.frontend.functions import top_function
from loom.frontend.mlir import read_mlir
from loom.model.activation import Activation
from loom.model.bundle import read_bundle
from loom.model.reference import compile_reference
from loom.model.signature import Array, Signature, random_activations, signature_of
from tests.native_judge import NARROW_ARRAY, WORDS, Judged, judge
from tests.reference_programs import STRUCTURED
from tests.test_program_meets_model import activations, compiled

pytestmark = [
    pytest.mark.judge,
    pytest.mark.skipif(
        importlib.util.find_spec("mlir") is None,
        reason="the extra `judge` (MLIR's own tools) is not installed",
    ),
]
EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.mlir"))


def job_of(text: str, signature: Signature, activation: Activation) -> dict[str, Any] | None:
    """The judge's job, or None for types that native code does not keep as C does."""
    arguments: list[dict[str, Any]] = []
    for argument in signature.arguments:
        element = argument.type
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
    results = [result.type for result in signature.results]
    if NARROW_ARRAY.search(text) or any(type_ not in WORDS for type_ in results):
        return None
    return {"text": text, "top": signature.name, "results": results, "arguments": arguments}


def verdict(text: str, activation: Activation | None, seed: int = 0) -> bool:
    """True if the judge agrees, False if it cannot judge; a difference fails."""
    module = read_mlir(text, "program.mlir")
    function = top_function(module)
    signature = signature_of(function)
    given = activation or random_activations(signature, seed, 1)[0]
    job = job_of(text, signature, given)
    if job is None:
        return False
    judged = judge(job)
    assert isinstance(judged, Judged), f"{judged}\n{text}"
    outcome = compile_reference(module, signature.name).run(signature.in_order(given))
    assert judged.results == outcome.results, text
    assert judged.memories == dict(outcome.memories), text
    return True


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_agree(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    signature = signature_of(top_function(read_mlir(text, file.name)))
    bundle = file.with_suffix(".json")
    runs = read_bundle(bundle.read_text(encoding="utf-8"), bundle.name, signature)
    judged = [verdict(text, run) for run in runs[:2]]
    # The mask of `checksum` is an array of i1, which MLIR's native memrefs do not hold.
    assert all(judged) or file.stem == "checksum"


@pytest.mark.parametrize("name", [name for name in STRUCTURED if "(no judge)" not in name])
def test_structured_programs_agree(name: str) -> None:
    circuit = compiled(STRUCTURED[name], "raw")
    for activation in activations(circuit, Random(name))[2:5]:
        assert verdict(STRUCTURED[name], activation)
