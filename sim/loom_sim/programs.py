"""The programs a co-simulation needs: Verilator, a C++ compiler, cocotb."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from loom.errors import LoomError, Place


@dataclass(frozen=True)
class Programs:
    """Paths of the programs, and a text that changes when any of them does."""

    verilator: Path
    verilator_root: Path
    compiler: str
    cocotb_main: Path
    cocotb_libraries: Path
    identity: str


@cache
def find_programs() -> Programs:
    """Verilator and cocotb of this Python's packages, and the C++ compiler on PATH.

    Refused: SIM_NO_SIMULATOR without Verilator or cocotb, SIM_NO_COMPILER without a C++ compiler.
    """
    root = _package("verilator")
    verilator = root / "bin" / "verilator_bin" if root else None
    if verilator is None or root is None or not verilator.is_file():
        raise _no_simulator("no Verilator beside this Python")
    if _package("cocotb") is None or _package("cocotb_bus") is None:
        raise _no_simulator("no cocotb or no cocotb-bus in this Python")
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        raise LoomError(
            "SIM_NO_COMPILER",
            Place("PATH"),
            "no C++ compiler",
            "a machine with g++ or clang++ on PATH; co-simulation compiles the circuit to C++",
        )
    import cocotb_tools.config

    versions = [_first_line([str(verilator), "--version"]), _first_line([compiler, "--version"])]
    stamp = verilator.stat()
    versions += [sys.version, f"{stamp.st_size} {stamp.st_mtime_ns}"]
    versions += [str(cocotb_tools.config.libs_dir), version("cocotb")]
    return Programs(
        verilator,
        root,
        compiler,
        Path(cocotb_tools.config.share_dir) / "lib" / "verilator" / "verilator.cpp",
        Path(cocotb_tools.config.libs_dir),
        "\n".join(versions),
    )


def _package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))


def _first_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except OSError as error:
        raise _no_simulator(f"{command[0]} does not start ({error.strerror})") from error
    return done.stdout.partition("\n")[0]


def _no_simulator(what: str) -> LoomError:
    return LoomError(
        "SIM_NO_SIMULATOR",
        Place(sys.executable),
        what,
        "an installation with the sim extra: pip install 'loom-hls[sim]'",
    )
