"""Latency, capacity and rate of every unit, measured in Verilator.

- Latency [cycles]: of a run of one firing or loop, less one for each token of its busiest port (the
  run ends with the last output, so that a loop whose last condition gives none may end before).
- Rate [tokens/cycle]: of the unit's busiest port, between a run and one twice as long, with sources
  that always offer and sinks that always take; activation boundaries are in the run.
- Capacity [tokens]: what the unit takes in on one input while no output is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from loom_sim.cosimulate import cosimulate
from loom_sim.jobs import Activation, Job, Run, SimOptions

from loom.dialects.operators.catalogue import CATALOGUE
from loom.emit import emit
from loom.model.tokens.token_run import ActivationRun
from loom.model.tokens.token_simulator import run_streams
from loom.netlist.netlist import Channel, Endpoint, Netlist, OutsidePort, Unit
from tools.library.steady import Tokens, steady_tokens
from tools.library.units import DUT, LibraryUnit

BURSTS = 40
"""Firings or loops of the shorter run; the other has twice as many."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one unit does: latency [cycles], capacity [tokens], rate [tokens/cycle].

    `declared` and `interval` are what its row says: latency and cycles between two tokens.
    """

    title: str
    operator: str
    declared: int
    interval: int
    latency: int
    capacity: int
    endless: bool
    rate: float


def measure(units: Sequence[LibraryUnit]) -> list[Measured]:
    """Every unit in one build; a unit that does not do what the token model does is a bug."""
    jobs: list[Job] = []
    for unit in units:
        runs = [
            steady_tokens(unit, 1),
            steady_tokens(unit, BURSTS),
            steady_tokens(unit, 2 * BURSTS),
        ]
        jobs.append(job_of(observed(unit.netlist), runs))
        jobs.append(job_of(plugged(unit.netlist), [steady_tokens(unit, 2 * BURSTS)]))
    results = cosimulate(jobs, SimOptions())
    found = []
    for unit, free, blocked in zip(units, results[::2], results[1::2], strict=True):
        assert not free.problems, (unit.title, free.problems)
        found.append(measured(unit, free.runs, blocked.runs[0]))
    return found


def measured(unit: LibraryUnit, runs: Sequence[Run], blocked: Run) -> Measured:
    """The figures of one unit from its runs."""
    one, short, long = runs
    more = max(long.tokens[name] - short.tokens[name] for name in long.tokens)
    names = input_names(unit.netlist)
    return Measured(
        unit.title,
        unit.operator.name,
        unit.operator.hardware.latency_of(unit.shape),
        unit.operator.hardware.interval_of(unit.shape),
        max(0, one.cycles - max(one.tokens.values())),
        max((blocked.tokens[f"c_{name}"] for name in names), default=0),
        bool(names) and not unit.operator.signature.outputs,
        round(more / (long.cycles - short.cycles), 3),
    )


def input_names(netlist: Netlist) -> list[str]:
    """The names of the circuit's inputs that lead to the unit."""
    return [c.source.port for c in netlist.channels if not c.source.unit and c.target.unit == DUT]


def job_of(netlist: Netlist, runs: Iterable[Tokens]) -> Job:
    """The circuit with these streams, one activation each, and what the token model makes of it."""
    activations = []
    for tokens in runs:
        memories = {m.name: [0] * m.depth for m in netlist.memories_outside}
        given = {
            port.name: tokens.get(port.name, [])
            for port in netlist.ports
            if port.direction == "input"
        }
        model: ActivationRun = run_streams(
            netlist, given, {name: list(each) for name, each in memories.items()}
        )
        activations.append(Activation(given, memories, expected=model.outputs))
    return Job(netlist, emit(netlist), tuple(activations))


def observed(netlist: Netlist) -> Netlist:
    """The circuit, with a fork to an output in front of a unit that has none."""
    if any(port.direction == "output" for port in netlist.ports):
        return netlist
    (entry,) = netlist.channels
    ends = {
        f"c_{entry.source.port}": (entry.source, Endpoint("tap", "in")),
        "c_dut": (Endpoint("tap", "out0"), entry.target),
        "c_tap": (Endpoint("tap", "out1"), Endpoint("", "tap")),
    }
    return Netlist(
        netlist.name,
        netlist.index_width,
        (*netlist.ports, OutsidePort("tap", "output", entry.type, entry.width)),
        netlist.memories,
        (*netlist.units, Unit("tap", CATALOGUE["handshake.fork"])),
        tuple(Channel(name, entry.type, entry.width, *two) for name, two in ends.items()),
    )


def plugged(netlist: Netlist) -> Netlist:
    """The circuit with a branch behind every output, whose condition never comes."""
    branch = CATALOGUE["handshake.cond_br"]
    ports = [port for port in netlist.ports if port.direction == "input"]
    channels = [channel for channel in netlist.channels if channel.target.unit]
    units: list[Unit] = list(netlist.units)
    for channel in netlist.channels:
        if channel.target.unit:
            continue
        name = f"plug_{channel.target.port}"
        units.append(Unit(name, branch))
        ports.append(OutsidePort(f"{name}_condition", "input", "i1", 1))
        channels.append(
            Channel(f"c_{name}_condition", "i1", 1, Endpoint("", f"{name}_condition"),
                    Endpoint(name, "condition"))
        )  # fmt: skip
        channels.append(
            Channel(channel.name, channel.type, channel.width, channel.source,
                    Endpoint(name, "data"))
        )  # fmt: skip
        for side in ("true_result", "false_result"):
            outside = f"{name}_{side}"
            ports.append(OutsidePort(outside, "output", channel.type, channel.width))
            channels.append(
                Channel(f"c_{outside}", channel.type, channel.width, Endpoint(name, side),
                        Endpoint("", outside))
            )  # fmt: skip
    return Netlist(
        netlist.name, netlist.index_width, tuple(ports), netlist.memories, tuple(units),
        tuple(channels),
    )  # fmt: skip
