"""The options of the ``loom`` command, in groups: input, circuit, memories, clock, run, output.

Each group is a function that adds its options to a verb.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loom.analysis.timing.targets import targets
from loom.bus.buses import AXIS, BUSES, WRAPPERS
from loom.dialects.facts.target_names import TARGET_NAMES
from loom.front import values
from loom.front.command_parser import ValueKind
from loom.front.values import one_of
from loom.frontend.c.c_options import STANDARDS
from loom.frontend.languages import LANGUAGES
from loom.input_files import MOST_MEGABYTES
from loom.model.bundles.activation import DRAW_BUDGET
from loom.native.run_options import MEMORY, NO_RUN, SECONDS
from loom.package.flows import FLOWS

if TYPE_CHECKING:
    from loom.lower.options import Style

DEFAULT_MAX_CYCLES = 1_000_000
GRAPH_BUFFERS = ("auto", "keep", "place")


class Group:
    """A group of options of one verb."""

    def __init__(self, verb: argparse.ArgumentParser, title: str) -> None:
        self.group = verb.add_argument_group(title)

    def value(
        self, name: str, kind: ValueKind, metavar: str, text: str, default: Any = None
    ) -> None:
        """An option with one value."""
        self.group.add_argument(
            name, type=kind.of(name), metavar=metavar, default=default, help=text
        )

    def several(
        self, name: str, kind: ValueKind, metavar: str, text: str, field: str | None = None
    ) -> None:
        """An option with a value that may be repeated; `field` holds the values if not `name`."""
        self.group.add_argument(
            name, type=kind.of(name), metavar=metavar, action="append", default=[],
            help=f"{text}; may be repeated", dest=field,
        )  # fmt: skip

    def choice(self, name: str, words: tuple[str, ...], text: str, kind: ValueKind | None = None
               ) -> None:  # fmt: skip
        """An option whose value is one of some words, the first unless it is given."""
        shown = f"{{{','.join(words)}}}"
        found = kind or one_of(*words)
        self.value(name, found, shown, f"{text} (default: {words[0]})", words[0])

    def flag(self, name: str, text: str) -> None:
        """An option without a value."""
        self.group.add_argument(name, action="store_true", help=text)


def add_input(verb: argparse.ArgumentParser, file: str) -> None:
    """The file, its language, and the function in it."""
    group = Group(verb, "input")
    group.group.add_argument("file", metavar=file, help="the input file; - is standard input")
    group.group.add_argument("files", metavar="MORE.c", nargs="*", default=[],
                             help="further files of a C program")  # fmt: skip
    add_options_of_input(group)


def add_options_of_input(group: Group) -> None:
    """How a file is read, and the function in it."""
    group.value(
        "--language", one_of(*LANGUAGES), f"{{{','.join(LANGUAGES)}}}",
        "language of the input (default: C for .c and .i, Python for .py, else MLIR)",
    )  # fmt: skip
    group.value("--top", values.FILE_NAME, "NAME", "the function to compile (default: the only "
                "one that is not private)")  # fmt: skip
    group.several("--size", values.SIZE, "ARG=N", "size of a memref<?x..> argument of MLIR, "
                  "such as a=100, or m=30x40 for two ? (default: those in the inputs) "
                  "[elements]")  # fmt: skip
    group.value("--max-input", values.POSITIVE, "N", "longest input file [Mi characters] "
                f"(default: {MOST_MEGABYTES})", MOST_MEGABYTES)  # fmt: skip


def add_c(verb: argparse.ArgumentParser) -> None:
    """Headers, macros and the standard of C."""
    group = Group(verb, "C")
    group.several("-I", values.FILE_NAME, "DIR", "folder of headers", "headers")
    group.several("-D", values.macro("-D"), "NAME[=VALUE]", "define a macro", "macros")
    group.several("-U", values.macro("-U"), "NAME", "do not define a macro", "macros")
    group.several("-include", values.FILE_NAME, "FILE", "file that each C file begins with",
                  "included")  # fmt: skip
    group.choice("--std", STANDARDS, "standard of C")
    group.choice("--console", ("drop", "refuse"), "printf, assert and the like in the kernel: left "
                 "out with a note, or refused")  # fmt: skip


def add_circuit(verb: argparse.ArgumentParser, *, style: Style | None = None) -> None:
    """Bit widths, operators and loops; `style`: of a verb that makes static schedules too."""
    group = Group(verb, "circuit")
    if style is not None:
        words = ("dynamic", "static", "auto")
        group.value("--style", one_of(*words), f"{{{','.join(words)}}}", "handshakes between all "
                    "units, one schedule for the whole function, or what costs less of both, "
                    "of its loops too (docs/static.md) (default: what the function says, else "
                    f"{style})")  # fmt: skip
        group.choice("--schedule", ("iterative", "exact"), "loops of a static schedule: by "
                     "iterative modulo scheduling, or of least II, then length, then registers, by "
                     "a constraint solver (extra `optimal`)")  # fmt: skip
    group.value("--index-width", values.INDEX_WIDTH, "N",
                "width of the type index, 1 to 64 [bits] (default: 64)", 64)  # fmt: skip
    group.choice("--widths", ("narrow", "keep"), "bit widths of integers: what value ranges need, "
                 "or those of the types")  # fmt: skip
    group.choice("--zero-trip", ("raw", "guard"), "loops whose trip count may be zero: the "
                 "condition steers the body's tokens, or a branch encloses the loop")  # fmt: skip
    group.several("--unroll", values.UNROLL, "LINE=N",
                  "unroll the loop at LINE by N, or fully (LINE=full)")  # fmt: skip
    group.value("--unroll-below", values.POSITIVE, "N", "fully unroll innermost loops with a "
                "constant trip count of at most N (default: none)", 0)  # fmt: skip
    group.choice("--interleave", ("auto", "off"), "interleave independent iterations of a loop in "
                 "the loop in it: where one waits for its own results, or only where a directive "
                 "says so (docs/loops.md)")  # fmt: skip
    group.value("--partial-sums", values.PARTIAL_SUMS, "N", "add the float sum of each loop up in "
                "N partial sums, 2 to 64, in another order than the program's (docs/loops.md) "
                "(default: where the program allows it)")  # fmt: skip
    group.several("--latency", values.LATENCY, "OPERATOR=N", "latency of the units of an operator "
                  "that state none, such as muli=3 [cycles]")  # fmt: skip
    group.choice("--divider", ("pipelined", "iterative"), "dividers that state no form: II = 1, or "
                 "small area")  # fmt: skip
    group.choice("--share", ("auto", "on", "off"), "loops written alike, as those of a function's "
                 "calls, share one circuit: where that costs little time, wherever it is smaller, "
                 "or never (docs/sharing.md); in a static schedule pipelined units are shared "
                 "(docs/static.md)")  # fmt: skip
    group.value("--dsp", values.COUNT, "N", "most DSP blocks of multipliers, which share circuits "
                "to fit (docs/sharing.md) (default: any number)")  # fmt: skip
    group.choice("--lean", ("on", "off"), "take idle logic out of the graph, or leave it there "
                 "(docs/lean.md)")  # fmt: skip
    group.value("--cores", values.FILE_NAME, "DIR",
                "templates of your own for operators: DIR/math.exp.sv.j2, or the name of a "
                "folder that an installed package adds")  # fmt: skip


def add_passes(verb: argparse.ArgumentParser, *, watched: bool) -> None:
    """Passes of the user's; `watched`: of a verb that shows what passes do."""
    group = Group(verb, "passes")
    group.several("--pass", values.PASS, "NAME@STAGE", "run a pass of LOOM's or of an installed "
                  "package after a pass, or at the end of a stage: check, normalize, prepare, "
                  "dataflow (docs/extending.md)", "passes")  # fmt: skip
    if watched:
        group.several("--print-after", values.PASS_NAME, "NAME", "print the module after a pass, "
                      "or after all, to standard error")  # fmt: skip
        group.flag("--verify-each", "verify the module after every pass")
        group.flag("--trace", "what each pass did: operations before and after it, seconds")


def add_style_inputs(verb: argparse.ArgumentParser) -> None:
    """Inputs of the choice of a style."""
    Group(verb, "style").value("--inputs", values.FILE_NAME, "BUNDLE.json", "input values that "
                               "--style auto compares the styles on (default: random)")  # fmt: skip


def add_memories(verb: argparse.ArgumentParser) -> None:
    """Arrays and the order of their accesses."""
    group = Group(verb, "memories")
    group.several("--partition", values.PARTITION, "ARRAY:PARTITION", "partition an array into "
                  "banks: cyclic:4, block:4, in dimension 1 cyclic:4:1, or complete")  # fmt: skip
    group.several("--ports", values.PORTS, "ARRAY:N", "read ports of an array inside the circuit, "
                  "1 or 2 [elements/cycle]")  # fmt: skip
    group.several("--memory", values.MEMORY, "ARRAY:KIND", "memory of an argument: ram,latency=2 "
                  "(fixed latency), or channel,latency=40 (any latency, request and response "
                  "channels); outstanding=N, pack=32; *: others; docs/memory-ports.md")  # fmt: skip
    group.choice("--fill", ("refuse", "0", "random"), "an array or variable that is read before it "
                 "is written: the run ends with an error, or the circuit has written zeros, or "
                 "numbers by chance, the same in every run")  # fmt: skip
    group.choice("--memory-order", ("auto", "tokens", "comparators", "queue", "serial"),
                 "order of accesses that may alias: by done tokens, by comparators of addresses "
                 "where possible, or with auto where they save cycles; by a load-store queue for "
                 "each array; serial: all accesses, by tokens")  # fmt: skip
    group.several("--array-order", values.ARRAY_ORDER, "ARRAY:ORDER", "the same for one array: "
                  "tokens, comparators or queue")  # fmt: skip
    group.value("--order-depth", values.ORDER_DEPTH, "N", "stores that are pending in one "
                "comparator, 2 to 64, where values are forwarded the next power of two (default: "
                "as many as the loop's II needs); places of a queue for loads, and for stores "
                "(default: 4, of floats 8)")  # fmt: skip


def add_clock(verb: argparse.ArgumentParser, *, graphs: bool) -> None:
    """The clock period, and the buffers that meet it."""
    group = Group(verb, "clock and buffers")
    group.choice(
        "--target", TARGET_NAMES, "device: delays, default clock period, cells of estimates"
    )
    periods = ", ".join(f"{each.period:g} for {each.name}" for each in targets().values())
    group.value("--clock-period", values.CLOCK_PERIOD, "NS", "longest path between registers, from "
                "measured unit delays: longer ones are pipelined [ns]; none: no limit "
                f"(default: {periods}, or a longer one that takes less time)",
                "default")  # fmt: skip
    old = tuple(
        (word, f"for a graph given as input: --graph-buffers={word}") for word in GRAPH_BUFFERS
    )
    ways = ("fast", "optimal")
    group.choice("--buffers", ways, "place buffers by rules, or by a MILP solver (extra `optimal`)",
                 one_of(*ways, elsewhere=old))  # fmt: skip
    if graphs:
        group.choice("--graph-buffers", GRAPH_BUFFERS, "add buffers to a graph given as input: if "
                     "a combinational cycle needs one, never, or always")  # fmt: skip


def add_bus(verb: argparse.ArgumentParser) -> None:
    """The bus, and the addresses on it."""
    group = Group(verb, "bus")
    text = f"the bus: {', '.join(BUSES)}; or {AXIS}: AXI4-Streams, one for each array and scalar"
    group.group.add_argument("bus", metavar="BUS", help=f"{text}, no registers")
    add_options_of_bus(group)


def add_options_of_bus(group: Group) -> None:
    """The addresses on a bus, and the streams beside it."""
    group.value("--address-width", values.ADDRESS_WIDTH, "N", "width of a byte address on the bus, "
                "3 to 32 [bits] (default: as many as the registers need)")  # fmt: skip
    group.several("--stream", values.ARRAY, "ARRAY", "an array that is an AXI4-Stream beside the "
                  "registers, if that is proved")  # fmt: skip


def add_flow(verb: argparse.ArgumentParser) -> None:
    """The flow that takes the package."""
    group = Group(verb, "flow")
    group.group.add_argument("flow", metavar="FLOW", help=f"the flow: {', '.join(FLOWS)}")
    group.value("--wrap", one_of(*WRAPPERS), f"{{{','.join(WRAPPERS)}}}", "package the circuit "
                "behind a bus, as `loom wrap` makes it (default: with its own ports)")  # fmt: skip
    add_options_of_bus(group)


def add_ports(verb: argparse.ArgumentParser) -> None:
    """The ports of the circuit, and the language of its modules."""
    group = Group(verb, "ports")
    group.value("--reset", values.RESET, "KIND", "reset of registers at the clock or at once, and "
                "its active level: sync or async, low or high, such as async,high "
                "(default: sync,low)", (False, False))  # fmt: skip
    group.value("--clock-name", values.FILE_NAME, "NAME", "name of the clock (default: clk_i)",
                "clk_i")  # fmt: skip
    group.value("--reset-name", values.FILE_NAME, "NAME", "name of the reset (default: rst_ni, or "
                "rst_i if it is active high)")  # fmt: skip
    group.flag("--error-clear", "an input error_clear_i sets the error code back to 0")
    group.flag("--clock-enable", "an input clk_en_i: while it is low no register changes and no "
               "transfer happens")  # fmt: skip
    add_modules(group)


def add_modules(group: Group) -> None:
    """The language of the modules, and their files."""
    group.flag("--verilog-2005", "modules in Verilog-2005, without assertions")
    group.flag("--flat", "all modules in one file")


def add_run(verb: argparse.ArgumentParser, *, simulated: bool, inputs: bool = True) -> None:
    """Inputs and limits of a run; without `inputs` of many kernels."""
    group = Group(verb, "run")
    if inputs:
        group.value("--inputs", values.FILE_NAME, "BUNDLE.json", "input values (default: the calls "
                    "of a C or Python program, else random)")  # fmt: skip
    group.value("--activations", values.ACTIVATIONS, "N", "number of activations without a reset "
                "(default: those of the inputs, or 1)")  # fmt: skip
    group.value("--seed", values.SEED, "N", "seed of random inputs and stalls (default: 1)", 1)
    group.value("--max-cycles", values.POSITIVE, "N", "limit of one activation [cycles] "
                f"(default: {DEFAULT_MAX_CYCLES})", DEFAULT_MAX_CYCLES)  # fmt: skip
    group.value("--draw-budget", values.POSITIVE, "N", "most operations of a program on random "
                f"inputs; where it needs more, others are drawn (default: {DRAW_BUDGET})",
                DRAW_BUDGET)  # fmt: skip
    group.flag("--no-run", "run nothing of the user's: no C or Python program, no template of "
               f"--cores; {NO_RUN}=1 in the environment does the same")  # fmt: skip
    group.value("--run-time", values.SECONDS, "S", "limit of a C or Python program by the clock "
                f"[s] (default: {SECONDS})", SECONDS)  # fmt: skip
    group.value("--run-memory", values.POSITIVE, "N", "limit of its resident memory [MiB] "
                f"(default: {MEMORY})", MEMORY)  # fmt: skip
    if simulated:
        group.several("--answers", values.ANSWERS, "ARRAY=A..B", "memory behind channels: answers "
                      "after A to B cycles, by chance (default: as declared)")  # fmt: skip
        group.value("--stalls", values.PROBABILITY, "P", "probability of a stall per cycle on "
                    "every channel to the outside (default: 0)", 0.0)  # fmt: skip


def add_wave(verb: argparse.ArgumentParser) -> None:
    """A wave file of the simulation."""
    found = ValueKind(lambda text: Path(values.read_file_name(text)), values.FILE_NAME.accepted)
    layouts = "F.gtkw and F.sucl: its channels by loop, for GTKWave and Surfer"
    Group(verb, "waves").value("--wave", found, "F", f"write an FST wave file, and {layouts}")


def add_report(verb: argparse.ArgumentParser) -> None:
    """What a report adds to a run."""
    group = Group(verb, "report")
    group.value("--html", values.FILE_NAME, "F",
                "write a page with the graph (extra `report`), or with the "
                "schedule of a static circuit")  # fmt: skip
    group.flag("--advice", "try options that may help in the timed model, and name those that make "
               "the circuit faster")  # fmt: skip
    group.flag("--place", "measure area and clock period with Yosys and nextpnr-ecp5 too "
               "(extra `synth`); minutes")  # fmt: skip


def add_drawing(verb: argparse.ArgumentParser) -> None:
    """What is drawn, and how."""
    group = Group(verb, "drawing")
    group.choice("--format", ("dot", "graphml", "mermaid", "svg"), "DOT of Graphviz, GraphML, "
                 "Mermaid, or a drawing laid out by Graphviz (extra `report`)")  # fmt: skip
    group.value("--stage", values.PASS_NAME, "STAGE", "the program at its source, after a stage "
                "(check, normalize, prepare, dataflow) or a pass, or the netlist, of "
                "a static circuit its schedule (default: netlist)", "netlist")  # fmt: skip


def add_order(verb: argparse.ArgumentParser) -> None:
    """Whether the order of accesses is explained."""
    Group(verb, "verdict").flag(
        "--order", "what each access of memory waits for, by what, and why not for others"
    )


def add_output(
    verb: argparse.ArgumentParser,
    name: str = "",
    text: str = "",
    *,
    required: bool = False,
    json: bool = True,
) -> None:
    """Where the verb writes, and whether it prints JSON."""
    group = Group(verb, "output")
    if name:
        group.group.add_argument(
            "-o", "--output", type=values.FILE_NAME.of("-o/--output"), required=required,
            metavar=name, help=text,
        )  # fmt: skip
    if json:
        group.flag("--json", "print JSON instead of text")
