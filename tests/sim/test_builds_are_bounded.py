"""Builds of simulators, and suites: bounded, and gone when they are to be."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from loom_sim import build
from loom_sim.build import Builder
from loom_sim.programs import Programs

from loom.processes.guard import list_descendants
from tests.processes.test_children_end_with_us import is_gone, read_number
from tests.support.folders import ROOT
from tests.support.refusals import refusal

NOWHERE = Path("/no/such")
PROGRAMS = Programs(NOWHERE, NOWHERE, "no-compiler", NOWHERE, NOWHERE, "none")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has these means")


@LINUX
def test_a_build_that_takes_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MEMORY", 1 << 30)
    python = [sys.executable, "-S", "-c"]
    fine = [*python, "x = b'x' * 1000"]
    Builder(PROGRAMS, tmp_path, 100.0)._run([fine, fine], tmp_path)
    long = [*python, "import time; time.sleep(300)"]
    text = refusal(Builder(PROGRAMS, tmp_path, 0.5)._run, [fine, long], tmp_path)
    assert "error[SIM_BUILD]: found a build that took too long" in text
    monkeypatch.setattr(build, "MEMORY", 100 << 20)
    large = [*python, "import time; x = b'x' * (200 << 20); time.sleep(300)"]
    text = refusal(Builder(PROGRAMS, tmp_path, 100.0)._run, [fine, large], tmp_path)
    assert "error[SIM_BUILD]: found a build that took more than 0 GiB of memory" in text


MAIN = """
#include <stdio.h>
#include <unistd.h>
int f(int a) {{ return a; }}
int main(void) {{
  FILE *number = fopen("{0}.new", "w");
  f(1);
  fprintf(number, "%d", getpid());
  fclose(number);
  rename("{0}.new", "{0}");
  sleep(300);
}}
"""


@LINUX
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM], ids=lambda s: s.name)
def test_no_worker_of_a_regression_outlives_it(ending: signal.Signals, tmp_path: Path) -> None:
    kernels = tmp_path / "kernels"
    kernels.mkdir()
    for name in ("one", "two"):
        (kernels / f"{name}.c").write_text(MAIN.format(tmp_path / f"number_{name}"))
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'sim'}", "TMPDIR": str(tmp_path)}
    suite = subprocess.Popen(
        [sys.executable, "-m", "loom", "regress", str(kernels), "-j", "2",
         "--cache", str(tmp_path / "rows")],
        env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        programs = [read_number(tmp_path / f"number_{name}") for name in ("one", "two")]
        below = list_descendants(suite.pid)
        assert set(programs) <= set(below)
        suite.send_signal(ending)
        suite.wait(timeout=100)
    finally:
        suite.kill()
        suite.wait()
    assert [number for number in below if not is_gone(number)] == []
