"""`loom report --style static`: what bounds the II, and figures that are the schedule's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from loom_sim.placement.place_circuit import Placed

from loom.analysis.modulo.limits import find_limit
from loom.analysis.modulo.problem import Dependence, Operation, Problem
from loom.analysis.timing.unit_costs import Area
from loom.errors import Place
from loom.front.cli import main
from loom.front.static_report import describe
from tests.static.test_machines import MOST, NAMES, example
from tests.support.folders import EXAMPLES

PLACES = [Place("k.mlir", line, 1) for line in (5, 7, 9)]


def problem(*dependences: Dependence, resources: tuple[str, ...] = ("", "", "")) -> Problem:
    """Three operations behind the issue."""
    operations = [
        Operation("issue"),
        *(Operation("x", 1, resources=(each,) * bool(each)) for each in resources),
    ]
    return Problem(operations, dependences)


def test_a_port_or_a_recurrence_or_nothing_bounds() -> None:
    assert str(find_limit(problem(), PLACES)) == "nothing: an iteration a cycle"
    port = ("read port of a", "read port of a", "")
    by_port = find_limit(problem(resources=port), PLACES)
    assert str(by_port) == "the read port of a: 2 accesses an iteration" and by_port.mii == 2
    cycle = Dependence(3, 2, 2), Dependence(2, 3, 1, 1)
    by_cycle = find_limit(problem(*cycle, resources=port), PLACES)
    assert (by_cycle.mii, by_cycle.lines, by_cycle.kind) == (3, [7, 9], "recurrence")
    equal = Dependence(3, 2, 1), Dependence(2, 3, 1, 1)
    assert find_limit(problem(*equal, resources=port), PLACES).kind == "resource"


@pytest.mark.parametrize("name", NAMES)
def test_no_loop_is_below_its_bound(name: str) -> None:
    circuit, given = example(name)
    found = describe(circuit, circuit.cycles(given, MOST))
    assert len(found["loops"]) == sum(1 for _ in circuit.pipelines)
    for loop in found["loops"]:
        assert loop["ii"] >= loop["mii"] >= 1
        assert (loop["kind"] == "none") == (loop["mii"] == 1)
    if found["schedule_bound"] is not None:
        assert min(found["cycles"]) >= found["schedule_bound"]


WANTED = {
    "histogram": (2, "a recurrence through lines 10, 11, 12", 129),
    "window": (12, "the read port of image: 12 accesses an iteration", 483),
    "fir": (1, "nothing: an iteration a cycle", 104),
    "dot_f32": (5, "a recurrence through line 11", 166),
}
OPTIONS = {"histogram": ("--memory-order", "tokens")}


@pytest.mark.parametrize("name", WANTED)
def test_what_bounds_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    file, mii, limit, bound = EXAMPLES / f"{name}.mlir", *WANTED[name]
    command = ["report", "--style", "static", str(file), "--inputs", str(file.with_suffix(".json"))]
    command += OPTIONS.get(name, ())
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (loop,) = found["loops"]
    assert (loop["mii"], loop["limited_by"], found["schedule_bound"]) == (mii, limit, bound)
    assert loop["cycles"] == bound and found["differences"] == []
    assert main(command) == 0
    text = capsys.readouterr().out
    assert f"II = {mii}, MII = {mii}, length {loop['length']} cycles" in text
    assert f"  II is bounded by {limit}" in text
    assert f"{found['cycles'][0]} cycles predicted; bound of the schedule {bound}: " in text


def test_units_registers_and_ports_are_those_of_the_machine() -> None:
    circuit, given = example("dot_f32")
    found = describe(circuit, circuit.cycles(given, MOST))
    assert found["units"] == {"arith.addf": 1, "arith.mulf": 1}
    assert found["registers"] == len(circuit.fsmd.registers)
    assert found["memories"] == [
        {"name": "a", "read_ports": 1, "read_latency": 1, "written": False},
        {"name": "b", "read_ports": 1, "read_latency": 1, "written": False},
    ]


def test_the_report_is_of_the_style_of_the_circuit(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`auto` chooses on a bundle or drawn inputs, and says why; a function may say its style."""
    fir = EXAMPLES / "fir.mlir"
    assert main(["report", "--style", "auto", str(fir), "--json"]) == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert found["style"] == "static" and said.err.startswith("fir: static: 210 cycles, ")
    assert f"fir: static: {found['reason']}\n" == said.err
    own = tmp_path / "own.mlir"
    text = fir.read_text().replace("-> i32 {", '-> i32 attributes {loom.style = "static"} {', 1)
    own.write_text(text)
    assert main(["report", str(own)]) == 0
    assert "fir: a static schedule, 105 cycles" in capsys.readouterr().out


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_where_auto_takes_the_dynamic_circuit_it_is_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = EXAMPLES / "crc32.mlir"
    words = ["report", "--style", "auto", str(file), "--inputs", str(file.with_suffix(".json"))]
    assert main(words) == 0
    said = capsys.readouterr()
    reason = "a static schedule takes 84 cycles where the dynamic circuit takes 62"
    assert said.err.splitlines()[-1] == f"crc32: dynamic: {reason}"
    assert said.out.startswith("crc32: 62 cycles in 3 activations")


def test_a_refused_report_writes_no_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = EXAMPLES / "gcd.mlir"
    page = tmp_path / "page.html"
    words = ["report", "--style", "static", str(file), "--html", str(page)]
    assert main([*words, "--max-cycles", "3"]) == 2
    assert "error[MODEL_LIMIT]" in capsys.readouterr().err
    assert not page.exists()


def test_a_schedule_is_placed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The texts that `compile` writes, all of them, under the name of the circuit."""
    seen: list[tuple[int, str]] = []

    def place(texts: Sequence[str], top: str) -> Placed:
        seen.append((len(texts), top))
        return Placed(Area(98, 147, 3, 0), 5.0)

    monkeypatch.setattr("loom_sim.placement.place_circuit.place_verilog", place)
    words = ["report", "--style", "static", str(EXAMPLES / "fir.mlir"), "--place"]
    assert main(words) == 0
    placed = "98 LUT4, 147 FF, 3 MULT18, 0 DP16K, clock period 5 ns (Fmax 200 MHz); 0.53 us in all"
    assert f"placed on an ECP5: {placed}" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["placed"]["period"] == 5.0
    assert seen == [(3, "fir")] * 2
