"""The results of the models as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

from loom.analysis.balance.invariants import INVARIANTS
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import Array, Scalar, Signature
from loom.model.comparison import ModelReport
from loom.model.reference.reference import Outcome
from loom.model.timed.simulate import TimedRun
from loom.netlist.names import port_names
from loom.netlist.netlist import Netlist

Shown = int | float | str
"""A number as bundles have it."""


def run_json(
    signature: Signature,
    activation: Activation,
    results: Sequence[int],
    memories: Mapping[str, Sequence[int]],
) -> dict[str, Any]:
    """What every run has: its inputs, as a bundle has them, results, and arrays afterwards.

    `memories` are those of the circuit; an array that it has no port for is as it was.
    """
    ports = port_names(activation.inputs)
    inputs: dict[str, Shown | list[Shown]] = {}
    after: dict[str, list[Shown]] = {}
    for argument in signature.arguments:
        given = activation.inputs[argument.name]
        if isinstance(argument, Scalar):
            assert isinstance(given, int)
            inputs[argument.name] = argument.shown(given)
            continue
        assert isinstance(given, list)
        inputs[argument.name] = elements_json(argument, given)
        after[argument.name] = elements_json(argument, memories.get(ports[argument.name], given))
    shown = [like.shown(word) for like, word in zip(signature.with_tokens, results, strict=False)]
    return {"inputs": inputs, "results": shown, "memories": after}


def elements_json(array: Array, words: Sequence[int]) -> list[Shown]:
    """The elements of an array as numbers, in row-major order."""
    return [array.shown(word) for word in array.elements(words)]


def total(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of counts by channel."""
    found: dict[str, int] = {}
    for mapping in counts:
        for name, count in mapping.items():
            found[name] = found.get(name, 0) + count
    return found


def model_json(
    netlist: Netlist, report: ModelReport, timed: Sequence[TimedRun] | None
) -> dict[str, Any]:
    """The object that ``loom model --json`` prints."""
    runs = report.tokens.activations
    return {
        "kernel": netlist.name,
        "match": not report.differences,
        "differences": list(report.differences),
        "residual_tokens": sum(sum(run.residual.values()) for run in runs),
        "deadlock": next((list(run.blocked) for run in runs if run.missing), None),
        "bound": report.bound,
        "invariants": [
            {
                "number": row.number,
                "sentence": row.sentence,
                "held": row.number not in report.broken,
            }
            for row in INVARIANTS
            if row.counted
        ],
        "tokens": total([run.tokens for run in runs]),
        "runs": [
            {
                **run_json(report.signature, given, run.results, run.memories),
                "predicted": None if each is None else each.cycles,
                **(program_json(outcome) if report.has_program else {}),
            }
            for given, run, outcome, each in zip(
                report.activations, runs, report.outcomes, timed or repeat(None), strict=False
            )
        ],
    }


def program_json(outcome: Outcome) -> dict[str, Any]:
    """What the program did in one run."""
    return {
        "operations": outcome.operations,
        "accesses": {name: list(count) for name, count in outcome.accesses.items()},
        "iterations": dict(outcome.iterations),
        "bound": outcome.bound,
    }


def model_lines(
    netlist: Netlist, report: ModelReport, timed: Sequence[TimedRun] | None
) -> list[str]:
    """What ``loom model`` prints: a line a run, then the verdict, then what differs."""
    lines: list[str] = []
    for number, (run, outcome, each) in enumerate(
        zip(report.tokens.activations, report.outcomes, timed or repeat(None), strict=False)
    ):
        results = report.signature.shown(run.results)
        facts = f"{sum(run.tokens.values())} tokens"
        if report.has_program:
            facts = f"{outcome.operations} operations, {facts}"
            facts += f", lower bound {outcome.bound} cycles"
        if each is not None:
            facts += f", {each.cycles} cycles predicted"
        lines.append(f"{netlist.name} activation {number}: results {results}; {facts}")
    if report.has_program:
        verdict = "the models differ" if report.differences else "source and token model agree"
    else:
        verdict = (
            "the run is not as expected" if report.differences else "the token model ends clean"
        )
    return [*lines, f"{netlist.name}: {verdict}", *(f"  {text}" for text in report.differences)]
