"""The independent judge: a program compiled to native code by MLIR itself, run on inputs of ours.

Needs the extra ``judge`` (MLIR's own tools and bindings). Every program runs in a child process:
MLIR aborts on some types. ``python -m tests.judges.native_judge`` is that child: a job as JSON on
standard input, results and memories as JSON on standard output; or a list of jobs, and a line for
each.
"""

from __future__ import annotations

import ctypes
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.judges.oldest_processor import ROUTINES, restrict

PIPELINE = (
    "builtin.module(func.func(llvm-request-c-wrappers,affine-expand-index-ops,scf-forall-to-for),"
    "lower-affine,convert-scf-to-cf,"
    "expand-strided-metadata,lower-affine,func.func(arith-expand),func.func(convert-math-to-llvm),"
    "convert-math-to-funcs,convert-cf-to-llvm,convert-index-to-llvm,convert-arith-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,reconcile-unrealized-casts)"
)
WORDS: dict[str, Any] = {
    f"i{width}": next(
        word
        for most, word in (
            (8, ctypes.c_uint8), (16, ctypes.c_uint16), (32, ctypes.c_uint32), (64, ctypes.c_uint64)
        )
        if width <= most
    )
    for width in range(1, 65)
}  # fmt: skip
WORDS["index"] = ctypes.c_uint64
"""Scalar types that the call can pass, as C keeps them; the judge knows no others."""
NARROW_ARRAY = re.compile(r"memref<(\d+x)+i[1-7][,>]")
"""Arrays that MLIR's native memrefs do not hold: their elements are narrower than a byte."""
SECONDS = 60
"""A program may take so much time of the processor [s]."""


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
        [sys.executable, "-m", "tests.judges.native_judge"],
        input=json.dumps(job), capture_output=True, text=True, timeout=10 * SECONDS, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        return (done.stderr or f"ended with {done.returncode}").strip().splitlines()[-1]
    answer = json.loads(done.stdout)
    return Judged(tuple(answer["results"]), answer["memories"])


def judge_many(jobs: Sequence[dict[str, Any]]) -> list[Judged | str]:
    """An answer for each job, or why there is none; one child takes them until it dies."""
    answers: list[Judged | str] = []
    while len(answers) < len(jobs):
        rest = jobs[len(answers) :]
        done = subprocess.run(
            [sys.executable, "-m", "tests.judges.native_judge"], input=json.dumps(rest),
            capture_output=True, text=True, timeout=10 * SECONDS * len(rest), check=False,
        )  # fmt: skip
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            answers.append(Judged(tuple(answer["results"]), answer["memories"]))
        if done.returncode != 0:
            reason = done.stderr or f"ended with {done.returncode}"
            answers.append(reason.strip().splitlines()[-1])
    return answers


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
        if "f16" in job["text"]:
            routines = Module.parse(ROUTINES)
            PassManager.parse(PIPELINE).run(routines.operation)
            for function in routines.body.operations:
                module.body.append(function.operation.clone())
        restrict(module.body.operations)
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
    masks = [-1 if type_ == "index" else (1 << int(type_[1:])) - 1 for type_ in job["results"]]
    return {
        "results": [getattr(results, f"r{k}") & mask for k, mask in enumerate(masks)],
        "memories": {name: list(words) for name, words in arrays.items()},
    }


if __name__ == "__main__":
    given = json.load(sys.stdin)
    for one in given if isinstance(given, list) else [given]:
        # Native code that does not end: the signal does.
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        print(json.dumps(run(one)), flush=True)
