"""Without a period of the user's a static schedule has the one with the least time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.analysis.timing.machine_estimate import sum_machine
from loom.analysis.timing.targets import Distances
from loom.front import static_circuit
from loom.front.api import read_program
from loom.front.cli import main
from loom.front.request import Request
from loom.front.static_circuit import StaticCircuit
from loom.lower.options import Options
from loom.lower.static.trial import Trial
from tests.static.test_machines import MOST, example, static
from tests.support.folders import EXAMPLES

COLLATZ = EXAMPLES / "collatz.mlir"


def compile_text_statically(text: str, options: Options) -> StaticCircuit:
    """The static circuit of a program in C."""
    source = read_program(Request(text, "k.c", None, options))
    return static_circuit.compile_static(source, top=None, options=options)


def intervals(circuit: StaticCircuit) -> list[int]:
    """The II of each pipelined loop."""
    return [loop.ii for loop in circuit.pipelines]


def test_a_recurrence_that_fits_a_longer_period_has_it() -> None:
    circuit, given = example("collatz")
    usual = static(COLLATZ.read_text(), Options(clock_period=10.0))
    assert (intervals(usual), usual.clock_period, usual.notes) == ([2], 10.0, ())
    assert intervals(circuit) == [1]
    assert circuit.clock_period is not None and 10.0 < circuit.clock_period < 20.0
    cycles, others = (sum(each.cycles(given, MOST)) for each in (circuit, usual))
    assert cycles * circuit.clock_period < 0.9 * others * 10.0
    (note,) = circuit.notes
    assert "collatz.mlir" not in note and "k.mlir:7:3 has II = 1, at 10 ns it has 2" in note
    assert f"the clock period is {circuit.clock_period:g} ns" in note


@pytest.mark.parametrize("name", ("fir", "histogram", "dot_f32", "spmv"))
def test_what_no_period_makes_faster_has_the_default(name: str) -> None:
    circuit, _ = example(name)
    assert (circuit.clock_period, circuit.notes) == (10.0, ())


def test_the_period_is_that_of_the_ports_and_of_the_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", "--style", "static", str(COLLATZ), "-o", str(tmp_path / "one")]
    assert main(words) == 0
    assert "note: the clock period is 11 ns" in capsys.readouterr().err
    ports = json.loads((tmp_path / "one" / "collatz.ports.json").read_text())
    assert ports["clock_period"] == 11.0
    text = tmp_path / "one" / "collatz.static.mlir"
    assert "clock = 11.0" in text.read_text()
    assert main(["emit", str(text), "-o", str(tmp_path / "two")]) == 0
    again = json.loads((tmp_path / "two" / "collatz.ports.json").read_text())
    assert again == ports


def test_a_schedule_that_would_miss_its_clock_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    source = (EXAMPLES / "c" / "sobel.c").read_text()
    options = Options(style="static")
    circuit = compile_text_statically(source, options)
    monkeypatch.setattr(static_circuit, "TRIALS", 0)
    missing = compile_text_statically(source, options)
    assert circuit.estimate.period <= 10.0 < missing.estimate.period
    assert intervals(circuit) == intervals(missing)
    assert {loop.clock for loop in circuit.pipelines} == {circuit.clock_period} == {10.0}


FAR = """int f(int scale) { int s = 0, t[64];
for (int i = 0; i < 64; i++) t[i] = scale * (i + 3);
for (int i = 0; i < 64; i++) s = s * 31 + t[i]; return s; }"""


def test_far_rams_and_multipliers_are_next_to_registers() -> None:
    """No adder is in front of a far multiplier, and none behind a far RAM."""
    near = compile_text_statically(FAR, Options())
    far = static_circuit.schedule_circuit(
        near.dynamic.source, near.dynamic, Options(), Trial(Distances(3.0, 6.0))
    )
    assert intervals(near) == intervals(far) == [1, 1]
    depths = ([loop.depth for loop in circuit.pipelines] for circuit in (near, far))
    assert [after - before for before, after in zip(*depths, strict=True)] == [1, 1]
    sizes, paths = near.sizes_inside, []
    for circuit in (near, far):
        paths.append(sum_machine(circuit.fsmd, sizes, distances=Distances(3.0, 6.0)).path)
    assert paths[1] < paths[0] - 1.0


@pytest.mark.parametrize("trials", (0, 3))
def test_a_large_schedule_leaves_room_for_wires(
    trials: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_circuit, "TRIALS", trials)
    file = EXAMPLES / "c" / "programs" / "atax.c"
    source = read_program(Request(file.read_text(), str(file)))
    circuit = static_circuit.compile_static(source, top=None, options=Options(share="off"))
    assert circuit.estimate.distances.is_far
    assert (circuit.estimate.period <= 10.0) == (trials > 0)


def test_of_two_styles_the_note_is_that_of_the_one_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "checksum.mlir"
    words = ["compile", "--style", "auto", "--inputs", str(file.with_suffix(".json")), str(file)]
    assert main([*words, "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert "checksum: static: 88 cycles, " in said
    assert said.count("the clock period is") == 1 and "the clock period is 11 ns" in said


def test_a_report_has_the_note_of_its_circuit_alone(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["report", "--style", "static", str(COLLATZ), "--inputs"]
    assert main([*words, str(COLLATZ.with_suffix(".json"))]) == 0
    said = capsys.readouterr().err
    assert said.count("note:") == 1 and "the clock period is 11 ns" in said
