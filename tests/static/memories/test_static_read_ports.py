"""Static schedules of arrays with two read ports: reference = model = RTL, at half the II."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from xdsl.dialects import memref

from loom.draw.of_schedule import charts_of
from loom.emit.boundary import Boundary
from loom.errors import LoomError, LoomErrors
from loom.front.cli import main
from loom.front.given_schedules import load_schedule
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import parse_module
from loom.lower.options import Options
from loom.lower.static import body_problem
from loom.model.bundles.activation import Activation
from loom.model.fsmd.run_fsmd import Machine
from loom.netlist.fsmd import read_ports
from loom.netlist.fsmd.fsmd import GO, Constant, Fsmd, ReadPort, WritePort
from tests.emit.test_boundary import EDGES
from tests.emit.test_verilog_2005 import EDGED, PLAIN, READERS, read_by
from tests.lower.test_partitions import ROWS
from tests.sim.test_partitions_in_rtl import SWAPS, given
from tests.static.test_machines import MOST, static
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs
from tests.support.rtl.clean import (
    passes_slang,
    require_clean_in_icarus,
    require_clean_in_verilator_and_yosys,
    write_rtl,
)

INPUTS = (*RTL_INPUTS, "loom/emit", "rtl_templates/static", "rtl_templates/memory",
          "loom/lower/static")  # fmt: skip
# Four loads of a table that nobody writes.
TABLE = """memref.global constant @c : memref<8xi32> = dense<[1, 2, 3, 5, 7, 9, 11, 13]>
func.func @f(%a: memref<8xi32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = memref.get_global @c : memref<8xi32>
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.xori %i, %c1 : index
    %k = arith.xori %i, %c2 : index
    %l = arith.xori %i, %c3 : index
    %v = memref.load %t[%i] : memref<8xi32>
    %w = memref.load %t[%j] : memref<8xi32>
    %x = memref.load %t[%k] : memref<8xi32>
    %y = memref.load %t[%l] : memref<8xi32>
    %o = memref.load %a[%i] : memref<8xi32>
    %s = arith.shli %v, %w : i32
    %u = arith.subi %x, %y : i32
    %p = arith.addi %s, %u : i32
    %q = arith.addi %p, %o : i32
    memref.store %q, %a[%i] : memref<8xi32>
  }
  return
}"""
# What the loop reads it writes too: the copies of the array have the same words. Behind it two
# loads in one cycle of stages that run once.
WINDOW = """func.func @f(%a: memref<12xi32>, %n: index, %p: index) -> (i32, i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %m = memref.alloc() : memref<12xi32>
  scf.for %i = %c0 to %c12 step %c1 {
    %v = memref.load %a[%i] : memref<12xi32>
    memref.store %v, %m[%i] : memref<12xi32>
  }
  scf.for %i = %c0 to %n step %c1 {
    %j = arith.addi %i, %c1 : index
    %k = arith.addi %i, %c2 : index
    %u = memref.load %m[%i] : memref<12xi32>
    %v = memref.load %m[%j] : memref<12xi32>
    %w = memref.load %m[%k] : memref<12xi32>
    %s = arith.addi %u, %v : i32
    %t = arith.subi %s, %w : i32
    memref.store %t, %a[%i] : memref<12xi32>
    memref.store %t, %m[%i] : memref<12xi32>
  }
  %q = arith.subi %c11, %p : index
  %x = memref.load %m[%p] : memref<12xi32>
  %y = memref.load %m[%q] : memref<12xi32>
  return %x, %y : i32, i32
}"""
OF_T = (("t", 2), ("c", 2))
BANKS = (("t", "block:2"), ("c", "cyclic:2"))
CIRCUITS: dict[str, tuple[str, Options]] = {
    "lookup": (TABLE, Options(ports=(("c", 2),))),
    "lookup_outside": (TABLE, Options(ports=(("c", 2),), memories=(("a", "channel,latency=3"),))),
    "window": (WINDOW, Options(ports=(("m", 2),))),
    "window_banks": (WINDOW, Options(ports=(("m", 2),), partitions=(("m", "cyclic:3"),))),
    "window_exact": (WINDOW, Options(ports=(("m", 2),), schedule="exact")),
    "rows": (ROWS, Options(ports=(("m", 2),))),
    "swaps": (SWAPS, Options(ports=OF_T)),
    "swaps_banks": (SWAPS, Options(ports=OF_T, partitions=BANKS)),
    "swaps_words": (SWAPS, Options(ports=OF_T, partitions=(("t", "complete"), ("c", "complete")))),
}  # fmt: skip
"""Written and not, alone and in banks that are known and that are not, beside a channel."""
CLEAN = ("lookup", "lookup_outside", "window_banks", "swaps_banks")


def inputs_of(text: str) -> Sequence[Activation]:
    """Activations of 0, 1, 2 and many iterations, and the last one again."""
    if text is SWAPS:
        return given(text)
    if text is ROWS:
        return [Activation({"a": [*range(k, k + 8)]}) for k in (3, 5)]
    dice, found = Random(3), []
    for n in (0, 1, 2, 8, 8):
        if "%p: index" in text:
            words = [dice.randrange(1 << 32) for _ in range(12)]
            found.append(Activation({"a": words, "n": n, "p": n + 1}))
        else:
            found.append(Activation({"a": [dice.randrange(1 << 32) for _ in range(8)], "n": n}))
    return found


@cache
def circuit_of(name: str) -> tuple[StaticCircuit, Sequence[Activation]]:
    """The static circuit of a program, and its activations."""
    text, options = CIRCUITS[name]
    return static(text.replace("@f(", f"@{name}(", 1), options), inputs_of(text)


def cycles_of(text: str, **options: object) -> int:
    """The cycles of the longest activation."""
    return max(static(text, replace(Options(), **options)).cycles(inputs_of(text), MOST))


@pytest.mark.parametrize("name", CIRCUITS)
def test_the_machine_does_what_the_program_does(name: str) -> None:
    circuit, activations = circuit_of(name)
    assert list(circuit.differences(activations, MOST)) == []
    readers = [port.memory for port in circuit.fsmd.reads]
    assert len(set(readers)) < len(readers)


def test_two_loads_start_in_a_cycle() -> None:
    """II of the table 2, of one port 4; of the window 2 by the recurrence instead of 3."""
    assert cycles_of(TABLE, ports=(("c", 2),)) + 2 * 7 <= cycles_of(TABLE)
    assert cycles_of(WINDOW, ports=(("m", 2),)) < cycles_of(WINDOW)
    for schedule in ("iterative", "exact"):
        found = static(TABLE, Options(ports=(("c", 2),), schedule=schedule))
        assert [loop.ii for loop in found.pipelines] == [2]


@pytest.mark.parametrize("name", CIRCUITS)
def test_the_text_keeps_the_ports(name: str) -> None:
    circuit, activations = circuit_of(name)
    assert str(parse_module(circuit.text, "k.static.mlir")) + "\n" == circuit.text
    made = load_schedule(Request(circuit.text, "k.mlir"))
    assert made is not None
    assert list(replace(circuit, fsmd=made.fsmd).differences(activations, MOST)) == []
    assert made.files()[f"rtl/{name}.sv"] == circuit.rtl[f"rtl/{name}.sv"]


SAID = "loom.ports = 2 : i64"
TEXTS = {
    "one port": (SAID, "loom.ports = 1 : i64",
                 "STATIC_PORTS.*memref 't' has 2 accesses in cycle 0 mod II 2 but 1 read port"),
    "nothing": (f" {{{SAID}}}", "", "STATIC_PORTS"),
    "three ports": (SAID, "loom.ports = 3 : i64", "STATIC_MACHINE.* of the array c; .* 1 or 2"),
    "no number": (SAID, 'loom.ports = "2"', 'STATIC_MACHINE.*loom.ports = "2"'),
    "an argument": ("%a: memref<8xi32>", f"%a: memref<8xi32> {{{SAID}}}",
                    "STATIC_MACHINE.* of the array a; LOOM accepts 1 of an array outside"),
}  # fmt: skip


@pytest.mark.parametrize("fault", TEXTS)
def test_a_text_of_other_ports_is_refused(fault: str) -> None:
    text, (old, new, said) = circuit_of("lookup")[0].text, TEXTS[fault]
    assert text.count(old) == 1
    with pytest.raises((LoomError, LoomErrors), match=said):
        load_schedule(Request(text.replace(old, new), "k.mlir"))


STAGES = """func.func @k(%i: index, %j: index) -> (i32, i32) {
  %m = memref.alloc() {SAID} : memref<8xi32>
  %v = staticlogic.stage start = 0 {
    %v_1 = memref.load %m[%i] {lat = 1} : memref<8xi32>
    staticlogic.register %v_1 : i32
  } : i32
  %c1 = arith.constant 1 : index
  %w = staticlogic.stage start = 0 {
    %w_1 = memref.load %m[%j] {lat = 1} : memref<8xi32>
    MORE
    staticlogic.register %w_1 : i32
  } : i32
  return %v, %w : i32, i32
}
"""


def test_loads_of_stages_that_run_once_are_counted() -> None:
    """Stages with constants between them are one run, as in the machine."""
    more = "%x_1 = memref.load %m[%c1] {lat = 1} : memref<8xi32>"
    two = STAGES.replace("SAID", SAID)
    assert load_schedule(Request(two.replace("MORE", ""), "k.mlir")) is not None
    with pytest.raises((LoomError, LoomErrors), match="a third access of its memory in cycle 0"):
        load_schedule(Request(two.replace("MORE", more), "k.mlir"))
    one = STAGES.replace("{SAID} ", "").replace("MORE", "")
    with pytest.raises((LoomError, LoomErrors), match="a second access of its memory in cycle 0"):
        load_schedule(Request(one, "k.mlir"))


def test_an_array_that_is_named_twice_has_its_ports_once() -> None:
    """Two values of one global."""
    text = circuit_of("lookup")[0].text
    get = "    %t = memref.get_global @c : memref<8xi32>\n"
    twice = text.replace(get, get + get.replace("%t", "%t2"))
    twice = re.sub(r"load %t\[(?=%i_\d\])", "load %t2[", twice)
    assert twice.count("%t2") == 2
    assert load_schedule(Request(twice, "k.mlir")) is not None
    with pytest.raises((LoomError, LoomErrors), match=r"STATIC_PORTS.* has 2 accesses in cycle"):
        load_schedule(Request(twice.replace(f" {{{SAID}}}", ""), "k.mlir"))


def test_more_loads_than_ports_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: the scheduler counts a port more. By results, and by the rules of the text."""
    text, options = CIRCUITS["lookup"]

    def more(access: memref.LoadOp | memref.StoreOp) -> int:
        return 4 if isinstance(access, memref.LoadOp) and access.memref.name_hint == "t" else 1

    monkeypatch.setattr(body_problem, "ports_of_access", more)
    circuit = static(text, options)
    assert [loop.ii for loop in circuit.pipelines] == [1]
    assert list(circuit.differences(inputs_of(text), MOST)) != []
    monkeypatch.undo()
    with pytest.raises((LoomError, LoomErrors), match=r"4 accesses in cycle .* but 2 read ports"):
        load_schedule(Request(circuit.text, "k.mlir"))


def test_loads_of_a_cycle_at_one_port_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The fault: each load takes the first port."""

    def first(ports: read_ports.ReadPorts, array: object, loads: Sequence[memref.LoadOp]) -> None:
        ports.of |= dict.fromkeys(loads, 0)

    monkeypatch.setattr(read_ports.ReadPorts, "assign_slot", first)
    for name in ("lookup", "window", "swaps_banks"):
        text, options = CIRCUITS[name]
        assert list(static(text, options).differences(inputs_of(text), MOST)) != []


def test_a_store_beside_loads_of_its_element_makes_each_of_them_wrong() -> None:
    """Also where both ports read it."""
    wires = tuple(Constant(f"k{n}", width, n) for n, width in ((1, 2), (2, 2)))
    reads = tuple(ReadPort(f"w{n}", 8, "m", GO, "k1") for n in range(2))
    writes = (WritePort("m", GO, "k2", "k2"),)
    machine = Fsmd((), (("out0", "w0"), ("out1", "w1")), wires, (), (), reads, writes, GO)
    for address, same in (("k2", True), ("k1", False)):
        words = {"m": [7, 8, 9, 10]}
        own = replace(machine, writes=(replace(writes[0], address=address),))
        run = Machine(own, words)
        run.run({}, 10)
        found = [run.steps.values[port.name] == 8 for port in reads]
        assert found == [same, same]


def test_each_port_of_a_written_array_is_a_ram_more() -> None:
    """Which the estimate counts; an array that nobody writes is one RAM of two ports."""
    for name, rams in (("lookup", 1), ("window", 2), ("window_banks", 6)):
        circuit, _ = circuit_of(name)
        assert circuit.estimate.area.block_rams == rams
        text = circuit.rtl[f"rtl/{name}.sv"]
        assert len(re.findall(r"\) ram\d?_\w+_inst \(", text)) == rams


def test_loads_are_spread_over_the_ports() -> None:
    """Four loads in two cycles: two at each port."""
    text = circuit_of("lookup")[0].rtl["rtl/lookup.sv"]
    for port in ("c", "c_copy1"):
        found = re.search(rf"assign {port}_rd_addr = (.*);", text)
        assert found is not None and found[0].count(" ? ") == 1


def test_the_report_names_the_ports(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, page = tmp_path / "table.mlir", tmp_path / "page.html"
    file.write_text(TABLE)
    words = ["report", "--style", "static", str(file), "--ports", "c:2", "--html", str(page)]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert "II is bounded by the 2 read ports of c: 4 accesses an iteration" in said
    assert "memory c: 2 read ports of latency 1" in said
    assert "c: read ports" in page.read_text()
    module = circuit_of("lookup")[0].module
    charts = [each for each in charts_of(top_function(module).body.block) if each is not None]
    (used,) = [r for each in charts for r in each.reservations if r.resource == "c: read ports"]
    assert (used.count, used.share) == (2, 1.0)


def test_auto_takes_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = str(EXAMPLES / "c" / "sobel.c"), str(tmp_path / "out")
    assert main(["compile", file, "--ports", "across:2", "-o", out]) == 0
    assert re.search(r"sobel: static: \d+ cycles", capsys.readouterr().err)
    assert main(["report", "--style", "static", file, "--ports", "across:2"]) == 0
    assert "sobel: a static schedule, 330 cycles predicted" in capsys.readouterr().out


def test_ports_of_an_argument_are_refused() -> None:
    with pytest.raises((LoomError, LoomErrors), match="2 ports of the argument 'a'"):
        static(TABLE, Options(ports=(("a", 2),)))


def test_an_argument_of_the_same_name_has_one_port() -> None:
    text = TABLE.replace("%a", "%c")
    circuit = static(text, Options(ports=(("c", 2),)))
    ports = sorted(port.memory for port in circuit.fsmd.reads)
    assert len(ports) == 3 and [loop.ii for loop in circuit.pipelines] == [2]
    given = [Activation({"c": each.inputs["a"], "n": each.inputs["n"]}) for each in inputs_of(text)]
    assert list(circuit.differences(given, MOST)) == []
    assert load_schedule(Request(circuit.text, "k.mlir")) is not None


def kernel_of(name: str) -> tuple[Kernel, Sequence[Activation]]:
    """A static circuit as a black box with the ports of the dynamic one."""
    circuit, activations = circuit_of(name)
    dynamic = circuit.dynamic
    box = Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)
    return box, activations


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_in_rtl(stalls: float, deep: Deep) -> None:
    """Several activations without a reset, at the cycles of the model; stalls are of shy sinks."""
    loaded = [kernel_of(name) for name in CIRCUITS]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, activations = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, activations, SimOptions(stalls=stalls, max_cycles=MOST))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


FAULTS: dict[str, tuple[str, str, str]] = {
    "the ports have each other's addresses": (
        "lookup", r"(a_addr_i\()(\w+)(\)[^;]*b_addr_i\()(\w+)", r"\1\4\3\2"
    ),
    "a copy that is not written": (
        "window", r"(ram1_m_inst \(\s+\.clk_i\(clk_i\),\s+\.wr_en_i\()[^)]*", r"\g<1>1'b0"
    ),
    "ports that read while the machine stands still": (
        "lookup_outside", r"(\.[ab]_en_i\(\w+) & advance\)", r"\1)"
    ),
}  # fmt: skip


@pytest.mark.sim
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_text_is_seen(fault: str, deep: Deep) -> None:
    name, pattern, new = FAULTS[fault]
    kernel, activations = kernel_of(name)
    top = f"rtl/{name}.sv"
    wrong = re.sub(pattern, new, kernel.files[top])
    assert wrong != kernel.files[top]
    faulty = replace(kernel, files={**kernel.files, top: wrong})
    deep(*INPUTS, texts=describe_runs([(faulty, activations)]))
    options = SimOptions(stalls=0.4, max_cycles=MOST)
    (report,) = cosimulate_kernels([faulty], [activations], options)
    assert not report.match


def write(name: str, edge: Boundary, folder: Path) -> list[str]:
    """The files of a static circuit, parts first, below the folder."""
    circuit, _ = circuit_of(name)
    return write_rtl(circuit.emit(circuit.netlist, edge), name, folder)


CASES = [(name, edge) for name in CLEAN for edge in ("default", "async enable")]


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_slang_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    assert passes_slang(files, name)


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_icarus_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    require_clean_in_icarus(files, name, tmp_path)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("reader", READERS)
def test_readers_of_verilog_2005_take_it(reader: str, tmp_path: Path) -> None:
    for edge in (PLAIN, EDGED):
        files = write("swaps_banks", edge, tmp_path)
        assert read_by(reader, "swaps_banks", tmp_path, files) == ""


@pytest.mark.sim
@pytest.mark.parametrize(("name", "edge"), CASES)
def test_verilator_and_yosys_have_no_warning(
    name: str, edge: str, tmp_path: Path, deep: Deep
) -> None:
    listed = write(name, EDGES[edge], tmp_path)
    deep(*INPUTS, texts=[(tmp_path / file).read_text() for file in listed])
    require_clean_in_verilator_and_yosys(listed, name, tmp_path)
