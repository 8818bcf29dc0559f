"""A random program judged: the source reference and the token model do the same, or a finding."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError, LoomErrors
from loom.front.circuit import Circuit
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from loom.model.comparison import compare_models
from loom.model.reference.reference import compile_reference
from tests.random_programs.periods import compile_at, draw_period
from tests.random_programs.scope import index_width_of

ZeroTrip = Literal["raw", "guard"]
Period = float | None | Literal["drawn"]
POLICIES: tuple[ZeroTrip, ...] = ("raw", "guard")
MOST_CYCLES = 2_000
"""No random program takes as long [cycles]."""
NO_RESULT = frozenset({"REF_UNDEFINED", "REF_BUDGET"})
"""What the reference says of inputs on which the source program has no result."""


@dataclass(frozen=True)
class Setting:
    """All that decides a verdict besides the program's text.

    Under both policies the one whose turn it is has the clock period [ns], the other none.
    """

    seed: int
    policies: tuple[ZeroTrip, ...]
    index_width: int
    activations: int
    period: float | None = None

    def circuit(self, module: ModuleOp, policy: ZeroTrip) -> Circuit:
        """The circuit of a program, at the default period if the setting's is too short for it."""
        has_period = len(self.policies) == 1 or policy == policy_of(self.seed)
        period = self.period if has_period else None
        return compile_at(module, Options(self.index_width, policy, clock_period=period))


@dataclass(frozen=True)
class Finding:
    """What is wrong: `kind` stays the same while a program shrinks, `words` tell it all."""

    kind: str
    words: str
    inputs: tuple[Activation, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What came of one program: tokens moved in all runs, inputs dropped, what is wrong."""

    tokens: int = 0
    dropped: int = 0
    finding: Finding | None = None


Judge = Callable[[str, Setting], Verdict]


def setting_of(seed: int, activations: int = 2, both: bool = True) -> Setting:
    """The usual setting of a seed: both policies, or one that takes turns."""
    policies = POLICIES if both else (policy_of(seed),)
    return Setting(seed, policies, index_width_of(seed), activations, draw_period(seed))


@dataclass(frozen=True)
class Choice:
    """What a campaign chooses for all seeds; the period is drawn for each, or one for all [ns]."""

    activations: int = 2
    both: bool = True
    period: Period = "drawn"

    def setting(self, seed: int) -> Setting:
        """The setting of a seed."""
        found = setting_of(seed, self.activations, self.both)
        return found if self.period == "drawn" else replace(found, period=self.period)


def policy_of(seed: int) -> ZeroTrip:
    """The policy whose turn it is."""
    return POLICIES[seed // 3 % 2]


def judge_by_models(text: str, setting: Setting) -> Verdict:
    """Reference against token model, under each policy, activation after activation."""
    try:
        return compared(read_mlir(text, "program.mlir"), setting)
    except (LoomError, LoomErrors) as error:
        code = error.code if isinstance(error, LoomError) else error.problems[0].code
        return Verdict(finding=Finding(f"refused {code}", str(error)))
    except Exception as error:
        return Verdict(finding=crash(error))


def crash(error: Exception) -> Finding:
    """The exception, told apart by where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}:{last.name}"
    return Finding(f"{type(error).__name__} in {where}", "".join(traceback.format_exception(error)))


def compared(module: ModuleOp, setting: Setting) -> Verdict:
    """The verdict on a module that the reader has accepted, on inputs that give it results."""
    signature = signature_of(top_function(module), setting.index_width)
    given = random_activations(signature, setting.seed, setting.activations)
    try:
        return on_inputs(module, setting, given)
    except LoomError as error:
        if error.code not in NO_RESULT:
            raise
    kept = with_results(module, signature.name, setting, given)
    # A global that keeps its words may still lead one activation to what has no result.
    with suppress(LoomError):
        if kept:
            rest = on_inputs(module, setting, kept)
            return replace(rest, dropped=len(given) - len(kept))
    return Verdict(dropped=len(given))


def on_inputs(module: ModuleOp, setting: Setting, given: Sequence[Activation]) -> Verdict:
    """Both models under each policy; refusals are raised."""
    tokens = 0
    for policy in setting.policies:
        circuit = setting.circuit(module, policy)
        report = compare_models(
            module, circuit.top, circuit.netlist, given, max_cycles=MOST_CYCLES, seed=setting.seed
        )
        if report.differences:
            words = "\n".join([f"policy {policy}:", *report.differences])
            return Verdict(tokens, finding=Finding("difference", words, tuple(given)))
        tokens += report.tokens.total
    return Verdict(tokens)


def with_results(
    module: ModuleOp, top: str, setting: Setting, given: Sequence[Activation]
) -> list[Activation]:
    """The activations on which the source program has results."""
    kept: list[Activation] = []
    for activation in given:
        reference = compile_reference(module, top, setting.index_width)
        try:
            reference.run(list(activation.inputs.values()), budget=MOST_CYCLES)
        except LoomError:
            continue
        kept.append(activation)
    return kept
