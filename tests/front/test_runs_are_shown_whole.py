"""`loom model --json` has every argument before and after, as what the source says it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.front.cli import main

KERNEL = """\
#include <stdbool.h>
#pragma loom partition(banks, cyclic, 2)
bool f(unsigned char n, signed char s, bool yes, float x[2], unsigned short u[2], int banks[4],
       int unused[2][2], double d) {
  for (int i = 0; i < 4; i++) banks[i] -= 1;
  x[0] = (x[0] - x[0]) / (x[1] - x[1]);
  u[1] -= n;
  return !yes;
}
int main(void) {
  float x[2] = {1, 0.25f};
  unsigned short u[2] = {1, 2};
  int banks[4] = {1, 2, 3, 4}, unused[2][2] = {{5, 6}, {7, -8}};
  f(200, -100, false, x, u, banks, unused, 1.5);
  return 0;
}
"""
INPUTS = {
    "n": 200, "s": -100, "yes": 0, "x": [1.0, 0.25], "u": [1, 2], "banks": [1, 2, 3, 4],
    "unused": [5, 6, 7, -8], "d": 1.5,
}  # fmt: skip
MEMORIES = {"x": ["nan", 0.25], "u": [1, 65338], "banks": [0, 1, 2, 3], "unused": [5, 6, 7, -8]}


def runs_of(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    """The runs that the command prints."""
    assert main([*words, "--json"]) == 0
    found: list[dict[str, object]] = json.loads(capsys.readouterr().out)["runs"]
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    found = tmp_path / "k.c"
    found.write_text(KERNEL)
    return found


def require_whole(run: dict[str, object]) -> None:
    """The run has the inputs, results and memories of the kernel."""
    assert {name: run[name] for name in ("inputs", "results", "memories")} == {
        "inputs": INPUTS, "results": [1], "memories": MEMORIES,
    }  # fmt: skip


def test_every_argument_is_there_and_a_bundle_takes_them(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (run,) = runs_of(capsys, "model", str(file))
    require_whole(run)
    bundle = file.with_suffix(".json")
    bundle.write_text(json.dumps({"inputs": run["inputs"]}))
    assert runs_of(capsys, "model", str(file), "--inputs", str(bundle)) == [run]


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
@pytest.mark.parametrize("style", ["dynamic", "static"])
def test_rtl_shows_them_too(file: Path, capsys: pytest.CaptureFixture[str], style: str) -> None:
    if style == "static":  # which has no banks
        file.write_text(KERNEL.replace("#pragma loom partition(banks, cyclic, 2)", ""))
    (run,) = runs_of(capsys, "sim", str(file), "--style", style)
    require_whole(run)


def test_what_differs_is_shown_as_it_is(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wanted = {"results": [0], "memories": {"u": [1, 7], "x": [0.5, 0.25]}}
    bundle = file.with_suffix(".json")
    bundle.write_text(json.dumps({"inputs": INPUTS, "expected": wanted}))
    assert main(["model", str(file), "--inputs", str(bundle)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.removeprefix("  activation 0: ") for line in lines[-3:]] == [
        "result 0 is 1, the bundle expects 0",
        "memory u differs from the bundle in 1 words, first at 1: 65338, expected 7",
        "memory x differs from the bundle in 1 words, first at 0: nan, expected 0.5",
    ]


def test_the_budget_of_drawn_inputs_is_an_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.c"
    file.write_text("int f(int n) { for (int i = 0; i < 900; i++) n ^= n << 1; return n; }\n")
    assert main(["model", str(file), "--draw-budget", "1000"]) == 2
    told = capsys.readouterr().err
    assert "error[REF_BUDGET]: found a run of more than 1000 operations" in told
    assert "programs that end; a larger --draw-budget, or --inputs\n" in told
    assert main(["model", str(file), "--draw-budget", "4000"]) == 0
