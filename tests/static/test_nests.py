"""Loops in each other as one pipeline: every level carries values that any other may read."""

from __future__ import annotations

from random import Random

import pytest

from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.static import build_nest
from loom.model.bundles.activation import Activation
from tests.random_programs.statically import judge_statically
from tests.random_programs.verdict import Choice
from tests.support.static.circuits import compile_static_request

FIRST, PROGRAMS, TOGETHER = 100, 120, 20


def nest_of(seed: int) -> str:
    """A nest of two to four loops: carried values, operations before and behind each inner loop."""
    random = Random(seed)
    lines = [
        "func.func @nest(%A: memref<16xi32>, %B: memref<16xi32>, %n: index, %x: i32) -> i32 {",
        "  %c1 = arith.constant 1 : index",
        *(f"  %k{bound} = arith.constant {bound} : index" for bound in (0, 2, 3, 4, 5)),
    ]
    names = (f"%v{number}" for number in range(10_000))

    def operate(visible: list[str], tab: str) -> None:
        for _ in range(random.randrange(3)):
            made, kind = next(names), random.choice(("addi", "subi", "xori", "muli"))
            left, right = random.choice(visible), random.choice(visible)
            lines.append(f"{tab}{made} = arith.{kind} {left}, {right} : i32")
            visible.append(made)

    def loop(level: int, levels: int, outside: list[str], tab: str) -> list[str]:
        """Its results; `outside` are the values that it may read."""
        counter, carried = f"%i{level}", [next(names) for _ in range(random.randrange(3))]
        high = "%n" if not level and random.random() < 0.5 else random.choice(("%k2", "%k3", "%k5"))
        first = ", ".join(f"{name} = {random.choice(outside)}" for name in carried)
        results = [next(names) for _ in carried]
        types = ", ".join("i32" for _ in carried)
        said = f" iter_args({first}) -> ({types})" if carried else ""
        given = f"{', '.join(results)} = " if results else ""
        low = "%k0" if not level else random.choice(("%k0", "%c1"))
        lines.append(f"{tab}{given}scf.for {counter} = {low} to {high} step %c1{said} {{")
        inside, deeper = tab + "  ", f"%w{level}"
        lines.append(f"{inside}{deeper} = arith.index_cast {counter} : index to i32")
        visible = [*outside, *carried, deeper]
        if random.random() < 0.4:
            made = next(names)
            lines.append(f"{inside}{made} = memref.load %A[{counter}] : memref<16xi32>")
            visible.append(made)
        operate(visible, inside)
        if level + 1 < levels:
            visible += loop(level + 1, levels, visible, inside)
            operate(visible, inside)
        if random.random() < 0.4:
            stored = random.choice(visible)
            lines.append(f"{inside}memref.store {stored}, %B[{counter}] : memref<16xi32>")
        if carried:
            after = ", ".join(random.choice(visible) for _ in carried)
            lines.append(f"{inside}scf.yield {after} : {types}")
        lines.append(f"{tab}}}")
        return results

    found = loop(0, random.choice((2, 3, 3, 4)), ["%x"], "  ")
    lines += [f"  func.return {(found or ['%x'])[-1]} : i32", "}", ""]
    return "\n".join(lines)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, TOGETHER))
def test_a_nest_does_what_its_loops_do(first: int) -> None:
    for seed in range(first, first + TOGETHER):
        verdict = judge_statically(nest_of(seed), Choice(2, False, None).setting(seed))
        assert verdict.finding is None, (seed, verdict.finding)


def test_most_nests_are_one_pipeline() -> None:
    seeds = range(FIRST, FIRST + TOGETHER)
    circuits = [compile_static_request(Request(nest_of(seed), "k.mlir")) for seed in seeds]
    assert sum(is_one_pipeline(each) for each in circuits) >= TOGETHER // 2


READ_BETWEEN = {
    "nowhere": "MIDDLE INNER s += a[k] ^ j;",
    "behind": "MIDDLE { INNER s ^= a[k] + i; r += s; }",
    "before": "MIDDLE { int t = s; INNER s += t ^ a[k]; }",
    "both": "MIDDLE { int t = s; INNER s += a[k] + j; r += t; }",
    "changed": "MIDDLE { INNER s += a[k] ^ r; r ^= s; }",
    "twice": "MIDDLE { int t = s; INNER { t += s ^ a[k]; s++; } r += t; }",
    "anew": "MIDDLE { r = s; INNER r += a[k]; } s += r;",
    "inside": "r = 0; MIDDLE { r = s; INNER r += a[k]; } s = r;",
}
"""Bodies of an outer loop whose inner ones carry `s`: where it is read between them."""


def read_between(name: str) -> StaticCircuit:
    """The nest around a body."""
    body = READ_BETWEEN[name].replace("MIDDLE", "for (int j = 0; j < 3; j++)")
    body = body.replace("INNER", "for (int k = 0; k < 4; k++)")
    nest = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"int f(const int a[4], int n) {{ int s = 1, r = 0; {nest} return s ^ r * 8; }}"
    return compile_static_request(Request(text, "k.c"))


def few_rows() -> list[Activation]:
    """No row, one, two, and more."""
    return [Activation({"a": [1, 2, 3, 5], "n": n}) for n in (0, 1, 2, 5)]


@pytest.mark.parametrize("name", READ_BETWEEN)
def test_what_is_read_between_loops_is_that_of_their_level(name: str) -> None:
    circuit = read_between(name)
    assert list(circuit.differences(few_rows(), 1000)) == []
    (pipeline,) = circuit.pipelines
    carried = len(pipeline.res) - len(pipeline.iv_inits)
    assert (carried == 1) == (name == "nowhere")


def test_a_value_that_middle_loops_read_too_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault of asking the outermost loop alone."""
    right = build_nest._Nest.carries_on

    def shallow(nest: build_nest._Nest, number: int, index: int) -> bool:
        levels = nest.levels
        nest.levels = levels[: number + 1]
        try:
            return right(nest, number, index)
        finally:
            nest.levels = levels

    monkeypatch.setattr(build_nest._Nest, "carries_on", shallow)
    wrong = [name for name in READ_BETWEEN if [*read_between(name).differences(few_rows(), 1000)]]
    assert {"behind", "before", "both"} <= {*wrong}


def is_one_pipeline(circuit: StaticCircuit) -> bool:
    """Whether all loops of a circuit were coalesced."""
    pipelines = list(circuit.pipelines)
    return len(pipelines) == 1 and len(pipelines[0].iv_inits) > 1


def test_a_value_that_is_not_held_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault of a middle loop whose carried value goes on with each innermost iteration."""
    monkeypatch.setattr(build_nest, "begins_only", lambda argument: True)
    verdicts = [
        judge_statically(nest_of(seed), Choice(2, False, None).setting(seed))
        for seed in range(FIRST, FIRST + TOGETHER)
    ]
    assert any(verdict.finding for verdict in verdicts)
