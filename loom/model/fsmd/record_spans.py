"""When the steps of a machine run, and when iterations of its pipelines issue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loom.netlist.fsmd.fsmd import Span

MOST_CYCLES = 10_000
"""Cycles that are recorded; what follows is left out [cycles]."""


@dataclass(frozen=True)
class SpanRun:
    """A step in one activation: its runs, from cycle to cycle, both included, from 1 on.

    `issues` are the cycles in which iterations of a pipeline issue.
    """

    span: Span
    runs: tuple[tuple[int, int], ...]
    issues: tuple[int, ...]

    @property
    def busy(self) -> int:
        """Cycles in which it runs: one in which a run ends and the next begins counts once."""
        last = found = 0
        for begin, end in self.runs:
            found += end - max(begin, last + 1) + 1
            last = end
        return found


class SpanRecorder:
    """What a machine calls in each cycle of an activation; `found` is what it has seen."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self.spans = spans
        self.cycles = 0
        self.runs: list[list[tuple[int, int]]] = [[] for _ in spans]
        self.issues: list[list[int]] = [[] for _ in spans]
        self.begun: list[int | None] = [None] * len(spans)

    def __call__(self, cycle: int, values: Mapping[str, int]) -> None:
        """One more cycle and its signals."""
        if cycle > MOST_CYCLES:
            return
        self.cycles = cycle
        for number, span in enumerate(self.spans):
            begun, ends = self.begun[number], bool(values[span.end])
            if begun is not None and ends:
                self.runs[number].append((begun, cycle))
                self.begun[number] = None
            if values[span.start]:
                self.begun[number] = cycle
                if begun is None and ends:  # a branch that is not taken, a wire
                    self.runs[number].append((cycle, cycle))
                    self.begun[number] = None
            if span.issue and values[span.issue]:
                self.issues[number].append(cycle)

    def found(self) -> tuple[SpanRun, ...]:
        """The steps; one that still runs ends with the last cycle seen."""
        rows = []
        for number, span in enumerate(self.spans):
            begun = self.begun[number]
            left = [] if begun is None else [(begun, self.cycles)]
            runs = (*self.runs[number], *left)
            rows.append(SpanRun(span, runs, tuple(self.issues[number])))
        return tuple(rows)
