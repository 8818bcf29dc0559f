"""Components, cycles and feedback arcs are what a closure of all pairs says, on random graphs."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from loom.graph_algorithms import component_numbers, feedback_arcs, has_cycle, on_cycles


@dataclass(frozen=True)
class Arc:
    source: int
    target: int


def closure(arcs: list[Arc]) -> set[tuple[int, int]]:
    """Pairs of vertices with a path of at least one arc."""
    reached = {(arc.source, arc.target) for arc in arcs}
    while more := {(a, d) for a, b in reached for c, d in reached if b == c} - reached:
        reached |= more
    return reached


def test_random_graphs() -> None:
    for seed in range(1000):
        draw = Random(seed)
        size = draw.randint(1, 7)
        arcs = [Arc(draw.randrange(size), draw.randrange(size)) for _ in range(draw.randint(1, 12))]
        paths, number = closure(arcs), component_numbers(arcs)
        for u in number:
            for v in number:
                both = {(u, v), (v, u)} <= paths
                assert (number[u] == number[v]) == (u == v or both)
                assert number[u] >= number[v] or (u, v) not in paths
        cyclic = [a for a in arcs if (a.target, a.source) in paths or a.source == a.target]
        assert on_cycles(arcs) == cyclic
        assert has_cycle(arcs) == bool(cyclic)
        removed = feedback_arcs(arcs, lambda arc: arc.source % 2, 1)
        assert not has_cycle([arc for arc in arcs if arc not in removed])


def test_a_path_deeper_than_python_s_stack() -> None:
    path = [Arc(k, k + 1) for k in range(50_000)]
    assert not has_cycle(path) and len(set(component_numbers(path).values())) == 50_001
    assert feedback_arcs([*path, Arc(50_000, 0)], lambda _: 1, 1) == [Arc(50_000, 0)]
