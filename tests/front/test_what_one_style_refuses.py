"""`--style auto` takes what one style refuses and the other has; a program is refused by both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.front.cli import main
from loom.front.request import Request
from loom.front.styles.choose import compile_in_style
from loom.lower.options import Options
from tests.front.test_chosen_orders import BEHIND_CHANNELS, TWO_UPDATES
from tests.static.test_static_verbs import ROWS_OF_SUMS

SHORT = ROWS_OF_SUMS.replace("%s", "")
SEARCH = """int top(int a[64], int key, int n) {
  int i = 0;
#pragma loom ii(1)
  while (i < n && a[i & 63] != key) i++;
  return i;
}
"""
"""A static schedule loads ahead."""
PRODUCTS = """int top(int a[16], int x, int y) {
  int s = x * y;
  for (int i = 0; i < 16; i++) a[i] = a[i] * s;
  return s;
}
"""

ROWS = {
    "a clock": (SHORT, ["--clock-period", "7.5"], "LOWER_CLOCK_PERIOD, k.c:1:5: a path of 7.50 ns"),
    "the clock of another target": (
        SHORT, ["--target", "xc7", "--clock-period", "4.2"],
        "LOWER_CLOCK_PERIOD, k.c:1:5: a path of 4.28 ns",
    ),
    "an II": (SEARCH, ["--clock-period", "10"], "LOWER_II, k.c:4:3: a loop with II = 3"),
}  # fmt: skip
"""Texts, options, and why there is no dynamic circuit."""


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """The exit status of a command, and what it prints on both streams."""
    status = main([*words])
    said = capsys.readouterr()
    return status, said.out, said.err


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "words", "why"), ROWS.values(), ids=ROWS)
def test_what_the_dynamic_circuit_has_not_is_static(
    text: str, words: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("k.c").write_text(text)
    words = ["k.c", *words]
    assert run(capsys, "compile", *words, "--style", "dynamic", "-o", "d")[0] == 2
    assert run(capsys, "compile", *words, "--style", "static", "-o", "s")[0] == 0
    status, said, choice = run(capsys, "compile", *words, "-o", "a")
    assert status == 0 and "top: a static schedule" in said
    assert choice.startswith(f"top: static: no dynamic circuit: {why}")
    assert json.loads(Path("a/top.style.json").read_text())["style"] == "static"
    for file in Path("s").rglob("*.*"):
        assert file.read_text() == Path("a", file.relative_to("s")).read_text()


def test_other_verbs_take_the_static_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("k.c").write_text(SHORT)
    words = ["k.c", "--clock-period", "7.5"]
    status, said, choice = run(capsys, "report", *words)
    assert status == 0 and "top: a static schedule" in said
    assert choice.startswith("top: static: no dynamic circuit: LOWER_CLOCK_PERIOD, k.c:1:5: ")
    status, said, told = run(capsys, "lower", *words, "--style", "auto", "--trace")
    assert status == 0 and "staticlogic.pipeline" in said and choice.splitlines()[0] in told
    status, said, told = run(capsys, "regress", "--model-only", "--cache", "c", *words)
    assert status == 0 and "1 of 1 kernels as expected" in said


@pytest.mark.parametrize(
    ("text", "words", "code"),
    [
        (PRODUCTS, ["--dsp", "1"], "LOWER_DSP"),
        (SHORT, ["--clock-period", "7.5", "--lean", "off"], "LOWER_CLOCK_PERIOD"),
        (SHORT, ["--clock-period", "7.5", "--partition", "z:complete"], "LOWER_ARRAY"),
        (SHORT, ["--clock-period", "0.001"], "LOWER_CLOCK_PERIOD"),
    ],
    ids=["by both", "options of dynamic circuits", "by the ports", "a clock that both miss"],
)
def test_what_both_refuse_is_refused(
    text: str, words: list[str], code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("k.c").write_text(text)
    status, _, found = run(capsys, "compile", "k.c", *words, "-o", "o")
    told = run(capsys, "compile", "k.c", *words, "--style", "dynamic", "-o", "o")
    assert (status, found) == (2, told[2]) and f"error[{code}]" in found
    assert not Path("o").exists()


def test_orders_that_have_not_the_requested_ii_are_no_refusal() -> None:
    text = TWO_UPDATES.replace("  for", "#pragma loom ii(2)\n  for")
    found = compile_in_style(Request(text, "k.c", options=Options(memories=BEHIND_CHANNELS)))
    assert found.style == "dynamic" and found.dynamic.loops[0].ii <= 2
