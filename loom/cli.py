"""The ``loom`` command: one verb a stage. Exit status 0 success, 1 mismatch, 2 bad input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors, Place

if TYPE_CHECKING:
    from loom.api import Circuit
    from loom.lower.options import Options
    from loom.model.activation import Activation

MATCH, MISMATCH, BAD_INPUT = 0, 1, 2
DEFAULT_MAX_CYCLES = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; every refusal is printed on standard error, without a traceback."""
    options = parser().parse_args(arguments)
    verb: Callable[[argparse.Namespace], int] = options.verb
    try:
        return verb(options)
    except (LoomError, LoomErrors) as error:
        print(error, file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()
        return MATCH
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    """The command line of every verb."""
    root = argparse.ArgumentParser(
        prog="loom",
        description="Dynamically scheduled high-level synthesis: MLIR to elastic circuits.",
        epilog="Exit status: 0 success, 1 mismatch or deadlock, 2 input that is not accepted.",
    )
    root.add_argument("--version", action="version", version=f"loom {version('loom-hls')}")
    verbs = root.add_subparsers(title="verbs", required=True, metavar="VERB")

    def verb(name: str, run: Callable[[argparse.Namespace], int], text: str, file: str
             ) -> argparse.ArgumentParser:  # fmt: skip
        found = verbs.add_parser(name, help=text, description=text)
        found.set_defaults(verb=run)
        if file:
            found.add_argument("file", metavar=file, help="the input file; - is standard input")
        return found

    found = verb("compile", compile_, "a kernel to SystemVerilog, netlist and graph", "KERNEL.mlir")
    found.add_argument("-o", "--output", required=True, metavar="OUT", help="the output folder")
    lowering(found)
    found = verb("lower", lower, "a kernel to handshake + dataflow MLIR", "KERNEL.mlir")
    found.add_argument("-o", "--output", metavar="F", help="write here, not to standard output")
    lowering(found)
    found = verb("emit", emit, "a netlist to SystemVerilog", "NETLIST.json")
    found.add_argument("-o", "--output", required=True, metavar="OUT", help="the output folder")
    found = verb("check", check, "verify a program, a graph or a netlist", "FILE")
    found.add_argument("--json", action="store_true", help="print one JSON object")
    lowering(found)
    found = verb("model", model, "source reference and token model, no simulator", "KERNEL.mlir")
    running(found)
    found = verb("sim", sim, "co-simulate in Verilator against both models", "KERNEL.mlir")
    running(found)
    found.add_argument("--stalls", type=probability, default=0.0, metavar="P",
                       help="probability of a pause on every outside channel")  # fmt: skip
    found.add_argument("--wave", type=Path, metavar="F", help="write an FST wave file")
    found = verb("ops", ops, "the operator catalogue as a table", "")
    found.add_argument("--json", action="store_true", help="print one JSON list")
    return root


def lowering(verb: argparse.ArgumentParser) -> None:
    """Options of the lowering."""
    verb.add_argument("--top", metavar="NAME", help="the function to compile")
    verb.add_argument("--index-width", type=index_width, default=64, metavar="N",
                      help="bits of index, 1 to 64 (default 64)")  # fmt: skip
    verb.add_argument("--zero-trip", choices=("raw", "guard"), default="raw",
                      help="how loops that may run zero times are made right")  # fmt: skip


def running(verb: argparse.ArgumentParser) -> None:
    """Options of runs."""
    lowering(verb)
    verb.add_argument("--inputs", metavar="BUNDLE.json", help="inputs; default: random, seeded")
    verb.add_argument("--activations", type=positive, metavar="N",
                      help="how many runs without reset (default: all of the bundle, or 1)")  # fmt: skip
    verb.add_argument("--seed", type=int, default=1, help="of random inputs and stalls")
    verb.add_argument("--max-cycles", type=positive, default=DEFAULT_MAX_CYCLES, metavar="N",
                      help="of one activation, before it is taken for endless")  # fmt: skip
    verb.add_argument("--json", action="store_true", help="print one JSON object")


def positive(text: str) -> int:
    """A number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def index_width(text: str) -> int:
    """A width of an index."""
    value = int(text)
    if not 1 <= value <= 64:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to 64")
    return value


def probability(text: str) -> float:
    """A probability below 1."""
    value = float(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a probability below 1")
    return value


def read(file: str) -> str:
    """The text of a file, or of standard input."""
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except OSError as error:
        raise LoomError(
            "INPUT_UNREADABLE", Place(file), error.strerror or str(error), "a readable file"
        ) from None
    except UnicodeDecodeError:
        raise LoomError(
            "INPUT_UNREADABLE", Place(file), "bytes that are no UTF-8 text", "a text file"
        ) from None


def chosen(options: argparse.Namespace) -> Options:
    """The lowering options of the command line."""
    from loom.lower.options import Options

    return Options(index_width=options.index_width, zero_trip=options.zero_trip)


def circuit_of(options: argparse.Namespace) -> Circuit:
    """The compiled kernel of the command line."""
    from loom.api import compile_text

    return compile_text(read(options.file), options.file, top=options.top, options=chosen(options))


def compile_(options: argparse.Namespace) -> int:
    """``loom compile``."""
    from loom.emit.files import write_files

    circuit = circuit_of(options)
    write_files(Path(options.output), circuit.files())
    netlist = circuit.netlist
    print(f"{netlist.name}: {len(netlist.units)} units, {len(netlist.channels)} channels"
          f" in {options.output}")  # fmt: skip
    return MATCH


def lower(options: argparse.Namespace) -> int:
    """``loom lower``."""
    from loom.emit.files import write_files

    text = circuit_of(options).dfg_text
    if options.output is None:
        sys.stdout.write(text)
    else:
        output = Path(options.output)
        write_files(output.parent, {output.name: text})
    return MATCH


def emit(options: argparse.Namespace) -> int:
    """``loom emit``."""
    from loom.api import emit_text
    from loom.emit.files import write_files

    files = emit_text(read(options.file), options.file)
    write_files(Path(options.output), files)
    print(f"{len(files)} files in {options.output}")
    return MATCH


def check(options: argparse.Namespace) -> int:
    """``loom check``."""
    from loom.api import check_text

    problems: tuple[LoomError, ...] = ()
    summary = ""
    try:
        summary = check_text(
            read(options.file), options.file, top=options.top, options=chosen(options)
        )
    except LoomError as error:
        problems = (error,)
    except LoomErrors as errors:
        problems = errors.problems
    if options.json:
        rows = [
            {"code": p.code, "file": p.where.file, "line": p.where.line, "column": p.where.column,
             "found": p.what, "accepted": p.accepted}
            for p in problems
        ]  # fmt: skip
        print(json.dumps({"file": options.file, "problems": rows}))
    elif problems:
        print("\n".join(map(str, problems)), file=sys.stderr)
    else:
        print(summary)
    return BAD_INPUT if problems else MATCH


def activations_of(options: argparse.Namespace, circuit: Circuit) -> list[Activation]:
    """The activations of the command line: the bundle's, repeated as asked, or random ones."""
    from itertools import cycle, islice

    from loom.frontend.functions import top_function
    from loom.model.bundle import random_activations, read_bundle, signature_of

    function = top_function(circuit.source, circuit.top)
    signature = signature_of(function, options.index_width)
    if options.inputs is None:
        return list(random_activations(signature, options.seed, options.activations or 1))
    bundle = read_bundle(read(options.inputs), options.inputs, signature)
    return list(islice(cycle(bundle), options.activations or len(bundle)))


def model(options: argparse.Namespace) -> int:
    """``loom model``."""
    from loom.model.comparison import compare_models
    from loom.model.report import model_json, model_lines

    circuit = circuit_of(options)
    report = compare_models(
        circuit.source, circuit.top, circuit.netlist, activations_of(options, circuit),
        max_cycles=options.max_cycles, seed=options.seed,
    )  # fmt: skip
    if options.json:
        print(json.dumps(model_json(circuit.netlist, report)))
    else:
        print("\n".join(model_lines(circuit.netlist, report)))
    return MISMATCH if report.differences else MATCH


def sim(options: argparse.Namespace) -> int:
    """``loom sim``."""
    try:
        from loom_sim.jobs import SimOptions
        from loom_sim.kernel import Kernel, cosimulate_kernels
        from loom_sim.report import kernel_lines, show_progress
    except ModuleNotFoundError as error:
        raise LoomError(
            "SIM_NOT_INSTALLED", Place("loom"), f"no module {error.name}",
            "an installation with the extra `sim`: pip install 'loom-hls[sim]'",
        ) from None  # fmt: skip

    circuit = circuit_of(options)
    activations = activations_of(options, circuit)
    kernel = Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
    settings = SimOptions(
        stalls=options.stalls, seed=options.seed, max_cycles=options.max_cycles,
        wave=options.wave, progress=show_progress if sys.stderr.isatty() else None,
    )  # fmt: skip
    report = cosimulate_kernels([kernel], [activations], settings)[0]
    print(json.dumps(report.to_json()) if options.json else "\n".join(kernel_lines(report)))
    return MATCH if report.match else MISMATCH


def ops(options: argparse.Namespace) -> int:
    """``loom ops``."""
    from loom.api import catalogue_rows

    rows = catalogue_rows()
    if options.json:
        print(
            json.dumps([dict(zip(("name", "ports", "summary"), row, strict=True)) for row in rows])
        )
        return MATCH
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    for name, ports, summary in rows:
        print(f"{name:{widths[0]}}  {ports:{widths[1]}}  {summary}")
    return MATCH


if __name__ == "__main__":
    sys.exit(main())
