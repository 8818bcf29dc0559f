"""A random program some of whose loops are static: the models do what the source does."""

from __future__ import annotations

from random import Random

from xdsl.dialects.builtin import ModuleOp, StringAttr

from loom.dialects.facts.arrays import MEMORY, arrays_of
from loom.dialects.facts.loop_attributes import LOOPS, STYLE
from loom.dialects.ops.partition_attribute import PARTITION
from loom.errors import LoomError, LoomErrors
from loom.frontend.functions import top_function
from loom.frontend.mlir.read import read_mlir
from tests.random_programs.replay import Way
from tests.random_programs.statically import draw_partitions, draw_ports
from tests.random_programs.verdict import Finding, Setting, Verdict, compared, crash

REFUSED = frozenset({"STATIC_OPERATION", "STATIC_ISLAND"})
"""What a static loop does not have."""
SHARE = 0.6
"""Of the loops that are static."""
BEHIND_CHANNELS = 0.7
"""How probable it is that an array outside is behind channels."""
MOST_LATENCY = 9
"""Of such an array [cycles]."""


def mark_loops(module: ModuleOp, seed: int) -> int:
    """Some loops ask for a static schedule; how many."""
    random, marked = Random(seed), 0
    for operation in module.walk():
        if isinstance(operation, LOOPS) and random.random() < SHARE:
            STYLE.put(operation, "static")
            marked += 1
    return marked


def draw_channels(module: ModuleOp, seed: int) -> None:
    """Most arguments of the circuit that lie in one piece are arrays behind channels.

    Their latencies differ, also those of one program.
    """
    random, top = Random(f"channels of {seed}"), top_function(module)
    for array in arrays_of(module):
        is_whole = array.said(PARTITION) is None
        if array.maker is top and is_whole and random.random() < BEHIND_CHANNELS:
            array.say(MEMORY, StringAttr(f"channel,latency={random.randint(1, MOST_LATENCY)}"))


def judge_with_islands(text: str, setting: Setting) -> Verdict:
    """Reference against token model; a refused program is no finding."""
    return judge(text, setting, behind_channels=False)


def judge_behind_channels(text: str, setting: Setting) -> Verdict:
    """The same where most arrays outside are behind channels."""
    return judge(text, setting, behind_channels=True)


def judge(text: str, setting: Setting, *, behind_channels: bool) -> Verdict:
    """The verdict on a program; a refused one is no finding."""
    try:
        module = read_mlir(text, "program.mlir")
        mark_loops(module, setting.seed)
        draw_partitions(module, setting.seed)
        draw_ports(module, setting.seed)
        if behind_channels:
            draw_channels(module, setting.seed)
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
BEHIND = Way(" --islands --channels", judge_behind_channels)
"""The same over arrays behind channels."""
