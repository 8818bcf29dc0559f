"""What `loom sim` refuses ends with status 2 and one line, what differs with status 1."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.front.cli import main

pytestmark = pytest.mark.sim

LOAD = """\
func.func @f(%i: index, %a: memref<4xi8>) -> i8 {
  %0 = memref.load %a[%i] : memref<4xi8>
  return %0 : i8
}
"""
GOOD = '{"inputs": {"i": 3, "a": [1, 2, 3, 4]}}'
REFUSED = {
    "no JSON": ("{", "k.json:1:2: error[BUNDLE_SYNTAX]"),
    "a wrong name": ('{"inputs": {"n": 1}}', "k.json:1:13: error[BUNDLE_NAME]"),
    "an index too large": (GOOD.replace("3,", "4,", 1), "k.mlir:2:3: error[REF_OUT_OF_BOUNDS]"),
}
CUT_OFF = (
    "f: error[SIM_CYCLES]: found activation 0, which has not ended after 3 cycles; 2 are predicted "
    "without stalls; still moving: what waits for the outside; LOOM accepts a --max-cycles in "
    "which activations end\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.mlir").write_text(LOAD)
    return tmp_path


@pytest.mark.parametrize("name", REFUSED)
def test_a_bad_bundle_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    bundle, text = REFUSED[name]
    (folder / "k.json").write_text(bundle)
    assert main(["sim", "k.mlir", "--inputs", "k.json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(text) and err.count("\n") == 1


@pytest.mark.usefixtures("deep_on_sources")
def test_more_cycles_than_allowed_are_no_mismatch(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program ends in time; the circuit, whose sources and sinks pause, does not."""
    (folder / "k.json").write_text(GOOD)
    arguments = ["sim", "--style", "dynamic", "k.mlir", "--inputs", "k.json"]
    arguments += ["--stalls", "0.9", "--max-cycles"]
    assert main([*arguments, "3"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err == CUT_OFF  # SIM_CYCLES
    assert main([*arguments, "1000"]) == 0
