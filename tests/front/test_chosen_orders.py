"""`--style auto` chooses what orders accesses by the models: comparators, tokens or queues."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from loom.dialects.operators.ordering.comparators import COMPARATORS
from loom.front.api import compile_request
from loom.front.circuit import Circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.front.styles import choose, orders, runs
from loom.front.styles.choose import compile_in_style
from loom.front.styles.styled import Prediction, Styled
from loom.front.verbs import Subject, style_subject
from loom.lower.dataflow import compare_addresses
from loom.lower.explain_order import arrays_with_queue, explain_order
from loom.lower.options import MemoryOrder, Options
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import run_timed
from loom.regress import workers
from tests.regress.judged_here import judge_here

pytestmark = pytest.mark.usefixtures("deep_on_sources")

UPDATES = (
    "void f(const int x[64], const int y[64], const float w[64], float h[64]) {\n"
    "  for (int i = 0; i < 64; i++) {\n"
    "    if (x[i] & 1) h[x[i] & 63] += w[i];\n    else h[y[i] & 63] = h[x[i] & 63] * w[i];\n"
    "  }\n}\n"
)
"""What no comparator orders, with operators of several cycles in its recurrence."""


def test_a_queue_is_chosen_by_time_and_area(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "k.c").write_text(UPDATES, encoding="utf-8")
    words = ["compile", str(tmp_path / "k.c"), "--trace", "-o", str(tmp_path / "o")]
    assert main(words) == 0
    assert "; queues for h: " in capsys.readouterr().err.splitlines()[0]
    assert (tmp_path / "o/rtl/loom_load_store_queue_ls_ls.sv").exists()
    found = json.loads((tmp_path / "o/f.style.json").read_text(encoding="utf-8"))
    queue, without = found["queue"], found["dynamic"]
    assert found["style"] == "dynamic" and queue["cycles"] < 0.5 * without["cycles"]
    assert queue["cycles"] * queue["period"] < 0.9 * without["cycles"] * without["period"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("float", "int"),
        ("void f", "#pragma loom memory_order(tokens)\nvoid f"),
        ("h[x[i] & 63] * w[i]", "w[i]"),
    ],
    ids=("little time is saved", "another order is requested", "loads of one branch"),
)
def test_a_queue_is_not_chosen(old: str, new: str) -> None:
    found = styled(UPDATES.replace(old, new))
    assert found.choice is not None and found.choice.queue is None
    assert found.choice.queued == () and "queue" not in found.choice.reason
    assert not list(arrays_with_queue(found.dynamic.graph))


def test_a_queue_of_more_area_than_it_saves_time_is_not_chosen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = runs.prediction_of

    def larger(circuit: Circuit, cycles: int | None, budget: int) -> Prediction:
        found = made(circuit, cycles, budget)
        return replace(found, luts=3 * found.luts) if [*arrays_with_queue(circuit.graph)] else found

    monkeypatch.setattr(runs, "prediction_of", larger)
    found = styled(UPDATES)
    assert found.choice is not None and found.choice.queue is None


@pytest.mark.parametrize("period", [10.0, 12.0], ids=("not reached", "reached"))
def test_a_queue_that_does_not_reach_the_period_is_not_chosen(period: float) -> None:
    options = Options(clock_period=period)
    found = compile_in_style(Request(UPDATES, "k.c", options=options))
    assert found.choice is not None
    assert (found.choice.queued == ()) is (period == 10.0)
    assert found.dynamic.netlist.clock_period == period


COUNT = 64
TWO_UPDATES = (
    f"void f(const int x[{COUNT}], const int y[{COUNT}], const int w[{COUNT}], int h[{COUNT}]) {{\n"
    f"  for (int i = 0; i < {COUNT}; i++) {{ h[x[i]] += w[i]; h[y[i]] -= w[i]; }}\n}}\n"
)
"""Where loads take no values of stores, with one address each iteration waits twice."""
BEHIND_CHANNELS = (("x", "channel,latency=2,outstanding=3"),)
"""No static schedule takes an array with so few requests outstanding."""


def styled(text: str, given: tuple[Activation, ...] = (), order: MemoryOrder = "auto") -> Styled:
    """The circuit of a program in C, with the order of an array."""
    told = () if order == "auto" else (("h", order),)
    options = Options(array_orders=told, memories=BEHIND_CHANNELS)
    return compile_in_style(Request(text, "k.c", options=options), given)


def updates(x: list[int], y: list[int]) -> tuple[Activation, ...]:
    """The inputs of `TWO_UPDATES` with these addresses."""
    return (Activation({"x": x, "y": y, "w": [1] * COUNT, "h": [0] * COUNT}),)


@pytest.fixture
def no_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loads wait for pending stores to their address."""
    monkeypatch.setattr(compare_addresses, "forward_values", lambda *_: "")


ALIKE = updates([5] * COUNT, [5] * COUNT)
APART = updates([7 * k % COUNT for k in range(COUNT)], [(11 * k + 3) % COUNT for k in range(COUNT)])


def compares(found: Styled) -> bool:
    """Whether a circuit has comparators."""
    return any(unit.operator in COMPARATORS for unit in found.dynamic.netlist.units)


@pytest.mark.usefixtures("no_values")
def test_tokens_are_chosen_where_the_inputs_make_each_iteration_wait() -> None:
    found = styled(TWO_UPDATES, ALIKE)
    assert found.choice is not None and found.choice.tokens is not None and not compares(found)
    tokens, without = found.choice.tokens, found.choice.dynamic
    assert without is not None and tokens.time < without.time
    assert "; by tokens: " in found.choice.reason and "with comparators: " in found.choice.reason
    (cycles,) = [run.cycles for run in run_timed(found.dynamic.netlist, ALIKE)]
    assert cycles == tokens.cycles


def test_comparators_stay_where_values_are_forwarded() -> None:
    found = styled(TWO_UPDATES, ALIKE)
    assert found.choice is not None and found.choice.tokens is None and compares(found)
    (cycles,) = [run.cycles for run in run_timed(found.dynamic.netlist, ALIKE)]
    assert cycles <= 2.2 * COUNT


@pytest.mark.usefixtures("no_values")
def test_comparators_stay_where_the_inputs_seldom_meet() -> None:
    found = styled(TWO_UPDATES, APART)
    assert found.choice is not None and found.choice.tokens is None and compares(found)


def test_comparators_stay_where_they_are_asked_for() -> None:
    assert compares(styled(TWO_UPDATES, ALIKE, "comparators"))


@pytest.mark.usefixtures("no_values")
def test_drawn_inputs_that_end_soon_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    text = TWO_UPDATES.replace("i < 64", "i < (w[0] & 7)")
    text = text.replace("h[x[i]]", "h[x[i] & 1]").replace("h[y[i]]", "h[y[i] & 1]")
    found = styled(text)
    assert found.choice is not None and found.choice.tokens is None and compares(found)
    monkeypatch.setattr(orders, "FEW_FOR_CHANGES", 0)
    planted = styled(text)
    assert planted.choice is not None and planted.choice.tokens is not None


def test_what_is_judged_and_explained_is_the_circuit_that_is_chosen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "k.c").write_text(UPDATES, encoding="utf-8")
    monkeypatch.setattr(workers, "judge_all", judge_here)
    assert main(["regress", str(tmp_path), "--model-only", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["kernels"]
    circuit = compile_in_style(Request(UPDATES, "k.c")).dynamic
    assert row["units"] == len(circuit.netlist.units) and [*arrays_with_queue(circuit.graph)]


@pytest.mark.parametrize(
    ("text", "given", "said"),
    [
        (UPDATES, (), "by the load-store queue"),
        (TWO_UPDATES, ALIKE, "may alias (RAW), by done token"),
        (TWO_UPDATES, APART, "comparator: the loop's II is 2 instead of 4 by tokens"),
    ],
    ids=("queue", "tokens", "comparators"),
)
@pytest.mark.usefixtures("no_values")
def test_the_order_that_is_chosen_is_explained(
    monkeypatch: pytest.MonkeyPatch, text: str, given: tuple[Activation, ...], said: str
) -> None:
    request = Request(text, "k.c", options=Options(style="dynamic", memories=BEHIND_CHANNELS))
    plain = compile_request(request)
    subject = Subject(request, plain, plain.netlist, plain.files, [*given])
    monkeypatch.setattr(choose, "bundle_inputs", lambda *_: given)
    words = Namespace(inputs="k.json" if given else None, max_input=1)
    _, found = style_subject(words, subject, replace(request.options, style=None))
    assert found.program is not None and found.netlist is found.program.netlist
    explained = explain_order(plain.source, found.program.graph, found.request.options)
    assert said in "\n".join(explained.lines())
    without = explain_order(plain.source, plain.graph, request.options)
    assert (explained == without) is (said.startswith("comparator"))
