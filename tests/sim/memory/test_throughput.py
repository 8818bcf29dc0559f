"""The declared latency costs once an access that waits, not once an iteration."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import pytest
from loom_sim.performance.measure import least_latencies, slow_accesses

from loom.front.api import compile_text
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from loom.model.bundles.activation import Activation
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.limits.dataflow_limit import DataflowLimit, dataflow_limit
from loom.model.reference.reference import compile_reference
from loom.model.timed.simulate import run_timed
from tests.sim.memory.test_channels_in_rtl import CHASE
from tests.support.folders import DOCS, EXAMPLES

PAGE = (DOCS / "memory-ports.md").read_text(encoding="utf-8")
REQUESTS = {"matvec": "loads of m", "matmul": "loads of a"}
"""What these programs do once a cycle."""


@cache
def run(name: str, choice: str) -> tuple[int, DataflowLimit]:
    """One activation with all arguments such memories: predicted cycles, and what bounds them."""
    text = CHASE if name == "chase" else (EXAMPLES / f"{name}.mlir").read_text()
    plain = compile_text(text, f"{name}.mlir", options=Options(clock_period=None))
    arrays = [memory.name for memory in plain.netlist.memories_outside]
    options = Options(clock_period=None, memories=tuple((each, choice) for each in arrays))
    circuit = compile_text(text, f"{name}.mlir", options=options)
    if name == "chase":
        given = [Activation({"next": [(7 * k + 3) % 64 for k in range(64)], "n": 32})]
    else:
        reference = compile_reference(circuit.source, circuit.top)
        signature = signature_of(top_function(circuit.source, circuit.top))
        given = accepted_activations(reference, signature, 1, 1)
    (timed,) = run_timed(circuit.netlist, given)
    normal = circuit.source.clone()
    normalize(normal, options)
    inputs = [[*v] if isinstance(v, Sequence) else v for v in given[0].inputs.values()]
    netlist = circuit.netlist
    latencies, slow = least_latencies(netlist), slow_accesses(netlist)
    limit = dataflow_limit(normal, inputs, options.index_width, latencies, slow)
    assert limit is not None
    return timed.cycles, limit


def cycles(name: str, choice: str) -> int:
    """The cycles alone."""
    return run(name, choice)[0]


@pytest.mark.parametrize(
    ("name", "accesses"),
    [
        ("fir", 1),  # the first loads
        ("matvec", 2),  # the last loads, and the store of their sum, which must be done
        ("matmul", 2),
        ("spmv", 4),  # bounds of a row, an index, the element there, the store of the sum
    ],
)
@pytest.mark.parametrize("latency", [2, 8, 16, 40, 128])
def test_a_latency_costs_once_an_access_of_the_longest_chain(
    name: str, accesses: int, latency: int
) -> None:
    least = cycles(name, "channel,latency=1")
    found = cycles(name, f"channel,latency={latency}")
    assert found <= least + accesses * (latency - 1)


@pytest.mark.parametrize(("name", "most"), [("fir", 1.0), ("chase", 1.0), ("spmv", 1.1)])
def test_a_latency_of_40_costs_what_dependences_allow(name: str, most: float) -> None:
    found, limit = run(name, "channel,latency=40")
    assert limit.cycles <= found <= most * limit.cycles


@pytest.mark.parametrize("latency", [1, 40, 64])
@pytest.mark.parametrize("name", REQUESTS)
def test_requests_one_a_cycle_then_two_accesses(name: str, latency: int) -> None:
    found, limit = run(name, f"channel,latency={latency}")
    bound = limit.uses[REQUESTS[name]] + 2 * (latency + 1)
    assert bound <= found <= 1.01 * bound


@pytest.mark.parametrize("latency", [8, 16, 40, 64, 128])
def test_loads_alone_pay_the_latency_once(latency: int) -> None:
    """And within 5 %; so does `matvec`, up to the latency at which no circuit can."""
    choice = f"channel,latency={latency}"
    assert cycles("fir", choice) <= 1.05 * (cycles("fir", "channel,latency=1") + latency)
    found, limit = run("matvec", choice)
    most = 1.05 * (cycles("matvec", "channel,latency=1") + latency)
    # Without any cycle of the circuit's own: the last load and then its sum's store.
    least = limit.uses[REQUESTS["matvec"]] + 2 * latency
    assert (found <= most) == (least <= most) == (latency <= 16)


LATENCIES = (1, 8, 16, 40, 128)
"""The columns of the page."""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("name", ["fir", "matvec", "matmul", "spmv"])
def test_the_page_has_the_cycles(name: str) -> None:
    found = [cycles(name, "ram"), *(cycles(name, f"channel,latency={n}") for n in LATENCIES)]
    assert row_of(found, name) in PAGE


@pytest.mark.parametrize(
    ("name", "title"),
    [("fir", "fir"), ("matvec", "matvec"), ("matmul", "matmul"), ("spmv", "spmv"), ("chase", "")],
)
def test_the_page_has_the_bounds(name: str, title: str) -> None:
    cells: list[object] = []
    for latency in (1, 40):
        found, limit = run(name, f"channel,latency={latency}")
        requests = REQUESTS.get(name)
        bound = limit.cycles if requests is None else limit.uses[requests] + 2 * (latency + 1)
        cells += [found, bound, f"{found / bound:.2f}"]
    assert row_of(cells, title) in PAGE


def row_of(cells: Sequence[object], title: str) -> str:
    """A row of a table; without a title it is that of a list."""
    named = f"`{title}`" if title else "a list of 32"
    return f"\n| {named} | {' | '.join(map(str, cells))} |\n"


def test_few_outstanding_requests_cost_throughput() -> None:
    whole, few = (
        cycles("fir", "channel,latency=16"),
        cycles("fir", "channel,latency=16,outstanding=6"),
    )
    assert 2 * whole < few
