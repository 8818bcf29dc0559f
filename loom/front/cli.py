"""The ``loom`` command: one verb a stage. Exit status 0 success, 1 mismatch, 2 bad input."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from loom.errors import LoomError, LoomErrors
from loom.front import verbs
from loom.front.excerpts import told
from loom.front.report_verb import report
from loom.input_files import MOST_MEGABYTES

DEFAULT_MAX_CYCLES = 1_000_000
MOST_ACTIVATIONS = 1_000_000
FRAMES = 8_000
"""Python's recursion limit while a verb runs: enough for every nest that the reader lets pass."""
COLLECTIONS = (100_000, 20, 100)
"""Thresholds of the collector while a verb runs: a program is a web of objects that stay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; every refusal is printed on standard error, without a traceback."""
    options = parser().parse_args(arguments)
    verb: Callable[[argparse.Namespace], int] = options.verb
    frames, collections = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(frames, FRAMES))
    gc.set_threshold(*COLLECTIONS)
    try:
        return verb(options)
    except (LoomError, LoomErrors) as error:
        print(told(error), file=sys.stderr)
        return verbs.BAD_INPUT
    except BrokenPipeError:
        sys.stderr.close()
        return verbs.MATCH
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        sys.setrecursionlimit(frames)
        gc.set_threshold(*collections)


def parser() -> argparse.ArgumentParser:
    """The command line of every verb."""
    root = argparse.ArgumentParser(
        prog="loom",
        description="Dynamic high-level synthesis: MLIR, C and Python to elastic circuits.",
        epilog="Exit status: 0 success, 1 mismatch or deadlock, 2 input that is not accepted.",
    )
    root.add_argument("--version", action="version", version=f"loom {version('loom-hls')}")
    listed = root.add_subparsers(title="verbs", required=True, metavar="VERB")

    def verb(name: str, run: Callable[[argparse.Namespace], int], text: str, file: str
             ) -> argparse.ArgumentParser:  # fmt: skip
        found = listed.add_parser(name, help=text, description=text)
        found.set_defaults(verb=run)
        if file:
            found.add_argument(
                "file",
                metavar=file,
                help="the input file, C or Python if its name ends in .c or .py; - is stdin",
            )
            found.add_argument("--max-input", type=positive, default=MOST_MEGABYTES, metavar="MI",
                               help=f"longest input file [Mi characters] (default {MOST_MEGABYTES})"
                               )  # fmt: skip
        return found

    found = verb("compile", verbs.compile_, "a kernel to SystemVerilog and netlist", "KERNEL")
    output(found, "OUT", "the output folder", required=True)
    found.add_argument("--json", action="store_true", help="print one JSON object")
    lowering(found)
    placing(found)
    found = verb("lower", verbs.lower, "a kernel to handshake + dataflow MLIR", "KERNEL")
    output(found, "F", "write here, not to standard output", required=False)
    lowering(found)
    placing(found)
    found = verb("emit", verbs.emit, "a graph or a netlist to SystemVerilog", "FILE")
    output(found, "OUT", "the output folder", required=True)
    lowering(found)
    graphs(found)
    found = verb("check", verbs.check, "verify a program, a graph or a netlist", "FILE")
    found.add_argument("--json", action="store_true", help="print one JSON object")
    lowering(found)
    graphs(found)
    found = verb("model", verbs.model, "source reference against token model", "FILE")
    running(found)
    found = verb("sim", verbs.sim, "co-simulate in Verilator against both models", "FILE")
    running(found)
    found.add_argument("--stalls", type=probability, default=0.0, metavar="P",
                       help="probability of a pause on every outside channel")  # fmt: skip
    found.add_argument("--wave", type=Path, metavar="F", help="write an FST wave file")
    found = verb("report", report, "cycles, intervals and waits against lower bounds", "FILE")
    running(found)
    found.add_argument("--stalls", type=probability, default=0.0, metavar="P",
                       help="probability of a pause on every outside channel")  # fmt: skip
    found.add_argument("--html", type=file_name, metavar="F",
                       help="write a page with the graph, needs the extra `report`")  # fmt: skip
    found.add_argument("--place", action="store_true", help="area and period from Yosys and "
                       "nextpnr-ecp5 too, needs the extra `synth`; minutes")  # fmt: skip
    found = verb("ops", verbs.ops, "the operator catalogue as a table", "")
    found.add_argument("--json", action="store_true", help="print one JSON list")
    return root


def output(verb: argparse.ArgumentParser, name: str, text: str, *, required: bool) -> None:
    """Where the verb writes."""
    verb.add_argument("-o", "--output", type=file_name, required=required, metavar=name, help=text)


def lowering(verb: argparse.ArgumentParser) -> None:
    """Options of the lowering."""
    verb.add_argument("--top", metavar="NAME", help="the function to compile")
    verb.add_argument("--index-width", type=index_width, default=64, metavar="N",
                      help="bits of index, 1 to 64 (default 64)")  # fmt: skip
    verb.add_argument("--zero-trip", choices=("raw", "guard"), default="raw",
                      help="how loops that may run zero times are made right")  # fmt: skip
    verb.add_argument("--memory-order", choices=("auto", "serial"), default="auto",
                      help="accesses of a memory that wait for each other: those that may meet at "
                      "an address, or all (default auto)")  # fmt: skip
    verb.add_argument("--cores", metavar="DIR",
                      help="templates of your own for operators: DIR/math.exp.sv.j2")  # fmt: skip
    verb.add_argument("--latency", type=unit_latency, action="append", default=[],
                      metavar="OPERATOR=N", help="cycles of units that say none, such as muli=3; "
                      "of a program or graph, may be repeated")  # fmt: skip
    verb.add_argument("--partition", type=partition, action="append", default=[],
                      metavar="ARRAY:CUT", help="an array in banks: cyclic:4 or block:4, of a "
                      "dimension cyclic:4:1, or complete; may be repeated")  # fmt: skip
    verb.add_argument("--ports", type=ports, action="append", default=[], metavar="ARRAY:N",
                      help="words of an array inside that are read in a cycle, 1 or 2; may be "
                      "repeated")  # fmt: skip
    verb.add_argument("--divider", choices=("pipelined", "iterative"), default="pipelined",
                      help="form of dividers that say none: a result a cycle, or little area "
                      "(default pipelined)")  # fmt: skip
    verb.add_argument("--widths", choices=("narrow", "keep"), default="narrow",
                      help="integers get the bits that their numbers need, or those of their types "
                      "(default narrow)")  # fmt: skip
    verb.add_argument("--unroll", type=unrolled, action="append", default=[], metavar="LINE=N",
                      help="turns of the loop at a line that become one, a number or full; may be "
                      "repeated")  # fmt: skip
    verb.add_argument("--unroll-below", type=positive, default=0, metavar="N",
                      help="innermost loops of at most N known turns, those in them counted, are "
                      "unrolled (default: none)")  # fmt: skip
    verb.add_argument("--clock-period", type=nanoseconds, metavar="NS",
                      help="longest path between registers on an ECP5, by measured delays of units:"
                           " buffers cut longer ones (default: no limit)")  # fmt: skip


def placing(verb: argparse.ArgumentParser) -> None:
    """How buffers are placed."""
    verb.add_argument("--buffers", choices=("fast", "optimal"), default="fast",
                      help="place buffers by rules or with a solver (extra `optimal`; "
                      "default fast)")  # fmt: skip


def graphs(verb: argparse.ArgumentParser) -> None:
    """Options of graphs from elsewhere."""
    verb.add_argument("--buffers", choices=("auto", "keep", "place", "fast", "optimal"),
                      default="auto", help="of a graph: add where a cycle has none, never, or "
                      "always; place by rules or with a solver (extra `optimal`)")  # fmt: skip


def running(verb: argparse.ArgumentParser) -> None:
    """Options of runs."""
    lowering(verb)
    graphs(verb)
    verb.add_argument("--inputs", metavar="BUNDLE.json", help="inputs; default: random, seeded")
    verb.add_argument("--activations", type=activations, metavar="N",
                      help="runs without reset (default: all of the bundle, or 1)")  # fmt: skip
    verb.add_argument("--seed", type=int, default=1, help="of random inputs and stalls")
    verb.add_argument("--max-cycles", type=positive, default=DEFAULT_MAX_CYCLES, metavar="N",
                      help="of one activation, before it is taken for endless")  # fmt: skip
    verb.add_argument("--json", action="store_true", help="print one JSON object")


def file_name(text: str) -> str:
    """The name of a file or folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty name")
    return text


def positive(text: str) -> int:
    """A number of 1 or more."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return value


def activations(text: str) -> int:
    """A number of runs."""
    value = int(text)
    if not 1 <= value <= MOST_ACTIVATIONS:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to {MOST_ACTIVATIONS}")
    return value


def index_width(text: str) -> int:
    """A width of an index."""
    value = int(text)
    if not 1 <= value <= 64:
        raise argparse.ArgumentTypeError(f"{text} is not 1 to 64")
    return value


def unit_latency(text: str) -> tuple[str, int]:
    """An operator and a number of cycles."""
    name, equals, cycles = text.partition("=")
    if not equals or not cycles.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not OPERATOR=CYCLES")
    return name, int(cycles)


def unrolled(text: str) -> tuple[int, int | None]:
    """A line and a number of turns, None for all."""
    line, equals, turns = text.partition("=")
    if not (equals and line.isdecimal() and (turns == "full" or turns.isdecimal())):
        raise argparse.ArgumentTypeError(f"{text} is not LINE=N or LINE=full")
    return positive(line), None if turns == "full" else positive(turns)


def partition(text: str) -> tuple[str, str]:
    """The name of an array, and how it is cut."""
    name, colon, cut = text.partition(":")
    if not colon or not name:
        raise argparse.ArgumentTypeError(f"{text} is not ARRAY:CUT, such as a:cyclic:4")
    return name, cut


def ports(text: str) -> tuple[str, int]:
    """The name of an array and a number of ports."""
    name, _, count = text.partition(":")
    if not name or not count.isdecimal():
        raise argparse.ArgumentTypeError(f"{text} is not ARRAY:PORTS")
    return name, int(count)


def nanoseconds(text: str) -> float:
    """A time."""
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above 0")
    return value


def probability(text: str) -> float:
    """A probability below 1."""
    value = float(text)
    if not 0.0 <= value < 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not a probability below 1")
    return value


if __name__ == "__main__":
    sys.exit(main())
