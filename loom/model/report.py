"""The results of the models as text and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import Any

from loom.analysis.balance.invariants import INVARIANTS
from loom.model.bundles.values import value_of
from loom.model.comparison import ModelReport
from loom.model.reference.reference import Outcome
from loom.model.timed.simulate import TimedRun
from loom.netlist.netlist import Netlist

Signs = Mapping[str, bool]
"""Whether integers are signed, by the name of the port or array; they are where it is not known."""
UNKNOWN: Signs = {}


def shown_value(word: int, type_: str, width: int, signed: bool) -> int | float | str:
    """The bit pattern as a number."""
    value = value_of(word, type_, width)
    return word if isinstance(value, int) and not signed else value


def results_json(
    netlist: Netlist, results: Sequence[int], signs: Signs = UNKNOWN
) -> list[int | float | str]:
    """The results as numbers, in port order."""
    ports = [port for port in netlist.ports if port.direction == "output" and port.width]
    return [
        shown_value(token, port.type, port.width, signs.get(port.name, True))
        for token, port in zip(results, ports, strict=False)
    ]


def memories_json(
    netlist: Netlist, memories: Mapping[str, Sequence[int]], signs: Signs = UNKNOWN
) -> dict[str, list[int | float | str]]:
    """The elements of external memories as numbers."""
    found: dict[str, list[int | float | str]] = {}
    for name, words in memories.items():
        memory, signed = netlist.memory_by_name[name], signs.get(name, True)
        found[name] = [shown_value(word, memory.type, memory.width, signed) for word in words]
    return found


def total(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The sum of counts by channel."""
    found: dict[str, int] = {}
    for mapping in counts:
        for name, count in mapping.items():
            found[name] = found.get(name, 0) + count
    return found


def model_json(
    netlist: Netlist, report: ModelReport, timed: Sequence[TimedRun] | None, signs: Signs = UNKNOWN
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
                "results": results_json(netlist, run.results, signs),
                "memories": memories_json(netlist, run.memories, signs),
                "predicted": None if each is None else each.cycles,
                **(program_json(outcome) if report.has_program else {}),
            }
            for run, outcome, each in zip(
                runs, report.outcomes, timed or repeat(None), strict=False
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
    netlist: Netlist, report: ModelReport, timed: Sequence[TimedRun] | None, signs: Signs = UNKNOWN
) -> list[str]:
    """What ``loom model`` prints: a line a run, then the verdict, then what differs."""
    lines: list[str] = []
    for number, (run, outcome, each) in enumerate(
        zip(report.tokens.activations, report.outcomes, timed or repeat(None), strict=False)
    ):
        results = ", ".join(map(str, results_json(netlist, run.results, signs))) or "none"
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
