"""Outer loops that load of an array of the inner one have an iteration of it for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from xdsl.ir import Operation, SSAValue

from loom.analysis.program.memory_accesses import Accesses
from loom.errors import LoomError
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static.build_pipeline import Builder
from loom.lower.static.nests import build_nest, choose_nest, first_loads
from loom.lower.static.nests.find_nest import Level
from loom.model.bundles.activation import Activation
from tests.grow.static_campaign import kernel_of
from tests.static.loads import random_first_loads
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs
from tests.support.static.circuits import compile_static_request

MOST = 2000
PROGRAMS, IN_RTL = 80, 120
PROLOGUE = 12
"""Cycles of an activation beside one an iteration at most."""

OUTER = "for (int i = 0; i < (n & 7); i++)"
INNER = "for (int j = 0; j < {}; j++)"
THRICE = "for (int l = 0; l < 3; l++)"
FIVE, BELOW = INNER.format(5), INNER.format("i")
NESTS = {
    "a load in front": f"{OUTER} {{ int r = a[i + 8]; {FIVE} r -= a[j] * x[j]; y[i] = r; }}",
    "a load behind": f"{OUTER} {{ int r = 0; {FIVE} r += a[j + i]; y[i] = r ^ a[i] * 3; }}",
    "a triangle": f"{OUTER} {{ int r = a[i + 8]; {BELOW} r -= a[j] * x[j]; y[i] = r; }}",
    "in place": f"{OUTER} {{ int r = a[i * 8 + 7]; {BELOW} r -= a[i * 8 + j]; a[i * 8 + 7] = r; }}",
    "what is made of it": f"{OUTER} {{ int f = a[i] * 3 + 1; {FIVE} s += a[j + 9] * f; t ^= f; }}",
    "two loads": f"{OUTER} {{ int f = a[i], g = x[i]; {FIVE} s += a[j + i] + x[j] * g + f; }}",
    "a branch in front": f"{OUTER} {{ int f = t; if (i & 1) f = a[i]; {BELOW} s += a[j] ^ f; }}",
    "a branch inside": f"{OUTER} {{ int f = a[i]; {BELOW} if (j != 2) s += a[i + j]; t ^= f; }}",
    "a store inside": f"{OUTER} {{ int f = a[i]; {BELOW} y[j] = a[j + 1] ^ f; s += f; }}",
    "carried on": f"{OUTER} {{ t ^= a[i + 20]; {FIVE} {{ s += a[j]; t += s; }} }}",
    "three loops": f"{THRICE} {OUTER} {{ s ^= a[i + l]; {BELOW} s += a[j] * l; }}",
}
"""Nests with an iteration an entry for the outer loop's loads."""
OTHERS = {
    "no port is short": f"{OUTER} {{ s += x[i]; {FIVE} s += a[j]; }}",
    "a bound": f"{OUTER} {{ int m = a[i + 1]; for (int j = 0; j < (m & 3); j++) s += a[j]; }}",
    "stored inside": f"{OUTER} {{ {FIVE} {{ s += a[j]; a[j + i] = s; }} t ^= a[i + 2]; }}",
    "an address of it": f"{OUTER} {{ int f = a[i]; {FIVE} s += a[j + f]; t ^= f; }}",
    "the row before": f"{OUTER} {{ t = a[i]; {FIVE} s += a[j + 9] ^ t; a[i * 3 + 1 & 7] = s; }}",
}
"""Nests without one."""


def nest(body: str) -> StaticCircuit:
    """The schedule of a function around a nest."""
    arguments = "int a[64], const int x[8], int y[8], unsigned char n"
    text = f"int f({arguments}) {{ int s = 1, t = 2; {body} return s ^ t * 64; }}"
    return compile_static_request(Request(text, "k.c", options=Options(style="static")))


def given() -> list[Activation]:
    """Outer loops of no iteration, one, two and many."""
    return [
        Activation({
            "a": [(3 * k + n) % 7 for k in range(64)], "x": [5, 0, 2, 7, 1, 1, 6, 4],
            "y": [8 - k for k in range(8)], "n": n,
        })
        for n in (7, 0, 1, 2)
    ]  # fmt: skip


@pytest.mark.parametrize("name", NESTS)
def test_loads_of_the_outer_loop_have_an_iteration(name: str) -> None:
    circuit = nest(NESTS[name])
    assert random_first_loads.count_first(circuit) == 1
    assert [pipeline.ii for pipeline in circuit.pipelines] == [1]
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize("name", OTHERS)
def test_other_nests_have_none(name: str) -> None:
    circuit = nest(OTHERS[name])
    assert random_first_loads.count_first(circuit) == 0
    assert list(circuit.differences(given(), MOST)) == []


@pytest.mark.parametrize(("name", "trips"), [("a load in front", 5), ("a triangle", None)])
def test_an_entry_takes_one_cycle_more_than_its_iterations(name: str, trips: int | None) -> None:
    cycles = [run.cycles for run in nest(NESTS[name]).runs(given(), MOST)]
    for activation, found in zip(given(), cycles, strict=True):
        rows = activation.inputs["n"]
        assert isinstance(rows, int)
        least = sum(1 + (row if trips is None else trips) for row in range(rows))
        assert least <= found <= least + PROLOGUE


def is_wrong(name: str) -> bool:
    """Whether a nest's circuit differs from its program, or is none."""
    try:
        return any(nest({**NESTS, **OTHERS}[name]).differences(given(), MOST))
    except LoomError as error:
        return error.code == "MODEL_LIMIT"


def nothing_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the first iteration loads is gone in the next one."""
    right = build_nest._Nest.make_first

    def fault(nest: build_nest._Nest, number: int, own: SSAValue) -> None:
        before = set(nest.carried)
        right(nest, number, own)
        for each in set(nest.carried) - before:
            nest.carried[each] = each

    monkeypatch.setattr(build_nest._Nest, "make_first", fault)


def the_loop_runs_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The inner loop stores in the iteration that is not its own."""
    monkeypatch.setattr(build_nest._Nest, "guard", lambda nest, operations, flag: None)


def stores_between_are_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A load behind the inner loop is made in front of what that stores."""

    def interval_of(levels: Sequence[Level], builder: Builder) -> int:
        return 1 if levels[-1].pairs else 9

    monkeypatch.setattr(choose_nest, "interval_of", interval_of)
    monkeypatch.setattr(first_loads, "may_move", lambda *given: True)


def one_access_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two loads that are one the outer one waits for nothing."""

    def fault(accesses: Accesses, merged: Operation, load: Operation, other: Operation) -> None:
        accesses.add_copy(load, merged)

    monkeypatch.setattr(Accesses, "add_merged", fault)


FAULTS: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    nothing_is_held: "what is made of it",
    the_loop_runs_in_it: "a store inside",
    stores_between_are_passed: "stored inside",
    one_access_is_known: "the row before",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_reported(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert is_wrong(FAULTS[fault])


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs() -> None:
    found = list(random_first_loads.CAMPAIGN.run(range(PROGRAMS)))
    assert [(seed, wrong) for seed, _, wrong in found if wrong] == []
    assert sum(count > 0 for _, count, _ in found) > PROGRAMS // 16


@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_nests_in_rtl(stalls: float, deep: Deep) -> None:
    pairs = [(kernel_of(nest(body)), given()) for body in NESTS.values()]
    deep(*INPUTS, texts=describe_runs(pairs))
    kernels, runs = zip(*pairs, strict=True)
    reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    for report in reports if not stalls else ():
        assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.sim
@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs_in_rtl() -> None:
    found = list(random_first_loads.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert found and [(seed, wrong) for seed, _, wrong in found if wrong] == []
