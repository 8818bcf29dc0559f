"""A lower bound on the cycles of a circuit, from what the program did."""

from __future__ import annotations

from collections.abc import Mapping


def cycles_no_circuit_beats(
    accesses: Mapping[str, tuple[int, int]], iterations: Mapping[str, int]
) -> int:
    """Cycles that every circuit needs with one read and one write port a memory [cycles].

    A memory serves one load and one store a cycle, and a loop starts one iteration of its body a
    cycle; so the busiest port or loop sets the bound. Steps that must follow each other, pipeline
    depth and latency only add to it. At least 1.
    """
    ports = [count for pair in accesses.values() for count in pair]
    return max((1, *ports, *iterations.values()))
