"""How long both circuits of a program take: by the models, up to a budget of cycles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from loom.errors import LoomError
from loom.front.circuit import Circuit
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.styled import BUDGET, Prediction
from loom.model.bundles.activation import Activation
from loom.model.timed.simulate import TimedRun, TimedSimulation, inputs_of, run_timed

if TYPE_CHECKING:
    pass


WORK = 8_000_000
"""The same of large circuits: cycles by units of the dynamic circuit."""


def dynamic_stores(circuit: Circuit, first: Activation, budget: int) -> int:
    """How many elements the dynamic circuit has stored within the budget."""
    netlist = circuit.netlist
    simulation = TimedSimulation(netlist, budget)
    simulation.begin(*inputs_of(netlist, first))
    all(simulation.cycle(now) for now in range(1, budget + 1))  # up to its end, or the budget
    requests = (
        channel.name for channel in netlist.channels if channel.target.port.startswith("st_address")
    )
    return sum(simulation.circuit.wires[name].tokens for name in requests)


def static_stores(circuit: StaticCircuit, first: Activation, most: int, wanted: int) -> int | None:
    """The cycle with the store of this number; None if that is after `most` [cycles]."""
    done, found = 0, None

    def see(cycle: int, values: Mapping[str, int]) -> None:
        nonlocal done, found
        done += sum(values[port.enable] for port in circuit.fsmd.writes)
        if found is None and done >= wanted:
            found = cycle

    with suppress_limit():
        list(circuit.runs([first], most, see))
    return found


@contextmanager
def suppress_limit() -> Iterator[None]:
    """A run that reaches its limit ends there."""
    try:
        yield
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise


def static_cycles(circuit: StaticCircuit, given: Sequence[Activation], budget: int) -> int | None:
    """Cycles of the activations together; None for more than the budget."""
    total = 0
    try:
        for run in circuit.runs(given, budget):
            total += run.cycles
            if total > budget:
                return None
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise
        return None
    return total


def budget_of(dynamic: Circuit) -> int:
    """Up to how many cycles the models run."""
    return min(BUDGET, WORK // max(1, len(dynamic.netlist.units)))


def prediction_of(dynamic: Circuit, cycles: int | None, budget: int) -> Prediction:
    """A dynamic circuit that takes so many cycles."""
    path = dynamic.cost.path
    period = 0.0 if path is None else round(path.delay, 2)
    return Prediction(cycles, period, dynamic.cost.counts[0], budget)


def at_its_clock(dynamic: Circuit, cycles: int | None, budget: int) -> Prediction:
    """The same at the clock period that its buffers are placed for, if that is longer."""
    found = prediction_of(dynamic, cycles, budget)
    return replace(found, period=round(max(found.period, dynamic.netlist.clock_period or 0.0), 2))


def dynamic_cycles(circuit: Circuit, given: Sequence[Activation], budget: int) -> int | None:
    """The same of the dynamic circuit."""
    runs = dynamic_runs(circuit, given, budget)
    return None if runs is None else sum(run.cycles for run in runs)


def dynamic_runs(
    circuit: Circuit, given: Sequence[Activation], budget: int
) -> list[TimedRun] | None:
    """What the dynamic circuit does; None where an activation takes more than the budget."""
    try:
        return run_timed(circuit.netlist, given, most=budget)
    except LoomError as error:
        if error.code != "MODEL_LIMIT":
            raise
        return None
