"""The tool that starts a Slurm says where it cannot, and why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tools.cluster import slurm
from tools.cluster.__main__ import main


def test_it_says_that_it_is_skipped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(slurm, "PROGRAMS", ("no-such-daemon",))
    assert main() == 0
    assert capsys.readouterr().out == (
        "skipped: a regression on a real Slurm: no program no-such-daemon "
        "(apt-get install slurm-wlm munge)\n"
    )
    monkeypatch.setattr(slurm, "PROGRAMS", ("sh",))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert slurm.reason_not_to_run() == "slurmd needs root"


def test_a_daemon_ends_with_its_block(tmp_path: Path) -> None:
    program = "import time; print('up', flush=True); time.sleep(600)"
    with slurm.daemon(tmp_path, os.environ, sys.executable, "-c", program):
        log = next(tmp_path.iterdir())
        slurm.wait_for(tmp_path, os.environ, ["cat", str(log)], "up\n")
        (number,) = subprocess.check_output(
            ["pgrep", "-P", str(os.getpid()), "-f", "time.sleep.600"], text=True
        ).split()
    assert not Path(f"/proc/{number}").exists()


def test_a_node_that_is_not_ready_is_told_with_its_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "PATIENCE", 0.0)
    (tmp_path / "slurmd.out").write_text("fatal: no memory")
    with pytest.raises(RuntimeError, match=r"no answer to false\n.*\nfatal: no memory"):
        slurm.wait_for(tmp_path, os.environ, ["false"], "")
