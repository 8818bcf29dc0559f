"""Loops in each other as one pipeline: every level carries values that any other may read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import NamedTuple

import pytest
from xdsl.dialects import arith, memref
from xdsl.ir import SSAValue

from loom.dialects.facts.program_facts import IN_RANGE
from loom.dialects.ops.staticlogic import StageOp
from loom.errors import LoomError
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.static import copied_values
from loom.lower.static.nests import build_nest, choose_nest, nest_counters
from loom.lower.static.nests.find_nest import Level
from loom.model.bundles.activation import Activation
from tests.random_programs.statically import judge_statically
from tests.random_programs.verdict import Choice, Verdict
from tests.support.static.circuits import compile_static_request

FIRST, PROGRAMS, TOGETHER = 100, 120, 20


def nest_of(seed: int, *, of_values: bool = False) -> str:
    """A nest of two to four loops: carried values, operations before and behind each inner loop.

    Bounds of inner loops are constants, or `of_values` that are given and counters of loops around,
    so that any of them may run no iteration.
    """
    random, other = Random(seed), Random(seed)
    given = "%n: index, %p: index, %q: index" if of_values else "%n: index"
    lines = [
        f"func.func @nest(%A: memref<16xi32>, %B: memref<16xi32>, {given}, %x: i32) -> i32 {{",
        "  %c1 = arith.constant 1 : index",
        *(f"  %k{bound} = arith.constant {bound} : index" for bound in (0, 2, 3, 4, 5)),
    ]
    if of_values:
        lines += [f"  %{one}3 = arith.andi %{one}, %k3 : index" for one in "pq"]
    names = (f"%v{number}" for number in range(10_000))

    def operate(visible: list[str], tab: str) -> None:
        for _ in range(random.randrange(3)):
            made, kind = next(names), random.choice(("addi", "subi", "xori", "muli"))
            left, right = random.choice(visible), random.choice(visible)
            lines.append(f"{tab}{made} = arith.{kind} {left}, {right} : i32")
            visible.append(made)

    def bound(counters: int, tab: str) -> str:
        """A bound of values from outside and counters of so many loops around."""
        made = next(names)
        left, right = (
            other.choice(("%p3", "%q3", "%c1", "%k2", *(f"%i{k}" for k in range(counters))))
            for _ in range(2)
        )
        kind = other.choice(("addi", "subi", "minsi", "maxsi"))
        lines.append(f"{tab}{made} = arith.{kind} {left}, {right} : index")
        return other.choice((made, made, left))

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
        if level and of_values and other.random() < 0.8:
            high = bound(level, tab)
            low = bound(level, tab) if other.random() < 0.4 else low
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
@pytest.mark.parametrize("of_values", [False, True])
@pytest.mark.parametrize("first", range(FIRST, FIRST + PROGRAMS, TOGETHER))
def test_a_nest_does_what_its_loops_do(first: int, of_values: bool) -> None:
    for seed in range(first, first + TOGETHER):
        verdict = judge(seed, of_values=of_values)
        assert verdict.finding is None, (seed, verdict.finding)


def judge(seed: int, *, of_values: bool) -> Verdict:
    """The verdict on a random nest; more inputs where they say how often its loops run."""
    count = 6 if of_values else 2
    text = nest_of(seed, of_values=of_values)
    return judge_statically(text, Choice(count, False, None).setting(seed))


@pytest.mark.parametrize("of_values", [False, True])
def test_many_nests_are_one_pipeline(of_values: bool) -> None:
    seeds = range(FIRST, FIRST + TOGETHER)
    texts = [nest_of(seed, of_values=of_values) for seed in seeds]
    circuits = [compile_static_request(Request(text, "k.mlir")) for text in texts]
    assert sum(is_one_pipeline(each) for each in circuits) >= TOGETHER // (3 if of_values else 2)


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


class Row(NamedTuple):
    """The body of a C function, what it is given as `n`, `m` and `k`, and counters of its nests."""

    body: str
    given: tuple[tuple[int, int, int], ...]
    counters: tuple[int, ...] = (2,)


LARGEST, SMALLEST = 2**31 - 1, -(2**31)
FEW = tuple((n, m, k) for n in (0, 1, 3) for m in (-1, 0, 1, 4) for k in (0, 2))
EDGES = tuple(
    (2, low, high)
    for low in (LARGEST, LARGEST - 1, SMALLEST, 0)
    for high in (LARGEST, SMALLEST, SMALLEST + 1, 1)
    if high - low < 9
)
LOOP = "for (int {0} = {1}; {0} < {2}; {0}++)"
OUTER, INNER, LAST = (LOOP.format(*each) for each in (("i", 0, "n"), ("j", 0, "m"), ("l", 0, "k")))
AFTER, BELOW, BETWEEN = (LOOP.format("j", *ends) for ends in (("i + 1", "n"), ("0", "i"), "mk"))
LEFT = LOOP.format("j", 0, "m - i")
OF_VALUES = {
    "perfect": Row(f"{OUTER} {INNER} y[i * 4 + j] = a[j] + i;", FEW),
    "perfect of three": Row(f"{OUTER} {INNER} {LAST} s += a[j] ^ (i + l);", FEW, (3,)),
    "sum of a row": Row(f"{OUTER} {{ int r = 0; {INNER} r += a[j]; y[i] = r; s ^= r; }}", FEW),
    "in front and behind": Row(f"{OUTER} {{ s += i; y[i] = s; {INNER} s ^= j; s++; }}", FEW),
    "three, each in front and behind": Row(
        f"{OUTER} {{ s += i; {INNER} {{ s ^= j; {LAST} t += l; y[j] = s; }} a[i] = s; }}", FEW, (3,)
    ),
    "triangle above": Row(f"{OUTER} {AFTER} {{ s += a[j]; y[j] = s + i; }}", FEW),
    "triangle below": Row(f"{OUTER} {{ {BELOW} s += a[j] ^ i; t ^= s; }}", FEW),
    "what is left": Row(f"{OUTER} {{ {LEFT} s += a[j] ^ i; t ^= s; }}", FEW),
    "empty middle": Row(
        f"{OUTER} {{ {AFTER} {{ {LAST} s += a[l] + j; t++; }} t ^= s; }}", FEW, (3,)
    ),
    "ends of the type": Row(f"{OUTER} {{ {BETWEEN} s += j; t += i; }}", EDGES),
    "ends of the type, a store behind": Row(f"{OUTER} {{ {BETWEEN} s++; y[i] = s; }}", EDGES),
    "waits for an outer iteration": Row(
        f"{OUTER} {{ int r = i; {BELOW} r += y[j] * 3; y[i] = r; }}", ((9, 0, 0),), (1,)
    ),
    "waits for a row": Row(f"{OUTER} {INNER} y[j] = y[j] * 3 + i;", ((4, 9, 0),), (1,)),
}  # fmt: skip
"""Nests with bounds that are values: each runs with inner loops that run no iteration."""


def of_row(name: str) -> StaticCircuit:
    """The circuit of a row."""
    text = f"int s = 1, t = 2; {OF_VALUES[name].body} return s ^ t * 8;"
    arguments = "int a[16], int y[16], int n, int m, int k"
    return compile_static_request(Request(f"int f({arguments}) {{ {text} }}", "k.c"))


def given_to(name: str) -> list[Activation]:
    """The inputs of a row."""
    words = [3 * place % 7 + 1 for place in range(16)]
    return [
        Activation({"a": words, "y": words[::-1], **{
            name: value % 2**32 for name, value in zip("nmk", each, strict=True)
        }})
        for each in OF_VALUES[name].given
    ]  # fmt: skip


@pytest.mark.parametrize("name", OF_VALUES)
def test_bounds_may_be_values(name: str) -> None:
    circuit = of_row(name)
    assert list(circuit.differences(given_to(name), 2000)) == []
    found = tuple(len(each.iv_inits) for each in circuit.pipelines)
    assert found == OF_VALUES[name].counters


def is_wrong(name: str) -> bool:
    """Whether a row's circuit differs from its program, or does not end."""
    try:
        return any(of_row(name).differences(given_to(name), 2000))
    except LoomError as error:
        assert error.code == "MODEL_LIMIT"
        return True


def every_level_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flags of loops that run no iteration are left out."""
    monkeypatch.setattr(nest_counters.Counting, "always_runs", lambda self, number: True)


def last_is_below_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last counter is the one below the bound, where there is no iteration too."""

    def fault(counting: nest_counters.Counting, number: int) -> SSAValue:
        return counting.outside.with_constant(arith.SubiOp, counting.highs[number], 1)

    monkeypatch.setattr(nest_counters.Counting, "last_outside", fault)


def inner_levels_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops inside one that runs no iteration run."""
    right = nest_counters.Scope.runs_if_reached
    monkeypatch.setattr(nest_counters.Scope, "runs", right)


def accesses_have_no_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that runs no iteration stores."""
    monkeypatch.setattr(build_nest, "ACCESSES", ())


def nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that runs no iteration changes what it carries."""
    given = "kept_unless"
    monkeypatch.setattr(build_nest._Nest, given, lambda nest, number, build, value, *_, **__: value)


def outer_levels_do_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs where an inner loop runs no iteration, whatever stands beside it."""
    monkeypatch.setattr(build_nest, "does_nothing_else", lambda outer, inner: True)


def sums_are_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bound that is a sum of the next counter is that of this one."""
    monkeypatch.setattr(copied_values, "add_once", drop_first)


def drop_first(value: SSAValue) -> SSAValue:
    """A sum of a sum becomes one of its first operand."""
    operation = value.owner
    if isinstance(operation, arith.AddiOp) and isinstance(operation.lhs.owner, arith.AddiOp):
        operation.operands[0] = operation.lhs.owner.lhs
    return value


FAULTS: dict[Callable[[pytest.MonkeyPatch], None], set[str]] = {
    every_level_runs: {"in front and behind", "triangle above", "ends of the type"},
    last_is_below_the_bound: {"in front and behind", "ends of the type"},
    inner_levels_go_on: {"empty middle"},
    accesses_have_no_flag: {"triangle above"},
    nothing_is_kept: {"sum of a row", "triangle below", "what is left"},
    outer_levels_do_nothing: {"in front and behind", "ends of the type, a store behind"},
    sums_are_halved: {"triangle above"},
}
"""Faults by the rows that report them."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_loop_that_runs_no_iteration_is_seen(
    monkeypatch: pytest.MonkeyPatch, fault: Callable[[pytest.MonkeyPatch], None]
) -> None:
    fault(monkeypatch)
    assert {name for name in FAULTS[fault] if not is_wrong(name)} == set()


def test_a_distance_of_more_iterations_than_there_are_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The fault of a trip count that nobody knows."""
    monkeypatch.setattr(choose_nest, "is_no_slower", lambda levels, builder: True)
    assert not is_wrong("waits for a row")
    monkeypatch.setattr(Level, "least_trips", 16)
    few = [replace(each, inputs={**each.inputs, "m": 1}) for each in given_to("waits for a row")]
    assert any(of_row("waits for a row").differences(few, 2000))


@pytest.mark.parametrize("name", ["waits for an outer iteration", "waits for a row"])
def test_a_nest_of_a_longer_interval_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    apart = of_row(name).cycles(given_to(name), 2000)
    monkeypatch.setattr(choose_nest, "is_no_slower", lambda levels, builder: True)
    circuit = of_row(name)
    assert is_one_pipeline(circuit)
    assert sum(apart) < sum(circuit.cycles(given_to(name), 2000))


def test_loads_in_range_are_not_made_where_a_loop_runs_no_iteration() -> None:
    text = "int s = 0; for (int i = 0; i < 4; i++) for (int j = i + 1; j < 4; j++) s += a[j];"
    circuit = compile_static_request(
        Request(f"int f(const int a[4]) {{ {text} return s; }}", "k.c")
    )
    assert list(circuit.differences([Activation({"a": [1, 2, 3, 5]})], 100)) == []
    (pipeline,) = circuit.pipelines
    assert len(pipeline.iv_inits) == 2
    loads = [op for op in pipeline.walk() if isinstance(op, memref.LoadOp)]
    holders = [op.parent_op() for op in loads]
    assert loads and all(IN_RANGE.is_on(op) for op in loads)
    assert all(isinstance(each, StageOp) and each.when is not None for each in holders)
