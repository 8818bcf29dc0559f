"""A static circuit with another clock, reset, enable, error clear and language, as dynamic ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from loom.emit.boundary import Boundary
from loom.emit.ports import find_ports
from loom.errors import LoomError
from loom.front.cli import main
from tests.emit.test_boundary import EDGES, pins_in, shim
from tests.emit.test_clock_enable import EDGE, Fault, Miter, bench, sources
from tests.emit.test_verilog_2005 import EDGED, PLAIN, READERS, read_by
from tests.golden.bench import run_bench
from tests.static.test_machines import example, static
from tests.static.test_static_rtl import CLEAN, INPUTS, kernel_of
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.rtl.clean import (
    passes_slang,
    require_clean_in_icarus,
    require_clean_in_verilator_and_yosys,
    write_rtl,
)

LINTED = ("fir", "bfs", "smooth_f16")
"""A RAM outside, RAMs inside, and units with modules of their own."""
CASES = [(name, edge) for name in LINTED for edge in EDGES]
BENCH = "tests/emit/test_clock_enable.py"


def write(name: str, edge: Boundary, folder: Path) -> list[str]:
    """The files of a static circuit, parts first, below the folder."""
    circuit, _ = example(name)
    return write_rtl(circuit.emit(circuit.netlist, edge), name, folder)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("name", LINTED)
def test_ports_in_words_are_those_of_the_text(name: str, edge: str) -> None:
    circuit, _ = example(name)
    files, told = circuit.files(EDGES[edge]), find_ports(circuit.netlist, EDGES[edge])
    found = pins_in(files[f"rtl/{name}.sv"], name)
    assert found == [replace(pin, role="", of="") for pin in told.pins]
    assert f"Clock `{EDGES[edge].clock}`" in files[f"{name}.ports.md"]


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_slang_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    assert passes_slang(files, name)


@pytest.mark.parametrize(("name", "edge"), CASES)
def test_icarus_has_no_warning(name: str, edge: str, tmp_path: Path) -> None:
    files = [str(tmp_path / file) for file in write(name, EDGES[edge], tmp_path)]
    require_clean_in_icarus(files, name, tmp_path)


@pytest.mark.sim
@pytest.mark.parametrize(("name", "edge"), CASES)
def test_verilator_and_yosys_have_no_warning(
    name: str, edge: str, tmp_path: Path, deep: Deep
) -> None:
    chosen = EDGES[edge]
    listed = write(name, chosen, tmp_path)
    deep(*INPUTS, texts=[(tmp_path / file).read_text() for file in listed])
    lint: list[str] = []
    if chosen.flat:  # as a library: Verilator expects other files to have a module each
        system = shim("system", example(name)[0].netlist, chosen)
        (tmp_path / "system.sv").write_text(system)
        lint = ["system", "system.sv", "-v", *listed]
    kinds = ["select -assert-none t:$aldff t:$dffsr"]
    if chosen.asynchronous:
        kinds.append("select -assert-any t:$adff t:$adffe")
    require_clean_in_verilator_and_yosys(listed, name, tmp_path, lint, kinds)


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", CLEAN)
def test_readers_of_verilog_2005_take_it(name: str, reader: str, tmp_path: Path) -> None:
    for edge in (PLAIN, EDGED):
        files = write(name, edge, tmp_path)
        assert all(file.endswith(".v") for file in files)
        assert read_by(reader, name, tmp_path, files) == ""


@pytest.mark.sim
@pytest.mark.parametrize(("name", "edge"), [
    ("fir", "high"), ("gcd", "async high"), ("bfs", "async"), ("bfs", "async enable"),
    ("smooth_f16", "enable"),
])  # fmt: skip
def test_results_and_cycles_are_those_of_the_default(name: str, edge: str, deep: Deep) -> None:
    """The circuit stands in a module with the default ports, in the harness of every kernel."""
    from loom_sim.jobs import SimOptions
    from loom_sim.kernel import cosimulate_kernels

    kernel, given = kernel_of(name)
    circuit, _ = example(name)
    inside = replace(circuit.netlist, name=f"{name}_inside")
    chosen = replace(EDGES[edge], flat=False)  # the harness takes a module a file
    files = {**circuit.emit(inside, chosen), "shim.sv": shim(name, inside, chosen)}
    texts = {path: text for path, text in files.items() if path.endswith(".sv")}
    deep(*INPUTS, texts=texts.values())
    kernels = [kernel, replace(kernel, files=texts)]
    first, second = cosimulate_kernels(kernels, [given, given], SimOptions())
    assert first.match and second.match, second.differences
    assert first.cycles == second.cycles


FAULTS: dict[str, tuple[str, Fault]] = {
    "a register is not held": ("fir", lambda text: text.replace(
        "  always_ff @(posedge clk_i) begin : data\n    if (clk_en_i)",
        "  always_ff @(posedge clk_i) begin : data\n    if (1'b1)")),
    "a RAM's word is read while the circuit stands still": ("fir", lambda text: re.sub(
        r"(assign taps_rd_en_o = \w+) & clk_en_i", r"\1", text)),
    "start is taken while the circuit stands still": ("fir", lambda text: re.sub(
        r"(assign start_ready_o = \w+) & clk_en_i", r"\1", text)),
    "a result is offered while the circuit stands still": ("gcd", lambda text: re.sub(
        r"(assign out0_valid_o = \w+) & clk_en_i", r"\1", text)),
}  # fmt: skip


@pytest.mark.sim
def test_enabled_cycles_are_those_of_a_clock_that_stands_still(tmp_path: Path, deep: Deep) -> None:
    """With the same tokens; and each planted fault is seen. One build."""
    texts, miters = [], []
    names = ("fir", "gcd", "bfs", "smooth_f16")
    for name in names:
        circuit, _ = example(name)
        netlist = circuit.netlist
        others: dict[str, Callable[[str], str]] = {f"en_{name}": str}
        own = [(k, fault) for k, (of, fault) in enumerate(FAULTS.values()) if of == name]
        others |= {f"fault{k}_{name}": fault for k, fault in own}
        texts.append(sources(netlist, f"own_{name}", Boundary(), emitter=circuit.emit))
        for prefix, fault in others.items():
            texts.append(sources(netlist, prefix, EDGE, fault, circuit.emit))
            same = sources(netlist, prefix, EDGE, lambda text: text, circuit.emit)
            assert fault is str or texts[-1] != same, prefix
        miters.append(Miter(netlist, list(others)))
    deep(*INPUTS, BENCH, texts=texts)
    file = tmp_path / "bench.sv"
    file.write_text("".join(texts) + bench(miters))
    lines = [line.split() for line in run_bench([str(file)], tmp_path).splitlines()]
    told = {each[0]: (int(each[1]), int(each[2])) for each in lines if len(each) == 3}
    for name in names:
        bad, activations = told[f"en_{name}"]
        assert bad == 0 and activations > 1, (name, bad, activations)
    for k, (fault_name, (name, _)) in enumerate(FAULTS.items()):
        assert told[f"fault{k}_{name}"][0] > 0, fault_name


def test_names_that_clash_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """EMIT_PORT_NAME, also of a net that the dynamic circuit has not; EMIT_NAME_TAKEN."""
    program = str(EXAMPLES / "gcd.mlir")
    for words, said in (
        (["--reset-name", "busy_q"], "found busy_q, which is a port or net of gcd too"),
        (["--clock-name", "rst_ni"], "found rst_ni, which is the clock's name too"),
    ):
        command = ["compile", "--style", "static", *words, program, "-o", str(tmp_path / "out")]
        assert main(command) == 2 and said in capsys.readouterr().err
        assert not (tmp_path / "out").exists()
    text = (EXAMPLES / "gcd.mlir").read_text().replace("@gcd", "@loom_error_latch")
    with pytest.raises(LoomError, match="EMIT_NAME_TAKEN"):
        static(text).files()
