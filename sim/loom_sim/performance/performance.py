"""The performance of a circuit: measured cycles and lower bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loom.analysis.timing.area_estimate import CircuitEstimate
from loom.errors import Place
from loom.netlist.netlist import Netlist
from loom_sim.kernel import KernelReport
from loom_sim.placement.place_circuit import Placed


@dataclass(frozen=True)
class Bounds:
    """Cycles that a circuit of the lowered program needs, of all activations together [cycles].

    `ports`: one load and one store a cycle on every memory, one iteration a cycle in every loop;
    `port` is the one that decides. `dependences`: the longest chain of them, or None if the run is
    too long to follow it. `loop_cycles`: the iterations of the loop that takes longest, times its
    least II; no bound where the runs of that loop overlap.
    """

    ports: int
    port: str
    loop_cycles: int | None
    loop: str
    dependences: int | None

    @property
    def cycles(self) -> int:
        """The largest of the bounds [cycles]."""
        return max(self.ports, self.dependences or 0)

    @property
    def limited_by(self) -> str:
        """The resource or dependence that sets the largest bound."""
        return "dependences" if self.cycles > self.ports else self.port


@dataclass(frozen=True)
class LoopUse:
    """One loop, over all activations.

    `ii` is the measured mean II: cycles from a test that goes on to the next one; None if none goes
    on. `min_ii` is the lower bound that ports (`min_ii_ports`) and dependences
    (`min_ii_dependences`) set, and `limited_by` says which of them; None without a program behind
    the circuit [cycles]. `around` is the place of the loop around it, None for none or an unknown
    one; `conditions` are the channels of its tests; `lanes` entries take turns.

    A loop with a static schedule has a `length` [cycles], from the start of an iteration to its
    end, and `ii` is that of the schedule. `entries` and `iterations` are None where the program
    does not tell them.
    """

    place: Place
    text: str
    depth: int
    entries: int | None
    iterations: int | None
    ii: float | None
    min_ii: float | None
    min_ii_ports: float | None
    min_ii_dependences: float | None
    limited_by: str
    around: Place | None = None
    conditions: tuple[str, ...] = ()
    lanes: int = 1
    length: int | None = None

    @property
    def remark(self) -> str:
        """What limits the II, and what else is known of how iterations run."""
        found = [self.limited_by] if self.limited_by else []
        if self.lanes > 1:
            found.append(f"{self.lanes} entries interleaved")
        if self.length is not None:
            found.append(f"static, length {self.length} cycles")
        return "; ".join(found)

    @property
    def lost_cycles(self) -> float | None:
        """Cycles above the least II, over all iterations [cycles]."""
        if self.ii is None or self.min_ii is None or self.iterations is None:
            return None
        return max(0.0, self.ii - self.min_ii) * self.iterations


@dataclass(frozen=True, slots=True)
class ChannelUse:
    """One channel, over all activations: tokens, and the cycles in which one waited."""

    tokens: int
    waits: int


@dataclass(frozen=True)
class Performance:
    """Everything that a report shows."""

    file: str
    source: str
    netlist: Netlist
    run: KernelReport
    bounds: Bounds | None
    loops: tuple[LoopUse, ...]
    chain: tuple[tuple[Place, str, int], ...]
    """The longest chain of dependences: place, operation and its cycles in all activations."""
    channels: Mapping[str, ChannelUse]
    cost: CircuitEstimate
    placed: Placed | None
    critical: tuple[str, ...] = ()
    """The units that limit the II of the innermost loop which takes longest, if known."""

    @property
    def cycles(self) -> int:
        """Cycles of all activations [cycles]."""
        return self.run.cycles
