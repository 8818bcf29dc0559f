"""Inner loops whose bounds are loaded: one pipeline with the loop around, words ahead."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import cosimulate_kernels
from xdsl.dialects import memref
from xdsl.ir import SSAValue

from loom.errors import LoomError
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.scalar.arith_builder import Arithmetic
from loom.lower.static import flatten_whiles
from loom.lower.static.nests import nest_counters, prefetch_bounds
from loom.model.bundles.activation import Activation
from tests.grow import random_loaded_bounds
from tests.grow.static_campaign import kernel_of
from tests.static.test_static_rtl import INPUTS
from tests.support.deep import Deep
from tests.support.kernels_in_rtl import describe_runs
from tests.support.static.circuits import compile_static_request

MOST = 2000
PROGRAMS, IN_RTL = 60, 20
PROLOGUE, TAIL = 6, 12
"""Cycles before the first element and after the last one at most."""

COUNTED = "for (int i = 0; i < {}; i++)"
ROWS = COUNTED.format(7)
SECOND = "for (int i = 1; i < 7; i += 2)"
ROW = "for (int k = p[i]; k < p[i + 1]; k++)"
LENGTH = "for (int k = 0; k < p[i]; k++)"
NESTS = {
    "compressed rows": f"{ROWS} {{ int r = 0; {ROW} r += a[k]; y[i] = r; }}",
    "lengths": f"{ROWS} {{ {LENGTH} s += a[k] ^ i; t ^= s; }}",
    "begins and ends": f"{ROWS} for (int k = p[i]; k < q[i]; k++) s ^= a[k] * 3 + i;",
    "from the counter": f"{ROWS} {{ y[i] = s; for (int k = i; k < p[i]; k++) s += a[k]; }}",
    "a bound of a word": f"{ROWS} for (int k = p[i] & 3; k < q[i]; k++) s += a[k] + k;",
    "a word that is read": f"{ROWS} {{ int b = p[i]; {ROW} s += a[k] ^ b; }}",
    "backwards": f"{ROWS} for (int k = p[i + 1]; k < p[i]; k++) s += a[k];",
    "two rows at once": f"{ROWS} for (int k = p[i]; k < p[i + 2]; k++) s += a[k];",
    "every second row": f"{SECOND} for (int k = p[i]; k < p[i + 2]; k++) s += a[k];",
    "loads in front": f"{ROWS} {{ t += x[i]; {ROW} s += a[k] * t; }}",
    "a word that decides": f"{ROWS} {{ int b = p[i]; if (b > 3) y[i] = t; t++; {ROW} s += a[k]; }}",
    "loads behind": f"{ROWS} {{ {ROW} s += a[k]; t ^= s + z[i]; }}",
    "below zero": f"{ROWS} {{ for (int k = -3; k < p[i]; k++) s += x[k & 7] + k; y[i] = s; }}",
    "two loads of an element": f"{ROWS} {ROW} s += a[k] ^ a[k + 1];",
    "one row": f"{COUNTED.format(1)} {ROW} s += a[k];",
    "rows that are counted": f"{COUNTED.format('(n & 7)')} {LENGTH} s += a[k];",
}
"""Nests that are one pipeline, with their words ahead."""
APART = {
    "stored bounds": f"{ROWS} for (int k = 0; k < y[i]; k++) y[k & 7] = a[k];",
    "a row that is not proved": f"{COUNTED.format('n')} {LENGTH} s += a[k];",
    "rows that are loaded": f"{ROWS} for (int k = 0; k < q[p[i] & 15]; k++) s += a[k];",
    "two elements an iteration": f"{ROWS} for (int k = p[i]; k < p[i + 1]; k += 2) s += a[k];",
    "unrelated loads of one array": f"{ROWS} for (int k = p[i]; k < p[15 - i]; k++) s += a[k];",
    "rows from a value": f"for (int i = n & 1; i < 7; i++) {LENGTH} s += a[k];",
}
"""Nests that stay two loops."""


def nest(body: str, memory: str = "ram") -> StaticCircuit:
    """The schedule of a function around a nest."""
    arrays = "const int p[16], const int q[16], const int a[32], const int x[8], const int z[7]"
    arrays += ", int y[8]"
    text = f"int f({arrays}, int n) {{ int s = 1, t = 2; {body} return s ^ t * 64; }}"
    options = Options(style="static", memories=(("p", memory),))
    return compile_static_request(Request(text, "k.c", options=options))


def given() -> list[Activation]:
    """Rows of no, one and more elements: none at all, each of one, empty ones between, and any."""
    pointers = (
        [0] * 16,
        list(range(16)),
        [0, 0, 3, 3, 4, 5, 5, 9, 9, 9, 12, 12, 13, 14, 14, 14],
        [5, 1, 7, 7, 2, 9, 8, 0, 3, 4, 4, 11, 1, 0, 6, 2],
        [2**31 - 1, *[2**31] * 15],
    )
    other = [7, 3, 9, 1, 12, 5, 6, 2, 0, 8, 4, 11, 10, 1, 3, 2]
    return [
        Activation({
            "p": words, "q": other, "a": [3 * k % 29 for k in range(32)],
            "x": [5, 0, 2, 7, 1, 1, 9, 4], "z": [3, 1, 4, 1, 5, 9, 2],
            "y": [8 - k for k in range(8)], "n": n,
        })
        for n, words in zip((7, 0, 5, 6, 3), pointers, strict=True)
    ]  # fmt: skip


def is_one_pipeline(circuit: StaticCircuit) -> bool:
    """Whether a nest was coalesced, with words loaded ahead."""
    is_whole = "scf.for" not in circuit.text and "scf.while" not in circuit.text
    return len([*circuit.pipelines]) == 1 and is_whole and "loom.speculative" in circuit.text


@pytest.mark.parametrize("name", NESTS)
def test_a_nest_with_loaded_bounds_is_one_pipeline(name: str) -> None:
    circuit = nest(NESTS[name])
    assert is_one_pipeline(circuit)
    most = 4 if name in NEAR_THE_END else 5
    assert list(circuit.differences(given()[:most], MOST)) == []


NEAR_THE_END = {name for name, body in NESTS.items() if "p[i + 1]; k < p[i]" in body} | {
    "below zero", "lengths", "from the counter", "rows that are counted", "begins and ends",
    "a bound of a word",
}  # fmt: skip
"""Nests that would run too far with the largest pointers."""


@pytest.mark.parametrize("name", APART)
def test_other_nests_stay_apart(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flatten_whiles, "find_pairs", lambda _: ())
    circuit = nest(APART[name])
    assert not is_one_pipeline(circuit)
    assert list(circuit.differences(given()[:4], MOST)) == []


@pytest.mark.parametrize("memory", ["ram,latency=2", "channel"])
def test_words_that_come_later_are_not_loaded_ahead(memory: str) -> None:
    circuit = nest(NESTS["compressed rows"], memory)
    assert "loom.speculative" not in circuit.text
    assert list(circuit.differences(given(), MOST)) == []


def test_an_element_a_cycle_and_a_cycle_for_an_empty_row() -> None:
    circuit = nest(NESTS["compressed rows"])
    for activation, run in zip(given(), circuit.runs(given(), MOST), strict=True):
        words = activation.inputs["p"]
        assert isinstance(words, list)
        rows = [max(1, end - begin if end <= MOST else 0) for begin, end in pairwise(words[:8])]
        least = sum(rows)
        assert least <= run.cycles <= PROLOGUE + least + TAIL


def is_wrong(name: str) -> bool:
    """Whether a nest's circuit differs from its program, or does not end."""
    try:
        return any(nest(NESTS[name]).differences(given()[:4], MOST))
    except LoomError as error:
        return error.code == "MODEL_LIMIT"


def a_row_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    """The word of an outer iteration is that of the next one."""
    right = prefetch_bounds.Prefetch.moved

    def moved(
        self: prefetch_bounds.Prefetch,
        load: memref.LoadOp,
        counter: SSAValue,
        ahead: int,
        build: Arithmetic,
    ) -> SSAValue:
        return right(self, load, counter, ahead + 1, build)

    monkeypatch.setattr(prefetch_bounds.Prefetch, "moved", moved)


def rows_that_never_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty row runs an iteration."""
    less = {0: "slt", 1: "ne"}
    monkeypatch.setattr(nest_counters.Counting, "less", lambda self, number: less[number])


def all_loads_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads of one array are the same word."""
    monkeypatch.setattr(prefetch_bounds.Prefetch, "apart", lambda self, one, other: 0)


def nothing_but_bounds_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    """A word that the body reads is not kept."""
    monkeypatch.setattr(prefetch_bounds, "is_of_bounds", lambda value: True)


def the_first_iteration_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """The iteration before the first one ends a row."""
    right = nest_counters.Flags.first

    def first(self: nest_counters.Flags, build: Arithmetic) -> object:
        found = right(self, build)
        return {**found, self.ends: found[self.moves]}

    monkeypatch.setattr(nest_counters.Flags, "first", first)


FAULTS: dict[Callable[[pytest.MonkeyPatch], None], str] = {
    a_row_too_far: "lengths",
    rows_that_never_idle: "compressed rows",
    all_loads_are_one: "compressed rows",
    nothing_but_bounds_reads: "a word that is read",
    the_first_iteration_is_one: "lengths",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_reported(
    fault: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    fault(monkeypatch)
    assert is_wrong(FAULTS[fault])


@pytest.mark.usefixtures("deep_on_sources")
def test_random_programs() -> None:
    found = list(random_loaded_bounds.CAMPAIGN.run(range(PROGRAMS)))
    assert [(seed, wrong) for seed, _, wrong in found if wrong] == []
    assert sum(loads > 0 for _, loads, _ in found) > PROGRAMS // 4


@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_nests_in_rtl(stalls: float, deep: Deep) -> None:
    pairs = [(kernel_of(nest(body)), given()[:4]) for body in NESTS.values()]
    deep(*INPUTS, texts=describe_runs(pairs))
    kernels, runs = zip(*pairs, strict=True)
    reports = cosimulate_kernels(kernels, runs, SimOptions(stalls=stalls, max_cycles=20_000))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    for report in reports if not stalls else ():
        assert [run.cycles for run in report.rtl.runs] == report.predicted


@pytest.mark.sim
def test_random_programs_in_rtl(deep: Deep) -> None:
    deep(*INPUTS, "tests/grow")
    found = list(random_loaded_bounds.CAMPAIGN.in_rtl(range(IN_RTL)))
    assert found and [(seed, wrong) for seed, _, wrong in found if wrong] == []
