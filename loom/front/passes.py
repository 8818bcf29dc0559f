"""Passes that the user adds by name, and what is shown of passes as they run."""

from __future__ import annotations

import inspect
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TextIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from loom.dialects.ops.context import make_context
from loom.entry_points import PASSES as GROUP
from loom.entry_points import Addition, find_addition
from loom.errors import LoomError, Place, nearest
from loom.lower.options import AddedPass, Options, PassRun, Rewrite, Watch
from loom.lower.pipeline import PASSES
from loom.lower.run_passes import places

ALL = "all"
"""Stands for every pass in ``--print-after``."""


def find_passes(given: Sequence[tuple[str, str]]) -> tuple[AddedPass, ...]:
    """The passes of the user's, in their order, each after a pass, a stage, or one before it.

    Refused: a pass that neither the table nor a package has (EXTEND_UNKNOWN), one whose entry point
    is broken (EXTEND_BROKEN), a place that is none (LOWER_PASS_PLACE).
    """
    found: list[AddedPass] = []
    for name, after in given:
        known = [*places(PASSES), *(each.name for each in found)]
        if after not in known:
            accepted = nearest(after, known) or f"a stage or a pass: {', '.join(known)}"
            what = f"the place {after!r} of the pass {name}"
            raise LoomError("LOWER_PASS_PLACE", Place("--pass"), what, accepted)
        found.append(AddedPass(name, after, find_rewrite(name)))
    return tuple(found)


def find_rewrite(name: str) -> Rewrite:
    """The pass of this name: of LOOM's table, or of an installed package."""
    own = {step.name: step.rewrite for step in PASSES}
    if name in own:
        return own[name]
    addition = find_addition(GROUP, name, Place("--pass"), besides=tuple(own))
    return rewrite_of(addition, addition.load())


def rewrite_of(addition: Addition, found: Any) -> Rewrite:
    """A function of module and options as it is; a `ModulePass` of xDSL, which has no options."""
    if isinstance(found, type) and issubclass(found, ModulePass):

        def apply(module: ModuleOp, options: Options) -> None:
            found().apply(make_context(), module)

        return apply
    accepted = "a function of a module and loom.Options, or a class of xdsl.passes.ModulePass"
    try:
        inspect.signature(found).bind(None, None)
    except (TypeError, ValueError):
        raise addition.broken(f"it is {found!r}", accepted) from None
    rewrite: Rewrite = found
    return rewrite


@dataclass
class PassLog:
    """What the passes did so far; `shown` are those after which the module is printed."""

    shown: frozenset[str] = frozenset()
    runs: list[PassRun] = field(default_factory=list)

    def see(self, run: PassRun, module: ModuleOp) -> None:
        """Keep what a pass did, and print the module to standard error where that is wanted."""
        self.runs.append(run)
        if ALL in self.shown or run.name in self.shown:
            print(f"// after {run.name}\n" + str(module), file=sys.stderr)

    def unseen(self) -> list[str]:
        """The passes of `shown` that did not run: of `--lean`, or of another style."""
        return sorted(self.shown - {run.name for run in self.runs} - {ALL})


def watch_passes(shown: Sequence[str], verify: bool, added: Sequence[AddedPass]
                 ) -> tuple[PassLog, Watch]:  # fmt: skip
    """A log, and the watch that writes it.

    Refused (LOWER_PASS_PLACE): the name of no pass.
    """
    known = [ALL, *(step.name for step in PASSES), *(each.name for each in added)]
    for name in shown:
        if name not in known:
            accepted = nearest(name, known) or f"a pass: {', '.join(known)}"
            raise LoomError("LOWER_PASS_PLACE", Place("--print-after"), f"the pass {name!r}",
                            accepted)  # fmt: skip
    log = PassLog(frozenset(shown))
    return log, Watch(log.see, verify)


@dataclass
class Progress:
    """How far a compilation has come, on a terminal, once it takes longer than `patience` [s]."""

    stream: TextIO
    patience: float = 2.0
    began: float = field(default_factory=time.monotonic)
    shown: int = 0

    def begin(self, name: str, number: int, count: int) -> None:
        """The pass that begins stands in place of the one before; behind the last one nothing."""
        if time.monotonic() - self.began < self.patience:
            return
        text = f"pass {number} of {count}: {name}"
        self.stream.write(f"\r{text.ljust(self.shown)}")
        self.shown = len(text)
        if number == count:
            self.stream.write(f"\r{' ' * self.shown}\r")
            self.shown = 0
        self.stream.flush()


def changes_of(run: PassRun) -> dict[str, int]:
    """By how many operations of each name the pass changed the module, without zeros."""
    names = sorted({*run.before, *run.after})
    found = {name: run.after.get(name, 0) - run.before.get(name, 0) for name in names}
    return {name: count for name, count in found.items() if count}


def trace_lines(runs: Sequence[PassRun]) -> Iterator[str]:
    """A line a pass: its stage and name, operations before and after it, its time, what changed."""
    width = max((len(run.name) for run in runs), default=0)
    for run in runs:
        before, after = sum(run.before.values()), sum(run.after.values())
        changed = ", ".join(f"{name} {count:+}" for name, count in changes_of(run).items())
        yield (
            f"{run.stage:9}  {run.name:{width}}  {before:5} -> {after:5} operations  "
            f"{run.seconds:7.3f} s  {changed}".rstrip()
        )
    total = sum(run.seconds for run in runs)
    yield f"{len(runs)} passes, {total:.3f} s"


def trace_json(runs: Sequence[PassRun]) -> list[dict[str, object]]:
    """The same as JSON: `changes` by name of the operation."""
    return [
        {
            "stage": run.stage, "pass": run.name, "before": sum(run.before.values()),
            "after": sum(run.after.values()), "seconds": round(run.seconds, 6),
            "changes": changes_of(run),
        }
        for run in runs
    ]  # fmt: skip
