"""A load compares its address with those of pending stores: always right, seldom slower."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from types import SimpleNamespace

import pytest

from loom.analysis.balance.invariants import check_invariants
from loom.dialects.facts.program_facts import OUTER_STORE
from loom.front.api import compile_text
from loom.front.circuit import Circuit
from loom.lower.dataflow import compare_addresses
from loom.lower.lean import drop_implied_order
from loom.lower.memory import thread_memory_order
from loom.lower.memory.thread_memory_order import _Strand, _Threader
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.comparison import compare_models
from loom.model.timed import loops
from loom.model.timed.circuit import NODES
from loom.model.timed.simulate import run_timed
from tests.grow import random_comparisons

COUNT, BINS = 24, 8
BODIES = {
    "histogram": "h[x[i]] += w[i];",
    "scaled": "h[x[i]] = h[x[i]] * 3 + w[i];",
    "behind the store": "h[x[i]] += w[i]; s += h[w[i] & 7];",
    "two loads": "h[x[i]] += h[w[i] & 7];",
    "two stores": "h[x[i]] += w[i]; h[w[i] & 7] = i;",
    "another address": "h[x[i]] = h[w[i] & 7] + 1;",
    "under a branch": "if (w[i] > 2) h[x[i]] += w[i];",
    "a store under a branch": "int t = h[w[i] & 7] + 1; if (t < h[x[i]]) h[x[i]] = t;",
    "both under two branches": "if (w[i] > 1) { if (w[i] < 4) { h[x[i]] += h[w[i]]; } else s++; }",
    "a load behind two stores": "h[x[i]] = w[i] * 3; h[w[i] & 7] = i; s += h[i & 7];",
    "an exchange": "int a = x[i], b = w[i] & 7, t = h[a]; h[a] = h[b]; h[b] = t;",
    "until an element": "for (int k = 0; k < 2; k++) { int i = 0; if (n > 0) do { "
    "h[5 * i + 2 & 7] = w[i]; s += h[i & 7] - 5; i++; } while (i < n && s < 40); }",
    "an address of the branch": "int t = h[w[i] & 7]; if (t > 3) h[t & 7] = i;",
    "two stores under a branch": "if (w[i] > 2) h[x[i]] = h[w[i] & 7]; else h[w[i] & 7] = i;",
    "an inner loop": "for (int k = 0; k < 6; k++) for (int i = 0; i < (x[k] & 7) + (n & 1); i++) "
    "h[i] = h[i] * 3 + w[i] - h[i ^ 1];",
    "an inner loop, apart": "for (int k = 0; k < 6; k++) for (int i = 0; i < (x[k] & 7); i++) "
    "h[i] = h[i] * 3 + w[i];",
    "rows of a nest": "for (int k = 0; k < 3; k++) for (int j = k + 1; j < 4; j++) "
    "for (int i = 0; i < 2; i++) h[2 * j + i] = h[2 * j + i] * 3 - h[2 * k + i] * w[j];",
    "rows of a long nest": "for (int k = 0; k < (n >> 3 & 3); k++) for (int j = k + 1; "
    "j < (x[k] & 3); j++) for (int i = 0; i < (n & 1) + 1; i++) "
    "h[2 * j + i] = h[2 * k + i] * 3 - w[j];",
    "a loop of eight": "for (int k = 0; k < 6; k++) for (int i = 0; i < 8; i++) h[i] += w[k] * i;",
    "no trip count": "for (int i = 0; i < n && s < 99; i++) "
    "{ s += w[i]; h[x[i]] = h[w[i] & 7] * 3; }",
    "until a break": "for (int i = 0; i < n; i++) { if (w[i] == 9) break; h[x[i]] += w[i]; }",
    "a load in another branch": "if (w[i] > 1) s += h[i & 6 | x[i] & 1]; "
    "if (w[i] > 1) h[i & 7] = w[i]; s += h[w[i] & 7] + i;",
    "from the element": "h[x[i]] = h[x[i]] ^ h[(h[x[i]] + i) & 7];",
}
QUEUED = {"two loads", "another address", "a store under a branch", "both under two branches",
          "from the element", "an inner loop", "no trip count", "behind the store", "two stores",
          "a load behind two stores", "an exchange", "until an element", "rows of a nest",
          "rows of a long nest"}  # fmt: skip
"""Bodies in which the address of a load is compared with those of a store with another one."""
COMPARED = {*QUEUED, "histogram", "scaled", "under a branch",
            "an inner loop, apart", "until a break", "a loop of eight"}  # fmt: skip
"""Bodies in which a load may compare its address."""
AUTO = COMPARED - {"an inner loop", "an inner loop, apart", "rows of a long nest"}
"""Those whose loop is faster for it."""
NEST = "for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) { h[x[i] ^ k] += w[i]; }"
PATTERNS: dict[str, Sequence[int]] = {
    "equal": [3] * COUNT,
    "different": [k % BINS for k in range(COUNT)],
    "alternating": [1 + 4 * (k % 2) for k in range(COUNT)],
    "in threes": [(2, 5, 7)[k % 3] for k in range(COUNT)],
    "mixed": [(k * k // 3 + 5 * (k // 7)) % BINS for k in range(COUNT)],
}
PLAIN = (("clock_period", None),)
MEMORIES = ("ram", "ram,latency=3", "channel", "channel,latency=9")


def program(body: str, element: str = "int") -> str:
    """A loop with the body over an array of 8 elements, or a nest of loops."""
    loop = body if body.startswith("for") else f"for (int i = 0; i < n; i++) {{ {body} }}"
    arrays = f"const int x[{COUNT}], const {element} w[{COUNT}], {element} h[{BINS}]"
    return f"int f({arrays}, int n) {{ int s = 0; {loop} return s; }}"


@cache
def circuit(
    text: str,
    order: str = "auto",
    memory: str = "ram",
    more: tuple[tuple[str, object], ...] = (),
) -> Circuit:
    """The program with this memory order, the array behind this memory."""
    options = Options(memory_order=order, memories=(("h", memory),), **dict(more))  # type: ignore[arg-type]
    return compile_text(text, "k.c", options=options)


UNITS = (
    "dataflow.disambiguate", "dataflow.forward_store", "dataflow.store_queue",
    "dataflow.forward_queue",
)  # fmt: skip


def depths(found: Circuit, names: Sequence[str] = UNITS) -> list[int]:
    """How many addresses each unit of these operators keeps."""
    units = [u for u in found.netlist.units if u.operator.name in names]
    return [found.netlist.shape_by_unit[unit.name].integer("depth") for unit in units]


def activations() -> list[Activation]:
    """No iteration, one, two, then each pattern in full."""
    words = [k % 5 for k in range(COUNT)]
    start = [*range(BINS)]
    return [
        Activation({"x": [*x], "w": words, "h": start, "n": n})
        for x, n in [
            *((PATTERNS["mixed"], n) for n in (0, 1, 2)),
            *((x, COUNT) for x in PATTERNS.values()),
        ]
    ]


def wrong(found: Circuit) -> list[str]:
    """Where the models, one of which has cycles, differ from the program."""
    given = activations()
    report = compare_models(found.source, "f", found.netlist, given, max_cycles=10_000)
    differences = list(report.differences)
    for number, (run, outcome) in enumerate(
        zip(run_timed(found.netlist, given), report.outcomes, strict=True)
    ):
        if [*run.memories["h"]] != [*outcome.memories["h"]] or run.errors or run.missing:
            differences.append(f"activation {number}")
    return differences


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("memory", MEMORIES[::3])
@pytest.mark.parametrize("body", [*BODIES.values(), NEST])
def test_results_are_those_of_the_program(body: str, memory: str) -> None:
    for order in ("auto", "comparators"):
        found = circuit(program(body), order, memory, PLAIN)
        assert wrong(found) == [], order
        assert check_invariants(found.netlist).problems("k.c") == [], order


SUBJECTS = [(body, memory) for body in (BODIES["histogram"], NEST) for memory in MEMORIES] + [
    (BODIES[name], memory) for name in AUTO - {"histogram"} for memory in MEMORIES[1::2]
]
IN_EACH = {
    (NEST, MEMORIES[3]): 10,
    (BODIES["from the element"], MEMORIES[3]): 6,
    (BODIES["until a break"], MEMORIES[3]): 20,
    (BODIES["a load behind two stores"], MEMORIES[1]): 15,
    (BODIES["a load behind two stores"], MEMORIES[3]): 15,
    (BODIES["behind the store"], MEMORIES[1]): 5,
}
"""Circuits with a register on the way of each iteration, and the part of its cycles that it takes
if all addresses are one."""
FIRST = {
    (BODIES["histogram"], MEMORIES[3]): 1,
    (BODIES["no trip count"], MEMORIES[3]): 1,
    (BODIES["from the element"], MEMORIES[3]): 2,
    (BODIES["two loads"], MEMORIES[3]): 3,
    (BODIES["two stores"], MEMORIES[1]): 2,
    (BODIES["two stores"], MEMORIES[3]): 2,
    (BODIES["an exchange"], MEMORIES[1]): 1,
    (BODIES["an exchange"], MEMORIES[3]): 1,
}
"""Circuits with registers of the clear tokens, loaded data and sums: more cycles once an entry."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize(("body", "memory"), sorted(SUBJECTS))
def test_no_activation_is_much_slower(body: str, memory: str) -> None:
    runs = [
        run_timed(circuit(program(body), order, memory).netlist, activations())
        for order in ("tokens", "auto")
    ]
    # Registers in front of the comparison take their cycles once an entry.
    entries = 3 if body is NEST else 1
    for before, after in zip(*runs, strict=True):
        part = IN_EACH.get((body, memory))
        slower = before.cycles // part if part else 0
        slower += FIRST.get((body, memory), 0)
        assert after.cycles <= before.cycles + slower + entries + 1


@pytest.mark.usefixtures("deep_on_sources")
def test_loads_that_wait_for_one_store_compare() -> None:
    for name, body in BODIES.items():
        found = {
            order: bool(depths(circuit(program(body), order, "ram", PLAIN)))
            for order in ("auto", "comparators", "tokens", "serial")
        }
        assert found == {
            "auto": name in AUTO,
            "comparators": name in COMPARED,
            "tokens": False,
            "serial": False,
        }, name
        queues = depths(circuit(program(body), "comparators", "ram", PLAIN), UNITS[2:])
        assert bool(queues) == (name in QUEUED), name


def test_different_addresses_take_a_cycle_each() -> None:
    for body, element in (("h[x[i]] += w[i];", "int"), ("h[x[i]] += w[i];", "float")):
        found = circuit(program(body, element))
        given = Activation(
            {"x": [*PATTERNS["different"]], "w": [0] * COUNT, "h": [0] * BINS, "n": COUNT}
        )
        (run,) = run_timed(found.netlist, [given])
        assert run.cycles < COUNT + 16
    # The loop by tokens: load and add of 5 cycles, the store.
    (run,) = run_timed(circuit(program(body, "float"), "tokens").netlist, [given])
    assert run.cycles > 7 * COUNT


def test_a_comparator_keeps_as_many_addresses_as_iterations_overlap() -> None:
    assert depths(circuit(program(BODIES["histogram"]))) == [2]
    assert depths(circuit(program(BODIES["histogram"], "float"))) == [7]
    channel = circuit(program(BODIES["histogram"], "float"), "comparators", "channel,latency=2")
    assert depths(channel) == [16]  # of those that forward values a power of two
    three = (("order_depth", 3),)
    assert depths(circuit(program(BODIES["histogram"], "float"), "auto", "ram", three)) == [3]


def test_a_function_says_its_order() -> None:
    text = program(BODIES["histogram"])
    for word, count in (("tokens", 0), ("comparators", 1), ("serial", 0), ("auto", 1)):
        found = compile_text(f"#pragma loom memory_order({word})\n{text}", "k.c")
        assert len(depths(found)) == count, word


def test_addresses_are_compared_in_the_bits_of_their_array() -> None:
    for widths in ("narrow", "keep"):
        found = circuit(program(BODIES["histogram"]), "auto", "ram", (("widths", widths),))
        (unit,) = (u for u in found.netlist.units if u.operator.name in UNITS)
        assert found.netlist.shape_by_unit[unit.name].inputs == (3, 32, 32, 0)
        assert wrong(found) == []


class Forgetful(loops.Disambiguate):
    """A comparator that does not look at the youngest address."""

    def offer(self) -> None:
        """A token, if the address is none of the others."""
        super().offer()
        address, _ = self.inputs
        others = self.left[:-1]
        passes = len(self.left) < self.depth and address.data not in others
        self.outputs[0].offer(address.valid and passes)


class Hasty(loops.StoreQueue):
    """A queue of stores that does not look at the youngest one."""

    def offer(self) -> None:
        """A token, if the address is none of the others."""
        super().offer()
        address, _, done = self.inputs
        others = self.kept[int(done.valid) : -1]
        self.outputs[0].offer(address.valid and self.ahead > 0 and address.data not in others)


def test_a_store_that_is_not_compared_with_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare_addresses, "forward_values", lambda *_: "")
    found = circuit.__wrapped__(program(BODIES["another address"]))
    assert wrong(found) == []
    faulty = {**NODES, "primitives/store_queue": lambda unit: [Hasty(unit)]}
    monkeypatch.setattr("loom.model.timed.circuit.NODES", faulty)
    assert wrong(found) != []


def test_a_load_of_a_nest_that_is_not_compared_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # In the last two the iterations of the middle loop meet: their comparison is there.
    middle = "for (int k = 0; k < 3; k++) for (int j = 1; j < 4; j++) for (int i = 0; i < 2; i++)"
    bodies = [BODIES["rows of a nest"], BODIES["a loop of eight"]]
    bodies += [f"{middle} h[2 * j + i] += h[2 * j + i - 2];"]
    bodies += [f"{middle} h[2 * j + i] = h[7 - 2 * j - i];"]
    texts = [program(body) for body in bodies]
    assert [planted(text) for text in texts] == [[]] * 4
    apart = SimpleNamespace(is_on=OUTER_STORE.is_on, of=lambda _: "apart", copy=OUTER_STORE.copy)
    monkeypatch.setattr(compare_addresses, "OUTER_STORE", apart)
    assert [] not in [planted(text, "channel,latency=9") for text in texts]


def test_a_comparison_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    found = circuit(program(BODIES["histogram"], "float"))
    assert wrong(found) == []
    faulty = {**NODES, "primitives/disambiguate": lambda unit: [Forgetful(unit)]}
    monkeypatch.setattr("loom.model.timed.circuit.NODES", faulty)
    assert wrong(found) != []


@pytest.mark.usefixtures("deep_on_sources")
def test_random_loops_give_what_their_programs_give() -> None:
    found = list(random_comparisons.campaign(range(60)))
    assert {seed: wrong for seed, _, wrong in found if wrong} == {}
    assert sum(units > 0 for _, units, _ in found) > 12


def planted(
    text: str, memory: str = "channel", more: tuple[tuple[str, object], ...] = PLAIN
) -> list[str]:
    """What is wrong with a circuit that is made while something is planted in the compiler."""
    return wrong(circuit.__wrapped__(text, "comparators", memory, more))


def test_a_load_that_the_store_does_not_wait_for_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("if (w[i] > 2) h[x[i]] += w[i]; else s += h[i & 7];")
    assert planted(text) == []
    monkeypatch.setattr(_Threader, "leads_to_store", lambda *_: True)
    monkeypatch.setattr(_Threader, "waits_for_all", lambda *_: True)
    assert planted(text) != []


FIRST_LATE = "h[x[i]] = i * w[i] * w[i] * w[i]; int t = h[w[i] & 7]; h[x[i]] = t;"
LAST_LATE = "int t = h[x[i]]; h[w[i] & 7] = i; h[x[i]] = t * t * t * t * t;"
WITHOUT_COUNT = "s += w[i]; h[x[i]] = h[w[i] & 7] * 3; h[w[i] & 7] = i;"
"""Bodies of which one store could overtake the other one."""


def test_a_store_whose_wait_followed_from_a_load_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planted(program(LAST_LATE)) == []
    monkeypatch.setattr(
        thread_memory_order, "with_waits_of_stores", lambda *given: (given[3], [*given[4]])
    )
    assert planted(program(LAST_LATE)) != []


@pytest.mark.usefixtures("deep_on_sources")
def test_a_wait_that_a_load_implied_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    # Registers of the clock's period bring the address late.
    assert planted(program(FIRST_LATE), more=()) == []
    never = SimpleNamespace(is_on=lambda _: False)
    monkeypatch.setattr(drop_implied_order, "COMPARED_STORES", never)
    assert planted(program(FIRST_LATE), more=()) != []


@pytest.mark.usefixtures("deep_on_sources")
def test_a_store_that_does_not_wait_for_the_last_iteration_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = program(f"for (int i = 0; i < n && s < 99; i++) {{ {WITHOUT_COUNT} }}")
    assert planted(text, more=()) == []
    monkeypatch.setattr(_Strand, "start_stores", lambda _: None)
    assert planted(text, more=()) != []


def test_a_distance_that_is_too_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program(BODIES["a load behind two stores"])
    assert planted(text) == []
    found = thread_memory_order.stores_of_loads
    monkeypatch.setattr(
        thread_memory_order,
        "stores_of_loads",
        lambda *given: {
            load: [(place, 1) for place, _ in stores] for load, stores in found(*given).items()
        },
    )
    assert planted(text) != []


def test_a_store_that_waits_for_another_memory_holds_no_load_up() -> None:
    """The first load of `h` waits for `x`, and the store for that load; the second one does not."""
    body = "if (c[i] > 2) s += h[i + (x[i] & 1)]; int t = h[y[i]]; if (c[i] < 2) h[i] = t + 7;"
    arrays = "const int x[16], const int y[16], const int c[16], int h[17], int n"
    text = f"int f({arrays}) {{ int s = 0; for (int i = 0; i < n; i++) {{ {body} }} return s; }}"
    given = Activation(
        {"x": [1] * 16, "y": [*range(16)], "c": [4, 0] * 8, "h": [*range(17)], "n": 16}
    )
    cycles = []
    for order in ("tokens", "auto"):
        memories = (("x", "channel,latency=40"),)
        options = Options(memory_order=order, memories=memories, clock_period=None)  # type: ignore[arg-type]
        found = compile_text(text, "k.c", options=options)
        assert bool(depths(found)) == (order == "auto")
        cycles += [run.cycles for run in run_timed(found.netlist, [given])]
    assert cycles[1] <= cycles[0]


AFTER_A_STORE = """int f(const int w[24], int h[8], int n) {
  h[n & 7] = n * n * n;
  for (int i = 0; i < (n & 3); i++) { h[(h[i & 7] + i) & 7] = w[i]; if (n < 3) break; }
  return n;
}"""


def test_what_a_branch_leaves_out_comes_before_the_return(monkeypatch: pytest.MonkeyPatch) -> None:
    found = circuit.__wrapped__(AFTER_A_STORE, "comparators", "channel", PLAIN)
    assert any(unit.operator.name in UNITS for unit in found.netlist.units)
    assert check_invariants(found.netlist).problems("k.c") == []
    monkeypatch.setattr(compare_addresses, "leave_together", lambda *_: ())
    found = circuit.__wrapped__(AFTER_A_STORE, "comparators", "channel", PLAIN)
    codes = [each.code for each in check_invariants(found.netlist).problems("k.c")]
    assert codes == ["NETLIST_RETURN"]
