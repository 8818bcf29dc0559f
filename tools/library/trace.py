"""Every cycle of every channel of some units, from a simulation in Verilator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loom_sim.build import Builder, Variant
from loom_sim.cache import cache_root
from loom_sim.cosimulate import simulation_environment
from loom_sim.design import Design, circuits_of
from loom_sim.harness import TOP
from loom_sim.jobs import Job
from loom_sim.programs import find_programs

from loom.emit import emit
from loom.processes.child import HOLD, Limits, run_child
from loom.processes.unwind import scratch_folder
from tools.library.steady import steady_tokens
from tools.library.units import LibraryUnit
from tools.template_environment import environment

CYCLES = 16
"""Of a diagram [cycles]."""
TOKENS = 8
"""Firings that are offered, more than a diagram shows."""
REFUSALS = 0b0000_0001_1001_0000
"""Cycles in which no output is taken, cycle 0 lowest."""
PAUSES = 0b0000_0100_0000_0100
"""Cycles in which the first input begins no offer; further inputs pause one cycle later."""
MODULE = "tools.library.trace_bench"


@dataclass(frozen=True, slots=True)
class Sample:
    """A channel in one cycle."""

    valid: bool
    ready: bool
    data: int


Trace = Mapping[str, tuple[Sample, ...]]
"""The samples of each port of a unit, one a cycle."""


def trace(units: Sequence[LibraryUnit]) -> list[Trace]:
    """`CYCLES` cycles of every unit from reset on, all in one build."""
    named = [replace(unit, netlist=replace(unit.netlist, name=f"unit_{k}"))
             for k, unit in enumerate(units)]  # fmt: skip
    jobs = [Job(unit.netlist, emit(unit.netlist), ()) for unit in named]
    circuits, tops = circuits_of(jobs)
    faces = [face(unit, top) for unit, top in zip(named, tops, strict=True)]
    design = Design((), circuits, {TOP: harness(faces)}, len(units))
    programs = find_programs()
    simulator = Builder(programs, cache_root(None)).simulator(design, Variant(False, False))
    with scratch_folder("loom-trace-") as folder:
        nets = [port["net"] for unit in faces for port in unit["ports"]]
        (folder / "plan.json").write_text(json.dumps({"nets": nets, "cycles": CYCLES}))
        environment = simulation_environment(programs, MODULE)
        done = run_child([str(simulator)], folder, environment, Limits(time=120), streams=HOLD)
        assert done.status == 0, done.output[-2000:]
        words: dict[str, list[int]] = json.loads((folder / "answer.json").read_text())
    return [
        {port["name"]: samples(words[port["net"]], port["width"]) for port in unit["ports"]}
        for unit in faces
    ]


def samples(words: Sequence[int], width: int) -> tuple[Sample, ...]:
    """Recorded words as valid, ready and data."""
    return tuple(
        Sample(bool(word >> (width + 1) & 1), bool(word >> width & 1), word & ((1 << width) - 1))
        for word in words
    )


def face(unit: LibraryUnit, top: str) -> dict[str, Any]:
    """What the harness knows of a unit: its ports with tokens and pauses, its memory outside."""
    tokens = steady_tokens(unit, TOKENS)
    ports = []
    inputs = 0
    for port in unit.netlist.ports:
        is_input = port.direction == "input"
        pauses = PAUSES << inputs if is_input else REFUSALS
        inputs += is_input
        ports.append({
            "name": port.name, "direction": port.direction, "width": port.width,
            "net": f"{top}_{port.name}", "tokens": tokens.get(port.name, []),
            "pauses": pauses & ((1 << CYCLES) - 1),
        })  # fmt: skip
    outside = unit.netlist.memories_outside
    found: dict[str, Any] = {"top": top, "ports": ports, "memory": bool(outside),
                             "answers": False}  # fmt: skip
    for memory in outside:
        found |= {"address": (memory.depth - 1).bit_length(), "width": memory.width,
                  "loads": unit.shape.attributes["loads"], "answers": memory.kind.answers,
                  "stores": unit.shape.attributes["stores"]}  # fmt: skip
    return found


def harness(faces: Sequence[Mapping[str, Any]]) -> str:
    """The top of the simulation."""
    text: str = (
        environment(Path(__file__).parent)
        .get_template("trace.sv.j2")
        .render(units=faces, cycles=CYCLES, cycle_bits=CYCLES.bit_length())
    )
    return text
