"""The ``loom`` command: one verb a stage. Exit status 0 success, 1 mismatch, 2 bad input."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

from loom.errors import LoomError, LoomErrors
from loom.explore.arguments import add_explore
from loom.front import arguments as add
from loom.front import verbs
from loom.front.command_parser import CommandParser
from loom.front.excerpts import format_error
from loom.front.package_verb import package
from loom.front.report_verb import report
from loom.front.standard_streams import (
    drop_output,
    escape_what_is_not_encoded,
    flush_stdout,
    make_write_error,
    paint_error,
    print_error,
)
from loom.front.values import one_of
from loom.front.wrap_verb import wrap
from loom.regress.arguments import add_regress
from loom.start.completion import SHELLS, completion
from loom.start.doctor import doctor
from loom.start.manual import help_
from loom.start.new import LANGUAGES, NAME, new

if TYPE_CHECKING:
    from loom.front.request import Request
    from loom.lower.options import Style

FRAMES = 8_000
"""Python's recursion limit while a verb runs: enough for every nest that the reader lets pass."""
RUNS = (
    "Without --inputs, a C program's main() and a Python file are run, with your rights: give "
    "--no-run for a file that you do not trust. compile, check, lower and emit run nothing of it."
)
"""What the help of verbs that run a user's program says."""
NO_BUNDLE = (
    "A C program's main() and a Python file are run, with your rights, where no bundle NAME.json "
    "is beside it: give --no-run for files that you do not trust. Options hold for all kernels of "
    "which loom.toml says nothing else."
)
"""The same of a verb that runs many programs."""
COLLECTIONS = (100_000, 20, 100)
"""Thresholds of the collector while a verb runs: a program is a web of objects that stay."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb; every refusal is printed on standard error, without a traceback."""
    frames, collections = sys.getrecursionlimit(), gc.get_threshold()
    sys.setrecursionlimit(max(frames, FRAMES))
    gc.set_threshold(*COLLECTIONS)
    request: Request | None = None
    escape_what_is_not_encoded()
    try:
        options = parse_arguments(sys.argv[1:] if arguments is None else arguments)
        if "file" not in options:
            status = int(options.verb(options))
        else:
            request = verbs.read_request(options)
            status = int(options.verb(options, request))
        flush_stdout()
        return status
    except (LoomError, LoomErrors) as error:
        print_error(paint_error(format_error(error, request), sys.stderr))
        return verbs.BAD_INPUT
    except BrokenPipeError:
        drop_output()
        return verbs.MATCH
    except OSError as error:
        drop_output()
        print_error(str(make_write_error(error)))
        return verbs.BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        sys.setrecursionlimit(frames)
        gc.set_threshold(*collections)


def regress(options: argparse.Namespace) -> int:
    """``loom regress``, which is imported when it runs."""
    from loom.regress.verb import regress as run

    return run(options)


def explore(options: argparse.Namespace, request: Request) -> int:
    """``loom explore``, which is imported when it runs."""
    from loom.explore.verb import explore as run

    return run(options, request)


def graph(options: argparse.Namespace, request: Request) -> int:
    """``loom graph``, which is imported when it runs."""
    from loom.draw.verb import graph as run

    return run(options, request)


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line; where it asks for help, that is written, and SystemExit raised."""
    try:
        found = parser().parse_args(arguments)
        found.words = tuple(arguments)
        return found
    finally:
        flush_stdout()


def parser() -> CommandParser:
    """The command line of every verb."""
    root = CommandParser(
        prog="loom",
        description="Dynamically scheduled high-level synthesis: MLIR, C and Python to elastic "
        "circuits in SystemVerilog.",
        epilog="Exit status: 0 success, 1 mismatch or deadlock, 2 input that is not accepted.",
    )
    root.add_argument("--version", action="version", version=f"loom {version('loom-hls')}")
    listed = root.add_subparsers(title="verbs", required=True, metavar="VERB")

    def verb(name: str, run: Callable[..., int], text: str, file: str, *, graphs: bool = False,
             style: Style | None = None, passes: bool = True, watched: bool = False,
             before: Callable[[CommandParser], None] | None = None) -> CommandParser:  # fmt: skip
        found: CommandParser = listed.add_parser(name, help=text, description=f"{text}.")
        found.set_defaults(verb=run)
        root.verbs[name] = found
        if before is not None:
            before(found)
        if file:
            add.add_input(found, file)
            add.add_c(found)
            add.add_circuit(found, style=style)
            add.add_memories(found)
            add.add_clock(found, graphs=graphs)
            if passes:
                add.add_passes(found, watched=watched)
        return found

    found = verb("compile", verbs.compile_, "Compile a kernel to SystemVerilog and a netlist",
                 "KERNEL", style="auto", watched=True)  # fmt: skip
    add.add_style_inputs(found)
    add.add_ports(found)
    add.add_output(found, "OUT", "the output folder", required=True)
    found = verb("lower", verbs.lower, "Lower a kernel to handshake and dataflow MLIR", "KERNEL",
                 style="dynamic", watched=True)  # fmt: skip
    add.add_style_inputs(found)
    add.add_output(found, "F", "the output file (default: standard output)")
    found = verb("graph", graph, "Draw a kernel at a stage, a graph or a netlist", "FILE",
                 graphs=True, style="dynamic")  # fmt: skip
    add.add_drawing(found)
    add.add_output(found, "F", "the output file (default: standard output)", json=False)
    found = verb("emit", verbs.emit, "Emit SystemVerilog from a graph or a netlist", "FILE",
                 graphs=True, passes=False)  # fmt: skip
    add.add_ports(found)
    add.add_output(found, "OUT", "the output folder", required=True, json=False)
    found = verb("wrap", wrap, "Emit a circuit behind a bus, with header and driver",
                 "FILE", graphs=True, style="auto", before=add.add_bus)  # fmt: skip
    add.add_modules(add.Group(found, "modules"))
    add.add_output(found, "OUT", "the output folder", required=True)
    found = verb("package", package, "Package a circuit for another tool's flow", "KERNEL",
                 graphs=True, style="auto", before=add.add_flow)  # fmt: skip
    add.add_ports(found)
    found.epilog = f"Of cocotb, and fusesoc without --wrap: {RUNS}"
    add.add_run(found, simulated=False)
    add.add_output(found, "OUT", "the output folder", required=True)
    found = verb("check", verbs.check, "Verify a program, a graph or a netlist", "FILE",
                 graphs=True)  # fmt: skip
    add.add_order(found)
    add.add_output(found)
    found = verb("model", verbs.model, "Compare the token model with the source reference", "FILE",
                 graphs=True)  # fmt: skip
    found.epilog = RUNS
    add.add_run(found, simulated=False)
    add.add_output(found)
    found = verb("sim", verbs.sim, "Co-simulate in Verilator against both models", "FILE",
                 graphs=True, style="auto")  # fmt: skip
    found.epilog = RUNS
    add.add_run(found, simulated=True)
    add.add_wave(found)
    add.add_output(found)
    found = verb("report", report, "Report cycles, II and stalls against lower bounds", "FILE",
                 graphs=True, style="auto")  # fmt: skip
    found.epilog = RUNS
    add.add_run(found, simulated=True)
    add.add_report(found)
    add.add_output(found)
    found = verb("regress", regress, "Check the kernels of folders against what is expected", "")
    found.epilog = NO_BUNDLE
    add_regress(found)
    add.add_c(found)
    add.add_circuit(found, style="auto")
    add.add_memories(found)
    add.add_clock(found, graphs=True)
    add.add_run(found, simulated=True, inputs=False)
    found = verb("explore", explore, "Try options of a kernel, and list the best circuits",
                 "KERNEL", graphs=True, style="auto", passes=False)  # fmt: skip
    found.epilog = RUNS
    add.add_run(found, simulated=True)
    add_explore(found)
    add.add_output(found)
    found = verb("new", new, "Make a folder with a first kernel", "")
    kernel = add.Group(found, "kernel")
    kernel.group.add_argument("name", type=NAME.of("NAME"), metavar="NAME", help="the kernel, and "
                              "the folder")  # fmt: skip
    kernel.choice("--language", tuple(LANGUAGES), "language of the kernel")
    found = verb("doctor", doctor, "List what is installed, and what each extra gives", "")
    add.add_output(found)
    found = verb("completion", completion, "Print a script that completes commands in a shell", "")
    add.Group(found, "shell").group.add_argument(
        "shell", type=one_of(*SHELLS).of("SHELL"), metavar="SHELL",
        help=f"the shell: {', '.join(SHELLS)}",
    )  # fmt: skip
    found = verb("help", help_, "Show the manual page of a verb", "")
    manual = add.Group(found, "page")
    manual.group.add_argument("topic", nargs="?", metavar="VERB",
                              help="the verb (default: the command itself)")  # fmt: skip
    manual.flag("--man", "print it as roff, which `man -l -` and package builders take")
    found = verb("ops", verbs.ops, "List the operator catalogue", "")
    add.add_output(found)
    return root


if __name__ == "__main__":
    sys.exit(main())
