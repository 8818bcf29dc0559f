"""``--style static`` of compile, lower and sim; what a static schedule does not have is refused."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from xdsl.dialects.builtin import IntegerAttr, i64

from loom.dialects.ops.staticlogic import PipelineOp
from loom.errors import LoomError
from loom.front.api import read_program
from loom.front.cli import main
from loom.front.request import Request
from loom.front.static_circuit import compile_static
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.lower.static.requested_ii import check_requested_ii
from loom.model.bundles.signature import random_activations, signature_of
from tests.support.folders import EXAMPLES

FIR = str(EXAMPLES / "fir.mlir")


def test_compile_writes_the_schedule_and_the_rtl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "--style", "static", FIR, "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"fir: a static schedule, 1 pipelined loop in {tmp_path}",
        "estimate for an ECP5: 88 LUT4, 211 FF, 3 MULT18, 0 DP16K, clock period 6.6 ns "
        "(Fmax 151 MHz)",
        f"{FIR}:8:3: II = 1, length 5 cycles",
    ]
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert written == [
        "fir.f", "fir.ports.json", "fir.ports.md", "fir.static.mlir", "rtl/fir.sv",
        "rtl/loom_error_latch.sv", "rtl/loom_muli.sv",
    ]  # fmt: skip
    assert main(["compile", "--style", "static", "--json", FIR, "-o", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    cost = found.pop("cost")
    assert (cost["lut4"], cost["clock_period"], cost["path"]) == (88, 6.61, [])
    assert found == {
        "kernel": "fir",
        "style": "static",
        "notes": [],
        "loops": [{"ii": 1, "length": 5}],
    }


ROWS_OF_SUMS = """int top(int val[48], unsigned char col[48], int x[16], int y[8]) {
  for (int i = 0; i < 8; i++) {
    int s = 0;
    %s
    for (int k = 6 * i; k < 6 * i + 5; k++) s += val[k] * x[col[k] & 15];
    y[i] = s;
  }
  int t = 0;
  for (int r = 0; r < 6; r++)
    for (int i = 0; i < 8; i++) { t += y[i]; y[i] = t; }
  return t;
}
"""


def test_what_compile_accepts_is_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A clock that the dynamic circuit has not."""
    file = tmp_path / "k.c"
    file.write_text(ROWS_OF_SUMS.replace("%s", ""))
    words = [str(file), "--clock-period", "7.5", "--style"]
    assert main(["compile", *words, "dynamic", "-o", str(tmp_path / "d")]) == 2
    assert "error[LOWER_CLOCK_PERIOD]" in capsys.readouterr().err
    assert main(["compile", *words, "static", "-o", str(tmp_path / "s")]) == 0
    assert main(["report", *words, "static"]) == 0
    assert "top: a static schedule" in capsys.readouterr().out


def test_static_loops_have_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "k.c"
    file.write_text(ROWS_OF_SUMS.replace("%s", "\n#pragma loom style(static)\n"))
    words = ["compile", str(file), "--style", "dynamic", "-o", str(tmp_path / "o")]
    assert main(words) == 0
    assert f"{file}:7:5: static, II = 1, length 6 cycles" in capsys.readouterr().out.splitlines()
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["static_loops"] == [{"line": 7, "column": 5, "ii": 1, "length": 6}]
    assert 7 not in [loop["line"] for loop in found["loops"]]


def test_a_clock_that_a_schedule_is_expected_to_miss_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["compile", "--style", "static", "--clock-period", "3", FIR, "-o", str(tmp_path)]
    assert main(words) == 0
    said = capsys.readouterr().err
    assert "note: the clock period is expected to be " in said
    assert " ns, not 3: a recurrence or a unit takes as long in the static schedule" in said
    words[4] = "8"
    assert main(words) == 0
    assert "expected" not in capsys.readouterr().err
    many_multipliers = str(EXAMPLES / "c" / "programs" / "bicg.c")
    assert main(["compile", "--style", "static", many_multipliers, "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert ", not 10: wires between RAMs, multipliers and logic take as long" in said


def test_two_runs_give_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        assert main(["compile", "--style", "static", FIR, "-o", str(tmp_path / folder)]) == 0
    for path in (tmp_path / "a").rglob("*.*"):
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()


def test_lower_prints_the_schedule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", "--style", "static", FIR]) == 0
    assert "staticlogic.pipeline" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--memory", "taps:channel,latency=4,outstanding=5"], "STATIC_OPTION"),
        (["--dsp", "1"], "LOWER_DSP"),
        (["--buffers", "optimal"], "STATIC_OPTION"),
    ],
)
def test_what_it_does_not_follow_is_refused(
    words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    assert main(["compile", "--style", "static", *words, FIR, "-o", str(output)]) == 2
    assert f"error[{code}]" in capsys.readouterr().err
    assert not output.exists()


def compiled(tmp_path: Path, text: str, *words: str) -> int:
    file = tmp_path / "k.mlir"
    file.write_text(text)
    return main(["compile", "--style", "static", *words, str(file), "-o", str(tmp_path / "out")])


def test_the_latency_of_an_operator_is_followed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / "fir.mlir").read_text()
    for words, length in ((["--latency", "muli=4"], 6), (["--clock-period", "20"], 3)):
        assert compiled(tmp_path, text, *words) == 0
        assert f"length {length} cycles" in capsys.readouterr().out


DIVISION = "func.func @f(%a: i32) -> i32 {\n  %x = arith.divsi %a, %a : i32\n  return %x : i32\n}"
CHANNEL = (
    (EXAMPLES / "fir.mlir")
    .read_text()
    .replace(
        "%taps: memref<100xi32>", '%taps: memref<100xi32> {loom.memory = "channel,outstanding=2"}'
    )
)


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (DIVISION, ["--divider", "iterative"], "2:3: error[STATIC_OPERATION]"),
        (CHANNEL, [], "2:1: error[STATIC_OPTION]: found taps with 2 requests outstanding, fewer"),
    ],
)
def test_what_the_program_says_is_not_ignored(
    text: str, words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compiled(tmp_path, text, *words) == 2
    assert said in capsys.readouterr().err


def test_a_requested_ii_is_checked_on_the_static_schedule() -> None:
    text = (EXAMPLES / "histogram.mlir").read_text()
    asked = text.replace("\n  }\n  return", "\n  } {loom.ii = 2 : i64}\n  return")
    assert asked != text
    source = read_program(Request(asked, "k.mlir"))
    module = compile_static(source, top=None, options=Options()).module
    check_requested_ii(source, module)
    (loop,) = (op for op in module.walk() if isinstance(op, PipelineOp))
    loop.properties["II"] = IntegerAttr(3, i64)
    with pytest.raises(LoomError, match=r"LOWER_II.*II = 3, where ii\(2\)"):
        check_requested_ii(source, module)


SORT = str(EXAMPLES / "c" / "bubble_sort.c")


def test_an_exact_schedule_is_shorter_and_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lengths = {"iterative": "II = 3, length 6 cycles", "exact": "II = 3, length 5 cycles"}
    for schedule, said in lengths.items():
        words = ["compile", "--style", "static", "--schedule", schedule, SORT]
        assert main([*words, "-o", str(tmp_path)]) == 0
        assert said in capsys.readouterr().out
    source = read_program(Request(Path(SORT).read_text(), SORT))
    circuit = compile_static(source, top=None, options=Options(schedule="exact"))
    signature = signature_of(top_function(source))
    assert list(circuit.differences(random_activations(signature, 1, 3), 100_000)) == []
    again = compile_static(source, top=None, options=Options(schedule="exact"))
    assert again.text == circuit.text


def test_an_exact_schedule_without_its_solver_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    output = str(tmp_path / "out")
    words = ["compile", "--style", "static", "--schedule", "exact", FIR, "-o", output]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "--schedule=exact: error[LOWER_NO_SOLVER]" in said and "extra `optimal`" in said


def test_a_dynamic_circuit_has_no_exact_schedule(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lower", "--schedule", "exact", FIR]) == 2
    said = "error[STATIC_OPTION]: found --schedule exact with a dynamic circuit"
    assert said in capsys.readouterr().err
