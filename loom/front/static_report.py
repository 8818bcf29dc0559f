"""``loom report --style static``: loops, II and what bounds it, units, registers, ports, cycles."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loom.dialects.facts.places import place_of
from loom.dialects.ops.staticlogic import PipelineOp, StageOp
from loom.draw.of_schedule import charts_of
from loom.draw.schedule_page import Schedule, schedule_page
from loom.emit.files import write_files
from loom.explore.advice import Advice
from loom.front.static_circuit import StaticCircuit
from loom.front.styles.styled import Choice
from loom.front.verbs import MATCH, MISMATCH, require_simulation
from loom.frontend.functions import top_function
from loom.model.bundles.activation import Activation
from loom.netlist.fsmd.steps import steps_of

if TYPE_CHECKING:
    from loom_sim.placement.place_circuit import Placed


def report(
    options: argparse.Namespace,
    circuit: StaticCircuit,
    given: Sequence[Activation],
    choice: Choice | None = None,
    advice: Advice | None = None,
    source: str = "",
) -> int:
    """The report of a static schedule; its cycles are those of the machine, without simulation.

    With `auto` it says why the style was chosen. `source` is the text that the page shows.

    Refused (SIM_NO_SYNTHESIS): placed and routed figures without the tools for it.
    """
    cycles = circuit.cycles(given, options.max_cycles)
    differences = list(circuit.differences(given, options.max_cycles))
    found = describe(circuit, cycles)
    said = list(lines(found))
    if options.place:
        placed = place(circuit)
        found["placed"] = asdict(placed)
        said.append(placed.line(max(cycles)))
    said += [*differences, *([] if advice is None else advice.lines())]
    if options.html is not None:
        output = Path(options.html)
        charts = tuple(charts_of(top_function(circuit.module).body.block))
        runs = circuit.spans(given[0], options.max_cycles)
        shown = Schedule(circuit.netlist.name, said, source, cycles[0], runs, charts)
        write_files(output.parent, {output.name: schedule_page(shown)})
    if options.json:
        rest = {} if advice is None else {"advice": advice.to_json()}
        reason = {} if choice is None else {"reason": choice.reason}
        print(json.dumps({**found, **reason, "differences": differences, **rest}))
    else:
        print("\n".join(said))
    return MISMATCH if differences else MATCH


def place(circuit: StaticCircuit) -> Placed:
    """The circuit, synthesized, placed and routed."""
    require_simulation()
    from loom_sim.placement.place_circuit import place_verilog

    texts = [text for name, text in circuit.rtl.items() if name.endswith(".sv")]
    return place_verilog(texts, circuit.netlist.name)


def describe(circuit: StaticCircuit, cycles: list[int]) -> dict[str, Any]:
    """All of the report; `cycles` are those of each activation."""
    fsmd = circuit.fsmd
    units = Counter(unit.operator.name for unit in fsmd.units)
    reads = {port.memory: port.latency for port in fsmd.reads}
    readers = Counter(port.memory for port in fsmd.reads)
    writes = {port.memory for port in fsmd.writes}
    loops = [describe_loop(circuit, loop) for loop in circuit.pipelines]
    return {
        "kernel": circuit.netlist.name,
        "style": "static",
        "cycles": cycles,
        "schedule_bound": schedule_bound(circuit),
        "loops": loops,
        "interleaved": [
            {"file": place.file, "line": place.line, "entries": number}
            for place, number in circuit.interleaved.taken
        ],
        "units": dict(sorted(units.items())),
        "registers": len(fsmd.registers),
        "register_bits": sum(each.width for each in fsmd.registers),
        "memories": [
            {
                "name": name,
                "read_ports": readers[name],
                "read_latency": reads.get(name),
                "written": name in writes,
            }
            for name in fsmd.memories
        ],
    }


def describe_loop(circuit: StaticCircuit, loop: PipelineOp) -> dict[str, Any]:
    """A pipelined loop: II, the least one that its constraints allow, and the constraint."""
    limit, place, count = circuit.limits[loop], place_of(loop), loop.trip_count
    return {
        "file": place.file,
        "line": place.line,
        "ii": loop.ii,
        "mii": limit.mii,
        "limited_by": str(limit),
        "kind": limit.kind,
        "lines": limit.lines,
        "length": loop.depth,
        "stages": len({stage.start for stage in loop.stage_ops}),
        "iterations": count,
        "cycles": None if count is None else cycles_of(count, loop.ii, loop.depth),
    }


def cycles_of(count: int, ii: int, length: int) -> int:
    """From the first issue to the end of the last iteration [cycles]."""
    return (count - 1) * ii + length if count else 0


def schedule_bound(circuit: StaticCircuit) -> int | None:
    """The cycles that the pipelines of a function need, (N - 1) * MII + length each.

    Of those that wait for each other it is the sum. None where N is not known.
    """
    steps = steps_of(top_function(circuit.module).body.block)
    ends: list[int] = []
    for step in steps:
        begin = max((ends[number] for number in step.waits), default=0)
        loop = step.operations[0]
        if isinstance(loop, PipelineOp):
            if loop.trip_count is None:
                return None
            begin += cycles_of(loop.trip_count, circuit.limits[loop].mii, loop.depth)
        elif loop.regions and not isinstance(loop, StageOp):
            return None
        ends.append(begin)
    return max(ends, default=0) or None


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The report as text."""
    cycles = found["cycles"]
    least, most = min(cycles), max(cycles)
    span = f"{least}" if least == most else f"{least} to {most}"
    bound = found["schedule_bound"]
    beside = "" if bound is None else f"; bound of the schedule {bound}: {most / bound:.2f} x"
    yield f"{found['kernel']}: a static schedule, {span} cycles predicted{beside}"
    for loop in found["loops"]:
        yield (
            f"{loop['file']}:{loop['line']}: II = {loop['ii']}, MII = {loop['mii']}, "
            f"length {loop['length']} cycles in {loop['stages']} stages"
        )
        yield f"  II is bounded by {loop['limited_by']}"
        if loop["iterations"] is not None:
            yield f"  {loop['iterations']} iterations in {loop['cycles']} cycles"
    for each in found["interleaved"]:
        yield f"{each['file']}:{each['line']}: {each['entries']} entries interleaved"
    units = ", ".join(f"{count} {name}" for name, count in found["units"].items())
    yield f"pipelined units: {units or 'none'}"
    yield f"registers: {found['registers']} with {found['register_bits']} bits, without the units'"
    for memory in found["memories"]:
        read, count = memory["read_latency"], memory["read_ports"]
        named = "a read port" if count == 1 else f"{count} read ports"
        ports = [] if read is None else [f"{named} of latency {read}"]
        ports += ["a write port"] if memory["written"] else []
        yield f"memory {memory['name']}: {', '.join(ports)}"
