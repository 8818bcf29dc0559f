"""examples/extension: a pass, a dialect and cores of another package, as its README says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from loom.front.cli import main
from tests.extend.installed import EXAMPLE, example_installed
from tests.support.folders import ROOT

KERNEL = str(EXAMPLE / "distance.mlir")
PASS = "factor-squares@flatten-memrefs"


@pytest.fixture(autouse=True)
def package(tmp_path: Path) -> Iterator[None]:
    with example_installed(tmp_path / "site"):
        yield


def test_the_pass_saves_a_multiplier(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["compile", "--style", "dynamic", KERNEL, "-o", str(tmp_path / "out"), "--json"]
    assert main(command) == 0
    without = json.loads(capsys.readouterr().out)
    assert main([*command, "--trace", "--pass", PASS]) == 0
    found = json.loads(capsys.readouterr().out)
    cells = [each["cost"]["mult18x18d"] for each in (without, found)]
    assert cells == [2, 1]
    (row,) = [row for row in found["trace"] if row["pass"] == "factor-squares"]
    assert row["changes"] == {"arith.addi": 1, "arith.muli": -1}
    assert row["stage"] == "normalize" and row["before"] == row["after"]
    names = [row["pass"] for row in found["trace"]]
    assert names[names.index("factor-squares") - 1] == "flatten-memrefs"


def test_program_and_circuit_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["model", KERNEL, "--pass", PASS, "--activations", "3"]) == 0
    assert capsys.readouterr().out.endswith("distance: source and token model agree\n")


@pytest.mark.usefixtures("deep_on_sources")
@pytest.mark.sim
def test_program_and_rtl_agree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", KERNEL, "--pass", PASS]) == 0
    assert "source, token model and RTL agree" in capsys.readouterr().out


def test_xdsl_opt_sees_what_the_package_adds(tmp_path: Path) -> None:
    """As its users run it: the dialect is read, the pass has a name, `loom-lower` takes both."""
    program = "import sys; from xdsl.xdsl_opt_main import xDSLOptMain as Main; "
    program += "Main(args=sys.argv[1:]).run()"
    path = os.pathsep.join([str(tmp_path / "site"), str(EXAMPLE), str(ROOT), str(ROOT / "sim")])
    found = {}
    for passes in ("loom-factor-squares", "loom-lower"):
        done = subprocess.run(
            [sys.executable, "-c", program, "-p", passes, KERNEL],
            env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found[passes] = done.stdout
    assert "sat.addui" in found["loom-factor-squares"] and "muli" in found["loom-factor-squares"]
    assert found["loom-factor-squares"].count("arith.muli") == 1
    assert "handshake.func" in found["loom-lower"] and "sat." not in found["loom-lower"]


def test_a_wrong_pass_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: the sum of the roots is a sum of the difference and a root."""
    import loom_arithmetic.factor_squares as module

    text = (EXAMPLE / "loom_arithmetic" / "factor_squares.py").read_text()
    wrong: dict[str, object] = {"__name__": "wrong"}
    exec(text.replace("arith.AddiOp(left, right)", "arith.AddiOp(left, left)"), wrong)
    monkeypatch.setattr(module, "factor_squares", wrong["factor_squares"])
    (tmp_path / "b.json").write_text(json.dumps({"inputs": {"x": [3] * 16, "y": [2] * 16}}))
    assert main(["model", KERNEL, "--pass", PASS, "--inputs", str(tmp_path / "b.json")]) == 1
    assert "differ" in capsys.readouterr().out


def test_the_dialect_means_what_its_package_makes_of_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inputs = {"x": [3, 200] + [0] * 14, "y": [2, 0] + [0] * 14}
    for x, total in ((200, 40005), (255, 65030), (260, 65535 & 2069)):
        values = {**inputs, "x": [3, x] + [0] * 14}
        (tmp_path / "b.json").write_text(json.dumps({"inputs": values}))
        assert main(["model", KERNEL, "--inputs", str(tmp_path / "b.json"), "--json"]) == 0
        (run,) = json.loads(capsys.readouterr().out)["runs"]
        assert run["results"][0] % (1 << 16) == total
    high = {"x": [255, 30] + [0] * 14, "y": [0] * 16}
    (tmp_path / "b.json").write_text(json.dumps({"inputs": high}))
    assert main(["model", KERNEL, "--inputs", str(tmp_path / "b.json"), "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["results"][0] % (1 << 16) == 65535


def test_cores_have_a_name(tmp_path: Path) -> None:
    kernel = tmp_path / "e.mlir"
    kernel.write_text("func.func @e(%a: bf16) -> bf16 {\n  %r = math.exp %a : bf16\n"
                      "  return %r : bf16\n}\n")  # fmt: skip
    out, netlist = ["-o", str(tmp_path / "out")], tmp_path / "out" / "e.netlist.json"
    for cores, is_unit in (([], False), (["--cores", "exponentials"], True)):
        assert main(["compile", "--style", "dynamic", str(kernel), *out, *cores]) == 0
        assert ('"math.exp"' in netlist.read_text()) == is_unit
    assert main(["compile", str(kernel), *out, "--cores", "exponential"]) == 2


def test_the_doctor_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["additions"]
    ours = [each for each in found if each["package"] == "loom-arithmetic"]
    assert {each["name"] for each in ours} == {"factor-squares", "sat", "exponentials"}
    assert [each["problem"] for each in ours] == [None] * 3
