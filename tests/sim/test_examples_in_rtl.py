"""Every example matches in source, token model and RTL; `loom sim` says so as its users need it.

With the default options in every run of the tests, with guarded loops if a circuit changed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import pytest
from loom_sim.jobs import SimOptions
from loom_sim.kernel import Kernel, cosimulate_kernels
from loom_sim.suite import main as suite

from loom.front.cli import main
from loom.frontend.functions import top_function
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.bundle import read_bundle
from loom.model.bundles.signature import signature_of
from tests.support.compiled import compile_example
from tests.support.deep import Deep
from tests.support.folders import EXAMPLES
from tests.support.kernels_in_rtl import RTL_INPUTS, describe_runs

pytestmark = [pytest.mark.sim, pytest.mark.from_sources]
FOLDER = EXAMPLES
FILES = sorted(FOLDER.glob("*.mlir"))


def kernel_of(file: Path, options: Options) -> tuple[Kernel, list[Activation]]:
    """The kernel, and at least three activations of its bundle."""
    circuit = compile_example(file, options)
    signature = signature_of(top_function(circuit.source, circuit.top))
    bundle = file.with_suffix(".json")
    runs = read_bundle(bundle.read_text(encoding="utf-8"), bundle.name, signature)
    kernel = Kernel(circuit.source, circuit.top, circuit.netlist, circuit.files())
    return kernel, list(islice(cycle(runs), max(3, len(runs))))


@pytest.mark.usefixtures("deep_on_sources")
def test_examples_match() -> None:
    match_in_rtl([kernel_of(file, Options()) for file in FILES])


def test_guarded_examples_match(deep: Deep) -> None:
    loaded = [kernel_of(file, Options(zero_trip="guard")) for file in FILES]
    deep(*RTL_INPUTS, texts=describe_runs(loaded))
    match_in_rtl(loaded)


def match_in_rtl(loaded: Sequence[tuple[Kernel, list[Activation]]]) -> None:
    """All match under stalls, and take the cycles that are predicted without."""
    kernels, given = [k for k, _ in loaded], [a for _, a in loaded]
    for stalls, seed in ((0.0, 1), (0.3, 2), (0.6, 3)):
        reports = cosimulate_kernels(kernels, given, SimOptions(stalls=stalls, seed=seed))
        wrong = {r.kernel.top: r.differences[:3] for r in reports if not r.match}
        assert not wrong, f"stalls {stalls}"
        assert all(run.residual == () for r in reports for run in r.rtl.runs)
        if not stalls:
            cycles = {r.kernel.top: [run.cycles for run in r.rtl.runs] for r in reports}
            assert cycles == {r.kernel.top: r.predicted for r in reports}


def simulated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(["sim", "--style", "dynamic", *arguments])
    out, err = capsys.readouterr()
    return status, out, err


def test_json_is_what_scripts_read(capsys: pytest.CaptureFixture[str]) -> None:
    file, bundle = str(FOLDER / "triangle.mlir"), str(FOLDER / "triangle.json")
    status, out, _ = simulated(capsys, file, "--inputs", bundle, "--stalls", "0.3", "--json")
    found: dict[str, Any] = json.loads(out)
    assert status == 0
    assert set(found) == {
        *("kernel", "match", "differences", "residual_tokens", "deadlock", "bound", "tokens"),
        "runs",
    }
    assert found["match"] is True and found["deadlock"] is None and found["residual_tokens"] == 0
    expected = json.loads(Path(bundle).read_text())
    assert [run["results"] for run in found["runs"]] == [
        row["expected"]["results"] for row in expected
    ]
    assert [run["memories"] for run in found["runs"]] == [
        row["expected"]["memories"] for row in expected
    ]
    assert all(run["cycles"] >= run["bound"] >= found["bound"] for run in found["runs"])
    assert all(run["cycles"] >= run["predicted"] > 0 for run in found["runs"])
    assert all(count["expected"] == count["seen"] for count in found["tokens"].values())


def test_a_wrong_expectation_is_a_mismatch(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bundle = tmp_path / "wrong.json"
    bundle.write_text('{"inputs": {"a": 1071, "b": 462}, "expected": {"results": [22]}}')
    status, out, _ = simulated(capsys, str(FOLDER / "gcd.mlir"), "--inputs", str(bundle))
    assert status == 1
    assert "activation 0: result 0 is 21, the bundle expects 22\n" in out


def test_random_inputs_are_drawn_without_a_bundle(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = simulated(capsys, str(FOLDER / "gcd.mlir"), "--activations", "3")
    assert status == 0 and "agree on 3 activations" in out


def test_a_run_that_does_not_end_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    bundle = tmp_path / "long.json"
    bundle.write_text('{"inputs": {"a": 1, "b": 100000000}}')
    arguments = ("--inputs", str(bundle), "--max-cycles", "1000")
    status, out, err = simulated(capsys, str(FOLDER / "gcd.mlir"), *arguments)
    assert (status, out) == (2, "")
    assert "error[REF_BUDGET]" in err and "--max-cycles" in err


def test_a_wave_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    wave = tmp_path / "gcd.fst"
    status, _, _ = simulated(capsys, str(FOLDER / "gcd.mlir"), "--wave", str(wave))
    assert status == 0
    # An FST file begins with a header block: type 0, 329 bytes long.
    data = wave.read_bytes()
    assert data[:9] == bytes([0]) + (329).to_bytes(8, "big")
    # Names stand in it as they are, with a range behind a space.
    layout = (tmp_path / "gcd.fst.gtkw").read_text().splitlines()
    traces = [line.rpartition(".")[2] for line in layout if line.startswith("loom_harness.")]
    assert len(traces) > 50 and "no_such_channel_valid" not in traces
    commands = (tmp_path / "gcd.fst.sucl").read_text().splitlines()
    added = [line for line in commands if line.startswith("variable_add ")]
    assert [line.rpartition(".")[2] for line in added] == [t.partition("[")[0] for t in traces]
    for trace in ("no_such_channel_valid", *traces):
        known = trace.replace("[", " [").encode() + bytes([0]) in data
        assert known == (trace != "no_such_channel_valid"), trace


def test_the_suite_prints_a_line_a_kernel(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name in ("add.mlir", "add.json", "gcd.mlir", "gcd.json"):
        (tmp_path / name).write_bytes((FOLDER / name).read_bytes())
    assert suite([str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "results, memories, tokens" in out and "2 of 2 kernels match" in out
    (tmp_path / "gcd.json").write_text(
        '{"inputs": {"a": 1071, "b": 462}, "expected": {"results": [1]}}'
    )
    assert suite([str(tmp_path)]) == 1
