"""A circuit between AXI4-Streams in Verilator under a cocotb bench that is not LOOM's own.

``python -m loom_sim.stream_systems PROGRAM BENCH.py`` compiles the program, wraps its circuit as
``loom wrap axis`` does, and runs the tests of the bench; ``dut`` has the pins of the wrapper.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import loom
from loom.bus.axis import WrappedAxis, wrap_axis
from loom.errors import LoomError, LoomErrors
from loom.lower.options import Options
from loom_sim.systems import SystemReport, simulate_module


def wrap_program(program: Path) -> WrappedAxis:
    """The circuit of a program between streams."""
    circuit = loom.compile_file(program, options=Options(streams="all"))
    return wrap_axis(circuit.netlist, circuit.signs)


def simulate_streams(wrapped: WrappedAxis, bench: Path) -> SystemReport:
    """The bench has run on the wrapped circuit."""
    return simulate_module(wrapped.map.module, wrapped.files, bench, {})


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile, wrap, simulate; a line for each test of the bench."""
    parser = argparse.ArgumentParser(prog="loom_sim.stream_systems", description=__doc__)
    parser.add_argument("program", type=Path, help="the program")
    parser.add_argument("bench", type=Path, help="the cocotb bench")
    chosen = parser.parse_args(arguments)
    try:
        report = simulate_streams(wrap_program(chosen.program), chosen.bench)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    said = [text for text in report.output.splitlines() if text.startswith("system: ")]
    said += [f"{name}: passed" for name in report.passed]
    said += [f"{name}: failed: {why}" for name, why in report.failed.items()]
    said += [f"assertion failed: {assertion}" for assertion in report.assertions]
    print("\n".join(text.removeprefix("system: ") for text in said))
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
