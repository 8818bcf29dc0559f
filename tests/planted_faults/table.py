"""A row of the suite: what is planted, in which case it shows, and exactly what is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.planted_faults.change import Change
from tests.planted_faults.subjects import Subject


@dataclass(frozen=True)
class Case:
    """A circuit with what it is given; `sound`: what is reported of it without a fault."""

    name: str
    make: Callable[[], Subject]
    sound: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fault:
    """A fault in one part: in `case`, simulated in `way`, exactly `reported` is reported.

    `at` is where it is planted: in the ``circuit`` or a RAM around it; in the ``simulator``'s
    Python; in a ``model``, or in another function that takes part when a run is judged.
    """

    name: str
    case: Case
    way: str
    change: Change
    reported: tuple[str, ...]
    at: Literal["circuit", "simulator", "model"] = "circuit"


@dataclass(frozen=True)
class JudgeFault:
    """A judge that does not see: of the fault `witness` only `left` is reported.

    `at` is where it is planted: in what ``compares``; in the ``harness``; in what starts the
    ``run`` of a simulator; in the ``simulator``'s Python; in what ``builds`` one; in what takes it
    out of the ``cache``, where the sound circuit's is.
    """

    name: str
    change: Change
    witness: str
    left: tuple[str, ...] = ()
    at: Literal["compares", "harness", "run", "simulator", "builds", "cache"] = "compares"


def in_activation(number: int, *texts: str) -> tuple[str, ...]:
    """What is reported of one activation."""
    return tuple(f"activation {number}: {text}" for text in texts)
