"""``python -m loom_sim.suite FOLDER``: every kernel of a folder through all three models.

A kernel is ``NAME.mlir``; ``NAME.json`` beside it is its bundle; or ``NAME.c`` or ``NAME.py``,
programs that are run natively and call it. All kernels share one simulator build. The table goes to
standard output, the exit status is 1 if any of them differs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from loom.errors import LoomError, LoomErrors, Place
from loom.front.circuit import Circuit
from loom.front.request import DEFAULTS, COptions, Request
from loom.front.styles.choose import compile_in_style
from loom.front.styles.styled import Styled
from loom.frontend.c.c_options import read_c_flags
from loom.frontend.functions import top_function
from loom.input_files import read_text
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from loom.native.programs import record_program
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, KernelReport, cosimulate_kernels
from loom_sim.report import table

KINDS = ("*.mlir", "*.c", "*.py")
"""The names of kernels."""


def load(file: Path, options: Options = DEFAULTS) -> tuple[Kernel, list[Activation]]:
    """The compiled kernel of a file and its activations, random ones where it has no bundle."""
    styled, activations = load_styled(file, options)
    return styled.simulated(), activations


def load_styled(file: Path, options: Options) -> tuple[Styled, list[Activation]]:
    """The circuit of a file in the style of the options, dynamic if they say none; activations."""
    text = read_text(str(file))
    c = read_c_flags(file) if file.suffix == ".c" else COptions()
    request = Request(text, str(file), options=options, c=c)
    styled = compile_in_style(request, default="dynamic")
    return styled, activations_of(file, text, c, styled.dynamic)


def activations_of(file: Path, text: str, c: COptions, circuit: Circuit) -> list[Activation]:
    """Those of the program that calls the kernel, of the bundle beside it, or random ones."""
    recorded = record_program(text, str(file), c=c)
    if recorded is not None:
        return [*recorded.activations]
    width = circuit.netlist.index_width
    signature = signature_of(top_function(circuit.source, circuit.top), width)
    bundle = file.with_suffix(".json")
    if bundle.exists():
        return read_bundle(read_text(str(bundle)), str(bundle), signature)
    reference = compile_reference(circuit.source, circuit.top, width)
    return accepted_activations(reference, signature, 1, 2)


def run_suite(
    folder: Path, options: SimOptions, lowering: Options = DEFAULTS
) -> list[KernelReport]:
    """The reports of every kernel in the folder, by name."""
    files = sorted(file for kind in KINDS for file in folder.glob(kind))
    if not files:
        accepted = "a folder of .mlir, .c or .py files"
        raise LoomError("SUITE_EMPTY", Place(str(folder)), "no kernel", accepted)
    loaded = [load(file, lowering) for file in files]
    return cosimulate_kernels(
        [kernel for kernel, _ in loaded], [given for _, given in loaded], options
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the suite of the command line."""
    parser = argparse.ArgumentParser(prog="loom_sim.suite", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stalls", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory-order", choices=("auto", "serial"), default="auto")
    chosen = parser.parse_args(arguments)
    print(f"co-simulating the kernels of {chosen.folder} ...", file=sys.stderr)
    began = time.monotonic()
    try:
        simulation = SimOptions(stalls=chosen.stalls, seed=chosen.seed)
        lowering = Options(memory_order=chosen.memory_order)
        reports = run_suite(chosen.folder, simulation, lowering)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return 2
    print("\n".join(table(reports)))
    wrong = [report for report in reports if not report.match]
    for report in wrong:
        for text in report.differences:
            print(f"{report.kernel.netlist.name}: {text}", file=sys.stderr)
    print(
        f"{len(reports) - len(wrong)} of {len(reports)} kernels match "
        f"in {time.monotonic() - began:.1f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
