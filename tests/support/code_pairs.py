"""For every error code an input that is refused with it, and its neighbour that is accepted.

A pair is two calls: the first, green, returns; the second, red, is refused. Codes whose red input
is a machine without some program have a test for each side instead: `WITNESSES`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from loom_sim import Activation as Tokens
from loom_sim import SimOptions
from loom_sim.check_jobs import check_jobs
from loom_sim.design import design_of
from loom_sim.placement import synthesis_tools
from loom_sim.suite import load, run_suite

from loom.emit import Ram, emit, ram_text
from loom.emit.files import write_files
from loom.explore.axes import read_axis
from loom.front.api import (
    check_request,
    compile_text,
    inspect_request,
    load_graph,
    netlist_from_text,
    read_cores_and_models,
)
from loom.front.cli import parser
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.frontend.c.c_options import COptions, read_c_flags
from loom.frontend.c.read import read_c
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module, read_mlir
from loom.input_files import read_text, require_kind
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from loom.model.graph_run import run_graph
from loom.model.reference.reference import compile_reference
from loom.model.timed.simulate import run_timed
from loom.model.tokens.token_simulator import simulate
from loom.native.c.record import record_c
from loom.regress.baseline import read_baseline
from loom.regress.collect import collect
from loom.regress.selection import select
from loom.regress.settings import Choices, option_parser
from loom.start.new import write_kernel
from tests.analysis.test_invariants import FAULTS, GRAPHS, planted
from tests.dialects.test_dialect_codes import ROWS, options_of
from tests.support import folders
from tests.support.loopschedules import ACCUMULATE, UNCARRIED
from tests.support.netlist_documents import Change, accumulator, adding, removing, setting, top
from tests.support.planted_faults import adder_job
from tests.support.python_texts import PRELUDE
from tests.support.row_files import read_rows
from tests.support.static.circuits import compile_static_request
from tests.support.static.islands import NEST
from tests.support.static.schedules import IDLE, SEARCH
from tests.support.static.schedules import ROWS as SCHEDULES

Call = Callable[[Path], object]
"""Takes a folder that is empty; refused or not."""
JOB = adder_job()


def statically(line: str, options: Options | None = None) -> Call:
    """A function of one operation as a static schedule."""
    text = f"func.func @f(%a: i32) -> i32 {{\n  {line}\n  return %x : i32\n}}"
    chosen = options or Options()
    return lambda _: compile_static_request(Request(text, "k.mlir", options=chosen))


def branches(depth: int) -> str:
    """Nested branches."""
    return "func.func @f(%c: i1) {\n" + "scf.if %c {\n" * depth + "}\n" * depth + "return\n}"


def compiled(text: str, code: str = "") -> Call:
    if code.startswith("PY_"):
        return lambda _: compile_text(PRELUDE + text, "k.py")
    file = "k.c" if code.startswith("C_") else "k.mlir"
    return lambda _: compile_text(text, file)


def checked(text: str, code: str) -> Call:
    return lambda _: check_request(Request(text, "k.mlir", options=options_of(code)))


def inspected(text: str, code: str) -> Call:
    return lambda _: inspect_request(Request(text, "k.mlir", options=options_of(code)))


def built(macro: str) -> Call:
    options = COptions(macros=(f"-D{macro}",))
    return lambda _: read_c("int f(int a) { return a; }", "k.c", options=options)


def flags(word: str) -> Call:
    def call(folder: Path) -> object:
        (folder / "compile_flags.txt").write_text(f"{word}\n")
        return read_c_flags(folder / "k.c")

    return call


def called(text: str) -> Call:
    return lambda _: record_c(text, read_c(text, "k.c").interface)


def changed(change: Change | None) -> Call:
    def call(_: Path) -> object:
        document = accumulator()
        if change is not None:
            change(document)
        return netlist_from_text(json.dumps(document), "n.json")

    return call


NETLISTS: dict[str, Change] = {
    "NETLIST_NAME": top("name", "module"),
    "NETLIST_ATTRIBUTE": setting("units", "slack", "attributes", {"kind": "seq", "slots": 0}),
    "NETLIST_ENDPOINT": setting("channels", "tick", "target", ["true", "control"]),
    "NETLIST_CHANNEL": setting("channels", "go", "source", ["", "first"]),
    "NETLIST_DANGLING": removing("channels", "go"),
    "NETLIST_TYPE": setting("channels", "go", "type", "i1"),
    "NETLIST_MEMORY": adding("memories", name="more", kind="internal", type="i8", depth=4),
    "NETLIST_CYCLE": setting("units", "slack", "attributes", {"kind": "fifo", "slots": 2}),
    "NETLIST_BROADCAST": setting("units", "copies", "operator", "dataflow.broadcast"),
    "NETLIST_SCHEMA": top("schema", "loom-netlist-0"),
}
"""One change of a netlist that is accepted without it."""

KERNEL = "func.func @f(%a: i8, %m: memref<2xi8>) -> i8 {\n  return %a : i8\n}"
GOOD = '{"inputs": {"a": 1, "m": [2, 3]}, "expected": {"results": [1]}}'
BUNDLES = {
    "BUNDLE_EXPECTED": GOOD.replace("[1]}", "[1, 2]}"),
    "BUNDLE_MISSING": GOOD.replace('"a": 1, ', ""),
    "BUNDLE_NAME": GOOD.replace('"a"', '"b"'),
    "BUNDLE_RANGE": GOOD.replace('"a": 1', '"a": 256'),
    "BUNDLE_SHAPE": GOOD.replace("[2, 3]", "[2]"),
    "BUNDLE_SYNTAX": GOOD.replace('"a": 1', '"a": 01'),
}


def bundle(text: str) -> Call:
    signature = signature_of(top_function(read_mlir(KERNEL, "k.mlir")), 64)
    return lambda _: read_bundle(text, "b.json", signature)


LOOP = """func.func @f(%step: index, %n: index) -> index {
  %0 = arith.constant 0 : index
  %r = scf.for %i = %0 to %n step %step iter_args(%x = %0) -> (index) {
    scf.yield %i : index
  }
  return %r : index
}"""
ACCESS = """func.func @f(%i: index, %n: i8) -> i8 {
  %0 = arith.constant 0 : index
  %7 = arith.constant 7 : i8
  %m = memref.alloc() : memref<4xi8>
  memref.store %7, %m[%0] : memref<4xi8>
  %v = memref.load %m[%i] : memref<4xi8>
  %r = arith.divui %v, %n : i8
  return %r : i8
}"""
CALLS = "func.func @f(%a: i32) {\n  func.call @g(%a) : (i32) -> ()\n  return\n}\n"
ASSERTION = """func.func @f(%a: i1) {
  %t = arith.constant true
  %n = arith.xori %a, %t : i1
  cf.assert %n, "not a"
  return
}"""
LEAF = "func.func @g(%a: i32) {\n  return\n}"
RUNS: dict[str, tuple[tuple[str, list[Any]], tuple[str, list[Any]]]] = {
    "REF_ZERO_STEP": ((LOOP, [1, 3]), (LOOP, [0, 3])),
    "REF_BUDGET": ((LOOP, [1, 3]), (LOOP, [1, 1 << 40])),
    "REF_OUT_OF_BOUNDS": ((ACCESS, [0, 1]), (ACCESS, [4, 1])),
    "REF_UNINITIALISED": ((ACCESS, [0, 1]), (ACCESS, [1, 1])),
    "REF_ASSERTION": ((ASSERTION, [0]), (ASSERTION, [1])),
    "REF_UNDEFINED": ((ACCESS, [0, 1]), (ACCESS, [0, 0])),
    "REF_DEPTH": ((CALLS + LEAF, [1]), (CALLS.replace("@g", "@f"), [1])),
    "REF_NO_TOP": ((LOOP, [1, 3]), (LOOP.replace("@f", "@g"), [1, 3])),
    "REF_SHAPE": (
        ("func.func @f(%m: memref<1xi8>) {\n  return\n}", [[1]]),
        ("func.func @f(%m: memref<?xi8>) {\n  return\n}", [[1]]),
    ),
    "REF_MEMORY": (
        ("func.func @f(%m: memref<1xi8>) {\n  return\n}", [[1]]),
        ("func.func @f(%m: memref<16777217xi8>) {\n  return\n}", [[1]]),
    ),
    "REF_UNSUPPORTED": (
        ("func.func @f(%a: i8) {\n  %0 = math.absi %a : i8\n  return\n}", [1]),
        ("func.func @f(%a: f32) {\n  %0 = math.erf %a : f32\n  return\n}", [1]),
    ),
}
"""Programs and inputs: run to the end, refused."""


def run(text: str, inputs: list[Any]) -> Call:
    def call(_: Path) -> object:
        return compile_reference(parse_module(text, "k.mlir"), "f").run(inputs, budget=10_000)

    return call


MODELS: dict[str, tuple[dict[str, Any], int]] = {
    "MODEL_NAME": ({"a": 1}, 1000),
    "MODEL_SHAPE": ({"a": 1, "m": [2, 3, 4]}, 1000),
    "MODEL_LIMIT": ({"a": 1, "m": [2, 3]}, 0),
}
"""Inputs and limits that the token model refuses."""


def simulated(inputs: dict[str, Any], limit: int) -> Call:
    text = KERNEL.replace("return", "%0 = arith.constant 0 : index\n  memref.store %a, %m[%0] : "
                          "memref<2xi8>\n  return")  # fmt: skip
    netlist = compile_text(text, "k.mlir").netlist
    return lambda _: simulate(netlist, [Activation(inputs)], limit=limit)


def external(has_model: bool) -> Call:
    """A run of a graph with a unit of the user's own, whose folder has a model or not."""

    def run(folder: Path) -> object:
        example = folders.EXAMPLES / "black_box"
        for file in sorted((example / "units").iterdir()):
            if has_model or file.suffix != ".c":
                shutil.copy(file, folder)
        request = Request(
            (example / "gain.mlir").read_text(), "gain.mlir",
            options=Options(cores=read_cores_and_models(folder, 64)),
        )  # fmt: skip
        graph = load_graph(request)
        assert graph is not None
        return run_graph(graph.netlist, [Activation({"x": 1, "y": 2, "factor": 3})], max_cycles=10)

    return run


def graph_run(operation: str) -> Call:
    """A graph in which a source without end meets the start token."""
    text = f"""handshake.func @f(%a: i8, %s: none, ...) -> (i8, none) {{
  %z = source
  %m = {operation}
  return %a, %m : i8, none
}}"""
    graph = load_graph(Request(text, "k.mlir"))
    assert graph is not None
    return lambda _: run_graph(graph.netlist, [Activation({"a": 1})], max_cycles=10)


def stated_in_range(address: int) -> Call:
    """A graph that states of its memory of four elements that no address misses it."""
    text = """handshake.func @f(%m: memref<4xi8>, %i: i3, %s: none, ...) -> (i8, none) {
  %0:2 = extmemory [ld = 1, st = 0] (%m : memref<4xi8>) (%to) {loom.in_range} : (i3) -> (i8, none)
  %v, %to = load [%i] %0#0, %s : i3, i8
  return %v, %0#1 : i8, none
}"""
    graph = load_graph(Request(text, "k.mlir"))
    assert graph is not None
    given = Activation({"m": [1, 2, 3, 4], "i": address})
    return lambda _: run_graph(graph.netlist, [given], max_cycles=10)


def stated_requesters(loads: str) -> Call:
    """A graph that states who requests two loads, both of which the start token begins."""
    text = f"""handshake.func @f(%m: memref<4xi8>, %i: i3, %s: none, ...) -> (i8, none) {{
  %a, %b = fork [2] %i : i3
  %0:4 = extmemory [ld = 2, st = 0] (%m : memref<4xi8>) (%a, %b)
    {{loom.in_range, loom.load_requesters = [{loads}]}} : (i3, i3) -> (i8, i8, none, none)
  %v = arith.addi %0#0, %0#1 : i8
  %d = join %s, %0#2, %0#3 : none, none, none
  return %v, %d : i8, none
}}"""
    graph = load_graph(Request(text, "k.mlir"))
    assert graph is not None
    given = Activation({"m": [1, 2, 3, 4], "i": 1})
    return lambda _: run_timed(graph.netlist, [given])


def read(text: str, most: int) -> Call:
    def call(folder: Path) -> object:
        (folder / "k.mlir").write_text(text)
        return read_text(str(folder / "k.mlir"), most)

    return call


def written(name: str) -> Call:
    def call(folder: Path) -> object:
        (folder / "taken").write_text("a file")
        return write_files(folder, {name: "text\n"})

    return call


def emitted(name: str) -> Call:
    text = (
        f"func.func @{name}(%a: i8) -> i8 {{\n  %r = arith.addi %a, %a : i8\n  return %r : i8\n}}"
    )
    return lambda _: emit(compile_text(text, "k.mlir").netlist)


def multiplied(said: str) -> Call:
    return compiled(
        "func.func @f(%a: i8) -> i8 {\n"
        f"  %r = arith.muli %a, %a {{{said}}} : i8\n  return %r : i8\n}}"
    )


def in_banks(cut: str) -> Call:
    return compiled(
        f'func.func @f(%a: memref<8xi8> {{loom.partition = "{cut}"}}, %i: index) -> i8 {{\n'
        "  %r = memref.load %a[%i] : memref<8xi8>\n  return %r : i8\n}"
    )


def parsed(*arguments: str) -> Call:
    return lambda _: parser().parse_args(arguments)


def kind(file: str) -> Call:
    """The kind of a file of this name is looked at."""
    return lambda _: require_kind(file, None)


def regressed(said: str, expression: str | None = None) -> Call:
    """The kernels of a folder whose loom.toml says this, and those that an expression selects."""

    def call(folder: Path) -> object:
        (folder / "k.c").write_text("int f(int a) { return a; }")
        (folder / "loom.toml").write_text(said)
        choices = Choices(option_parser().parse_args([]))
        return select(collect([folder], choices), expression)

    return call


def begun(name: str) -> Call:
    """A first kernel in a folder `name` beside one that is `taken`."""

    def call(folder: Path) -> object:
        (folder / "taken").mkdir()
        (folder / "taken" / "x.c").write_text("")
        return write_kernel(folder / name, "dot", "c")

    return call


def baseline(version: int) -> Call:
    def call(folder: Path) -> object:
        (folder / "b.json").write_text(f'{{"loom_regress": {version}, "kernels": {{}}}}')
        return read_baseline(str(folder / "b.json"))

    return call


def with_ports(said: str) -> Call:
    """The graph of a static loop whose text says these ports."""
    text = compile_text(NEST, "k.mlir").dfg_text.replace("in=1", said)
    return lambda _: load_graph(Request(text, "k.mlir"))


def with_depth(words: int) -> Call:
    """The netlist of a static loop whose schedule has arrays of so many words."""
    text = compile_text(NEST, "k.mlir").netlist_text.replace("<16xi32>", f"<{words}xi32>")
    return lambda _: netlist_from_text(text)


def pairs() -> dict[str, tuple[Call, Call]]:
    """By code: what is accepted, what is refused with it."""
    found: dict[str, tuple[Call, Call]] = {
        "MLIR_TOO_DEEP": (compiled(branches(50)), compiled(branches(500))),
        "NETLIST_SYNTAX": (changed(None), lambda _: netlist_from_text("{", "n.json")),
        "CLI_VERB": (parsed("ops"), parsed("op")),
        "CLI_OPTION": (parsed("ops", "--json"), parsed("ops", "--jsno")),
        "CLI_VALUE": (parsed("lower", "f", "--unroll=3=2"), parsed("lower", "f", "--unroll=3")),
        "CLI_USAGE": (parsed("check", "f"), parsed("check")),
        "INPUT_TOO_LARGE": (read("x" * (1 << 20), 1), read("x" * ((1 << 20) + 1), 1)),
        "INPUT_KIND": (kind("k.mlir"), kind("k.sv")),
        "INPUT_UNREADABLE": (read("x", 1), lambda folder: read_text(str(folder / "none"))),
        "MODEL_ENDLESS": (graph_run("join %z, %s : none, none"), graph_run("merge %s, %z : none")),
        "MODEL_EXTERNAL": (external(True), external(False)),
        "MODEL_IN_RANGE": (stated_in_range(3), stated_in_range(4)),
        "MODEL_REQUESTER": (stated_requesters("0, 1"), stated_requesters("0, 0")),
        "EMIT_UNWRITABLE": (written("new/x.sv"), written("taken/x.sv")),
        "SIM_JOB": (
            lambda _: check_jobs([JOB], SimOptions()),
            lambda _: check_jobs([replace(JOB, activations=(Tokens({}),))], SimOptions()),
        ),
        "SIM_OPTION": (
            lambda _: check_jobs([JOB], SimOptions(stalls=0.5)),
            lambda _: check_jobs([JOB], SimOptions(stalls=1.0)),
        ),
        "SIM_FILES": (
            lambda _: design_of([JOB]),
            lambda _: design_of([replace(JOB, files={"x.sv": "module x;\nendmodule\n"})]),
        ),
        "SIM_NO_SYNTHESIS": (
            lambda folder: synthesis_tools.run("python", ["-c", "pass"], folder),
            lambda folder: synthesis_tools.run("no such program", [], folder),
        ),
        "C_FLAGS": (flags("-DN=1"), flags("-O2")),
        "SUITE_EMPTY": (
            lambda _: load(folders.EXAMPLES / "add.mlir"),
            lambda folder: run_suite(folder, SimOptions()),
        ),
        "REGRESS_TOML": (regressed("defaults.seed = 2"), regressed("defaults.seed = ")),
        "REGRESS_KEY": (regressed("defaults.seed = 2"), regressed("defaults.seeds = 2")),
        "REGRESS_KERNEL": (regressed("kernels.k.seed = 2"), regressed("kernels.j.seed = 2")),
        "REGRESS_SELECTION": (regressed("", "not k"), regressed("", "not l")),
        "REGRESS_BASELINE": (baseline(1), baseline(2)),
        "NEW_TAKEN": (begun("new"), begun("taken")),
        "EXPLORE_AXIS": (
            lambda _: read_axis("unroll=9:1,4,full"),
            lambda _: read_axis("unroll=1,4,full"),
        ),
        "EMIT_NAME_TAKEN": (emitted("twice"), emitted("loom_addi")),
        "EMIT_RAM": (
            lambda _: ram_text(Ram("ram", "true_dual", latency=2)),
            lambda _: ram_text(Ram("ram", "true_dual", writes=False)),
        ),
        "C_BUILD": (built("N=1"), built("1=N")),
        "LOWER_ARRAY": (in_banks("cyclic:2"), in_banks("cyclic:0")),
        "STATIC_OPERATION": (
            statically("%x = arith.divsi %a, %a : i32"),
            statically('%x = arith.divsi %a, %a {loom.form = "iterative"} : i32'),
        ),
        "STATIC_OPTION": (
            statically("%x = arith.addi %a, %a : i32"),
            statically("%x = arith.addi %a, %a : i32", Options(lean="off")),
        ),
        "STATIC_ISLAND": (
            compiled(NEST),
            compiled(
                NEST.replace("xi32>, %B", 'xi32> {loom.memory = "channel,outstanding=1"}, %B')
            ),
        ),
        "COMP_DATAFLOW_ISLAND": (with_ports("in=1"), with_ports("in=2")),
        "NETLIST_ISLAND": (with_depth(16), with_depth(32)),
        "STATIC_MACHINE": (
            lambda _: load_schedule(Request(IDLE, "k.mlir")),
            lambda _: load_schedule(Request(SEARCH, "k.mlir")),
        ),
        "LOWER_UNIT": (multiplied("loom.latency = 8"), multiplied("loom.latency = 9")),
    }
    for name, (green, red, _) in ROWS.items():
        code = name.split()[0]
        # Some green ones are a single operation between ports, which no trip count balances.
        found[code] = inspected(green, code), checked(red, code)
    for code, (green, red) in read_rows("code_pairs.txt").items():
        found[code] = compiled(green, code), compiled(red, code)
    for code, red in RECORDINGS.items():
        found[code] = called(RECORDED), called(red)
    for code, change in NETLISTS.items():
        found[code] = changed(None), changed(change)
    for code, text in BUNDLES.items():
        found[code] = bundle(GOOD), bundle(text)
    for code, (accepted, refused) in RUNS.items():
        found[code] = run(*accepted), run(*refused)
    for code, (inputs, limit) in MODELS.items():
        found[code] = simulated({"a": 1, "m": [2, 3]}, 1000), simulated(inputs, limit)
    for row in SCHEDULES:
        found.setdefault(row.code, (checked(row.kept, ""), checked(row.broken, "")))
    found["STATIC_LOOPSCHEDULE"] = checked(ACCUMULATE, ""), checked(UNCARRIED, "")
    for fault, message in FAULTS.values():
        code = message.partition("error[")[2].partition("]")[0]
        found.setdefault(
            code, (checked(GRAPHS[fault.split("\n")[0]], ""), checked(planted(fault), ""))
        )
    return found


RECORDED = (
    "int f(int a, int b[2]) { return b[0] + a; }\nint main(void) { int b[2] = {0}; f(0, b); }\n"
)
RECORDINGS = {
    "C_COMPILE": RECORDED
    + "int g(void);\nstatic int h(void) { return g(); }\nint (*p)(void) = h;\n",
    "C_CRASHED": RECORDED.replace("f(0, b);", "f(0, b); __builtin_abort();"),
    "C_NO_CALLS": RECORDED.replace("f(0, b);", ""),
    "C_OVERLAP": "void f(int a[2], int b[2]) { a[1] = b[0] + 1; }\n"
    "int main(void) { int b[2] = {0}; f(b, b); }\n",
    "C_UNDEFINED": RECORDED.replace("b[0] + a", "b[2] + a"),
    "C_UNINITIALISED": RECORDED.replace("return b[0] + a", "int c; return c + a"),
}
"""Programs whose run is refused, by code."""
REFUSALS = "test_cosimulation_refusals.py"
BOUNDED = "test_programs_are_bounded.py"
RECORDINGS_OF_PYTHON = "test_python_recordings.py"
ADDITIONS = "test_additions.py"
WITNESSES = {
    "C_TOO_DEEP": ("test_c_errors.py", "test_a_nest_deeper_than_python_can_follow"),
    "C_COMPILE_LIMIT": (BOUNDED, "test_the_c_compiler_is_bounded"),
    "C_LIMIT": (BOUNDED, "test_a_c_program_is_bounded"),
    "C_NO_RUN": (BOUNDED, "test_nothing_is_run_where_no_run_is_said"),
    "PY_LIMIT": (BOUNDED, "test_a_python_program_is_bounded"),
    "PY_NO_RUN": (BOUNDED, "test_nothing_is_run_where_no_run_is_said"),
    "SIM_NO_RUN": (BOUNDED, "test_no_template_is_simulated_where_no_run_is_said"),
    "C_TOO_LARGE": ("test_hostile_c.py", "test_a_macro_bomb_of_100_000_terms"),
    "C_NO_COMPILER": ("test_c_recordings.py", "test_without_a_c_compiler"),
    "C_TIMEOUT": ("test_c_recordings.py", "test_a_program_that_does_not_end"),
    "C_NO_LIBCLANG": ("test_c_errors.py", "test_without_libclang"),
    "PY_ARGUMENT": (RECORDINGS_OF_PYTHON, "test_a_kernel_is_its_function"),
    "PY_CRASHED": (RECORDINGS_OF_PYTHON, "test_a_program_that_kills_itself"),
    "PY_NO_NUMPY": (RECORDINGS_OF_PYTHON, "test_without_numpy"),
    "PY_NO_SOURCE": (RECORDINGS_OF_PYTHON, "test_a_kernel_without_a_file"),
    "PY_OVERLAP": (RECORDINGS_OF_PYTHON, "test_arrays_that_share_elements"),
    "PY_TIMEOUT": (RECORDINGS_OF_PYTHON, "test_a_program_that_does_not_end"),
    "PY_NO_CALLS": (RECORDINGS_OF_PYTHON, "test_a_program_that_calls_nothing"),
    "PY_RAISED": (RECORDINGS_OF_PYTHON, "test_an_error_of_the_kernel_in_a_process_of_its_own"),
    "PY_TOO_DEEP": ("test_python_errors.py", "test_a_nest_deeper_than_python_can_follow"),
    "EXTEND_UNKNOWN": (ADDITIONS, "test_a_pass_that_no_package_has_is_refused"),
    "EXTEND_BROKEN": (ADDITIONS, "test_cores_that_are_no_folder_are_named"),
    "LOWER_PASS": (ADDITIONS, "test_an_invalid_module_is_refused_behind_its_pass"),
    "LOWER_PASS_PLACE": (ADDITIONS, "test_a_place_that_is_none_is_named"),
    "LOWER_DSP": ("test_dsp_limit.py", "test_a_limit_out_of_reach_is_refused"),
    "LOWER_CLOCK_PERIOD": (
        "test_clock_period.py",
        "test_a_period_that_no_buffer_brings_about_is_refused",
    ),
    "REGRESS_EXECUTOR": (
        "test_cluster.py",
        "test_an_executor_needs_its_extra_and_its_programs",
    ),
    "EXPLORE_SAMPLER": ("test_sample.py", "test_without_optuna"),
    "REGRESS_JOB": ("test_cluster.py", "test_a_case_without_its_job_has_a_row_of_its_own_kind"),
    "LOWER_NO_SOLVER": ("test_optimal_buffers.py", "test_without_the_solver"),
    "LOWER_TOO_DEEP": ("test_lifted_blocks.py", "test_more_early_ends_than_python_can_nest"),
    "EMIT_CORE": ("test_cores.py", "test_what_is_no_core_is_refused"),
    "EMIT_CORE_LIMIT": ("test_cores.py", "test_a_pipe_and_a_long_file_are_no_cores"),
    "EMIT_PORT_NAME": ("test_boundary.py", "test_names_that_clash_are_refused"),
    "EMIT_RESET": ("test_boundary.py", "test_registers_that_cannot_be_changed_are_refused"),
    "EMIT_VERILOG_2005": ("test_verilog_2005.py", "test_what_has_no_rule_is_refused"),
    "EMIT_CLOCK_ENABLE": ("test_boundary.py", "test_a_slow_ram_has_no_clock_enable"),
    "PACKAGE_FLOW": ("test_package_flows.py", "test_an_unknown_flow_is_refused"),
    "PACKAGE_INPUTS": (
        "test_package_flows.py",
        "test_inputs_are_refused_where_nothing_is_replayed",
    ),
    "PACKAGE_NAME": ("test_package_flows.py", "test_a_name_that_tools_do_not_take_is_refused"),
    "PACKAGE_WRAP": (
        "test_package_flows.py",
        "test_a_wrapper_where_it_does_not_fit_is_refused",
    ),
    "WRAP_ADDRESS": ("test_wrap.py", "test_bad_input_is_refused_and_nothing_written"),
    "WRAP_BUS": ("test_wrap.py", "test_bad_input_is_refused_and_nothing_written"),
    "WRAP_MEMORY": ("test_wrap.py", "test_what_the_wrapper_does_not_serve_is_refused"),
    "WRAP_NAME": ("test_wrap.py", "test_bad_input_is_refused_and_nothing_written"),
    "LOWER_STREAM": ("test_streams_in_order.py", "test_an_array_out_of_order_is_refused"),
    "WRAP_WIDTH": ("test_wrap.py", "test_what_the_wrapper_does_not_serve_is_refused"),
    "EMIT_NO_HARDWARE": ("test_emit.py", "test_operators_without_hardware_are_refused"),
    "MODEL_NO_TIMED_NODE": (
        "test_operators_are_whole.py",
        "test_a_unit_without_timed_node_is_refused_at_its_place",
    ),
    "REPORT_NO_LAYOUT": ("test_report.py", "test_a_page_without_graphviz"),
    "MLIR_SIZE": ("test_static_memories.py", "test_sizes_that_no_argument_has_are_refused"),
    "SIM_BUILD": (REFUSALS, "test_a_circuit_that_verilator_does_not_take"),
    "SIM_CACHE": (REFUSALS, "test_a_cache_that_cannot_be_written"),
    "SIM_CRASHED": (REFUSALS, "test_a_simulator_that_crashes"),
    "SIM_CYCLES": ("test_sim_exit_status.py", "test_more_cycles_than_allowed_are_no_mismatch"),
    "SIM_FOLDER": (REFUSALS, "test_no_room_for_temporary_files"),
    "SIM_GATES": ("test_deadlocks.py", "test_a_circuit_without_gates_is_refused"),
    "SIM_NOT_INSTALLED": ("test_cli.py", "test_sim_without_its_extra"),
    "SIM_NO_COMPILER": (REFUSALS, "test_without_a_compiler"),
    "SIM_NO_PROVER": ("test_proofs.py", "test_a_missing_tool_and_unknown_units_are_refused"),
    "SIM_NO_SIMULATOR": (REFUSALS, "test_without_a_simulator"),
    "SIM_TIMEOUT": (REFUSALS, "test_a_simulator_that_hangs"),
}
"""Codes that a machine, an option or a fault of a program causes: the test that does so."""
