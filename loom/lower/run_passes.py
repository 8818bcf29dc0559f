"""One pass, passes of the user's among those of the table, and what is seen of them as they run."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from traceback import extract_tb
from typing import Literal, get_args

from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from loom.errors import LoomError, LoomErrors, Place
from loom.lower.options import AddedPass, Options, PassRun, Rewrite, Watch

Stage = Literal["check", "normalize", "prepare", "dataflow"]
"""Where a pass stands: the program as read is checked, brought to normal form, given memory order
and bit widths, and becomes a graph of units."""
OPTION = Place("--pass")


@dataclass(frozen=True)
class Pass:
    """One rewrite of the module, with what it is for.

    `is_lean`: it takes idle logic out of the circuit, and `--lean off` leaves it out. The graph
    without such passes keeps the invariants of the specification as they are written. `is_static`:
    a pass behind the stage "normalize" that a static schedule needs too. `title` and `after` are
    those of a pass of the user's: its name, and the pass or stage that it follows.
    """

    stage: Stage
    rewrite: Rewrite
    reason: str
    is_lean: bool = False
    is_static: bool = False
    title: str = ""
    after: str = ""

    @property
    def name(self) -> str:
        """The name of the rewrite, as a user writes it: ``unroll-loops``."""
        return self.title or self.rewrite.__name__.replace("_", "-")

    @property
    def is_added(self) -> bool:
        """True of a pass that the user adds to the table."""
        return bool(self.after)

    @property
    def is_in_static_flow(self) -> bool:
        """True of a pass that runs before a static schedule is made."""
        return self.stage in ("check", "normalize") or self.is_static


def insert_passes(table: Sequence[Pass], added: Sequence[AddedPass]) -> list[Pass]:
    """The table with each pass of the user's right behind the pass, or the stage, that it names.

    Several of one place stand in their order. Refused: LOWER_PASS_PLACE, as `require_places`.
    """
    steps = list(table)
    for each in added:
        ends = [n for n, step in enumerate(steps) if step.stage == each.after and not step.after]
        ends += [n for n, step in enumerate(steps) if step.name == each.after][:1]
        place = ends[-1]
        while place + 1 < len(steps) and steps[place + 1].after == each.after:
            place += 1
        before = steps[place]
        reason = f"the user's, after {each.after}"
        found = Pass(before.stage, each.rewrite, reason, title=each.name, after=each.after)
        steps.insert(place + 1, replace(found, is_static=before.is_static))
    return steps


def run_passes(module: ModuleOp, options: Options, steps: Sequence[Pass]) -> None:
    """Run the passes on the module, in view of `options.watch`.

    The module is verified after each pass of the user's; with `Watch.verify` after every one.
    Refused (LOWER_PASS): a pass of the user's that fails or leaves a module that breaks a rule,
    and one whose module a later pass does not take.
    """
    watch = options.watch or Watch()
    added: Pass | None = None
    for number, step in enumerate(steps, 1):
        if watch.begin is not None:
            watch.begin(step.name, number, len(steps))
        before = {} if watch.see is None else count_operations(module)
        begin = time.perf_counter()
        try:
            step.rewrite(module, options)
        except (LoomError, LoomErrors, RecursionError):
            raise
        except Exception as error:
            if not step.is_added and added is None:
                raise
            raise failure(step, added, error) from None
        seconds = time.perf_counter() - begin
        if step.is_added:
            added = step
        if step.is_added or watch.verify:
            verify(module, step)
        if watch.see is not None:
            run = PassRun(step.stage, step.name, before, count_operations(module), seconds)
            watch.see(run, module)


def failure(step: Pass, added: Pass | None, error: Exception) -> LoomError:
    """The refusal of a pass that fails, at the line of the user's pass if it is there."""
    text = f"{type(error).__name__}: {' '.join(str(error).split())}"
    if not step.is_added:
        assert added is not None
        what = f"the pass {step.name}, which fails on what the pass {added.name} has left: {text}"
        return LoomError("LOWER_PASS", OPTION, what, f"passes that leave what {step.name} takes")
    own = step.rewrite.__code__.co_filename if hasattr(step.rewrite, "__code__") else ""
    lines = [each for each in extract_tb(error.__traceback__) if each.filename == own]
    place = Place(lines[-1].filename, lines[-1].lineno or 0, 1) if lines else OPTION
    return LoomError("LOWER_PASS", place, f"the pass {step.name}, which fails: {text}",
                     "passes that rewrite the module, or raise LoomError")  # fmt: skip


def verify(module: ModuleOp, step: Pass) -> None:
    """Return if every operation keeps the rules of its dialect (LOWER_PASS)."""
    try:
        module.verify()
    except VerifyException as error:
        text = str(error).strip().split("\n")[-1]
        what = f"the pass {step.name}, after which the module breaks a rule: {text}"
        raise LoomError("LOWER_PASS", OPTION, what, "passes that leave a valid module") from None


def count_operations(module: ModuleOp) -> Mapping[str, int]:
    """The operations of the module, by name."""
    return Counter(operation.name for operation in module.walk())


def places(table: Sequence[Pass]) -> tuple[str, ...]:
    """Where a pass may be added: after a stage, or after a pass."""
    return (*get_args(Stage), *dict.fromkeys(step.name for step in table))
