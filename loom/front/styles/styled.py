"""What `auto` has compared and chosen, and the circuit of the chosen style."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from loom.front.circuit import Circuit
from loom.front.static_circuit import StaticCircuit

if TYPE_CHECKING:
    from loom_sim.kernel import Kernel

    from loom.emit.boundary import Boundary


BUDGET = 30_000
"""Cycles of all activations together up to which `auto` runs the models [cycles]."""


@dataclass(frozen=True)
class Prediction:
    """One circuit: cycles of all activations, estimated period [ns] and LUTs.

    `cycles` are None beyond the `budget` [cycles].
    """

    cycles: int | None
    period: float
    luts: int
    budget: int = BUDGET

    @property
    def time(self) -> float:
        """Cycles by the period [ns]."""
        return (self.cycles or 0) * self.period

    def describe(self, cells: str) -> str:
        """The figures, with the name of the target's LUTs."""
        cycles = f"more than {self.budget}" if self.cycles is None else f"{self.cycles}"
        return f"{cycles} cycles, {self.period:.1f} ns, {self.luts} {cells}"


@dataclass(frozen=True)
class Choice:
    """The style that `auto` takes, why, and what was compared.

    `tokens`: the dynamic circuit without comparators, if that is taken; `queue`: the one with
    load-store queues for the arrays `queued`, if that is; `mixed`: the one whose loops at the
    places `static_loops` are static, if that is. `dynamic` is the one that the last of them is
    compared with then.
    """

    style: Literal["dynamic", "static"]
    reason: str
    static: Prediction | None = None
    dynamic: Prediction | None = None
    tokens: Prediction | None = None
    queue: Prediction | None = None
    queued: tuple[str, ...] = ()
    mixed: Prediction | None = None
    static_loops: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.style}: {self.reason}"


@dataclass(frozen=True)
class Styled:
    """The circuit of a program in the style that was first for; with `auto`, the choice."""

    circuit: Circuit | StaticCircuit
    choice: Choice | None = None

    @property
    def style(self) -> Literal["dynamic", "static"]:
        """The style of the circuit."""
        return "static" if isinstance(self.circuit, StaticCircuit) else "dynamic"

    def files(self, boundary: Boundary | None = None) -> dict[str, str]:
        """What `loom compile` writes; with `auto` also the choice, as NAME.style.json."""
        import json

        found = self.circuit.files(boundary)
        if self.choice is None:
            return found
        text = json.dumps(asdict(self.choice), indent=2) + "\n"
        return {**found, f"{self.name}.style.json": text}

    def simulated(self) -> Kernel:
        """What is simulated, beside the program. It needs the extra `sim`."""
        from loom_sim.kernel import Kernel

        found = self.circuit
        if isinstance(found, Circuit):
            return Kernel(found.source, found.top, found.netlist, found.files())
        ports = found.dynamic
        return Kernel(
            ports.source, ports.top, ports.netlist, found.rtl, black_box=True, cycles=found.cycles
        )

    @property
    def dynamic(self) -> Circuit:
        """The circuit, or the dynamic one whose ports the static one has."""
        found = self.circuit
        return found.dynamic if isinstance(found, StaticCircuit) else found

    @property
    def name(self) -> str:
        """The name of the circuit."""
        return self.dynamic.netlist.name


def print_choice(styled: Styled | None) -> None:
    """The style that `auto` chose, and why, stand on standard error."""
    if styled is not None and styled.choice is not None:
        print(f"{styled.name}: {styled.choice}", file=sys.stderr)
