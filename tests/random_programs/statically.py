"""A random program as a static schedule: the source reference and its machine do the same."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp

from loom.errors import LoomError, LoomErrors
from loom.front.static_circuit import compile_static
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from loom.lower.options import Options
from loom.model.bundles.activation import Activation
from loom.model.bundles.signature import random_activations, signature_of
from tests.random_programs.replay import Way
from tests.random_programs.verdict import Finding, Setting, Verdict, crash, with_results

MOST_CYCLES = 20_000
"""No random program's machine takes as long [cycles]."""
REFUSED = frozenset({"STATIC_OPERATION"})
"""What a static schedule does not have."""


def judge_statically(text: str, setting: Setting) -> Verdict:
    """Reference against machine, activation after activation; a refused program is no finding."""
    try:
        return on_inputs(read_mlir(text, "program.mlir"), setting)
    except (LoomError, LoomErrors) as error:
        code = error.code if isinstance(error, LoomError) else error.problems[0].code
        if code in REFUSED:
            return Verdict(dropped=setting.activations)
        return Verdict(finding=Finding(f"refused {code}", str(error)))
    except Exception as error:
        return Verdict(finding=crash(error))


def on_inputs(module: ModuleOp, setting: Setting) -> Verdict:
    """The verdict on inputs that give the program results."""
    signature = signature_of(top_function(module), setting.index_width)
    drawn = random_activations(signature, setting.seed, setting.activations)
    given = with_results(module, signature.name, setting, drawn)
    # A global that keeps its words may lead one activation to what has no result.
    kept: Sequence[Activation] = given
    options = Options(index_width=setting.index_width, clock_period=setting.period)
    circuit = compile_static(module, top=None, options=options)
    try:
        found = list(circuit.differences(kept, MOST_CYCLES))
    except LoomError as error:
        if error.code in ("REF_UNDEFINED", "REF_BUDGET"):
            return Verdict(dropped=len(drawn))
        raise
    if found:
        return Verdict(finding=Finding("difference", "\n".join(found), tuple(kept)))
    return Verdict(tokens=len(kept), dropped=len(drawn) - len(kept))


STATICALLY = Way(" --static", judge_statically)
