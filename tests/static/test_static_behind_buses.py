"""Static circuits behind buses and in packages: the benches of dynamic ones, and their faults."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from loom_sim.suite import load
from loom_sim.systems import simulate_system

from loom.bus.wrap import Wrapped, wrap_circuit
from loom.front.cli import main
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from tests.bus import test_avalon, test_axi4lite, test_wishbone
from tests.bus.inputs import BUS_INPUTS
from tests.package.packaged import environment, run
from tests.package.test_cocotb_package import CYCLES, texts_of, without_loom
from tests.package.test_cocotb_package import INPUTS as PACKAGE_INPUTS
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.static.circuits import compile_static_request

HERE = Path(__file__).parent
FIR, MATVEC = EXAMPLES / "c" / "fir.c", EXAMPLES / "c" / "matvec.c"
MIX = Path(test_axi4lite.__file__).with_name("mix.c")
BENCHES = {
    "axi4lite": test_axi4lite.BENCH, "avalon": test_avalon.BENCH, "wishbone": test_wishbone.BENCH,
}  # fmt: skip


@cache
def compiled(program: Path) -> StaticCircuit:
    return compile_static_request(Request(program.read_text(), str(program)))


def wrapped(program: Path, bus: str = "axi4lite") -> Wrapped:
    """The static circuit of a program behind a bus."""
    circuit = compiled(program)
    return wrap_circuit(circuit.netlist, bus, circuit.signs, emitter=circuit.emit)


@pytest.mark.sim
@pytest.mark.parametrize("bus", BENCHES)
def test_every_register_keeps_its_promise(bus: str, deep: Deep) -> None:
    """mix under the whole bench of the bus: errors, resets, strobes, starts in a row."""
    made = wrapped(MIX, bus)
    deep(*BUS_INPUTS, texts=made.files.values())
    report = simulate_system(made, BENCHES[bus])
    assert report.good, (report.failed, report.assertions)


@pytest.mark.sim
@pytest.mark.parametrize(("program", "bench"), [
    (FIR, EXAMPLES / "systems" / "fir_on_axi4lite.py"),
    (MATVEC, HERE / "matvec_axi4lite_bench.py"),
])  # fmt: skip
def test_results_and_cycles_on_axi4lite(program: Path, bench: Path, deep: Deep) -> None:
    """Both are those of the machine; a word that comes from the wrong place is seen."""
    circuit, made = compiled(program), wrapped(program)
    deep(*BUS_INPUTS, "tests/static/matvec_axi4lite_bench.py", texts=made.files.values())
    beside = {"fir_on_axi4lite.py": (EXAMPLES / "systems" / "fir_on_axi4lite.py").read_text()}
    beside["fir_axi4lite.py"] = wrapped(FIR).files["fir_axi4lite.py"]
    report = simulate_system(made, bench, beside)
    assert report.good, (report.failed, report.output[-2000:])
    _, activations = load(program)
    (cycles,) = set(circuit.cycles(activations, 10_000))
    assert re.findall(r"took (\d+) cycles", report.output) == [str(cycles)]
    top = f"rtl/{circuit.netlist.name}.sv"
    wrong = re.sub(r"(assign \w+_wr_addr_o = )(\w+);", r"\1~\2;", made.files[top])
    assert wrong != made.files[top]
    faulty = replace(made, files={**made.files, top: wrong})
    assert simulate_system(faulty, bench, beside).failed


@pytest.mark.sim
@pytest.mark.parametrize("edge", [[], ["--clock-name", "clock", "--reset", "async,high"]])
def test_a_package_replays_its_activations(edge: list[str], tmp_path: Path, deep: Deep) -> None:
    """Without LOOM; a wrong word is reported."""
    pack = tmp_path / "pack"
    command = ["package", "cocotb", "--style", "static", str(FIR), *edge]
    assert main([*command, "-o", str(pack)]) == 0
    assert json.loads((pack / "manifest.json").read_text())["options"]["style"] == "static"
    deep(*PACKAGE_INPUTS, texts=texts_of(pack))
    known = without_loom(tmp_path / "bin", on_path=False)
    command = [sys.executable, str(pack / "run.py")]
    status, said = run(command, tmp_path, known)
    vectors = json.loads((pack / "vectors.json").read_text())
    assert status == 0 and said.count(CYCLES) == len(vectors["activations"]), said[-3000:]
    vectors["activations"][0]["memories_after"]["y"][2] ^= 1
    (pack / "vectors.json").write_text(json.dumps(vectors))
    status, said = run(command, tmp_path, known)
    assert status == 1 and "activation 0: memory y differs in 1 words, first at 2: " in said


@pytest.mark.sim
def test_yosys_takes_the_package_of_a_wrapper(tmp_path: Path, deep: Deep) -> None:
    pack = tmp_path / "pack"
    command = ["package", "yosys", "--style", "static", "--wrap", "axi4lite", str(FIR)]
    assert main([*command, "-o", str(pack)]) == 0
    deep(*PACKAGE_INPUTS, texts=texts_of(pack))
    known = environment(tmp_path / "bin")
    status, said = run(["yosys", "-q", "-s", "fir_axi4lite.ys"], pack, known)
    assert status == 0 and "ERROR" not in said, said[-2000:]


def test_the_period_of_the_schedule_is_that_of_the_constraints(tmp_path: Path) -> None:
    command = ["package", "vivado", "--style", "static", "--clock-period", "12.5", str(FIR)]
    assert main([*command, "-o", str(tmp_path)]) == 0
    assert "-period 12.5 " in (tmp_path / "fir.sdc").read_text()
    options = Options(clock_period=None)
    circuit = compile_static_request(Request(FIR.read_text(), str(FIR), options=options))
    assert circuit.netlist.clock_period is None


@pytest.mark.parametrize("words", [["axis"], ["axi4lite", "--stream", "x"]])
def test_streams_are_refused(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """STATIC_OPTION: which accesses are in order is proved of the dynamic circuit."""
    output = tmp_path / "out"
    assert (
        main(["wrap", words[0], "--style", "static", str(FIR), *words[1:], "-o", str(output)]) == 2
    )
    assert "fir.c:10:6: error[STATIC_OPTION]" in capsys.readouterr().err
    assert not output.exists()


def test_a_graph_has_no_static_schedule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", str(FIR), "-o", str(tmp_path / "fir.dfg.mlir")]) == 0
    command = ["wrap", "axi4lite", "--style", "static", str(tmp_path / "fir.dfg.mlir")]
    assert main([*command, "-o", str(tmp_path / "out")]) == 2
    assert "error[STATIC_OPTION]: found a graph with --style static" in capsys.readouterr().err
