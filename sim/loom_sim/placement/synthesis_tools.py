"""Yosys and nextpnr as child processes with limits: what they did, or why they did not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from loom.errors import LoomError, Place
from loom.processes.child import Limits, run_child

SECONDS = 300.0
"""A call may take so long [s]."""
MEMORY = 12 << 30
"""Resident memory of a call [bytes]."""
TELLING = ("Trap:", "Caused by", "memory fault", "wasm trap", "ERROR", "Error", "error")


class ToolFailed(Exception):
    """A call ended badly; its text is one line for the file of costs."""


def run(program: str, arguments: list[str], folder: Path, seconds: float = SECONDS) -> None:
    """The program has done its work in `folder`.

    Refused: SIM_NO_SYNTHESIS where the tools are not installed. `ToolFailed` if it fails.
    """
    tool = find_tool(program)
    limits = Limits(time=seconds, memory=MEMORY)
    done = run_child([str(tool), *arguments], folder, os.environ, limits)
    if done.timed_out:
        raise ToolFailed(f"{program}: not done after {seconds:g} s")
    if done.ended == "memory":
        raise ToolFailed(f"{program}: more than {MEMORY >> 30} GiB of memory")
    if done.status:
        raise ToolFailed(f"{program}: {reason_of(done.output)}")


def find_tool(program: str) -> Path:
    """The program of this environment. Refused: SIM_NO_SYNTHESIS where it is not installed."""
    tool = Path(sys.executable).parent / program
    if not tool.exists():
        raise LoomError(
            "SIM_NO_SYNTHESIS", Place(program), f"no program {program}",
            "an installation with the extra `synth`: pip install 'loom-hls[synth]'",
        )  # fmt: skip
    return tool


def reason_of(output: str) -> str:
    """The last line that names an error, without the addresses that change from run to run."""
    lines = [line.strip() for line in output.splitlines() if any(t in line for t in TELLING)]
    if any("out of bounds memory access" in line for line in lines):
        return "the tool ran out of stack (WebAssembly trap: out of bounds memory access)"
    return lines[-1][:200] if lines else "no message"
