"""Static schedules of arrays in banks: reference = model = RTL, with the ports of both styles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from xdsl.dialects import memref

from loom.emit.boundary import DEFAULT_BOUNDARY, Boundary
from loom.emit.ports import port_files
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
from loom.model.bundles.draw import accepted_activations
from loom.model.bundles.signature import signature_of
from loom.model.reference.reference import compile_reference
from loom.netlist.fsmd.fsmd import Choice, Fsmd, Split
from loom.netlist.fsmd.signals import sort_wires
from tests.emit.test_boundary import EDGES
from tests.emit.test_verilog_2005 import EDGED, PLAIN, READERS, read_by
from tests.lower.test_partitions import PLANE, pairs
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
FIR, MATMUL = ((EXAMPLES / f"{name}.mlir").read_text() for name in ("fir", "matmul"))
# As many elements as places of the banks, and fewer; the last one lies in any bank.
BEYOND = """func.func @f(%a: memref<10xi32>, %n: index) -> i32 {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %z = arith.constant 7 : i32
  %r = scf.for %i = %c0 to %n step %c4 iter_args(%s = %z) -> i32 {
    %v = memref.load %a[%i] : memref<10xi32>
    memref.store %s, %a[%i] : memref<10xi32>
    %u = arith.addi %s, %v : i32
    scf.yield %u : i32
  }
  return %r : i32
}"""
SLOW = ("a", "ram,latency=3")
CUTS: dict[str, tuple[str, Options]] = {
    "fir": (
        FIR,
        Options(unroll=((8, 4),), partitions=(("samples", "cyclic:4"), ("taps", "cyclic:4"))),
    ),
    "fir_unknown": (FIR, Options(partitions=(("samples", "cyclic:3"), ("taps", "block:5")))),
    "matmul": (
        MATMUL,
        Options(unroll=((6, None),), partitions=(("a", "complete:1"), ("b", "complete:0"))),
    ),
    "pairs": (pairs(), Options(partitions=(("a", "cyclic:2"), ("m", "cyclic:2")))),
    "pairs_of_four": (pairs(), Options(partitions=(("a", "cyclic:4"), ("m", "cyclic:4")))),
    "plane": (PLANE, Options(partitions=(("a", "block:2:0"), ("a", "cyclic:4:1")))),
    "swaps": (
        SWAPS,
        Options(partitions=(("a", "cyclic:3"), ("t", "block:2"), ("c", "cyclic:2"))),
    ),
    "swaps_words": (
        SWAPS,
        Options(partitions=(("a", "block:4"), ("t", "complete"), ("c", "complete"))),
    ),
    "swaps_slow": (SWAPS, Options(partitions=(("a", "complete"), ("p", "block:2")),
                                  memories=(SLOW,))),
}  # fmt: skip
"""Banks that are known and that are not, inside and outside, of one dimension and of two."""
CLEAN = ("fir", "plane", "swaps", "swaps_words")


@cache
def cut(name: str, *, clocked: bool = True) -> tuple[StaticCircuit, Sequence[Activation]]:
    """The static circuit of a program in banks, and activations of 0, 1, 2 and many iterations."""
    text, options = CUTS[name]
    if not clocked:
        options = replace(options, clock_period=None)
    circuit = static(re.sub(r"@\w+\(", f"@{name}(", text, count=1), options)
    if text in (FIR, MATMUL):
        reference = compile_reference(circuit.dynamic.source, circuit.top, 64)
        signature = signature_of(top_function(circuit.dynamic.source))
        return circuit, accepted_activations(reference, signature, 3, 3)
    return circuit, given(text)


@pytest.mark.parametrize(("name", "most"), [("fir", 30), ("matmul", 71)])
def test_loops_are_unrolled_as_the_options_ask(name: str, most: int) -> None:
    circuit, activations = cut(name)
    assert max(circuit.cycles(activations, MOST)) <= most


@pytest.mark.parametrize("name", CUTS)
def test_the_machine_does_what_the_program_does(name: str) -> None:
    circuit, activations = cut(name)
    assert list(circuit.differences(activations, MOST)) == []


def test_known_banks_have_ports_of_their_own() -> None:
    """The II is that of the busiest bank: cycles of one activation."""
    cycles = {name: max(cut(name)[0].cycles(cut(name)[1], MOST)) for name in ("fir", "matmul")}
    assert cycles == {"fir": 30, "matmul": 69}
    whole = static(FIR, Options(unroll=((8, 4),)))
    assert max(whole.cycles(cut("fir")[1], MOST)) == 105


@pytest.mark.parametrize("name", CUTS)
def test_the_ports_are_those_of_the_dynamic_circuit(name: str) -> None:
    circuit, _ = cut(name)
    texts = (
        port_files(netlist, DEFAULT_BOUNDARY, circuit.signs)[f"{name}.ports.json"]
        for netlist in (circuit.netlist, circuit.dynamic.netlist)
    )
    told = [{each["name"]: each for each in json.loads(text)["arrays"]} for text in texts]
    assert told[0] == told[1]
    tops = [
        re.search(r"^module \w+ \((.*?)^\);", files[f"rtl/{name}.sv"], re.S | re.M)
        for files in (circuit.rtl, circuit.dynamic.files())
    ]
    ports = [set(each[1].replace(",", "").split("\n")) for each in tops if each is not None]
    assert len(ports) == 2 and ports[0] == ports[1]


@pytest.mark.parametrize("name", CUTS)
def test_the_text_keeps_the_banks(name: str) -> None:
    circuit, activations = cut(name)
    assert str(parse_module(circuit.text, "k.static.mlir")) + "\n" == circuit.text
    made = load_schedule(Request(circuit.text, "k.mlir"))
    assert made is not None
    assert list(replace(circuit, fsmd=made.fsmd).differences(activations, MOST)) == []
    assert made.files()[f"rtl/{name}.sv"] == circuit.rtl[f"rtl/{name}.sv"]


@pytest.mark.parametrize("partition", ["cyclic:4", "block:3", "complete"])
def test_an_access_outside_is_left_out(partition: str) -> None:
    """Also where the bank has a word at its place."""
    circuit = static(BEYOND, Options(partitions=(("a", partition),)))
    inputs = {"a": list(range(10)), "n": 11}
    inside, outside = Activation(inputs), Activation({**inputs, "n": 13})
    runs = list(circuit.runs([inside, outside], MOST))
    assert [run.is_outside for run in runs] == [False, True]
    assert list(circuit.differences([inside], MOST)) == []
    assert runs[0].memories == runs[1].memories


Fault = Callable[[Fsmd], Fsmd]


def with_parts_exchanged(machine: Fsmd) -> Fsmd:
    """The place in a bank stands for the bank."""
    return replace(machine, wires=tuple(
        replace(w, part="place") if isinstance(w, Split) else w for w in machine.wires
    ))  # fmt: skip


def with_early_choices(machine: Fsmd) -> Fsmd:
    """A word is that of the bank which is read in its own cycle."""
    enables = {register.name: register.updates[0][1] for register in machine.registers
               if register.name.startswith("read_of_banks")}  # fmt: skip

    def early(wire: Choice) -> Choice:
        return replace(wire, cases=tuple((enables.get(w, w), v) for w, v in wire.cases))

    wires = (early(wire) if isinstance(wire, Choice) else wire for wire in machine.wires)
    return replace(machine, wires=sort_wires(wires))


def with_one_bank_less(machine: Fsmd) -> Fsmd:
    """Nothing is stored in bank 0."""
    writes = [port for port in machine.writes if not port.memory.endswith("_0")]
    return replace(machine, writes=tuple(writes))


@pytest.mark.parametrize("fault", [with_parts_exchanged, with_early_choices, with_one_bank_less])
def test_a_fault_in_a_machine_is_seen(fault: Fault) -> None:
    circuit, activations = cut("swaps")
    wrong = replace(circuit, fsmd=fault(circuit.fsmd))
    assert wrong.fsmd != circuit.fsmd
    assert list(wrong.differences(activations, MOST)) != []


def test_an_access_that_takes_too_few_ports_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the machine's results, and by the rules of the text."""
    text, options = CUTS["swaps"]
    few = {"memref.load": 0, "memref.store": 0}

    def by_number(access: memref.LoadOp | memref.StoreOp) -> tuple[int, ...]:
        few[access.name] += 1
        return (few[access.name] % 2,)

    monkeypatch.setattr(body_problem, "banks_of_access", by_number)
    circuit = static(text, options)
    assert list(circuit.differences(given(text), MOST)) != []
    monkeypatch.undo()
    with pytest.raises((LoomError, LoomErrors), match=r"STATIC_PORTS|a second access"):
        load_schedule(Request(circuit.text, "k.mlir"))


TEXTS = {
    r"loom.bank = 3": ("loom.bank = 4", "STATIC_MACHINE.* an access of bank 4 of 4"),
    r'<"100%4">': ('<"96%4">', r"STATIC_MACHINE.* of an array of type memref<100xi32>"),
    r"loom.bank = 3 ": ("loom.bank = 2 ", "STATIC_PORTS.*bank 2 of 'taps' has 2 accesses in"),
}


@pytest.mark.parametrize("old", TEXTS)
def test_a_text_of_other_banks_is_refused(old: str) -> None:
    circuit, _ = cut("fir")
    new, said = TEXTS[old]
    with pytest.raises((LoomError, LoomErrors), match=said):
        load_schedule(Request(circuit.text.replace(old, new, 1), "k.mlir"))


def test_a_wrong_bank_in_a_text_gives_wrong_results() -> None:
    """Banks are facts of the text, as accesses in range are: the comparison sees it."""
    circuit, activations = cut("fir")
    exchanged = circuit.text.replace("loom.bank = 3", "loom.bank = X", 1)
    exchanged = exchanged.replace("loom.bank = 2", "loom.bank = 3", 1)
    made = load_schedule(Request(exchanged.replace("loom.bank = X", "loom.bank = 2"), "k.mlir"))
    assert made is not None
    assert list(replace(circuit, fsmd=made.fsmd).differences(activations, MOST)) != []


def test_the_report_names_the_bank(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, page = str(EXAMPLES / "fir.mlir"), tmp_path / "page.html"
    words = ["--unroll", "8=10", "--partition", "samples:cyclic:5"]
    assert main(["report", "--style", "static", file, *words, "--html", str(page)]) == 0
    said = capsys.readouterr().out
    assert "II is bounded by the read port of taps: 10 accesses an iteration" in said
    assert "memory samples_4: a read port of latency 1" in said
    assert "samples: read port, bank 4" in page.read_text()
    taps = ["--partition", "taps:cyclic:10"]
    assert main(["report", "--style", "static", file, *words, *taps]) == 0
    said = capsys.readouterr().out
    assert "II is bounded by the read port of samples, bank 0: 2 accesses an iteration" in said


def test_auto_takes_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--unroll", "8=4", "--partition", "samples:cyclic:4", "--partition", "taps:cyclic:4"]
    assert main(["compile", str(EXAMPLES / "fir.mlir"), *words, "-o", str(tmp_path / "out")]) == 0
    assert "fir: static: 60 cycles" in capsys.readouterr().err


def kernel_of(name: str) -> tuple[Kernel, Sequence[Activation]]:
    """A static circuit as a black box with the ports of the dynamic one."""
    circuit, activations = cut(name)
    dynamic = circuit.dynamic
    box = Kernel(dynamic.source, dynamic.top, dynamic.netlist, circuit.rtl, True, circuit.cycles)
    return box, activations


@pytest.mark.from_sources
@pytest.mark.sim
@pytest.mark.parametrize("stalls", [0.0, 0.4])
def test_in_rtl(stalls: float, deep: Deep) -> None:
    """Several activations without a reset, at the cycles of the model."""
    loaded = [kernel_of(name) for name in CUTS]
    deep(*INPUTS, texts=describe_runs(loaded))
    kernels, activations = zip(*loaded, strict=True)
    reports = cosimulate_kernels(kernels, activations, SimOptions(stalls=stalls, max_cycles=MOST))
    assert [(r.kernel.top, r.differences) for r in reports if not r.match] == []
    if not stalls:
        for report in reports:
            assert [run.cycles for run in report.rtl.runs] == report.predicted, report.kernel.top


FAULTS: dict[str, tuple[str, str]] = {
    "an access is one of every bank": (r"(assign a_hit\w* =) ([^;]*);", r"\1 1'b1 | (\2);"),
    "the word of the other bank": (r"= (read_of_banks_q\w*) \? (\w+) : (\w+);",
                                   r"= \1 ? \3 : \2;"),
    "the word of the bank that is read now": (
        r"(read_of_banks_q\w*) \?", r"(\1 & 1'b0 | a_0_rd_en) ?"
    ),
}  # fmt: skip
"""In `swaps`."""


@pytest.mark.sim
def test_a_fault_in_the_text_is_seen(deep: Deep) -> None:
    kernel, activations = kernel_of("swaps")
    top, wrong = "rtl/swaps.sv", []
    for pattern, text in FAULTS.values():
        faulty = re.sub(pattern, text, kernel.files[top])
        assert faulty != kernel.files[top], pattern
        wrong.append(replace(kernel, files={**kernel.files, top: faulty}))
    deep(*INPUTS, texts=describe_runs((each, activations) for each in wrong))
    for each in wrong:
        (report,) = cosimulate_kernels([each], [activations], SimOptions(max_cycles=20_000))
        assert not report.match


def write(name: str, edge: Boundary, folder: Path) -> list[str]:
    """The files of a static circuit, parts first, below the folder."""
    circuit, _ = cut(name)
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
        files = write("swaps", edge, tmp_path)
        assert read_by(reader, "swaps", tmp_path, files) == ""


@pytest.mark.sim
@pytest.mark.parametrize(("name", "edge"), CASES)
def test_verilator_and_yosys_have_no_warning(
    name: str, edge: str, tmp_path: Path, deep: Deep
) -> None:
    listed = write(name, EDGES[edge], tmp_path)
    deep(*INPUTS, texts=[(tmp_path / file).read_text() for file in listed])
    require_clean_in_verilator_and_yosys(listed, name, tmp_path)
