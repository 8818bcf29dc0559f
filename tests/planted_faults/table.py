"""A row of the suite: what is planted, in which case it shows, and exactly what is reported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.planted_faults.change import Change
from tests.planted_faults.subjects import Subject


@dataclass(frozen=True)
class Case:
    """A circuit with what it is given; `sound`: what is reported of it without a fault."""

    name: str
    make: Callable[[], Subject]
    sound: tuple[str, ...] = ()


@dataclass(frozen=True)
class CircuitFault:
    """A wrong circuit: in `case`, simulated in `way`, exactly `reported` is reported."""

    name: str
    case: Case
    way: str
    change: Change
    reported: tuple[str, ...]


@dataclass(frozen=True)
class JudgeFault:
    """A judge that does not see: of the circuit with the fault `witness`, only `left` is reported.

    `at` is when the change acts: in the `harness`, in the `simulator`'s Python, when the simulation
    is `run`, or when its outcome is `compared`.
    """

    name: str
    change: Change
    witness: str
    left: tuple[str, ...] = ()
    at: str = "compared"


def in_activation(number: int, *texts: str) -> tuple[str, ...]:
    """What is reported of one activation."""
    return tuple(f"activation {number}: {text}" for text in texts)
