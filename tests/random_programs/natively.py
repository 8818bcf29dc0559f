"""Random programs judged by MLIR's own compiler, many in one process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from loom.errors import LoomError
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import Array, Signature, random_activations, signature_of
from loom.model.reference.reference import Outcome, compile_reference
from tests.judges.native_judge import Judged, judge_many
from tests.random_programs.grow_program import grow_program
from tests.random_programs.operators import width_of
from tests.random_programs.print_program import text_of
from tests.random_programs.replay import Way
from tests.random_programs.tree import For, Memory, Program
from tests.random_programs.verdict import MOST_CYCLES, NO_RESULT, Finding, Setting, Verdict

BYTES = (8, 16, 32, 64)
"""Widths of words that MLIR's native memrefs hold [bits]."""
MOST_STEP = 2
"""The longest step of a random loop."""


def for_native_code(program: Program) -> Program:
    """The program as native code can run it: words of whole bytes, no index beyond its type.

    MLIR's own lowering counts a loop in the type of its index, so that one step beyond the largest
    number wraps around and the loop goes on; LOOM counts narrow indices in an index.
    """
    made = rebuilt(program)
    assert isinstance(made, Program)
    return made


def rebuilt(node: Any) -> Any:
    """The node with all memories in it widened, and room for a step above every loop."""
    if isinstance(node, Memory):
        return replace(node, type=whole_bytes(node.type))
    if isinstance(node, tuple):
        return tuple(rebuilt(part) for part in node)
    if is_dataclass(node) and not isinstance(node, type):
        changes = {field.name: rebuilt(getattr(node, field.name)) for field in fields(node)}
        if isinstance(node, For) and node.base > MOST_STEP:
            changes["base"] = node.base - MOST_STEP
        return replace(node, **changes)
    return node


def whole_bytes(type_: str) -> str:
    """The narrowest type of whole bytes that holds the type; index stays."""
    if type_ == "index":
        return type_
    return f"i{next(width for width in BYTES if width >= width_of(type_))}"


@dataclass(frozen=True)
class Case:
    """A program with one activation and what the reference says of it."""

    text: str
    signature: Signature
    given: Activation
    outcome: Outcome

    def job(self) -> dict[str, Any]:
        """The native judge's job."""
        arguments: list[dict[str, Any]] = []
        for argument in self.signature.arguments:
            entry: dict[str, Any] = {
                "name": argument.name, "value": self.given.inputs[argument.name],
                "type": "index" if argument.is_index else f"i{argument.width}",
            }  # fmt: skip
            if isinstance(argument, Array):
                layout = argument.layout
                entry |= {"sizes": layout.sizes, "strides": layout.strides, "offset": 0}
            arguments.append(entry)
        results = [result.type for result in self.signature.results]
        return {
            "text": self.text, "top": self.signature.name, "results": results,
            "arguments": arguments,
        }  # fmt: skip

    def finding(self, judged: Judged | str) -> Finding | None:
        """Where the native program differs from the reference, or has no answer."""
        if isinstance(judged, str):
            return Finding("no native answer", judged, (self.given,))
        ours = self.outcome.results, dict(self.outcome.memories)
        if (judged.results, judged.memories) == ours:
            return None
        words = f"native {judged.results} {judged.memories}\nreference {ours[0]} {ours[1]}"
        return Finding("difference from native code", words, (self.given,))


def case_of(text: str, seed: int) -> Case | None:
    """The case, or None if the source program has no result on its input."""
    module = read_mlir(text, "program.mlir")
    signature = signature_of(top_function(module))
    given = random_activations(signature, seed, 1)[0]
    try:
        reference = compile_reference(module, signature.name)
        outcome = reference.run(signature.in_order(given), budget=20 * MOST_CYCLES)
    except LoomError as error:
        if error.code not in NO_RESULT:
            raise
        return None
    return Case(text, signature, given, outcome)


def judge_natively(text: str, setting: Setting) -> Verdict:
    """One program on one input of 64-bit indices; its memories must hold whole bytes."""
    case = case_of(text, setting.seed)
    if case is None:
        return Verdict(dropped=1)
    return Verdict(finding=case.finding(judge_many([case.job()])[0]))


def native_program(seed: int) -> Program:
    """The program of a seed as native code can run it."""
    return for_native_code(grow_program(seed))


def judge_seeds(seeds: Sequence[int]) -> dict[int, Verdict]:
    """The verdict on each seed, all in one process if none of them ends it."""
    cases = {seed: case_of(text_of(native_program(seed)), seed) for seed in seeds}
    judged = [case for case in cases.values() if case is not None]
    answers = iter(judge_many([case.job() for case in judged]))
    return {
        seed: Verdict(dropped=1) if case is None else Verdict(finding=case.finding(next(answers)))
        for seed, case in cases.items()
    }


NATIVELY = Way(" --judge", judge_natively, native_program)
