"""A random program some of whose loops are static: the models do what the source does."""

from __future__ import annotations

from random import Random

from xdsl.dialects.builtin import ModuleOp

from loom.dialects.facts.loop_attributes import LOOPS, STYLE
from loom.errors import LoomError, LoomErrors
from loom.frontend.mlir.read import read_mlir
from tests.random_programs.replay import Way
from tests.random_programs.statically import draw_partitions, draw_ports
from tests.random_programs.verdict import Finding, Setting, Verdict, compared, crash

REFUSED = frozenset({"STATIC_OPERATION", "STATIC_ISLAND"})
"""What a static loop does not have."""
SHARE = 0.6
"""Of the loops that are static."""


def mark_loops(module: ModuleOp, seed: int) -> int:
    """Some loops ask for a static schedule; how many."""
    random, marked = Random(seed), 0
    for operation in module.walk():
        if isinstance(operation, LOOPS) and random.random() < SHARE:
            STYLE.put(operation, "static")
            marked += 1
    return marked


def judge_with_islands(text: str, setting: Setting) -> Verdict:
    """Reference against token model; a refused program is no finding."""
    try:
        module = read_mlir(text, "program.mlir")
        mark_loops(module, setting.seed)
        draw_partitions(module, setting.seed)
        draw_ports(module, setting.seed)
        return compared(module, setting)
    except (LoomError, LoomErrors) as error:
        code = error.code if isinstance(error, LoomError) else error.problems[0].code
        if code in REFUSED:
            return Verdict(dropped=setting.activations)
        return Verdict(finding=Finding(f"refused {code}", str(error)))
    except Exception as error:
        return Verdict(finding=crash(error))


ISLANDS = Way(" --islands", judge_with_islands)
"""Random programs with static loops."""
