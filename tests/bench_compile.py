"""``python -m tests.bench_compile``: compile time against kernel size, as ratios in one run.

Kernels: a straight line of n operations, and n / 8 loops one after the other with memory.
"""

from __future__ import annotations

import platform
import resource
import time

from loom.api import compile_text

SIZES = (100, 1_000, 10_000)


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
    """A function of loops of eight operations that read and write one memory."""
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


def main() -> None:
    """Print a line a kernel and size: seconds, and the growth against ten times fewer."""
    print(f"Python {platform.python_version()}, {platform.machine()}, one process")
    for kind in (straight_line, loops):
        before = 0.0
        for size in SIZES:
            text = kind(size)
            began = time.perf_counter()
            circuit = compile_text(text)
            files = circuit.files()
            seconds = time.perf_counter() - began
            growth = f"{seconds / before:5.1f} x" if before else "      -"
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{kind.__name__:14} {size:6} operations  {seconds:7.2f} s  {growth}  "
                f"{len(circuit.netlist.units):6} units  {len(files):4} files  {peak:6.0f} MiB"
            )
            before = seconds


if __name__ == "__main__":
    main()
