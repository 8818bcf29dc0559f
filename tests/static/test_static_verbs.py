"""``--style static`` of compile, lower and sim; what a static schedule does not have is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loom.front.cli import main
from tests.support.folders import EXAMPLES

FIR = str(EXAMPLES / "fir.mlir")


def test_compile_writes_the_schedule_and_the_rtl(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compile", "--style", "static", FIR, "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"fir: a static schedule, 1 pipelined loop in {tmp_path}",
        f"{FIR}:8:3: II = 1, length 4 cycles",
    ]
    written = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.*"))
    assert written == [
        "fir.f", "fir.ports.json", "fir.ports.md", "fir.static.mlir", "rtl/fir.sv",
        "rtl/loom_error_latch.sv", "rtl/loom_muli.sv",
    ]  # fmt: skip
    assert main(["compile", "--style", "static", "--json", FIR, "-o", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found == {"kernel": "fir", "style": "static", "loops": [{"ii": 1, "length": 4}]}


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
        (["--memory", "taps:channel,latency=4"], "STATIC_OPTION"),
        (["--partition", "taps:cyclic:2"], "STATIC_OPTION"),
        (["--clock-enable"], "STATIC_OPTION"),
    ],
)
def test_what_it_does_not_follow_is_refused(
    words: list[str], code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    assert main(["compile", "--style", "static", *words, FIR, "-o", str(output)]) == 2
    assert f"error[{code}]" in capsys.readouterr().err
    assert not output.exists()
