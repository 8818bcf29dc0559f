"""``python -m tools.speed.bench_compile``: time and memory of `loom compile` by kernel size.

Kernels: a straight line of n operations, and n / 6 loops one after the other with one memory. Each
runs in a process of its own, as a user would run it. Also: the start of a co-simulation that has
been built before; processes beside it change little. ``--page`` writes docs/speed.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

SIZES = (100, 1_000, 10_000, 100_000)
"""Operations of a kernel."""
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "fir.mlir"
LOOM = (sys.executable, "-m", "loom.front.cli")
TRIES = 3
"""Of what takes less than seconds: the shortest counts."""


@dataclass(frozen=True)
class Run:
    """One process: its processor time [s], the most memory of any so far [MiB]."""

    seconds: float
    memory: float


def straight_line(operations: int) -> str:
    """A function of so many additions and products, each of the two before it."""
    names = ["%a", "%b"]
    body = []
    for number in range(operations):
        kind = ("addi", "xori", "subi", "muli")[number % 4]
        body.append(f"  %v{number} = arith.{kind} {names[-1]}, {names[-2]} : i32")
        names.append(f"%v{number}")
    text = "\n".join(body)
    return f"func.func @line(%a: i32, %b: i32) -> i32 {{\n{text}\n  return {names[-1]} : i32\n}}"


def loops(operations: int) -> str:
    """A function of loops of six operations that read and write one memory."""
    loop = (
        "  scf.for %i = %c0 to %n step %c1 {\n"
        "    %x = memref.load %m[%i] : memref<64xi32>\n"
        "    %y = arith.addi %x, %k : i32\n"
        "    %z = arith.xori %y, %x : i32\n"
        "    memref.store %z, %m[%i] : memref<64xi32>\n"
        "  }\n"
    )
    return (
        "func.func @loops(%m: memref<64xi32>, %n: index, %k: i32) {\n"
        "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n"
        f"{loop * (operations // 6)}  return\n}}"
    )


def measured(arguments: list[str]) -> Run:
    """One run of ``loom`` with the arguments; it must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*LOOM, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(seconds, after.ru_maxrss / 1024)


def compiled(text: str, folder: Path, tries: int) -> Run:
    """The fastest of so many runs of `loom compile` on a program."""
    file = folder / "kernel.mlir"
    file.write_text(text, encoding="utf-8")
    runs = [measured(["compile", str(file), "-o", str(folder / "out")]) for _ in range(tries)]
    return min(runs, key=lambda run: run.seconds)


def lines(folder: Path, largest: int, told: Callable[[str], None]) -> Iterator[str]:
    """The rows of the table; sizes grow, so that the most memory is always the newest run's."""
    sizes = [size for size in SIZES if size <= largest]
    before: dict[str, float] = {}
    for size in sizes:
        for kind in (straight_line, loops):
            run = compiled(kind(size), folder, TRIES if size <= 1_000 else 1)
            name = kind.__name__.replace("_", " ")
            growth = f"{run.seconds / before[name]:.1f}" if name in before else "-"
            before[name] = run.seconds
            row = f"| {name} | {size} | {run.seconds:.2f} | {growth} | {run.memory:.0f} |"
            told(row)
            yield row


def starts(folder: Path) -> Iterator[str]:
    """How long a small kernel and a co-simulation that has been built take from the start."""
    compiling = min(
        measured(["compile", str(EXAMPLE), "-o", str(folder / "fir")]).seconds for _ in range(TRIES)
    )
    simulated = [measured(["sim", str(EXAMPLE)]).seconds for _ in range(TRIES + 1)]
    yield f"- `loom compile examples/fir.mlir`: {compiling:.2f} s from the start of Python."
    yield f"- `loom sim examples/fir.mlir`, built before: {min(simulated[1:]):.2f} s."


def main() -> None:
    """Print the table; write the page if asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="operations of a kernel")
    parser.add_argument("--page", type=Path, help="write the page here")
    chosen = parser.parse_args()
    machine = (
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores, of "
        "which one is used"
    )
    print(machine)
    with tempfile.TemporaryDirectory(prefix="loom-bench-") as name:
        folder = Path(name)
        small = list(starts(folder))
        print("\n".join(small))
        rows = list(lines(folder, chosen.largest, lambda row: print(row, flush=True)))
    if chosen.page is not None:
        chosen.page.write_text(
            "\n".join([
                "# How long LOOM takes", "",
                "Written by `make bench`; do not edit. `loom compile` in a process of its own: all",
                "of its processor time, the ratio to the kernel of a tenth of the size, the most",
                "memory. Straight line: so many integer operations in one block. Loops: a sixth as",
                "many loops, one after the other, over one array.",
                f"Measured with {machine}.", "",
                "| kernel | operations | s | x | MiB |", "|---|---|---|---|---|", *rows, "",
                *small, "",
            ]),
            encoding="utf-8",
        )  # fmt: skip


if __name__ == "__main__":
    main()
