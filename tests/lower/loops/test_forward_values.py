"""A load takes the value of a pending store to its address: it is no slower than other loads."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Literal

import pytest

from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.dataflow import compare_addresses, forward_values
from loom.lower.options import MemoryOrder, Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed import forward_store
from loom.model.timed.simulate import run_timed
from loom.model.timed.wire import Node

pytestmark = pytest.mark.usefixtures("deep_on_sources")

Period = float | Literal["default"] | None
COUNT, BINS = 48, 8
UNITS = ("dataflow.forward_store", "dataflow.forward_queue")
UPDATE = "h[x[i]] += w[i];"
PATTERNS = {
    "equal": [5] * COUNT,
    "alternating": [1 + 4 * (k % 2) for k in range(COUNT)],
    "different": [k % BINS for k in range(COUNT)],
    "mixed": [(k * k // 3 + 5 * (k // 7)) % BINS for k in range(COUNT)],
}


@cache
def circuit(
    body: str = UPDATE,
    memory: str = "ram",
    element: str = "int",
    order: MemoryOrder = "auto",
    period: Period = "default",
) -> Circuit:
    """A loop with this body, the array behind this memory."""
    arrays = f"const int x[{COUNT}], const {element} w[{COUNT}], {element} h[{BINS}]"
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"int f({arrays}, int n) {{ int s = 0; {loop} return s; }}"
    options = Options(memory_order=order, memories=(("h", memory),), clock_period=period)
    return compile_text(text, "k.c", options=options)


def given(pattern: str, count: int = COUNT) -> Activation:
    """The array's first elements, small numbers to add, so many iterations."""
    words = [k % 5 for k in range(COUNT)]
    return Activation({"x": PATTERNS[pattern], "w": words, "h": [*range(BINS)], "n": count})


def depths(found: Circuit) -> list[int]:
    """The places of each unit that forwards values."""
    units = [unit for unit in found.netlist.units if unit.operator.name in UNITS]
    return [found.netlist.shape_by_unit[unit.name].integer("depth") for unit in units]


def wrong(found: Circuit) -> list[str]:
    """Where the models, one of which has cycles, differ from the program."""
    each = [*(given("equal", n) for n in (0, 1, 2)), *map(given, PATTERNS)]
    report = compare_models(found.source, "f", found.netlist, each, max_cycles=10_000)
    differences = list(report.differences)
    runs = run_timed(found.netlist, each)
    for name, run, outcome in zip((0, 1, 2, *PATTERNS), runs, report.outcomes, strict=True):
        same = [*run.memories["h"]] == [*outcome.memories["h"]]
        if not same or [*run.outputs["out0"]] != [*outcome.results] or run.errors or run.missing:
            differences.append(f"activation {name}")
    return differences


@pytest.mark.parametrize("memory", ["ram", "ram,latency=2", "ram,latency=3", "channel,latency=4"])
def test_all_addresses_take_a_cycle(memory: str) -> None:
    found = circuit(memory=memory)
    assert depths(found)
    assert wrong(found) == []
    cycles = {run.cycles for run in run_timed(found.netlist, [*map(given, PATTERNS)])}
    assert len(cycles) == 1 and cycles.pop() < COUNT + 30
    (tokens,) = run_timed(circuit(memory=memory, order="tokens").netlist, [given("equal")])
    assert tokens.cycles >= 2 * COUNT


SEVERAL = {
    "two updates": "h[x[i]] += w[i]; h[w[i]] -= 3;",
    "an exchange": "int t = h[x[i]]; h[x[i]] = h[w[i]] + 1; h[w[i]] = t;",
    "both loads first": "int t = h[x[i]] + 1, u = h[w[i]] * 3; h[x[i]] = t; h[w[i]] = u;",
    "an update of its own sum": "h[x[i]] += h[w[i]]; h[w[i]] += 5;",
}
"""Bodies with two stores, and two or three loads of an array with one port for each."""


@pytest.mark.parametrize("memory", ["ram", "ram,latency=3"])
@pytest.mark.parametrize("body", SEVERAL.values(), ids=SEVERAL)
def test_loads_of_several_stores_wait_for_no_address(body: str, memory: str) -> None:
    found = circuit(body, memory)
    assert len(depths(found)) >= 2
    assert wrong(found) == []
    cycles = {run.cycles for run in run_timed(found.netlist, [*map(given, PATTERNS)])}
    assert max(cycles) - min(cycles) <= 1
    assert max(cycles) <= (3 if "+= h" in body else 2) * COUNT + 30
    (tokens,) = run_timed(circuit(body, memory, order="tokens").netlist, [given("equal")])
    assert tokens.cycles >= 1.5 * max(cycles)


@pytest.mark.parametrize("memory", ["ram", "ram,latency=3", "channel,latency=9"])
def test_a_store_under_a_branch_of_its_own_gives_values(memory: str) -> None:
    body = "int a = x[i], b = w[i]; int t = h[b] + 1; if (w[i] > 1) h[a] = t;"
    found = circuit(body, memory)
    assert depths(found) and wrong(found) == []
    cycles = {run.cycles for run in run_timed(found.netlist, [*map(given, PATTERNS)])}
    assert len(cycles) == 1 and cycles.pop() < COUNT + 110


BODIES = {
    "under a branch": "if (w[i] > 1) h[x[i]] += w[i];",
    "under one way": "if (w[i] > 1) h[x[i]] += w[i]; else s += w[i];",
    "read behind the store": "int t = h[x[i]]; h[x[i]] = t + 3; s += t;",
    "a value of its own": "s += h[x[i]]; h[x[i]] = w[i];",
    "a value of another load": "s ^= h[x[i]]; h[x[i]] = w[x[i] & 7] * 3;",
    "a constant": "s += h[x[i]]; h[x[i]] = 7;",
    "the element itself": "h[(x[i] + 1) & 7] = h[x[i]];",
    "the element itself, used": "int t = h[x[i]]; h[w[i]] = t; s += t;",
    "an element at an element": "int t = w[h[x[i]] & 7]; h[(x[i] + 1) & 7] = t;",
    "another address": "h[x[i]] = h[w[i]] * 3 + i;",
    "until an element": "if (w[i] > 3 && n == 47) break; h[x[i]] += i;",
    **SEVERAL,
    "three updates": "h[x[i]] += 3; h[w[i]] ^= i; h[(x[i] + 1) & 7] -= 2;",
    "four updates": "h[x[i]] += 3; h[w[i]] ^= i; h[(x[i] + 1) & 7] -= 2; h[i & 7] += 1;",
    "behind its own store": "h[w[i]] = h[x[i]] + i; s += h[(x[i] ^ i) & 7];",
    "a branch at once": "int a = x[i]; int t = h[a]; s += t; if (w[i] > 2) h[a] = t + w[i];",
    "a branch of its own": "int t = h[x[i]] + w[i]; if (t > 9) h[x[i]] = t; s += t;",
    "two branches of its own": "int t = h[x[i]]; if (t > 3) { if (w[i] & 1) h[x[i]] = t ^ 6; }",
    "another address under a branch": "int a = x[i]; int t = h[w[i]]; if (i & 2) h[a] = t + 1;",
    "a branch of the datum": "int a = x[i]; int t = h[w[i]]; if (t > 9) h[a] = t + 1;",
    "a number of two words": "h[x[i]] = h[x[i]] * h[x[i]] + w[i];",
}


WAITING = (
    *("a constant", "a value of its own", "a value of another load"),
    *("four updates", "behind its own store", "a branch of the datum"),
)
"""Bodies whose values the loaded datum does not lead to, with more stores than one unit forwards,
or where waiting takes no longer."""


NESTS = {
    "h[x[i]] += w[i];": True,
    "h[x[i]] += w[i]; } for (int i = 0; i < 1; i++) { h[k] += 1;": False,
    "h[x[i]] += w[i]; } { h[0] += 1;": False,
    "h[x[i]] += w[i]; h[w[i]] ^= 3; } { h[x[k]] += 1;": False,
}
"""Bodies of an inner loop, and whether loads may take values of the entry before."""


@pytest.mark.parametrize("body", NESTS)
def test_no_value_is_older_than_a_store_between_entries(body: str) -> None:
    arrays = f"const int x[{COUNT}], const int w[{COUNT}], int h[{BINS}]"
    nest = f"for (int k = 0; k < 3; k++) {{ for (int i = k; i < n; i++) {{ {body} }} }}"
    text = f"int f({arrays}, int n) {{ int s = 0; {nest} return s; }}"
    for memory, period in product(("ram", "ram,latency=3"), (None, "default", 14.0)):
        options = Options(memories=(("h", memory),), clock_period=period)
        found = compile_text(text, "k.c", options=options)
        assert wrong(found) == [], (memory, period)
        assert not depths(found) or NESTS[body]


def test_a_store_between_entries_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forward_values, "changes_between", lambda *_: False)
    with pytest.raises(AssertionError):
        test_no_value_is_older_than_a_store_between_entries([*NESTS][3])


@pytest.mark.parametrize("body", ["h[x[i]] += 1; h[x[i]] += 2; h[w[i]] += 3;", UPDATE])
def test_a_period_that_waiting_reaches_is_reached(body: str) -> None:
    for memory in ("ram", "ram,latency=3"):
        assert wrong(circuit(body, memory, period=9.0)) == []


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_values_are_those_of_the_program(body: str) -> None:
    orders: tuple[MemoryOrder, ...] = ("auto", "comparators")
    for memory in ("ram", "ram,latency=3", "channel,latency=9"):
        for order in orders:
            assert wrong(circuit(body, memory, order=order)) == [], (memory, order)
    forwards = depths(circuit(body, "channel,latency=9")) != []
    assert forwards == (body not in [BODIES[name] for name in WAITING])


def test_a_value_is_forwarded_where_a_fourth_of_the_cycles_is_saved() -> None:
    # From the load to the store's done token an addition of floats takes 7 cycles, with a RAM of
    # latency 3 nine; from a value to the next one six.
    assert depths(circuit(element="float")) == []
    assert depths(circuit(element="float", memory="ram,latency=3")) == [16]
    assert depths(circuit(element="float", memory="channel,latency=9")) == [16]
    # Values that the loaded datum does not lead to, and a branch that takes too long for a cycle.
    assert depths(circuit("s += h[x[i]]; h[(x[i] + 1) & 7] = w[i];", "ram,latency=3")) == []
    assert depths(circuit("int t = h[x[i]] + w[i]; if (t > 9) h[x[i]] = t;")) == []


@pytest.mark.parametrize("period", [9.0, 10.0, "default", None])
@pytest.mark.parametrize("memory", ["ram", "ram,latency=3"])
def test_no_clock_period_makes_them_slower_than_waiting(
    monkeypatch: pytest.MonkeyPatch, memory: str, period: Period
) -> None:
    """Where a value's path does not fit into the period, loads wait, or they gain more."""
    seen = []
    for said in (compare_addresses.forward_values, lambda *_: ""):
        monkeypatch.setattr(compare_addresses, "forward_values", said)
        found = circuit.__wrapped__(memory=memory, period=period)
        runs = run_timed(found.netlist, [given("equal"), given("different")])
        seen.append([run.cycles for run in runs])
    (equal, different), (waits_equal, waits_different) = seen
    assert equal * different <= waits_equal * waits_different


class Stale(forward_store.Data):
    """Data that are never those of a store."""

    def offer(self) -> None:
        """The datum of the memory."""
        (datum,) = self.inputs
        self.outputs[0].offer(datum.valid and bool(self.requests.back), datum.data)


class Early(forward_store.Data):
    """Values that are given before they are there."""

    def offer(self) -> None:
        """The value in the place, or the datum."""
        (datum,) = self.inputs
        far, which = self.requests.back[0] if self.requests.back else (0, 0)
        word = self.values[which].words[(self.given - far) % self.requests.depth]
        self.outputs[0].offer(datum.valid, word if far else datum.data)


class Oldest(forward_store.Requests):
    """Requests that find the oldest store with their address."""

    def source(self, address: int) -> tuple[int, int]:
        """The store that is the furthest back."""
        for k, stores in enumerate(self.kept):
            for which, store in enumerate(stores):
                if store == address and k >= self.left[which]:
                    return len(self.kept) - k, which
        return 0, 0


@pytest.mark.parametrize(
    ("name", "fault"), [("Data", Stale), ("Data", Early), ("Requests", Oldest)]
)
def test_a_fault_of_the_unit_is_found(
    monkeypatch: pytest.MonkeyPatch, name: str, fault: type[Node]
) -> None:
    found = circuit(memory="ram,latency=3", element="float")
    assert wrong(found) == []
    monkeypatch.setattr(forward_store, name, fault)
    assert wrong(found) != []
