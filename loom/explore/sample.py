"""Points of a product that is too large to try them all: a sampler of optuna chooses."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from loom.errors import LoomError, Place
from loom.explore.axes import Axis, Point, count_of, point_of
from loom.explore.front import Result

BATCH = 20
"""Points that are chosen before the next is judged: the same for any number of workers."""
PATIENCE = 10
"""Batches without a new point, after which the others are drawn."""
Judge = Callable[[Sequence[Point]], Sequence[Result]]


def sample(
    axes: Sequence[Axis], options: argparse.Namespace, most: int, budgets: Mapping[str, float],
    judge: Judge,
) -> list[Result]:  # fmt: skip
    """The results of `most` different points, chosen by what the ones before gave.

    Time and LUT4 are to be small, within the budgets. The same seed, which is that of the inputs,
    chooses the same points. Refused (EXPLORE_SAMPLER): without optuna.
    """
    optuna = sampler_library(count_of(axes), most)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=options.seed)
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
    space = {axis.name: optuna.distributions.CategoricalDistribution(axis.values) for axis in axes}
    found: dict[tuple[str, ...], Result] = {}
    idle = 0
    while len(found) < most and idle < PATIENCE:
        trials = [study.ask(fixed_distributions=space) for _ in range(min(BATCH, most))]
        chosen = [tuple(trial.params[axis.name] for axis in axes) for trial in trials]
        new = [key for key in dict.fromkeys(chosen) if key not in found][: most - len(found)]
        idle = 0 if new else idle + 1
        found |= judged(axes, options, new, judge)
        for trial, key in zip(trials, chosen, strict=True):
            tell(optuna, study, trial, found.get(key), budgets)
    rest = drawn(axes, found, most - len(found), options.seed)
    return list((found | judged(axes, options, rest, judge)).values())


def judged(
    axes: Sequence[Axis], options: argparse.Namespace, keys: Sequence[tuple[str, ...]],
    judge: Judge,
) -> dict[tuple[str, ...], Result]:  # fmt: skip
    """The results by the values of their axes."""
    points = [point_of(axes, key, options) for key in keys]
    return dict(zip(keys, judge(points) if points else (), strict=True))


def tell(
    optuna: Any, study: Any, trial: Any, result: Result | None, budgets: Mapping[str, float]
) -> None:
    """The sampler knows the point; one without a circuit, or that was not tried, is a failure."""
    if result is None or result.time is None or result.row.luts is None:
        study.tell(trial, state=optuna.trial.TrialState.FAIL)
        return
    trial.set_constraint("budget", excess_of(result, budgets))
    study.tell(trial, [result.time, result.row.luts])


def excess_of(result: Result, budgets: Mapping[str, float]) -> float:
    """By how much the point is over its budgets, as shares of them; 0 and less is within."""
    numbers = result.numbers
    over = [(numbers[name] or 0.0) / max(most, 1e-9) - 1 for name, most in budgets.items()]
    return max(over, default=0.0)


def drawn(
    axes: Sequence[Axis], found: Mapping[tuple[str, ...], Result], count: int, seed: int
) -> list[tuple[str, ...]]:
    """Other points, at random."""
    source = random.Random(seed)
    keys: dict[tuple[str, ...], None] = {}
    while len(keys) < min(count, count_of(axes) - len(found)):
        key = tuple(source.choice(axis.values) for axis in axes)
        if key not in found:
            keys[key] = None
    return list(keys)


def sampler_library(count: int, most: int) -> Any:
    """Optuna, which is imported on first use. Refused (EXPLORE_SAMPLER) without it."""
    try:
        import optuna
    except ModuleNotFoundError as error:
        what = f"{count} points, of which {most} are to be chosen, and no module {error.name}"
        accepted = (
            "an installation with the extra `explore`: pip install 'loom-hls[explore]'; or "
            f"--points {count}, which tries all"
        )
        raise LoomError("EXPLORE_SAMPLER", Place("--points"), what, accepted) from None
    return optuna
