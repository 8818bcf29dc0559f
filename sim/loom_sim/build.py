"""From a design to a simulator in the cache; Verilator's runtime is compiled once."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loom.errors import LoomError, Place
from loom.processes.child import Finished, Limits, run_children
from loom_sim.cache import key_of, made_once, prune
from loom_sim.design import Design
from loom_sim.harness import TOP
from loom_sim.programs import Programs

EXECUTABLE = "simulator"
PREFIX = "Vtop"
SPLIT = 20000
"""Size from which a C++ file is split, so that all cores compile [Verilator's measure]."""
SPLIT_FROM = 300
"""Designs of fewer units are not split: each piece costs a start of the compiler [units]."""
LOG_LINES = 12
MEMORY = 8 << 30
"""Resident memory of Verilator, or of one call of the C++ compiler [bytes]."""
FILE = 4 << 30
"""The largest file of a build [bytes]."""

RUNTIME = ("verilated", "verilated_dpi", "verilated_vpi", "verilated_threads")
WAVE_RUNTIME = ("verilated_fst_c",)
HARNESS = Path(__file__).parent / "harness"
STORED = HARNESS / "stored"
"""Headers that stand for zlib and LZ4 in the wave writer, so that no library is needed."""
GUARD = HARNESS / "end_with_parent.cpp"
RUNTIME_FLAGS = ("-Os",)
# A function of the model longer than 500 statements is cut: g++ takes more than linear time.
VERILATOR_FLAGS = (
    "--cc", "-Wall", "--vpi", "--assert", "--no-timing", "-DSIMULATION=1",
    "--x-initial", "unique", "--output-split-cfuncs", "500",
    "--top-module", TOP, "--prefix", PREFIX,
)  # fmt: skip
HEADER = """\
#include "verilated.h"
#include "verilated_vpi.h"
#include "verilated_syms.h"
#include "verilated_dpi.h"
#include "verilated_funcs.h"
"""


@dataclass(frozen=True)
class Variant:
    """What can differ between two builds of one design."""

    wave: bool
    fast: bool

    @property
    def optimisation(self) -> str:
        """The C++ compiler's level for the design."""
        return "-O1" if self.fast else "-O0"

    def compiler_flags(self, programs: Programs) -> list[str]:
        """Flags that runtime, header and design share."""
        include = programs.verilator_root / "include"
        wave = int(self.wave)
        return [
            "-std=c++20", "-fPIC", "-w", *([f"-I{STORED}"] if self.wave else []),
            f"-I{include}", f"-I{include / 'vltstd'}",
            "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0",
            f"-DVM_TRACE={wave}", f"-DVM_TRACE_FST={wave}", "-DVM_TRACE_VCD=0",
            "-DVM_TRACE_SAIF=0",
        ]  # fmt: skip


@dataclass(frozen=True)
class Builder:
    """Builds into one cache with one set of programs, each step within `timeout` [s]."""

    programs: Programs
    cache: Path
    timeout: float | None = None

    def simulator(self, design: Design, variant: Variant) -> Path:
        """The executable that simulates `design`.

        Refused: SIM_BUILD with the first lines of the tool's log.
        """
        parts = [self.programs.identity, repr(variant), repr(VERILATOR_FLAGS), HEADER]
        parts.append(GUARD.read_text())
        for name, text in [*design.circuits.items(), *design.harness.items()]:
            parts += [name, text]

        def make(folder: Path) -> None:
            self._verilate(folder, design, variant)
            self._compile(folder, variant)

        folder = made_once(self.cache, f"design-{key_of(parts)}", EXECUTABLE, make)
        prune(self.cache, "design-")
        return folder / EXECUTABLE

    def runtime(self, variant: Variant) -> Path:
        """The folder with the objects of Verilator's runtime."""
        flags = variant.compiler_flags(self.programs)
        key = key_of([self.programs.identity, *flags, *RUNTIME_FLAGS])
        names = RUNTIME + (WAVE_RUNTIME if variant.wave else ())

        def make(folder: Path) -> None:
            include = self.programs.verilator_root / "include"
            compiler = [self.programs.compiler, *flags, *RUNTIME_FLAGS, "-c"]
            self._run(
                [[*compiler, str(include / f"{name}.cpp"), "-o", f"{name}.o"] for name in names],
                folder,
            )

        return made_once(self.cache, f"runtime-{key}", f"{RUNTIME[0]}.o", make)

    def header(self, variant: Variant) -> Path:
        """The folder with the precompiled header of Verilator's declarations."""
        flags = [*variant.compiler_flags(self.programs), variant.optimisation]

        def make(folder: Path) -> None:
            (folder / "verilated_all.h").write_text(HEADER)
            self._run(
                [[self.programs.compiler, *flags, "-x", "c++-header", "verilated_all.h"]], folder
            )

        key = key_of([self.programs.identity, HEADER, *flags])
        return made_once(self.cache, f"header-{key}", "verilated_all.h.gch", make)

    def _verilate(self, folder: Path, design: Design, variant: Variant) -> None:
        for part, modules in (("circuits", design.circuits), ("harness", design.harness)):
            (folder / part).mkdir()
            for name, text in modules.items():
                (folder / part / f"{name}.sv").write_text(text)
        # Warnings are errors in the circuits; the harness is ours and not emitted.
        (folder / "harness.vlt").write_text('`verilator_config\nlint_off -file "harness/*"\n')
        sources = [
            f"{part}/{name}.sv"
            for part, modules in (("circuits", design.circuits), ("harness", design.harness))
            for name in modules
        ]
        (folder / "sources.f").write_text("\n".join(["harness.vlt", *sources]) + "\n")
        flags = [*VERILATOR_FLAGS, *(["--trace-fst"] if variant.wave else [])]
        flags += ["--output-split", str(SPLIT if design.units > SPLIT_FROM else 0)]
        command = [str(self.programs.verilator), *flags, "--Mdir", "cpp", "-f", "sources.f"]
        self._run([command], folder)

    def _compile(self, folder: Path, variant: Variant) -> None:
        runtime, header = self.runtime(variant), self.header(variant)
        flags = [
            *variant.compiler_flags(self.programs), variant.optimisation,
            "-include", str(header / "verilated_all.h"), "-Icpp",
        ]  # fmt: skip
        # Each piece costs a start of the compiler: few pieces, no more than there are cores.
        sources = sorted((folder / "cpp").glob("*.cpp"), key=lambda p: (-p.stat().st_size, p.name))
        pieces: list[list[Path]] = [[] for _ in range(_pieces(sources))]
        for source in sources:
            min(pieces, key=lambda piece: sum(p.stat().st_size for p in piece)).append(source)
        pieces[-1] += [self.programs.cocotb_main, GUARD]
        commands: list[list[str]] = []
        for number, piece in enumerate(pieces):
            name = f"piece{number}"
            text = "".join(f'#include "{_include(folder, path)}"\n' for path in piece)
            (folder / f"{name}.cpp").write_text(text)
            commands.append(
                [self.programs.compiler, *flags, "-c", f"{name}.cpp", "-o", f"{name}.o"]
            )
        self._run(commands, folder)
        libraries = self.programs.cocotb_libraries
        objects = [f"piece{number}.o" for number in range(len(pieces))]
        objects += [str(path) for path in sorted(runtime.glob("*.o"))]
        link = [
            self.programs.compiler, *objects, "-o", EXECUTABLE, f"-L{libraries}",
            f"-Wl,-rpath,{libraries}", "-lcocotbvpi_verilator", "-lgpi", "-pthread",
        ]  # fmt: skip
        self._run([link], folder)
        for path in folder.glob("piece*"):
            path.unlink()
        for path in (folder / "cpp").iterdir():
            path.unlink()

    def _run(self, commands: Sequence[Sequence[str]], folder: Path) -> None:
        """All commands have succeeded, side by side."""
        environment = dict(os.environ) | {
            "VERILATOR_ROOT": str(self.programs.verilator_root),
            "TMPDIR": str(folder),  # what an ended compiler leaves goes with the folder
        }
        limits = Limits(time=self.timeout, memory=MEMORY, file=FILE)
        for command, done in zip(
            commands, run_children(commands, folder, environment, limits), strict=True
        ):
            if done.status != 0 or done.exceeded:
                raise _failed(command, folder, done)


def _pieces(sources: Sequence[Path]) -> int:
    large = sum(path.stat().st_size for path in sources) > 1_000_000
    return min(len(sources), os.cpu_count() or 1) if large else 1


def _include(folder: Path, path: Path) -> str:
    return path.name if path.parent == folder / "cpp" else str(path)


def _failed(command: Sequence[str], folder: Path, done: Finished) -> LoomError:
    lines = [line for line in done.output.splitlines() if line.strip()]
    wanted = [line for line in lines if "error" in line.lower() or "%Warning" in line] or lines
    text = "\n  ".join(line.replace(f"{folder}/", "") for line in wanted[:LOG_LINES])
    end = "took too long" if done.exceeded == "time" else f"failed with status {done.status}"
    if done.exceeded == "memory":
        end = f"took more than {MEMORY >> 30} GiB of memory"
    program = Path(command[0]).name
    return LoomError(
        "SIM_BUILD",
        Place(program),
        f"a build that {end}:\n  {text}\n",
        "SystemVerilog that Verilator takes without a warning, and a working C++ compiler",
    )
