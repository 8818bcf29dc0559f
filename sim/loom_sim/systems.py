"""A wrapped circuit in Verilator under a cocotb bench that is not LOOM's own.

``python -m loom_sim.systems BUS PROGRAM BENCH.py`` compiles the program, wraps its circuit and
runs the tests of the bench, which imports the driver that `loom wrap` wrote, by name; ``dut`` has
the pins of the wrapper.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import loom
from loom.bus.buses import BUSES, memories_on
from loom.bus.wrap import Wrapped, wrap_circuit
from loom.errors import LoomError, LoomErrors, Place
from loom.lower.options import Options
from loom.processes.child import HOLD, Limits, run_child
from loom.processes.unwind import scratch_folder
from loom_sim.build import Builder, Variant
from loom_sim.cache import cache_root
from loom_sim.cosimulate import MEMORY, simulation_environment
from loom_sim.design import Design
from loom_sim.harness import TOP
from loom_sim.programs import find_programs

ASSERTION = re.compile(r"%Error: \S+ Assertion failed in (\S*?):? (.*)")
PIN = re.compile(r"^  (input|output) logic (\[\d+:\d+\] )?(\w+),?$", re.MULTILINE)
SECONDS = 600.0
"""A bench may take so long [s]."""


@dataclass(frozen=True)
class SystemReport:
    """The tests of a bench and why those failed that did; assertions of the RTL that failed."""

    passed: tuple[str, ...]
    failed: Mapping[str, str]
    assertions: tuple[str, ...]
    output: str

    @property
    def good(self) -> bool:
        """True if there are tests, all passed, and no assertion failed."""
        return bool(self.passed) and not self.failed and not self.assertions


def system_harness(text: str, top: str) -> str:
    """A module in which each pin of `top`, whose text is given, is a net of the same name."""
    pins = PIN.findall(text.partition(f"module {top} (")[2].partition(");")[0])
    nets = [f"  logic {span}{name} /*verilator public_flat_rw*/;" for _, span, name in pins]
    joined = ",\n".join(f"    .{name}({name})" for _, _, name in pins)
    return f"module {TOP};\n" + "\n".join(nets) + f"\n  {top} system (\n{joined}\n  );\nendmodule\n"


def simulate_system(
    wrapped: Wrapped, bench: Path, files: Mapping[str, str] | None = None
) -> SystemReport:
    """The bench has run on the wrapped circuit; `files` stand beside the driver, by name."""
    driver = f"{wrapped.map.module}.py"
    beside = {driver: wrapped.files[driver], **(files or {})}
    return simulate_module(wrapped.map.module, wrapped.files, bench, beside)


def simulate_module(
    top: str, texts: Mapping[str, str], bench: Path, files: Mapping[str, str]
) -> SystemReport:
    """The bench has run on the module `top` of these texts, by path; `files` stand beside it."""
    sources = {Path(path).stem: text for path, text in texts.items()
               if path.endswith(".sv")}  # fmt: skip
    design = Design((), sources, {TOP: system_harness(sources[top], top)}, 0)
    programs = find_programs()
    simulator = Builder(programs, cache_root(None)).simulator(design, Variant(False, False))
    environment = dict(simulation_environment(programs, bench.stem))
    beside = [str(bench.resolve().parent), environment["PYTHONPATH"]]
    with scratch_folder("loom-system-") as folder:
        for name, text in files.items():
            (folder / name).write_text(text)
        environment["PYTHONPATH"] = os.pathsep.join([str(folder), *beside])
        limits = Limits(SECONDS, None, MEMORY)
        done = run_child([str(simulator)], folder, environment, limits, streams=HOLD)
        results = folder / "results.xml"
        stopped = ASSERTION.search(done.output)  # the simulator ends with it
        if not results.is_file() or (done.status and not stopped):
            what = f"a simulator that ended with status {done.status}:\n{done.output[-2000:]}"
            raise LoomError("SIM_CRASHED", Place(str(bench)), what, "a bench that ends")
        found = ElementTree.fromstring(results.read_text())
    failed: dict[str, str] = {}
    passed: list[str] = []
    for case in found.iter("testcase"):
        name, problem = str(case.get("name")), case.find("failure")
        if problem is None:
            problem = case.find("error")
        if problem is None:
            passed.append(name)
        else:
            failed[name] = str(problem.get("error_msg") or problem.get("message") or problem.text)
    said = dict.fromkeys(f"{where}: {text}" for where, text in ASSERTION.findall(done.output))
    return SystemReport(tuple(passed), failed, tuple(said), done.output)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile, wrap, simulate; a line for each test of the bench."""
    parser = argparse.ArgumentParser(prog="loom_sim.systems", description=__doc__)
    parser.add_argument("bus", choices=list(BUSES), help="the bus")
    parser.add_argument("program", help="the program")
    parser.add_argument("bench", type=Path, help="the cocotb bench")
    parser.add_argument("--memory", action="append", default=[], metavar="ARRAY:KIND",
                        help="memory of an argument, as for `loom wrap`")  # fmt: skip
    parser.add_argument("--stream", action="append", default=[], metavar="ARRAY",
                        help="an array that is a stream, as for `loom wrap`")  # fmt: skip
    chosen = parser.parse_args(arguments)
    try:
        memories = [tuple(text.split(":", 1)) for text in chosen.memory]
        streams = tuple(chosen.stream)
        options = Options(memories=memories_on(chosen.bus, memories), streams=streams)
        circuit = loom.compile_file(chosen.program, options=options)
        wrapped = wrap_circuit(circuit.netlist, chosen.bus, circuit.signs, streams=streams)
        report = simulate_system(wrapped, chosen.bench)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    for line in report.output.splitlines():
        if line.startswith("system: "):
            print(line.removeprefix("system: "))
    for name in report.passed:
        print(f"{name}: passed")
    for name, why in report.failed.items():
        print(f"{name}: failed: {why}")
    for assertion in report.assertions:
        print(f"assertion failed: {assertion}")
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
