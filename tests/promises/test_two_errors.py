"""Which code `error_code_o` shows: the first error's, the lowest number's of several in a cycle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

import pytest
from loom_sim import Activation, Job, JobResult, SimOptions, cosimulate

import loom
from loom.dialects.operators.runtime_errors import RUNTIME_ERRORS
from loom.emit import emit
from loom.model.timed.simulate import DEFAULT_MOST, TimedSimulation
from tests.planted_faults.circuits import two_errors
from tests.support.planted_faults import Fault

pytestmark = pytest.mark.sim

Tokens = Mapping[str, Sequence[int]]
ZERO_STEP, OUT_OF_RANGE = 1, 2
ORDERS: Mapping[str, tuple[Tokens, int]] = {
    "none": ({"step": (1,), "address": (4,)}, 0),
    "in one cycle": ({"step": (0,), "address": (6,)}, ZERO_STEP),
    "step first": ({"step": (0,), "address": (4, 6)}, ZERO_STEP),
    "address first": ({"step": (1, 0), "address": (6,)}, OUT_OF_RANGE),
}
"""Steps of a loop that ends at once and addresses in a memory of five elements, one a cycle."""
WORDS = (0, 1, 2, 3, 4)
LATER = Fault(
    "rtl/loom_error_latch.sv",
    {
        "kept ? kept_q : error_1_q ? 2'd1 : error_2_q ? 2'd2 : '0": (
            "error_1_q ? 2'd1 : error_2_q ? 2'd2 : kept ? kept_q : '0"
        )
    },
)
"""The last error stays, not the first."""


DIVIDES = """
func.func @divides(%m: memref<4xi32>, %a: i32, %d: i32, %i: index) -> i32 {
  %q = arith.divsi %a, %d : i32
  memref.store %a, %m[%i] : memref<4xi32>
  return %q : i32
}
"""


def activation(tokens: Tokens) -> Activation:
    """The streams of an activation; data and bounds are as many as steps and addresses."""
    steps, places = tokens["step"], tokens["address"]
    loops = {"start": (1,) * len(steps), "step": steps, "bound": (0,) * len(steps)}
    inputs = {**loops, "datum": (9,) * len(places), "address": places}
    ends = {"index": len(steps), "cont": len(steps), "done": len(places)}
    return Activation(inputs, {"m": WORDS}, expected_tokens=ends)


def run(activations: Sequence[Activation], fault: Fault | None = None) -> JobResult:
    """The activations without reset between them; nothing stalls."""
    netlist = two_errors().netlist
    files = emit(netlist) if fault is None else fault.plant(emit(netlist))
    (result,) = cosimulate([Job(netlist, files, tuple(activations))], SimOptions(shy=False))
    return result


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("order", ORDERS)
def test_the_code_is_the_documented_one(order: str) -> None:
    tokens, code = ORDERS[order]
    sound = activation(ORDERS["none"][0])
    result = run([activation(tokens), sound])
    # It stays until a reset, whatever follows.
    assert [each.error_code for each in result.runs] == [code, code]
    assert result.assertions == ()
    given = activation(tokens)
    timed = TimedSimulation(two_errors().netlist, DEFAULT_MOST).activate(given.inputs, {"m": WORDS})
    assert {RUNTIME_ERRORS.index(error) for error in timed.errors} == {
        number for number, there in ((1, 0 in tokens["step"]), (2, 6 in tokens["address"])) if there
    }


@pytest.mark.usefixtures("deep_on_sources")
def test_nothing_is_stored_past_the_last_element() -> None:
    first = run([activation(ORDERS["in one cycle"][0])]).runs[0]
    assert first.memories == {"m": WORDS}


def test_a_reset_clears_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run 1 is begun, reset after a cycle, and run: it has no error of run 0."""
    monkeypatch.setattr(import_module("loom_sim.cosimulate"), "BENCH", "tests.promises.reset_bench")
    result = run([activation(ORDERS["in one cycle"][0]), activation(ORDERS["none"][0])])
    assert [each.error_code for each in result.runs] == [ZERO_STEP, 0]


@pytest.mark.usefixtures("deep_on_sources")
def test_a_later_error_that_stays_is_reported() -> None:
    result = run([activation(ORDERS["step first"][0])], LATER)
    assert result.runs[0].error_code == OUT_OF_RANGE


@pytest.mark.usefixtures("deep_on_sources")
def test_a_division_by_zero_is_no_error_of_the_circuit() -> None:
    """It ends like any other; only an address out of range is seen, also beside it."""
    made = loom.compile_text(DIVIDES)
    inputs = {"a": (5,), "d": (0,), "start": (0,)}
    codes = []
    for place in (3, 9):
        given = Activation({**inputs, "i": (place,)}, {"m": (0, 1, 2, 3)})
        (result,) = cosimulate([Job(made.netlist, made.files(), (given,))])
        assert result.runs[0].missing == () and result.runs[0].residual == ()
        codes.append(result.runs[0].error_code)
    assert codes == [0, OUT_OF_RANGE]
