"""A failure told so that it can be run again: the smaller program, its inputs, the command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from tests.random_programs.grow_program import grow_program
from tests.random_programs.periods import draw_period
from tests.random_programs.print_program import text_of
from tests.random_programs.shrink import shrink
from tests.random_programs.tree import Program
from tests.random_programs.verdict import Finding, Judge, Setting, judge_by_models

TRIED = 4
"""Activations while a program shrinks: other arguments draw other inputs."""


@dataclass(frozen=True)
class Way:
    """One of the ways to judge: its option of the command, its judge, its program of a seed."""

    option: str
    judge: Judge
    program: Callable[[int], Program] = grow_program


MODELS = Way("", judge_by_models)


def told(seed: int, setting: Setting, finding: Finding, seconds: float, way: Way = MODELS) -> str:
    """The finding with its program, shrunk for up to `seconds` [s]."""
    wide = replace(setting, activations=max(TRIED, setting.activations))

    def fails(text: str) -> bool:
        found = way.judge(text, wide).finding
        return found is not None and found.kind == finding.kind

    program = way.program(seed)
    smaller, tries = shrink(program, fails, seconds) if fails(text_of(program)) else (program, 0)
    text = text_of(smaller)
    last = way.judge(text, wide if tries else setting).finding or finding
    inputs = [f"activation {n}: {dict(one.inputs)}" for n, one in enumerate(last.inputs)]
    command = f"python -m tests.random_programs --seed {seed} --shrink{way.option}"
    if setting.period != draw_period(seed):
        period = "none" if setting.period is None else f"{setting.period:g}"
        command += f" --clock-period {period}"
    return "\n".join(
        [
            f"{finding.kind} in the program of seed {seed}, index of {setting.index_width} bits:",
            text,
            last.words,
            *inputs,
            f"shrunk in {tries} tries; replay with: {command}",
        ]
    )
