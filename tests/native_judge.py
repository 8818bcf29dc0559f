"""The independent judge: a program compiled to native code by MLIR itself, run on inputs of ours.

Needs the extra ``judge`` (MLIR's own tools and bindings). Every program runs in a child process:
MLIR aborts on some types. ``python -m tests.native_judge`` is that child: a job as JSON on standard
input, results and memories as JSON on standard output.
"""

from __future__ import annotations

import ctypes
import json
import re
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

PIPELINE = (
    "builtin.module(func.func(llvm-request-c-wrappers,affine-expand-index-ops,scf-forall-to-for),"
    "lower-affine,convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,func.func(arith-expand),func.func(convert-math-to-llvm),"
    "convert-math-to-funcs,convert-cf-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)
WORDS: dict[str, Any] = {
    "i1": ctypes.c_uint8,
    "i7": ctypes.c_uint8,
    "i8": ctypes.c_uint8,
    "i16": ctypes.c_uint16,
    "i32": ctypes.c_uint32,
    "i64": ctypes.c_uint64,
    "index": ctypes.c_uint64,
}
"""Scalar types that the call can pass, as C keeps them; the judge knows no others."""
NARROW_ARRAY = re.compile(r"memref<(\d+x)+i[1-7][,>]")
"""Arrays that MLIR's native memrefs do not hold: their elements are narrower than a byte."""
SECONDS = 60


@dataclass(frozen=True)
class Judged:
    """What the native program gave, as unsigned bit patterns."""

    results: tuple[int, ...]
    memories: dict[str, list[int]]


def judge(job: dict[str, Any]) -> Judged | str:
    """What a child process answers, or why it has no answer.

    A job has `text`, `top`, `results` (types), and `arguments`: a list of name, type, value, and
    for arrays sizes, strides and offset [words] of the layout over the flat buffer `value`.
    """
    done = subprocess.run(
        [sys.executable, "-m", "tests.native_judge"],
        input=json.dumps(job), capture_output=True, text=True, timeout=SECONDS, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        return (done.stderr or f"ended with {done.returncode}").strip().splitlines()[-1]
    answer = json.loads(done.stdout)
    return Judged(tuple(answer["results"]), answer["memories"])


def descriptor(argument: dict[str, Any]) -> tuple[Any, Any]:
    """The words of an array, and the memref descriptor over them."""
    word = WORDS[argument["type"]]
    words = (word * len(argument["value"]))(*argument["value"])
    rank = len(argument["sizes"])

    class Descriptor(ctypes.Structure):
        _fields_ = [
            ("allocated", ctypes.c_void_p),
            ("aligned", ctypes.c_void_p),
            ("offset", ctypes.c_int64),
            ("sizes", ctypes.c_int64 * rank),
            ("strides", ctypes.c_int64 * rank),
        ]

    base = ctypes.cast(words, ctypes.c_void_p).value
    sizes = (ctypes.c_int64 * rank)(*argument["sizes"])
    strides = (ctypes.c_int64 * rank)(*argument["strides"])
    return words, Descriptor(base, base, argument["offset"], sizes, strides)


def run(job: dict[str, Any]) -> dict[str, Any]:
    """Compile and call; results and memories as unsigned bit patterns."""
    from mlir.execution_engine import ExecutionEngine
    from mlir.ir import Context, Module
    from mlir.passmanager import PassManager

    with Context():
        module = Module.parse(job["text"])
        PassManager.parse(PIPELINE).run(module.operation)
        engine = ExecutionEngine(module, opt_level=1)
        arrays: dict[str, Any] = {}
        kept: list[Any] = []
        pointers: list[Any] = []
        for argument in job["arguments"]:
            if "sizes" in argument:
                words, struct = descriptor(argument)
                arrays[argument["name"]] = words
                kept += [struct, ctypes.pointer(struct)]
                pointers.append(ctypes.pointer(kept[-1]))
            else:
                kept.append(WORDS[argument["type"]](argument["value"]))
                pointers.append(ctypes.pointer(kept[-1]))

        class Results(ctypes.Structure):
            _fields_ = [(f"r{k}", WORDS[type_]) for k, type_ in enumerate(job["results"])]

        results = Results()
        if len(job["results"]) == 1:
            pointers.append(ctypes.pointer(results))
        elif job["results"]:
            # MLIR's C interface returns a struct through a first argument.
            kept.append(ctypes.pointer(results))
            pointers.insert(0, ctypes.pointer(kept[-1]))
        engine.invoke(job["top"], *pointers)
    masks = [{"i1": 1, "i7": 127}.get(type_, -1) for type_ in job["results"]]
    return {
        "results": [getattr(results, f"r{k}") & mask for k, mask in enumerate(masks)],
        "memories": {name: list(words) for name, words in arrays.items()},
    }


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
